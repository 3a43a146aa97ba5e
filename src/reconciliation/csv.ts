/** Records as CSV for spreadsheets (RFC 4180; contract, reconciliation rule 5; decision R5). */
import { csvText } from "../http/csv.ts";
import type { Field, ListedRecord, RecordType } from "./records.ts";

/** The header row and one row per record. */
export function csvOf({ fields }: RecordType, records: readonly ListedRecord[]): string {
  const lines = [fields.map(({ name }) => name).join(",")];
  for (const record of records) lines.push(fields.map((field) => cell(field, record[field.name])).join(","));
  lines.push("");
  return lines.join("\r\n");
}

/** Null is empty. Only free text is defused: in front of an amount a `'` would make a text of it. */
function cell({ kind }: Field, value: string | number | null | undefined): string {
  if (value === null || value === undefined) return "";
  return kind === "free_text" ? csvText(String(value)) : String(value);
}
