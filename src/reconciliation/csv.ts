/** Records as CSV for spreadsheets (RFC 4180; contract, reconciliation rule 5; decision R5). */
import { csvText } from "../http/csv.ts";
import type { Field, ListedRecord, RecordType } from "./records.ts";

/** The header row and one row per record. */
export function csvOf({ fields }: RecordType, records: readonly ListedRecord[]): string {
  let text = `${fields.map(({ name }) => name).join(",")}\r\n`;
  for (const record of records) {
    let separator = "";
    for (const field of fields) {
      text += separator + cell(field, record[field.name]);
      separator = ",";
    }
    text += "\r\n";
  }
  return text;
}

/** Null is empty. Only free text is defused: in front of an amount a `'` would make a text of it. */
function cell({ kind }: Field, value: string | number | null | undefined): string {
  if (value === null || value === undefined) return "";
  return kind === "free_text" ? csvText(String(value)) : String(value);
}
