/** The SQL of what each page of a statement has reported. */
import { sql, type Tx } from "../../../../db/database.ts";
import type { SepaPageEntryRow } from "../../../../db/rows.ts";
import type { StatementPage } from "../items.ts";

const FIND = sql(
  "sepa_page_entries.find",
  `select name, sum(times)::integer as times from sepa_page_entries
    where tenant = :tenant and statement = :statement and name = any (:names::text[]) and page <> all (:here::integer[])
    group by name`,
).gives<Pick<SepaPageEntryRow, "name" | "times">>();

/**
 * How often other pages of the statement have reported each name.
 * @param of.here pages that do not count.
 */
export async function findOnOtherPages(
  tx: Tx,
  tenant: number,
  { statement, here }: { readonly statement: string; readonly here: readonly number[] },
  names: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await tx.query(FIND, { tenant, statement, here, names });
  return new Map(rows.map(({ name, times }) => [name, times]));
}

const INSERT = sql(
  "sepa_page_entries.insert",
  `insert into sepa_page_entries (tenant, statement, name, page, times)
   select :tenant, :statement, e.name, :number, e.times
     from jsonb_to_recordset(:entries::jsonb) as e (name text, times integer)
       on conflict (tenant, statement, name, page)
       do update set times = greatest(sepa_page_entries.times, excluded.times)`,
);

/** A page that is delivered again reports the same: the larger count stays. */
export async function insertOnPage(
  tx: Tx,
  tenant: number,
  { statement, number }: StatementPage,
  entries: readonly Pick<SepaPageEntryRow, "name" | "times">[],
): Promise<void> {
  await tx.write(INSERT, { tenant, statement, number, entries: JSON.stringify(entries) });
}
