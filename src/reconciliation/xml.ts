/** A page as XML 1.0 (contract, reconciliation rule 4; decision R6). */
import type { Page } from "../http/paging.ts";
import type { ListedRecord, RecordType } from "./records.ts";

/** Written into the document by a page of this type of record. */
export function xmlOf(
  { singular, fields }: RecordType,
  { next, previous, results }: Page<ListedRecord>,
): string {
  const names = fields.map(({ name }) => name);
  let text = `<?xml version="1.0" encoding="UTF-8"?>\n<reconciliation>`;
  text += element("next", next) + element("previous", previous) + "<results>";
  for (const record of results) {
    text += `<${singular}>`;
    for (const name of names) text += element(name, record[name]);
    text += `</${singular}>`;
  }
  return `${text}</results></reconciliation>\n`;
}

/** Null is an empty element. */
function element(name: string, value: string | number | null | undefined): string {
  return value === null || value === undefined
    ? `<${name}/>`
    : `<${name}>${escaped(String(value))}</${name}>`;
}

/** What XML 1.0 forbids even as a reference (section 2.2): control characters, lone surrogates, two non-characters. */
const FORBIDDEN = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;
const SPECIAL = /[&<>\r]/g;
/** Anything that may need work. Most values are plain, and this test is all that they cost. */
const NOT_PLAIN = /[^\x20-\x25\x27-\x3b\x3d\x3f-\x7e]/;

/** A bare carriage return would be read back as a line feed. */
const REFERENCES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  "\r": "&#13;",
};

function escaped(text: string): string {
  if (!NOT_PLAIN.test(text)) return text;
  return text.replace(FORBIDDEN, "").replace(SPECIAL, (character) => REFERENCES[character] ?? "");
}
