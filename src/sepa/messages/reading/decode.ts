/** Decodes a file's bytes by its declared encoding (byte order mark, then declaration), without guessing. */
import { BankFileRefused } from "../../../files/refused.ts";

/** An XML declaration is on the first line and never longer. */
const DECLARATION_BYTES_MAX = 512;
/** A caller may pass a whole file at once; small pieces limit the memory used in between. */
const PIECE_BYTES = 64 * 1_024;

const MARKS: readonly (readonly [mark: readonly number[], encoding: string])[] = [
  [[0xef, 0xbb, 0xbf], "utf-8"],
  [[0xfe, 0xff], "utf-16be"],
  [[0xff, 0xfe], "utf-16le"],
  [[0x00, 0x3c, 0x00], "utf-16be"],
  [[0x3c, 0x00], "utf-16le"],
];

/** Encodings as banks declare them; TextDecoder reads ISO-8859-1 as windows-1252, which is what they mean by it. */
const ENCODINGS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    "utf-8": "utf-8",
    utf8: "utf-8",
    "us-ascii": "utf-8",
    ascii: "utf-8",
    // If it is readable as single bytes it is not UTF-16: programs that keep text in UTF-16 declare it and write UTF-8.
    "utf-16": "utf-8",
    "iso-8859-1": "iso-8859-1",
    "iso8859-1": "iso-8859-1",
    "latin-1": "iso-8859-1",
    latin1: "iso-8859-1",
    "iso-8859-15": "iso-8859-15",
    "iso8859-15": "iso-8859-15",
    "windows-1252": "windows-1252",
    cp1252: "windows-1252",
  }),
);

/**
 * The text, in pieces.
 * @throws BankFileRefused for an empty file, an unknown encoding, or invalid bytes.
 */
export async function* decodeBytes(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let head: Uint8Array = new Uint8Array();
  let decoder: TextDecoder | null = null;
  for await (const chunk of bytes) {
    if (decoder !== null) {
      yield* decodePieces(decoder, chunk);
      continue;
    }
    head = joined(head, chunk);
    if (head.length < DECLARATION_BYTES_MAX) continue;
    decoder = decoderOf(head);
    yield* decodePieces(decoder, head);
  }
  if (decoder === null) {
    if (head.length === 0) throw new BankFileRefused("empty", "The file is empty");
    decoder = decoderOf(head);
    yield* decodePieces(decoder, head);
  }
  yield finishDecoding(decoder);
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  return first.length === 0 ? second : Buffer.concat([first, second]);
}

function decoderOf(head: Uint8Array): TextDecoder {
  refuseOtherFormats(head);
  return new TextDecoder(encodingOf(head), { fatal: true });
}

/** Recognises other formats, so that the refusal names them instead of a broken encoding. */
function refuseOtherFormats(head: Uint8Array): void {
  const beginning = Buffer.from(head).toString("latin1");
  const packed = beginning.startsWith("\u{1f}\u{8b}");
  const format = packed
    ? "a file packed with gzip"
    : OTHER_FORMATS.find(([pattern]) => pattern.test(beginning))?.[1];
  if (format === undefined) return;
  throw new BankFileRefused("not_xml", `This is ${format}; download the statement as camt.053 XML`);
}

const OTHER_FORMATS: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/^%PDF-/, "a PDF"],
  // Dutch banks put lines of their own before the first field.
  [/^(?:\{1:|(?:[\w:]{0,16}\s){0,8}:20:)/, "an MT940"],
  [/^[^<\0]{0,400}[;,\t][^<\0]{0,400}[\r\n]/, "a table (CSV)"],
];

function encodingOf(head: Uint8Array): string {
  const marked = MARKS.find(([mark]) => mark.every((byte, at) => head[at] === byte));
  if (marked !== undefined) return marked[1];
  const declared = declaredEncoding(head);
  if (declared === null) return "utf-8";
  const encoding = ENCODINGS.get(declared.toLowerCase());
  if (encoding !== undefined) return encoding;
  throw new BankFileRefused(
    "unknown_encoding",
    `The file declares the encoding "${declared}", which is not supported`,
  );
}

function declaredEncoding(head: Uint8Array): string | null {
  const line = Buffer.from(head.subarray(0, DECLARATION_BYTES_MAX)).toString("latin1");
  return /^\s*<\?xml\s[^>]*?\bencoding\s*=\s*["']([\w.:-]{1,40})["']/.exec(line)?.[1] ?? null;
}

function* decodePieces(decoder: TextDecoder, chunk: Uint8Array): Generator<string> {
  for (let from = 0; from < chunk.length; from += PIECE_BYTES) {
    yield decodePiece(decoder, chunk.subarray(from, from + PIECE_BYTES));
  }
}

function decodePiece(decoder: TextDecoder, piece: Uint8Array): string {
  try {
    return decoder.decode(piece, { stream: true });
  } catch (error) {
    throw new BankFileRefused("bad_encoding", `The file contains bytes that are not ${decoder.encoding}`, {
      cause: error,
    });
  }
}

function finishDecoding(decoder: TextDecoder): string {
  try {
    return decoder.decode();
  } catch (error) {
    throw new BankFileRefused("truncated", "The file ends within a character", { cause: error });
  }
}
