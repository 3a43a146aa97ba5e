/** Writes XML: elements, amounts and times, escaped in the last step. Pure. */
import { formatAmount, type Cents } from "../lib/money.ts";

/** What XML 1.0 forbids even as a reference (W3C, XML 1.0, 2.2): control characters, lone surrogates, two non-characters. */
const FORBIDDEN = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;
const SPECIAL = /[&<>\r]/g;
/** Characters that may need escaping: most values have none, and cost only this test. */
const NOT_PLAIN = /[^\x20-\x25\x27-\x3b\x3d\x3f-\x7e]/;

/** A carriage return would be read back as a line feed. */
const REFERENCES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  "\r": "&#13;",
};

/** The text of an element. */
export function escaped(text: string): string {
  if (!NOT_PLAIN.test(text)) return text;
  return text.replace(FORBIDDEN, "").replace(SPECIAL, (character) => REFERENCES[character] ?? "");
}

/** An element with other elements inside, which are already markup. */
export function group(name: string, ...inside: readonly string[]): string {
  return `<${name}>${inside.join("")}</${name}>`;
}

/** An element with a text. */
export function leaf(name: string, text: string): string {
  return `<${name}>${escaped(text)}</${name}>`;
}

export function amountInEuro(name: string, amount: Cents): string {
  return `<${name} Ccy="EUR">${formatAmount(amount)}</${name}>`;
}

/** Without fractions of a second, which some banks refuse. */
export function moment(name: string, at: Date): string {
  return `<${name}>${at.toISOString().slice(0, 19)}Z</${name}>`;
}

/** The first line of a document. */
export const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n';

/** The declaration and the root element with which every message begins. */
export function opening(message: string): string {
  return `${DECLARATION}<Document xmlns="urn:iso:std:iso:20022:tech:xsd:${message}">\n`;
}

export const CLOSING = "</Document>\n";

/** Joins small pieces, so that writing a file does not cost a call for each. */
export function* inChunks(pieces: Iterable<string>): Generator<string> {
  let chunk = "";
  for (const piece of pieces) {
    chunk += piece;
    if (chunk.length < CHUNK_CHARS) continue;
    yield chunk;
    chunk = "";
  }
  if (chunk !== "") yield chunk;
}

/** About as much as a disk or a network takes at once. */
const CHUNK_CHARS = 64 * 1_024;
