/** The records that can be selected in the fields of a form. */
import type { Deps } from "../../deps.ts";
import { NEWEST_FIRST } from "../../http/paging.ts";
import { isUuid } from "../../lib/ids.ts";
import type { RecordStore, StoredRow } from "../../management/resource-store.ts";
import type { Option } from "../design/fields.ts";

/** The most records in a selection; others are selected through the API. */
const OPTIONS_MAX = 500;

/** A kind of records that have a name. */
interface Choosable {
  readonly store: Pick<RecordStore<StoredRow & { readonly name: string }>, "list" | "find">;
}

/** For each field the tenant's records of its kind: active ones, and the selected one even if it has been archived. */
export async function choose(
  { db }: Pick<Deps, "db">,
  tenant: number,
  kinds: Readonly<Record<string, Choosable>>,
  values: Readonly<Record<string, unknown>>,
): Promise<Readonly<Record<string, readonly Option[]>>> {
  const chosen = await Promise.all(
    Object.entries(kinds).map(async ([field, { store }]) => {
      const rows = await store.list(db, tenant, false, { ...NEWEST_FIRST, limit: OPTIONS_MAX });
      const value = values[field];
      const isOther = typeof value === "string" && isUuid(value) && !rows.some(({ id }) => id === value);
      const other = isOther ? await store.find(db, tenant, value) : null;
      const all = other === null ? rows : [...rows, other];
      return [field, all.map(({ id, name }): Option => [id, name])] as const;
    }),
  );
  return Object.fromEntries(chosen);
}
