/** Records as CSV for spreadsheets (RFC 4180; contract, reconciliation rule 5; decision R5). */
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

/** What a spreadsheet takes for the beginning of a formula: full-width signs too, and some skip spaces before it. */
const FORMULA = /^\s*[=+\-@＝＋－＠]|^[\t\r\n]/;
const NEEDS_QUOTES = /[",\r\n]/;

/** Null is empty. Only free text is defused: in front of an amount a `'` would make a text of it. */
function cell({ kind }: Field, value: string | number | null | undefined): string {
  if (value === null || value === undefined) return "";
  if (kind !== "free_text") return String(value);
  const text = String(value);
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return NEEDS_QUOTES.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
