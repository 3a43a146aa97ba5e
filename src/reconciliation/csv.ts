/** Records as CSV for spreadsheets (RFC 4180; contract, reconciliation rule 5; decision R5). */
import { csvText } from "../http/csv.ts";
import type { Format, RecordType } from "./records.ts";

/** A header row and one row per record. Null is empty. */
export function csvFormat({ fields }: RecordType): Format {
  const header = fields.map(({ name }) => name).join(",");
  // Only free text is defused: in front of an amount a `'` would make a text of it.
  const isFree = fields.map(({ kind }) => kind === "free_text");
  return {
    contentType: "text/csv",
    record(values) {
      const cells = values.map((value, at) =>
        isFree[at] && value !== null ? csvText(String(value)) : value,
      );
      return cells.join(",");
    },
    page: ({ results }) => [header, ...results, ""].join("\r\n"),
  };
}
