/** A small XML document as a tree, within limits, without document types, entities or CDATA sections. */
import { SaxesParser, type SaxesAttributeNS } from "saxes";

/** Why a text cannot be read as a document. */
export class Unreadable extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = "Unreadable";
  }
}

export interface XmlNode {
  /** With its prefix, as written. */
  readonly name: string;
  /** Without its prefix. */
  readonly local: string;
  readonly namespace: string;
  /** Including namespace declarations. */
  readonly attributes: readonly XmlAttribute[];
  readonly children: readonly (XmlNode | string)[];
  /** Null for the root. */
  readonly parent: XmlNode | null;
}

export type XmlAttribute = Pick<SaxesAttributeNS, "name" | "local" | "uri" | "value">;

interface OpenNode extends XmlNode {
  readonly children: (XmlNode | string)[];
}

/** Documents read as trees are machine-written and flat. */
const DEPTH_MAX = 64;

/**
 * Parses a document.
 * @throws Unreadable when the text is longer than `charsMax` or is not one well-formed document.
 */
export function xmlTree(text: string, charsMax: number): XmlNode {
  if (text.length > charsMax) throw new Unreadable(`The message has more than ${charsMax} characters.`);
  // Of markup that begins like this, only comments are accepted.
  if (/<!(?!--)/.test(text)) throw new Unreadable("The message has a document type or a CDATA section.");
  const parser = new SaxesParser({ xmlns: true });
  let root: XmlNode | null = null;
  let depth = 0;
  let at: OpenNode | null = null;
  parser.on("error", (error) => {
    throw new Unreadable(`The message is not well-formed XML: ${error.message.slice(0, 200)}`);
  });
  parser.on("opentag", ({ name, local, uri, attributes }) => {
    depth += 1;
    if (depth > DEPTH_MAX) throw new Unreadable(`The message nests elements more than ${DEPTH_MAX} deep.`);
    const opened: OpenNode = {
      name,
      local,
      namespace: uri,
      attributes: Object.values(attributes),
      children: [],
      parent: at,
    };
    at?.children.push(opened);
    root ??= opened;
    at = opened;
  });
  parser.on("closetag", () => {
    depth -= 1;
    at = (at?.parent as OpenNode | null | undefined) ?? null;
  });
  parser.on("text", (part) => void at?.children.push(part));
  parser.write(text).close();
  if (root === null) throw new Unreadable("The message has no element.");
  return root;
}

/** The elements inside an element. */
export function childrenOf(node: XmlNode): readonly XmlNode[] {
  return node.children.filter((child) => typeof child !== "string");
}

/** The element at a path of local names; null if there is none, or more than one. */
export function elementAt(node: XmlNode, ...path: readonly string[]): XmlNode | null {
  let at = node;
  for (const name of path) {
    const [next, second] = childrenOf(at).filter(({ local }) => local === name);
    if (next === undefined || second !== undefined) return null;
    at = next;
  }
  return at;
}

/** The trimmed text at a path of local names; null if there is no such element. */
export function elementText(node: XmlNode, ...path: readonly string[]): string | null {
  const found = elementAt(node, ...path);
  return found === null
    ? null
    : found.children
        .filter((child) => typeof child === "string")
        .join("")
        .trim();
}

/** All elements that match, in document order; elements inside a match are skipped. */
export function outermost(node: XmlNode, test: (node: XmlNode) => boolean): readonly XmlNode[] {
  return test(node) ? [node] : childrenOf(node).flatMap((child) => outermost(child, test));
}

/** An attribute's value by its name as written; null where it is absent. */
export function attributeOf(node: XmlNode, name: string): string | null {
  return node.attributes.find((attribute) => attribute.name === name)?.value ?? null;
}
