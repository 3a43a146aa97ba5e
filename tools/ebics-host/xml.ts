/** The simulated bank's XML: xmldom's tree and xml-crypto's canonicalization, which the service does not use. */
import { createRequire } from "node:module";

/** The needed part of xmldom's nodes; its own types would add a browser's globals to every file. */
export interface XmlElement {
  readonly nodeType: number;
  readonly localName: string;
  readonly namespaceURI: string | null;
  readonly textContent: string | null;
  readonly childNodes: ArrayLike<XmlElement>;
  readonly parentNode: XmlElement | null;
  readonly prefix: string | null;
  readonly attributes: ArrayLike<{ readonly name: string; readonly value: string }>;
  getAttribute(name: string): string | null;
}

interface Xmldom {
  readonly DOMParser: new (options: object) => {
    parseFromString(text: string, type: string): { readonly documentElement: XmlElement };
  };
}

interface XmlCrypto {
  readonly C14nCanonicalization: new () => { process(node: XmlElement, options: object): string };
}

const need = createRequire(import.meta.url);
const { DOMParser } = need("@xmldom/xmldom") as Xmldom;
const { C14nCanonicalization } = need("xml-crypto") as XmlCrypto;

/** @throws Error when it is not well-formed. */
export function parse(text: string): XmlElement {
  const fail = (message: string): never => {
    throw new Error(message);
  };
  const parser = new DOMParser({ errorHandler: { warning: fail, error: fail, fatalError: fail } });
  return parser.parseFromString(text, "text/xml").documentElement;
}

function elementsOf(node: XmlElement): readonly XmlElement[] {
  return Array.from(node.childNodes).filter(({ nodeType }) => nodeType === 1);
}

/** The first element below that a path of local names leads to. */
export function at(node: XmlElement, ...path: readonly string[]): XmlElement | null {
  let found: XmlElement | null = node;
  for (const name of path)
    found = found === null ? null : (elementsOf(found).find((one) => one.localName === name) ?? null);
  return found;
}

export function text(node: XmlElement, ...path: readonly string[]): string {
  return at(node, ...path)?.textContent?.trim() ?? "";
}

export function below(node: XmlElement, name: string): readonly XmlElement[] {
  return elementsOf(node).flatMap((one) => [...(one.localName === name ? [one] : []), ...below(one, name)]);
}

/** The concatenated canonical forms of all marked elements. */
export function marked(node: XmlElement): string {
  const own = node.getAttribute("authenticate") === "true";
  return own ? canonical(node) : elementsOf(node).map(marked).join("");
}

/** Inclusive C14N of an element with the namespaces declared around it. */
export function canonical(node: XmlElement): string {
  const ancestorNamespaces: { prefix: string; namespaceURI: string }[] = [];
  for (let up = node.parentNode; up !== null && up.nodeType === 1; up = up.parentNode) {
    for (const { name, value } of Array.from(up.attributes)) {
      if (name !== "xmlns" && !name.startsWith("xmlns:")) continue;
      const prefix = name.slice("xmlns:".length);
      // The library adds the default namespace itself.
      if (prefix === "" && node.prefix === null) continue;
      if (ancestorNamespaces.some((one) => one.prefix === prefix)) continue;
      ancestorNamespaces.push({ prefix, namespaceURI: value });
    }
  }
  return new C14nCanonicalization().process(node, { ancestorNamespaces });
}
