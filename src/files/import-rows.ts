/**
 * Shared by all imports of row files: finds the columns, passes the rows on in batches, reports what cannot be read.
 */
import type { Places } from "./cells.ts";
import type { BrokenLine, CsvRow } from "./csv-reader.ts";

/** A row with the positions of its columns. */
export type CsvEntry = CsvRow & { readonly places: Places };

/** Why a line was rejected. */
export interface Rejection {
  readonly line: number;
  readonly reasons: readonly string[];
}

/** A file that cannot be used at all; the message says why. */
export class UnusableFile extends Error {}

/** The most bytes of a file that is imported: 2 GiB. */
export const IMPORT_BYTES_MAX = 2 * 1_024 ** 3;
/** Rows written together. */
const BATCH_ROWS = 500;
/** The most rejected lines that a report lists. */
export const REJECTIONS_KEPT = 1_000;
/** The most characters stored of a file's name. */
export const FILE_NAME_CHARS_MAX = 255;
/** The report of a file that ended too early. */
export const UPLOAD_INTERRUPTED =
  "The upload was interrupted. Import the file again: existing records are not created twice.";

/**
 * The rows below the header row.
 * @param placesIn finds the columns of a header row, or returns its problem.
 * @throws UnusableFile.
 */
export async function* rowsBelowHeader(
  rows: AsyncIterable<CsvRow | BrokenLine>,
  placesIn: (header: readonly string[]) => Places | readonly string[],
): AsyncIterable<CsvEntry | BrokenLine> {
  let places: Places | null = null;
  for await (const row of rows) {
    if (places !== null) yield "reason" in row ? row : { ...row, places };
    else if ("reason" in row) throw new UnusableFile(`The header row cannot be read: ${row.reason}`);
    else places = usable(placesIn(row.cells));
  }
  if (places === null) throw new UnusableFile("The file is empty.");
}

function usable(places: Places | readonly string[]): Places {
  if (isProblems(places)) throw new UnusableFile(places.join(" "));
  return places;
}

/** The entries in batches, the last of them smaller. */
export async function* inBatches<T>(entries: AsyncIterable<T>): AsyncIterable<readonly T[]> {
  let batch: T[] = [];
  for await (const entry of entries) {
    batch.push(entry);
    if (batch.length < BATCH_ROWS) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** The readable rows of a batch; `reject` receives the others, each reason once. */
export function* readableRows<Row extends object>(
  batch: readonly (CsvEntry | BrokenLine)[],
  read: (entry: CsvEntry) => Row | readonly string[],
  reject: (rejection: Rejection) => void,
): Generator<{ readonly line: number; readonly row: Row }> {
  for (const entry of batch) {
    const row = "reason" in entry ? [entry.reason] : read(entry);
    if (isProblems(row)) reject({ line: entry.line, reasons: [...new Set(row)] });
    else yield { line: entry.line, row };
  }
}

function isProblems(read: object | readonly string[]): read is readonly string[] {
  return Array.isArray(read);
}
