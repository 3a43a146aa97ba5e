/** The records that a form's field is chosen from. */
import type { Deps } from "../../deps.ts";
import { NEWEST_FIRST } from "../../http/paging.ts";
import type { RecordKind } from "../../management/resource.ts";
import type { StoredRow } from "../../management/resource-store.ts";
import type { Option } from "../design/fields.ts";

/** What a choice offers; a record beyond it is chosen through the API. */
const OPTIONS_MAX = 500;

/** The tenant's records of a kind. */
export async function choose<Row extends StoredRow & { readonly name: string }, Fields extends object>(
  { db }: Pick<Deps, "db">,
  { store }: RecordKind<Row, Fields>,
  tenant: number,
): Promise<readonly Option[]> {
  const rows = await store.list(db, tenant, true, { ...NEWEST_FIRST, limit: OPTIONS_MAX });
  return rows.map(({ id, name }) => [id, name]);
}
