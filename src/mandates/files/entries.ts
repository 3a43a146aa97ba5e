/** Reads the rows of a mandate file as it arrives: CSV by its header, JSON by the names in its objects. */
import type { Readable } from "node:stream";
import { openCsv, type BrokenLine } from "../../files/csv-reader.ts";
import { textOf } from "../../files/csv-cells.ts";
import { rowsBelowHeader, UnusableFile, type CsvEntry } from "../../files/import-rows.ts";
import { COLUMNS, OWN_PLACES, mandateColumns } from "./columns.ts";

/** A JSON file is read as a whole, so its size is limited. */
const JSON_BYTES_MAX = 16 * 1_024 ** 2;

/**
 * The rows of a CSV file.
 * @throws UnusableFile.
 */
export async function* csvEntries(bytes: Readable): AsyncIterable<CsvEntry | BrokenLine> {
  const { rows } = await openCsv(bytes);
  for await (const entry of rowsBelowHeader(rows, mandateColumns))
    yield "reason" in entry ? entry : { ...entry, cells: entry.cells.map(textOf) };
}

/**
 * The rows of a list of objects, or of an export's response with its `results`; entries are numbered from 1.
 * @throws UnusableFile.
 */
export async function* jsonEntries(bytes: Readable): AsyncIterable<CsvEntry | BrokenLine> {
  const entries = entriesOf(await wholeText(bytes));
  for (const [index, entry] of entries.entries()) {
    const line = index + 1;
    if (typeof entry === "object" && entry !== null && !Array.isArray(entry)) {
      yield { line, cells: cellsOf(entry as Readonly<Record<string, unknown>>), places: OWN_PLACES };
    } else yield { line, reason: "Not an object." };
  }
}

async function wholeText(bytes: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of bytes as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > JSON_BYTES_MAX) {
      throw new UnusableFile("A JSON file may have at most 16 MiB; CSV files may have any length.");
    }
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}

function entriesOf(text: string): readonly unknown[] {
  try {
    const file: unknown = JSON.parse(text);
    const entries: unknown =
      typeof file === "object" && file !== null && "results" in file ? file.results : file;
    if (Array.isArray(entries)) return entries;
  } catch {
    throw new UnusableFile("The file is not valid JSON.");
  }
  throw new UnusableFile("The file is not a list of mandates.");
}

/** Converts a value other than text, number or boolean to a cell that every field refuses. */
function cellsOf(entry: Readonly<Record<string, unknown>>): readonly string[] {
  return COLUMNS.map((column) => {
    const value = Object.hasOwn(entry, column) ? (entry[column] ?? "") : "";
    return typeof value === "object" ? "\u0000" : String(value);
  });
}
