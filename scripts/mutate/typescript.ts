/** Mutants of TypeScript: the places come from a parser, so that comments, types and texts are left alone. */
import { parseSync, Visitor, type Expression } from "oxc-parser";
import type { Proposal } from "./mutant.ts";
import { otherWord, type Words } from "./words.ts";

const BOUNDARY: Readonly<Record<string, string>> = { "<": "<=", "<=": "<", ">": ">=", ">=": ">" };
const EQUALITY: Readonly<Record<string, string>> = { "===": "!==", "!==": "===" };
const ARITHMETIC: Readonly<Record<string, string>> = { "+": "-", "-": "+", "*": "/", "/": "*" };
/** By the names of calls: so `toString` is not one of them. */
const EXTREMES: ReadonlyMap<string, string> = new Map([
  ["min", "max"],
  ["max", "min"],
]);
const QUANTIFIERS: ReadonlyMap<string, string> = new Map([
  ["some", "every"],
  ["every", "some"],
]);
/** Calls whose removal changes nothing: assertions, log messages, steps that only tests use. */
const SILENT = /^(assert|must)\(|\blog\.(debug|info|warn|error)\(|\breached\(/;

/** Every mutant of a file's text, in no order. @param lists the words that a string literal may be mistaken for. */
export function typescriptMutants(file: string, text: string, lists: readonly Words[]): readonly Proposal[] {
  const proposals: Proposal[] = [];
  const put = (operator: string, start: number, end: number, to: string): void =>
    void proposals.push({ operator, start, end, to });
  const source = ({ start, end }: Span): string => text.slice(start, end);
  /** Replaces the operator that stands between two operands. */
  const swap = (name: string, left: Span, right: Span, from: string, to: string): void => {
    const start = text.indexOf(from, left.end);
    if (start !== -1 && start < right.start) put(name, start, start + from.length, to);
  };
  const negate = (test: Expression): void => {
    if (test.type === "BinaryExpression" && test.operator in EQUALITY) return;
    if (test.type === "UnaryExpression" && test.operator === "!") return;
    put("negated condition", test.start, test.end, `!(${source(test)})`);
  };

  new Visitor({
    BinaryExpression({ left, right, operator }) {
      for (const [name, table] of [
        ["boundary", BOUNDARY],
        ["negated condition", EQUALITY],
        ["arithmetic", ARITHMETIC],
      ] as const) {
        const other = table[operator];
        if (other !== undefined) swap(name, left, right, operator, other);
      }
    },
    LogicalExpression({ start, end, left, right, operator }) {
      const name = operator === "??" ? "removed default" : "removed condition";
      put(name, start, end, source(left));
      put(name, start, end, source(right));
    },
    IfStatement({ start, end, test, alternate }) {
      negate(test);
      if (alternate === null) put("removed branch", start, end, ";");
    },
    ConditionalExpression({ test }) {
      negate(test);
    },
    UnaryExpression({ start, end, operator, argument }) {
      if (operator === "!") put("negated condition", start, end, source(argument));
    },
    ExpressionStatement({ start, end, expression }) {
      const call = expression.type === "AwaitExpression" ? expression.argument : expression;
      if (call.type === "AssignmentExpression") put("removed assignment", start, end, ";");
      if (call.type !== "CallExpression" || isSql(call.callee) || SILENT.test(source(call))) return;
      put("removed call", start, end, ";");
    },
    CallExpression({ callee }) {
      if (callee.type !== "MemberExpression" || callee.computed) return;
      const { name, start, end } = callee.property;
      const isMath = callee.object.type === "Identifier" && callee.object.name === "Math";
      const other = (isMath ? EXTREMES : QUANTIFIERS).get(name);
      if (other !== undefined) put(isMath ? "extreme" : "quantifier", start, end, other);
    },
    ArrayExpression({ start, end, elements }) {
      const [first, second] = elements;
      const last = elements.at(-1);
      if (first === undefined || first === null || last === undefined || last === null) return;
      if (!elements.every((element) => element?.type === "Literal")) return;
      put("emptied list", start, end, "[]");
      if (second === undefined || second === null) return;
      put("shortened list", first.start, second.start, "");
      put("shortened list", elements.at(-2)?.end ?? start, last.end, "");
    },
    Literal({ start, end, value }) {
      if (typeof value === "boolean") put("boolean", start, end, String(!value));
      if (typeof value === "number") put("off by one", start, end, String(value + 1));
      const other = typeof value === "string" ? otherWord(lists, value, null) : null;
      if (other !== null) put("other word", start, end, JSON.stringify(other));
    },
  }).visit(parseSync(file, text).program);

  const untouched = spansLeftAlone(file, text);
  return proposals.filter(
    ({ start, end }) => !untouched.some((span) => span.start <= start && end <= span.end),
  );
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** Types, imports, keys of objects, and messages of errors and logs. */
function spansLeftAlone(file: string, text: string): readonly Span[] {
  const spans: Span[] = [];
  const take = ({ start, end }: Span): void => void spans.push({ start, end });
  new Visitor({
    ImportDeclaration: take,
    TSTypeAliasDeclaration: take,
    TSInterfaceDeclaration: take,
    TSTypeAnnotation: take,
    TSTypeParameterInstantiation: take,
    TSAsExpression: (node) => take(node.typeAnnotation),
    Property: (node) => (node.computed ? undefined : take(node.key)),
    CallExpression: (node) => {
      if (SILENT.test(text.slice(node.start, node.end)) || isSql(node.callee)) take(node);
    },
    ThrowStatement: (node) => {
      if (text.startsWith("throw new Error(", node.start)) take(node);
    },
  }).visit(parseSync(file, text).program);
  return spans;
}

function isSql(callee: Expression): boolean {
  return callee.type === "Identifier" && callee.name === "sql";
}
