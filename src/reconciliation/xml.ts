/** A page as XML 1.0 (contract, reconciliation rule 4; decision R6). */
import type { Page } from "../http/paging.ts";
import type { Field, ListedRecord, RecordType } from "./records.ts";

/** The whole document. */
export function xmlOf(type: RecordType, { next, previous, results }: Page<ListedRecord>): string {
  const tags = type.fields.map(tagsOf);
  let text = `<?xml version="1.0" encoding="UTF-8"?>\n<reconciliation>`;
  text += `${link("next", next)}${link("previous", previous)}<results>`;
  for (const record of results) {
    text += `<${type.singular}>`;
    for (const { name, open, close, empty, free } of tags) {
      const value = record[name];
      if (value === null || value === undefined) text += empty;
      else text += open + (free ? escaped(String(value)) : value) + close;
    }
    text += `</${type.singular}>`;
  }
  return `${text}</results></reconciliation>\n`;
}

function link(name: string, url: string | null): string {
  return url === null ? `<${name}/>` : `<${name}>${escaped(url)}</${name}>`;
}

/** Made once per page, not once per value. Null is an empty element; only free text can hold what needs escaping. */
function tagsOf({ name, kind }: Field) {
  return { name, open: `<${name}>`, close: `</${name}>`, empty: `<${name}/>`, free: kind === "free_text" };
}

/** What XML 1.0 forbids even as a reference (section 2.2): control characters, lone surrogates, two non-characters. */
const FORBIDDEN = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;
const SPECIAL = /[&<>\r]/g;
/** Anything that may need work: most values do not, and this test is all that they cost. */
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
