/** A page as XML 1.0 (contract: XML). */
import { valuesWriter, type Format, type Frame } from "./format.ts";
import type { Field, RecordType } from "./lists.ts";

/** The whole document. */
export function xmlFormat({ fields, singular }: RecordType): Format {
  const write = valuesWriter(fields, elementOf, escaped);
  return {
    contentType: "application/xml",
    record: (values) => `<${singular}>${write(values).join("")}</${singular}>`,
    page({ next, previous, results }) {
      const links = link("next", next) + link("previous", previous);
      return (
        `<?xml version="1.0" encoding="UTF-8"?>\n<reconciliation>${links}` +
        `<results>${results.join("")}</results></reconciliation>\n`
      );
    },
  };
}

function link(name: string, url: string | null): string {
  return url === null ? `<${name}/>` : `<${name}>${escaped(url)}</${name}>`;
}

function elementOf({ name }: Field): Frame {
  return { open: `<${name}>`, close: `</${name}>`, empty: `<${name}/>` };
}

/** What XML 1.0 forbids even as a reference (W3C, XML 1.0, 2.2): control characters, lone surrogates, two non-characters. */
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
