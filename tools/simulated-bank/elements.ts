/** Reads the XML that the service writes, for the simulated bank; files from real banks need the parser. Pure. */

export interface Element {
  readonly name: string;
  /** As written between the quotes: `Ccy="EUR"`. */
  readonly attributes: string;
  readonly children: Element[];
  text: string;
}

/** May consume a complete element, which is then not kept, so that a large file needs little memory. */
type Takers = Readonly<Record<string, (element: Element) => unknown>>;

export class NotOurXml extends Error {
  override readonly name = "NotOurXml";
}

/**
 * Comments, document types, CDATA, prefixes and entities other than the five are refused, because the service writes
 * none.
 */
const TAG = /^(\/?)([A-Za-z0-9]+)((?: [A-Za-z:]+="[^"<]*")*)$/;
const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>';
const REFERENCES: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&apos;": "'",
};

/** @returns the root element, without consumed elements. @throws NotOurXml */
export function readElements(xml: string, takers: Takers): Element {
  if (!xml.startsWith(DECLARATION)) throw new NotOurXml("The document has no XML declaration");
  const document: Element = { name: "", attributes: "", children: [], text: "" };
  const open: Element[] = [document];
  let at = DECLARATION.length;
  for (let tag = xml.indexOf("<", at); tag !== -1; tag = xml.indexOf("<", at)) {
    const end = xml.indexOf(">", tag);
    if (end === -1) throw new NotOurXml("The document ends within a tag");
    const inner = innermost(open);
    inner.text += resolved(xml.slice(at, tag));
    step(open, inner, xml.slice(tag + 1, end), takers);
    at = end + 1;
  }
  const [root, ...others] = document.children;
  if (open.length !== 1 || root === undefined || others.length > 0 || xml.slice(at).trim() !== "") {
    throw new NotOurXml("The document is not complete");
  }
  return root;
}

/** The texts of all elements at this path. */
export function textsAt(element: Element, path: string): readonly string[] {
  let found: readonly Element[] = [element];
  for (const name of path.split("/")) {
    found = found.flatMap(({ children }) => children.filter((child) => child.name === name));
  }
  return found.map(({ text }) => text);
}

/** @throws NotOurXml unless there is exactly one. */
export function textAt(element: Element, path: string): string {
  const [text, ...others] = textsAt(element, path);
  if (text === undefined || others.length > 0) throw new NotOurXml(`${element.name} has not one ${path}`);
  return text;
}

function step(open: Element[], inner: Element, tag: string, takers: Takers): void {
  const [, slash, name, attributes] = TAG.exec(tag) ?? [];
  if (name === undefined) throw new NotOurXml("The document has a tag that we do not write");
  if (slash === "") {
    open.push({ name, attributes: (attributes ?? "").trim(), children: [], text: "" });
    return;
  }
  if (inner.name !== name) throw new NotOurXml(`${inner.name} ends as ${name}`);
  open.pop();
  inner.text = inner.text.trim();
  const take = takers[name];
  if (take === undefined) innermost(open).children.push(inner);
  else take(inner);
}

function innermost(open: readonly Element[]): Element {
  const inner = open.at(-1);
  if (inner === undefined) throw new NotOurXml("The document goes on after its end");
  return inner;
}

function resolved(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(/&[^;]*;?/g, (reference) => {
    const character = REFERENCES[reference];
    if (character === undefined) throw new NotOurXml("The document has an entity that we do not write");
    return character;
  });
}
