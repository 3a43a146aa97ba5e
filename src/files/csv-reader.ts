/** Reads a processor's CSV file row by row as it arrives: detects encoding and separator, reports and skips broken lines. */
import { createHash } from "node:crypto";
import { Transform, type Readable, type TransformCallback } from "node:stream";
import { parse, type CsvError } from "csv-parse";

export interface CsvRow {
  /** Its first line, from 1. */
  readonly line: number;
  readonly cells: readonly string[];
}

/** A line that is not a row. */
export interface BrokenLine {
  readonly line: number;
  readonly reason: string;
}

interface CsvFile {
  /** The header row comes first. */
  readonly rows: AsyncIterable<CsvRow | BrokenLine>;
  /** SHA-256 of the bytes, once all rows were read. */
  sha256(): string;
}

/** Enough to recognise encodings and separators; a multibyte character cut at its end is ignored. */
const SAMPLE_BYTES = 64 * 1_024;
/** The longest line: an unclosed quotation mark ends here, not at the end of the file. */
const RECORD_CHARS_MAX = 256 * 1_024;
const SEPARATORS = [",", ";", "\t", "|"] as const;

/**
 * Opens a file.
 * @throws Error when the stream breaks off.
 */
export async function openCsv(bytes: Readable): Promise<CsvFile> {
  const hash = createHash("sha256");
  const iterator = bytes[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  const chunks: Buffer[] = [];
  let sampled = 0;
  for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) {
    chunks.push(next.value);
    sampled += next.value.length;
    if (sampled >= SAMPLE_BYTES) break;
  }
  const sample = Buffer.concat(chunks);
  const decoder = new TextDecoder(encodingOf(sample));
  const text = decoding(decoder);
  const parser = parse({
    delimiter: separatorOf(new TextDecoder(encodingOf(sample)).decode(sample, { stream: true })),
    relax_column_count: true,
    skip_empty_lines: true,
    skip_records_with_error: true,
    max_record_size: RECORD_CHARS_MAX,
    info: true,
  });
  const broken: BrokenLine[] = [];
  parser.on("skip", (error: CsvError) => broken.push(brokenLine(error)));
  text.pipe(parser);
  const fed = feed(text, sample, iterator, (chunk) => hash.update(chunk));
  fed.catch((error: unknown) => parser.destroy(error instanceof Error ? error : new Error(String(error))));
  return { rows: rowsOf(parser, broken), sha256: () => hash.digest("hex") };
}

async function feed(
  text: Transform,
  sample: Buffer,
  rest: AsyncIterator<Buffer>,
  seen: (chunk: Buffer) => void,
): Promise<void> {
  const write = async (chunk: Buffer): Promise<void> => {
    seen(chunk);
    if (!text.write(chunk)) {
      await new Promise((resolve) => {
        text.once("drain", resolve);
      });
    }
  };
  await write(sample);
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) await write(next.value);
  text.end();
}

function decoding(decoder: TextDecoder): Transform {
  return new Transform({
    transform(chunk: Buffer, _encoding, done: TransformCallback) {
      done(null, decoder.decode(chunk, { stream: true }));
    },
    flush(done: TransformCallback) {
      done(null, decoder.decode());
    },
  });
}

async function* rowsOf(
  parser: AsyncIterable<{ readonly info: { readonly lines: number }; readonly record: readonly string[] }>,
  broken: BrokenLine[],
): AsyncIterable<CsvRow | BrokenLine> {
  let line = 1;
  for await (const { info, record } of parser) {
    while (broken.length > 0) yield broken.splice(0, 1)[0] as BrokenLine;
    yield { line, cells: record };
    line = info.lines + 1;
  }
  yield* broken;
}

function brokenLine({ code, lines }: CsvError & { readonly lines?: number }): BrokenLine {
  const reason =
    code === "CSV_MAX_RECORD_SIZE"
      ? "The line is too long, or a quotation mark is not closed."
      : "The quotation marks of the line are not balanced.";
  return { line: lines ?? 0, reason };
}

/** By the byte order mark, otherwise UTF-8 if it is valid, otherwise the encoding of office programs on Windows. */
function encodingOf(sample: Buffer): string {
  if (sample[0] === 0xff && sample[1] === 0xfe) return "utf-16le";
  if (sample[0] === 0xfe && sample[1] === 0xff) return "utf-16be";
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(sample, { stream: true });
    return "utf-8";
  } catch {
    return "windows-1252";
  }
}

/** The most frequent one in the header row, outside quotation marks. */
function separatorOf(text: string): string {
  const header = /^(?:"[^"]*"|[^"\r\n])*/.exec(text)?.[0].replace(/"[^"]*"/g, "") ?? "";
  const counts = SEPARATORS.map((separator) => header.split(separator).length);
  return SEPARATORS[counts.indexOf(Math.max(...counts))] ?? ",";
}
