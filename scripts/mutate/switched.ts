/**
 * Puts many mutants into one text, each behind a switch: `(m$("key") ? changed : original)` for an expression,
 * `if (m$("key")) {} else original` for a statement. The process turns one of them on at a time, so a service that
 * has been started can be asked about all of them.
 */
import { parseSync } from "oxc-parser";
import { changed, type Mutant } from "./mutant.ts";

declare global {
  /** Whether this mutant is turned on. */
  // oxlint-disable-next-line no-var -- only a var is a property of globalThis
  var m$: (key: string) => boolean;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
}

interface Place {
  readonly node: Pick<Node, "start" | "end">;
  readonly kind: "expression" | "statement" | "block" | "body";
  readonly mutants: Mutant[];
}

export interface Switched {
  readonly text: string;
  /** Evaluated once, when the file is loaded: such a mutant is turned on before. */
  readonly atLoad: ReadonlySet<string>;
  /** Mutants that have no place for a switch. */
  readonly without: ReadonlySet<string>;
}

const EXPRESSIONS = new Set([
  "ArrayExpression",
  "AwaitExpression",
  "BinaryExpression",
  "CallExpression",
  "ChainExpression",
  "ConditionalExpression",
  "Identifier",
  "Literal",
  "LogicalExpression",
  "MemberExpression",
  "NewExpression",
  "UnaryExpression",
]);
const STATEMENTS = new Set(["IfStatement", "ExpressionStatement"]);
const FUNCTIONS = new Set(["ArrowFunctionExpression", "FunctionDeclaration", "FunctionExpression"]);
/** Below these a part is no value of its own. */
const CLOSED =
  /^(?:TS(?!AsExpression|SatisfiesExpression|NonNullExpression)|Import|Export(?!NamedDeclaration|DefaultDeclaration))/;

/** @param mutants of this file, of which each function reports that it is called: `m$(file)`. */
export function switched(file: string, text: string, mutants: readonly Mutant[]): Switched {
  const places = new Map<string, Place>();
  const atLoad = new Set<string>();
  const without = new Set<string>();
  const program = parseSync(file, text).program as unknown as Node;
  for (const mutant of mutants) {
    const found = placeOf(program, mutant, text);
    if (found === null) {
      without.add(mutant.key);
      continue;
    }
    if (found.atLoad) atLoad.add(mutant.key);
    const kind = found.isStatement ? "statement" : "expression";
    const id = `${found.node.start}:${found.node.end}:${kind}`;
    const place = places.get(id) ?? { node: found.node, kind, mutants: [] };
    place.mutants.push(mutant);
    places.set(id, place);
  }
  const reports = mutants.length === 0 ? [] : functionsIn(program).map(reportOf);
  // The outermost first; of two at the same place the expression is the inner one.
  const order = [...places.values(), ...reports].toSorted(
    (a, b) =>
      a.node.start - b.node.start ||
      b.node.end - a.node.end ||
      Number(a.kind === "expression") - Number(b.kind === "expression"),
  );
  return { text: rendered(file, text, 0, text.length, order), atLoad, without };
}

function rendered(file: string, text: string, from: number, to: number, places: readonly Place[]): string {
  let result = "";
  let at = from;
  for (let n = 0; n < places.length;) {
    const place = places[n];
    if (place === undefined) break;
    let next = n + 1;
    while (next < places.length && (places[next]?.node.start ?? 0) < place.node.end) next += 1;
    const { start, end } = place.node;
    result +=
      text.slice(at, start) +
      around(file, text, place, rendered(file, text, start, end, places.slice(n + 1, next)));
    at = end;
    n = next;
  }
  return result + text.slice(at, to);
}

function around(file: string, text: string, { node, kind, mutants }: Place, original: string): string {
  const { start, end } = node;
  if (kind === "block") return `{ m$("${file}");`;
  if (kind === "body") return `(m$("${file}"), ${original})`;
  if (kind === "statement") {
    const on = mutants.map(({ key }) => `m$("${key}")`).join(" | ");
    return `if (${on}) {} else ${original}`;
  }
  const source = text.slice(start, end);
  const choices = mutants.map(({ key, change }) => {
    const own = { start: change.start - start, end: change.end - start, to: change.to };
    return `m$("${key}") ? (${changed(source, own)}) : `;
  });
  return `(${choices.join("")}(${original}))`;
}

