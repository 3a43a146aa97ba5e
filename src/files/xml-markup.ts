/** Writes XML with attributes: text and values are escaped, other elements' markup is inserted unchanged. Pure. */
import { escaped } from "./xml-writer.ts";

/** Written XML; only `element` makes it. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** @param attributes those that are null are omitted. */
export function element(
  name: string,
  attributes: Readonly<Record<string, string | null>>,
  ...inside: readonly (string | Markup | null)[]
): Markup {
  const written = Object.entries(attributes).map(([key, value]) =>
    value === null ? "" : ` ${key}="${escaped(value).replaceAll('"', "&quot;")}"`,
  );
  const content = inside.map((part) =>
    part === null ? "" : typeof part === "string" ? escaped(part) : part.text,
  );
  return new Markup(`<${name}${written.join("")}>${content.join("")}</${name}>`);
}
