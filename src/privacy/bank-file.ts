/**
 * Removes a person from a bank's file: texts are replaced by as many `x`, so that amounts, dates, references and the
 * file's form stay. Pure.
 */
import { containsAny, type Known } from "./erased.ts";

/** The part that belongs to one payment, in each format. */
const RECORD = /<(?<tag>(?:[\w.-]+:)?(?:DrctDbtTxInf|CdtTrfTxInf|TxDtls|TxInfAndSts))[\s>]/;
/** Texts about people and accounts in a payment's record. */
const PERSONAL =
  /(<(?:[\w.-]+:)?(?:Nm|IBAN|BBAN|PrtryAcct|AdrLine|StrtNm|BldgNb|BldgNm|PstCd|TwnNm|Ustrd|AddtlInf|AddtlTxInf|AddtlRmtInf|EmailAdr|PhneNb|MobNb)>)([^<]*)(?=<)/g;
const TEXT = />([^<]+)</g;
/** Longer than any text between records: whole elements are processed. */
const TEXT_CHARS_MAX = 4_096;

/** @param chunks bytes in UTF-8, or in any superset of ASCII: other characters are compared as UTF-8. */
export async function* withoutPersonInFile(
  chunks: AsyncIterable<Uint8Array>,
  known: Known,
): AsyncGenerator<Buffer> {
  const words = { own: asBytes(known.own), unique: asBytes(known.unique) };
  let held = "";
  for await (const chunk of chunks) {
    held += Buffer.from(chunk).toString("latin1");
    const { done, rest } = worked(held, words, false);
    held = rest;
    if (done.length > 0) yield Buffer.from(done, "latin1");
  }
  yield Buffer.from(worked(held, words, true).done, "latin1");
}

/** The part of a text that is finished, and the rest, which needs the next chunk. */
function worked(
  text: string,
  known: Known,
  isLast: boolean,
): { readonly done: string; readonly rest: string } {
  let done = "";
  let rest = text;
  for (;;) {
    const found = RECORD.exec(rest);
    if (found === null) {
      // A text or a tag may continue in the next chunk.
      const from = isLast ? rest.length : Math.max(0, rest.lastIndexOf(">", rest.length - TEXT_CHARS_MAX));
      return { done: done + between(rest.slice(0, from), known), rest: rest.slice(from) };
    }
    const close = `</${found.groups?.["tag"] ?? ""}>`;
    const end = rest.indexOf(close, found.index);
    if (end < 0 && !isLast)
      return { done: done + between(rest.slice(0, found.index), known), rest: rest.slice(found.index) };
    const until = end < 0 ? rest.length : end + close.length;
    done += between(rest.slice(0, found.index), known) + record(rest.slice(found.index, until), known);
    rest = rest.slice(until);
  }
}

function record(text: string, known: Known): string {
  if (!containsAny(read(text), known.unique)) return text;
  const struck = text.replace(PERSONAL, (_, tag: string, said: string) => tag + struckOut(said));
  return struck.replace(TEXT, (whole, said: string) =>
    containsAny(read(said), known.own) ? `>${struckOut(said)}<` : whole,
  );
}

/** Between records: texts of a statement's entry, and of the file. */
function between(text: string, known: Known): string {
  return text.replace(TEXT, (whole, said: string) =>
    containsAny(read(said), known.unique) ? `>${struckOut(said)}<` : whole,
  );
}

const REFERENCE = /&(?:(amp|lt|gt|quot|apos)|#(\d{1,7})|#x([\da-f]{1,6}));/gi;
const NAMED: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/** As a reader of the XML sees it, in bytes; only for comparison. */
function read(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(REFERENCE, (whole, name?: string, decimal?: string, hex?: string) => {
    if (name !== undefined) return NAMED[name] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
    return code > 0x10_ffff ? whole : Buffer.from(String.fromCodePoint(code)).toString("latin1");
  });
}

/** Only white space that is also such in bytes: the last byte of `à` is a no-break space in Latin-1. */
function struckOut(text: string): string {
  return text.replace(/[^\t\n\r ]/g, "x");
}

/** The words as bytes, one character each, in both cases of letters beyond ASCII. */
function asBytes(words: readonly string[]): readonly string[] {
  const written = words.flatMap((word) => [word, word.toUpperCase()]);
  return [...new Set(written.map((word) => Buffer.from(word).toString("latin1").toLowerCase()))];
}
