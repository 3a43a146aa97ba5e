/** A page as XML 1.0 (contract: XML). */
import { DECLARATION, escaped, leaf } from "../files/xml-writer.ts";
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
      return [`${DECLARATION}<reconciliation>${links}<results>`, ...results, "</results></reconciliation>\n"];
    },
  };
}

function link(name: string, url: string | null): string {
  return url === null ? `<${name}/>` : leaf(name, url);
}

function elementOf({ name }: Field): Frame {
  return { open: `<${name}>`, close: `</${name}>`, empty: `<${name}/>` };
}
