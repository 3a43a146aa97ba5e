/** The rows of a file of mandates as they arrive: CSV by its header, JSON by the names of its objects. */
import type { Readable } from "node:stream";
import { openCsv, type BrokenLine, type CsvRow } from "../../files/csv-reader.ts";
import { textOf } from "../../files/csv-cells.ts";
import { COLUMNS, OWN_PLACES, placesOf } from "./columns.ts";

/** A row with its places, or a line that is not a row. */
export type Entry = (CsvRow & { readonly places: ReadonlyMap<string, number> }) | BrokenLine;

/** What is wrong with a file as a whole. */
export class UnusableFile extends Error {}

/** A JSON file is read whole, so it has an end. */
const JSON_BYTES_MAX = 16 * 1_024 ** 2;

/** @throws UnusableFile. */
export async function* csvEntries(bytes: Readable): AsyncIterable<Entry> {
  const { rows } = await openCsv(bytes);
  let places: ReadonlyMap<string, number> | null = null;
  for await (const row of rows) {
    if (places !== null)
      yield "reason" in row ? row : { line: row.line, cells: row.cells.map(textOf), places };
    else if ("reason" in row) throw new UnusableFile(`The header row cannot be read: ${row.reason}`);
    else places = usable(placesOf(row.cells));
  }
  if (places === null) throw new UnusableFile("The file is empty.");
}

function usable(places: ReadonlyMap<string, number> | readonly string[]): ReadonlyMap<string, number> {
  if (places instanceof Map) return places;
  throw new UnusableFile((places as readonly string[]).join(" "));
}

/** A list of objects, or an answer of the export with its `results`; entries count as lines, from 1. @throws UnusableFile. */
export async function* jsonEntries(bytes: Readable): AsyncIterable<Entry> {
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

/** What is neither text nor number nor true or false becomes a cell that no field takes. */
function cellsOf(entry: Readonly<Record<string, unknown>>): readonly string[] {
  return COLUMNS.map((column) => {
    const value = Object.hasOwn(entry, column) ? (entry[column] ?? "") : "";
    return typeof value === "object" ? "\u0000" : String(value);
  });
}
