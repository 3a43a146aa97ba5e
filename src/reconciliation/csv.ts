/** Records as CSV for spreadsheets (RFC 4180; contract: CSV). */
import { csvText } from "../files/csv-cells.ts";
import { valuesWriter, type Format, type Frame } from "./format.ts";
import type { RecordType } from "./lists.ts";

const CELL: Frame = { open: "", close: "", empty: "" };

/** A header row and one row per record. Amounts get no `'` as free text does, which would make them text. */
export function csvFormat({ fields }: RecordType): Format {
  const header = fields.map(({ name }) => name).join(",");
  const write = valuesWriter(fields, () => CELL, csvText);
  return {
    contentType: "text/csv",
    record: (values) => write(values).join(","),
    page: ({ results }) => [header, ...results].flatMap((line) => [line, "\r\n"]),
  };
}
