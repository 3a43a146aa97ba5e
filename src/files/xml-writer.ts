/** Writes XML: elements, amounts and moments, escaped as the last step. Pure. */
import { formatAmount, type Cents } from "../lib/money.ts";

const SPECIAL = /[&<>"]/g;
const REFERENCES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
};

/** An element with other elements inside, which are markup already. */
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

/** Some banks refuse fractions of a second. */
export function moment(name: string, at: Date): string {
  return `<${name}>${at.toISOString().slice(0, 19)}Z</${name}>`;
}

/** The one line and the root element that every message begins with. */
export function opening(message: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n<Document xmlns="urn:iso:std:iso:20022:tech:xsd:${message}">\n`;
}

export const CLOSING = "</Document>\n";

function escaped(text: string): string {
  return text.replace(SPECIAL, (character) => REFERENCES[character] ?? "");
}

/** Puts small pieces together, so that a writer of a file does not pay for each of them. */
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

/** About what a disk or a network takes at once. */
const CHUNK_CHARS = 64 * 1_024;