function functionsIn(node: Node): readonly Node[] {
  const inner = childrenOf(node).flatMap(functionsIn);
  return FUNCTIONS.has(node.type) ? [node, ...inner] : inner;
}

/** The place at which a function reports that it is called. */
function reportOf(called: Node): Place {
  const { body } = called as unknown as { readonly body: Node };
  return body.type === "BlockStatement" || body.type === "FunctionBody"
    ? { node: { start: body.start, end: body.start + 1 }, kind: "block", mutants: [] }
    : { node: body, kind: "body", mutants: [] };
}

interface Found {
  readonly node: Node;
  readonly isStatement: boolean;
  readonly atLoad: boolean;
}

/** The smallest part around the change that can be chosen while the code runs. */
function placeOf(program: Node, { change }: Mutant, text: string): Found | null {
  const path = pathTo(program, change);
  const inFunction = path.some(({ type }) => FUNCTIONS.has(type));
  if (change.to === ";") {
    const node = path.findLast(
      (one) => STATEMENTS.has(one.type) && one.start === change.start && one.end === change.end,
    );
    return node === undefined ? null : { node, isStatement: true, atLoad: !inFunction };
  }
  for (let n = path.length - 1; n > 0; n -= 1) {
    const node = path[n];
    const parent = path[n - 1];
    if (node === undefined || parent === undefined) return null;
    if (CLOSED.test(node.type)) return null;
    if (FUNCTIONS.has(node.type)) return null;
    if (!EXPRESSIONS.has(node.type) || !isValue(node, parent, text)) continue;
    // A part of `a?.b.c` cannot stand alone.
    const chain = path.slice(0, n).findLast(({ type }) => type === "ChainExpression" || FUNCTIONS.has(type));
    const isInChain =
      chain?.type === "ChainExpression" && isLink(path.slice(path.indexOf(chain) + 1, n + 1), change);
    return { node: isInChain ? chain : node, isStatement: false, atLoad: !inFunction };
  }
  return null;
}

/** Whether the last of these is a link of the chain, not an argument of a call in it. */
function isLink(nodes: readonly Node[], change: { readonly start: number }): boolean {
  return nodes.every((node, n) => {
    const inner = nodes[n + 1];
    if (inner === undefined) return true;
    const { callee, object } = node as unknown as { callee?: Node; object?: Node };
    return inner === callee || inner === object || change.start < inner.start;
  });
}

function isValue(node: Node, parent: Node, text: string): boolean {
  const of = parent as unknown as Record<string, unknown>;
  if (node.type === "Identifier" && parent.type !== "IfStatement" && parent.type !== "ConditionalExpression")
    return false;
  switch (parent.type) {
    case "MemberExpression":
      return of["object"] === node || of["computed"] === true;
    case "CallExpression":
    case "NewExpression":
      return of["callee"] !== node;
    case "Property":
      return of["value"] === node;
    case "AssignmentExpression":
    case "AssignmentPattern":
      return of["right"] === node;
    case "VariableDeclarator":
      return of["init"] === node;
    case "ExpressionStatement":
      return of["directive"] === undefined || of["directive"] === null;
    case "UnaryExpression":
      return !text.startsWith("delete", parent.start);
    case "UpdateExpression":
    case "TaggedTemplateExpression":
      return false;
    default:
      return !CLOSED.test(parent.type);
  }
}

/** From the program down to the smallest node around the change. */
function pathTo(
  program: Node,
  { start, end }: { readonly start: number; readonly end: number },
): readonly Node[] {
  const path: Node[] = [program];
  for (let node: Node | undefined = program; node !== undefined;) {
    const inner: Node | undefined = childrenOf(node).find(
      (child) => child.start <= start && end <= child.end,
    );
    if (inner !== undefined) path.push(inner);
    node = inner;
  }
  return path;
}

function childrenOf(node: Node): readonly Node[] {
  return Object.entries(node)
    .filter(([key]) => key !== "parent")
    .flatMap(([, value]) => (Array.isArray(value) ? (value as readonly unknown[]) : [value]))
    .filter(
      (value): value is Node =>
        typeof value === "object" && value !== null && "type" in value && "start" in value,
    );
}
