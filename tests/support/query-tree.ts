/**
 * Parses PostgreSQL's print of an analysed statement (`debug_print_parse`), in which names are resolved and `*` is
 * expanded.
 */

/** A node with its fields by name, a list, or a word. */
export type Tree = Node | readonly Tree[] | string;

export interface Node {
  /** `QUERY`, `VAR`, … */
  readonly kind: string;
  readonly fields: Readonly<Record<string, Tree>>;
}

const TOKEN = /[{}()]|"(?:\\.|[^"\\])*"|(?:\\.|[^\s{}()\\])+/gs;

/** @throws Error if the text is not a tree. */
export function readTree(text: string): Tree {
  const tokens = text.match(TOKEN) ?? [];
  let at = 0;
  const next = (): string => {
    const token = tokens[at];
    if (token === undefined) throw new Error("The tree ends before it is closed");
    at += 1;
    return token;
  };
  const tree = (): Tree => {
    const token = next();
    if (token === "(") return listUntil(")");
    if (token === "{") return node();
    return plain(token);
  };
  const listUntil = (end: string): readonly Tree[] => {
    const items: Tree[] = [];
    while (tokens[at] !== end) items.push(tree());
    next();
    return items;
  };
  const node = (): Node => {
    const kind = next();
    const fields: Record<string, Tree> = {};
    while (tokens[at] !== "}") {
      const field = next().slice(1);
      const values: Tree[] = [];
      while (tokens[at] !== "}" && tokens[at]?.startsWith(":") !== true) values.push(tree());
      // The bytes of a constant are printed as several words.
      fields[field] = values.length === 1 ? (values[0] ?? "") : values;
    }
    next();
    return { kind, fields };
  };
  return tree();
}

/** A word without its quotes and escapes. */
function plain(token: string): string {
  const inner = token.startsWith('"') ? token.slice(1, -1) : token;
  return inner.replace(/\\(.)/gs, "$1");
}

/** The nodes of a list; empty if the field is not a list. */
export function nodesIn(tree: Tree | undefined): readonly Node[] {
  return Array.isArray(tree) ? tree.filter(isNode) : [];
}

export function isNode(tree: Tree | undefined): tree is Node {
  return typeof tree === "object" && !Array.isArray(tree);
}

/** The node in a required field. @throws Error if there is none. */
export function nodeOf({ kind, fields }: Node, field: string): Node {
  const tree = fields[field];
  if (!isNode(tree)) throw new Error(`${kind} has no ${field}`);
  return tree;
}

/** The word in a required field. @throws Error if there is none. */
export function wordOf({ kind, fields }: Node, field: string): string {
  const tree = fields[field];
  if (typeof tree !== "string") throw new Error(`${kind} has no ${field}`);
  return tree;
}

export function numberOf(node: Node, field: string): number {
  return Number(wordOf(node, field));
}
