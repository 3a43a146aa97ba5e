/** The SQL of the lines of a bank file: the report of an incoming file, or the instructions of an outgoing one. */
import { sql, type Reader } from "../../../db/database.ts";
import type { EntryLine } from "./changes-store.ts";

/** A line of the list; an instruction without an answer is `unanswered`. */
type ListedLine = Omit<EntryLine, "result"> & { readonly result: string };

const LIST_ENTRIES = sql(
  "sepa_files.list_entries",
  `select number, result, reference, amount::text, reason_code, detail from sepa_entries
    where tenant = :tenant and file_id = :fileId and number > :after and (:result::text is null or result = :result)
    order by number
    limit :limit`,
).gives<EntryLine>();

/** Lists the lines of a report after a given number. */
export function listReportLines(
  db: Reader,
  tenant: number,
  fileId: string,
  {
    after,
    limit,
    result,
  }: { readonly after: number; readonly limit: number; readonly result: string | null },
): Promise<readonly EntryLine[]> {
  return db.query(LIST_ENTRIES, { tenant, fileId, after, limit, result });
}

const LIST_INSTRUCTIONS = sql(
  "sepa_files.list_instructions",
  `select number, result, reference, amount::text, reason_code, '' as detail
     from (select row_number() over (order by reference)::integer as number,
                  case state when 'batched' then 'unanswered' else state end as result, reference, amount, reason_code
             from sepa_collections where tenant = :tenant and file_id = :fileId) i
    where number > :after and (:result::text is null or result = :result)
    order by number
    limit :limit`,
).gives<ListedLine>();

/** Lists the instructions of an outgoing file with the answer to each, after a given number. */
export function listInstructions(
  db: Reader,
  tenant: number,
  fileId: string,
  { after, limit, result }: Parameters<typeof listReportLines>[3],
): Promise<readonly ListedLine[]> {
  return db.query(LIST_INSTRUCTIONS, { tenant, fileId, after, limit, result });
}
