/** The canonical form of XML for signatures: Canonical XML 1.0 of one element, without comments. Pure. */
import type { XmlAttribute, XmlNode } from "./xml-tree.ts";

/** Namespaces by prefix; the default one has the empty prefix. */
type Namespaces = ReadonlyMap<string, string>;

/**
 * The element as if it stood alone, with every namespace that is in scope where it stands (Canonical XML 1.0, 2.3 and 2.4).
 * Attributes `xml:…` of elements around it are not taken over, and processing instructions are dropped: EBICS has neither.
 */
export function canonical(node: XmlNode): string {
  return written(node, inScope(node.parent), new Map());
}

/** @param shown namespaces that the surrounding elements have declared in the output. */
function written(node: XmlNode, outer: Namespaces, shown: Namespaces): string {
  const scope = withOwn(node, outer);
  const declared = [...scope]
    .filter(([prefix, uri]) => (shown.get(prefix) ?? "") !== uri)
    .toSorted(([a], [b]) => byCodeUnit(a, b))
    .map(([prefix, uri]) => attribute(prefix === "" ? "xmlns" : `xmlns:${prefix}`, uri));
  const attributes = node.attributes
    .filter((one) => !declares(one))
    .toSorted((a, b) => byCodeUnit(a.uri, b.uri) || byCodeUnit(a.local, b.local))
    .map(({ name, value }) => attribute(name, value));
  const inside = node.children.map((child) =>
    typeof child === "string" ? escapedText(child) : written(child, scope, scope),
  );
  return `<${node.name}${declared.join("")}${attributes.join("")}>${inside.join("")}</${node.name}>`;
}

function inScope(node: XmlNode | null): Namespaces {
  return node === null ? new Map() : withOwn(node, inScope(node.parent));
}

function withOwn(node: XmlNode, outer: Namespaces): Namespaces {
  const own = node.attributes.filter(declares).map(({ name, local, value }) => {
    return [name === "xmlns" ? "" : local, value] as const;
  });
  return own.length === 0 ? outer : new Map([...outer, ...own]);
}

function declares({ name }: XmlAttribute): boolean {
  return name === "xmlns" || name.startsWith("xmlns:");
}

function byCodeUnit(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

const TEXT: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  "\r": "&#xD;",
};
const VALUE: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  '"': "&quot;",
  "\t": "&#x9;",
  "\n": "&#xA;",
  "\r": "&#xD;",
};

function escapedText(text: string): string {
  return text.replace(/[&<>\r]/g, (character) => TEXT[character] ?? character);
}

function attribute(name: string, value: string): string {
  return ` ${name}="${value.replace(/[&<"\t\n\r]/g, (character) => VALUE[character] ?? character)}"`;
}
