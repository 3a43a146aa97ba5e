/**
 * Mutants of SQL: parts of a statement are weakened, negated or removed. A condition is dropped by adding `or true`,
 * so that its parameters keep their types. PostgreSQL decides whether the result is valid.
 */
import type { Proposal } from "./mutant.ts";
import { tokensOf, type Token } from "./sql-tokens.ts";
import { otherWord, type Words } from "./words.ts";

const BOUNDARY: Readonly<Record<string, string>> = { "<": "<=", "<=": "<", ">": ">=", ">=": ">" };
const ARITHMETIC: Readonly<Record<string, string>> = { "+": "-", "-": "+" };
const SWAPPED: Readonly<Record<string, string>> = { greatest: "least", least: "greatest", desc: "asc" };
/** What ends a condition at its own depth. */
const CONDITION_ENDS = wordSet(
  "then order limit group having window returning union for on set from where join left right inner cross full do , ;",
);
const QUERY_BEGINS = new Set(["select", "with", "insert", "update", "delete", "values"]);
const SET_ENDS = new Set(["from", "where", "returning"]);
/** Words between a value and the column that it is compared with. */
const NO_COLUMN = wordSet(
  "in any all array text is not distinct from then else when case and or select values coalesce as",
);
/** A time of writing: omitting it has no visible effect. */
const UNSEEN_COLUMNS = new Set(["updated_at"]);

/** Every mutant of a statement, in no order. @param lists the words that a literal may be mistaken for. */
export function sqlMutants(text: string, lists: readonly Words[]): readonly Proposal[] {
  const tokens = tokensOf(text);
  return [
    ...tokens.flatMap((_, index) => conditionsAt(text, tokens, index)),
    ...tokens.flatMap((_, index) => assignmentsAt(text, tokens, index)),
    ...tokens.flatMap((_, index) => clausesAt(text, tokens, index)),
    ...tokens.flatMap((_, index) => wordsAt(text, tokens, index, lists)),
  ];
}

/** The conditions of the clause, of the branch of a `case`, or of the parenthesis that begins with this token. */
function conditionsAt(text: string, tokens: readonly Token[], index: number): readonly Proposal[] {
  const [opener, next] = [tokens[index], tokens[index + 1]];
  if (opener === undefined || next === undefined) return [];
  const isGroup = opener.text === "(" && !QUERY_BEGINS.has(next.text);
  const isJoin = opener.text === "on" && next.text !== "conflict";
  const isClause = ["where", "having", "when"].includes(opener.text) || isJoin;
  if (!isGroup && !isClause) return [];
  const depth = isGroup ? opener.depth + 1 : opener.depth;
  const inside = until(tokens, index + 1, depth, CONDITION_ENDS);
  const { parts, joints } = split(inside, depth);
  if (isGroup && parts.length < 2) return [];
  return parts.flatMap((part, at): readonly Proposal[] => {
    const [first, last] = [part[0], part.at(-1)];
    if (first === undefined || last === undefined) return [];
    const words = text.slice(first.start, last.end);
    if (/^(true|false)$/.test(words)) return [];
    const put = (operator: string, to: string): Proposal => ({
      operator,
      start: first.start,
      end: last.end,
      to,
    });
    const tenant = /^(?:\w+\.)?tenant = (\$\d+|\w+\.tenant)$/.exec(words)?.[1];
    // Without conditions on the tenant, for which there is a separate test.
    if (tenant !== undefined)
      return [put("dropped tenant", tenant.startsWith("$") ? `(${tenant}::integer is not null)` : "true")];
    const neighbours = [joints[at - 1], joints[at]].filter((joint) => joint !== undefined);
    const isChoice = neighbours.length > 0 && neighbours.every((joint) => joint === "or");
    if (isChoice) return [put("dropped alternative", `(${words} and false)`)];
    const never = opener.text === "when" && parts.length === 1 ? [put("never", `(${words} and false)`)] : [];
    return [put("dropped condition", `(${words} or true)`), ...never];
  });
}

/** Splits at the `and` and `or` of this depth; the `and` of a `between` belongs to it. */
function split(
  tokens: readonly Token[],
  depth: number,
): { readonly parts: readonly (readonly Token[])[]; readonly joints: readonly string[] } {
  const parts: Token[][] = [[]];
  const joints: string[] = [];
  let between = false;
  for (const token of tokens) {
    const isJoint = token.depth === depth && (token.text === "or" || (token.text === "and" && !between));
    if (token.depth === depth && token.text === "and") between = false;
    if (token.depth === depth && token.text === "between") between = true;
    if (isJoint) {
      joints.push(token.text);
      parts.push([]);
    } else {
      parts.at(-1)?.push(token);
    }
  }
  return { parts, joints };
}

/** The assignments of a `set`: each in turn keeps the column as it was. */
function assignmentsAt(text: string, tokens: readonly Token[], index: number): readonly Proposal[] {
  const opener = tokens[index];
  if (opener?.text !== "set") return [];
  const table = changedTable(tokens, index);
  if (table === null) return [];
  const parts: Token[][] = [[]];
  for (const token of until(tokens, index + 1, opener.depth, SET_ENDS)) {
    if (token.depth === opener.depth && token.text === ",") parts.push([]);
    else parts.at(-1)?.push(token);
  }
  return parts.flatMap((part): readonly Proposal[] => {
    const [column, equals, first] = part;
    const last = part.at(-1);
    if (column?.kind !== "word" || equals?.text !== "=" || first === undefined || last === undefined)
      return [];
    if (UNSEEN_COLUMNS.has(column.text)) return [];
    const value = text.slice(first.start, last.end);
    const to = `case when true then ${table}.${column.text} else ${value} end`;
    return [{ operator: "dropped assignment", start: first.start, end: last.end, to }];
  });
}

/** The name by which a `set` may call the row as it was; null when it is not the `set` of a row. */
function changedTable(tokens: readonly Token[], index: number): string | null {
  const depth = tokens[index]?.depth ?? 0;
  for (let at = index - 1; at >= 0; at -= 1) {
    const token = tokens[at];
    if (token === undefined || token.depth !== depth) continue;
    if (token.text === "update" && tokens[at - 1]?.text !== "do" && tokens[at - 1]?.text !== "for")
      return nameAfter(tokens, at + 1);
    if (token.text === "into" && tokens[at - 1]?.text === "insert") return nameAfter(tokens, at + 1);
  }
  return null;
}

/** `orders as o` → `o`, `orders set` → `orders`. */
function nameAfter(tokens: readonly Token[], at: number): string | null {
  const [table, second, third] = [tokens[at], tokens[at + 1], tokens[at + 2]];
  if (second?.text === "as") return third?.text ?? null;
  const isAlias = second?.kind === "word" && second.text !== "set" && second.text !== "select";
  return (isAlias ? second.text : table?.text) ?? null;
}

const LOCK_WORDS = new Set(["update", "no", "key", "share", "of", "skip", "locked", "nowait"]);

/** Locks, `on conflict do nothing` and `returning` left out. */
function clausesAt(text: string, tokens: readonly Token[], index: number): readonly Proposal[] {
  const [token, next] = [tokens[index], tokens[index + 1]];
  if (token === undefined || next === undefined) return [];
  if (token.text === "for" && ["update", "no", "share", "key"].includes(next.text)) {
    let last = index + 1;
    while (LOCK_WORDS.has(tokens[last + 1]?.text ?? "") || tokens[last]?.text === "of") last += 1;
    const end = tokens[last]?.end ?? token.end;
    const words = text.slice(token.start, end);
    const lock = { operator: "dropped lock", start: token.start, end, to: "" };
    if (!words.includes("skip locked")) return [lock];
    return [lock, { ...lock, operator: "dropped skip locked", to: words.replace("skip locked", "") }];
  }
  if (token.text === "on" && next.text === "conflict") {
    const last = tokens.findIndex((one, at) => at > index && one.text === "do" && one.depth === token.depth);
    if (tokens[last + 1]?.text !== "nothing") return [];
    const end = tokens[last + 1]?.end ?? token.end;
    return [{ operator: "dropped on conflict", start: token.start, end, to: "" }];
  }
  if (token.text === "returning") {
    const end = until(tokens, index + 1, token.depth, new Set()).at(-1)?.end ?? token.end;
    return [{ operator: "dropped returning", start: token.start, end, to: "" }];
  }
  return [];
}

/** What one token, with its neighbours, can be mistaken for. */
function wordsAt(
  text: string,
  tokens: readonly Token[],
  index: number,
  lists: readonly Words[],
): readonly Proposal[] {
  const token = tokens[index];
  if (token === undefined) return [];
  const [before, next] = [tokens[index - 1], tokens[index + 1]];
  const put = (operator: string, to: string, { start, end }: Span = token): readonly Proposal[] => [
    { operator, start, end, to },
  ];
  if (token.kind === "text") return textAt(tokens, index, lists);
  const boundary = BOUNDARY[token.text];
  if (boundary !== undefined) return put("boundary", boundary);
  const arithmetic = ARITHMETIC[token.text];
  const isOperand = before !== undefined && (before.kind !== "sign" || /^[)\]]$/.test(before.text));
  if (arithmetic !== undefined && isOperand) return put("arithmetic", arithmetic);
  const swapped = SWAPPED[token.text];
  if (swapped !== undefined) return put(token.text === "desc" ? "order" : "extreme", swapped);
  if (token.text === "is") {
    return next?.text === "not"
      ? put("negated condition", "is", { start: token.start, end: next.end })
      : put("negated condition", "is not");
  }
  const isNegation = token.text === "not" && before?.text !== "is" && before?.text !== "if";
  if (isNegation && next?.text !== "in" && next?.text !== "null") return put("negated condition", "");
  if (token.text === "exists" && before?.text !== "not") return put("negated condition", "not exists");
  if (/^(true|false)$/.test(token.text) && before?.text !== "on")
    return put("boolean", token.text === "true" ? "false" : "true");
  const isCount = token.kind === "number" && !/^(select|limit|numeric)$/.test(before?.text ?? "");
  if (isCount && Number(token.text) <= 100 && next?.text !== "*" && before?.text !== "(")
    return put("off by one", String(Number(token.text) + 1));
  if (token.text === "coalesce" && next?.text === "(") {
    const inside = until(tokens, index + 2, token.depth + 1, new Set());
    const comma = inside.find((one) => one.text === "," && one.depth === token.depth + 1);
    const end = inside.at(-1)?.end;
    if (comma === undefined || end === undefined) return [];
    return put("removed default", `(${text.slice(next.end, comma.start)}`, { start: token.start, end });
  }
  return [];
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** A literal: another word of its list, and its list of literals without it. */
function textAt(tokens: readonly Token[], index: number, lists: readonly Words[]): readonly Proposal[] {
  const [before, token, next] = [tokens[index - 1], tokens[index], tokens[index + 1]];
  if (token === undefined) return [];
  const word = token.text.slice(1, -1);
  const other = otherWord(lists, word, columnBefore(tokens, index));
  const proposals: Proposal[] = [];
  if (other !== null)
    proposals.push({ operator: "other word", start: token.start, end: token.end, to: `'${other}'` });
  const opener = tokens.findLast((one, at) => at < index && one.depth === token.depth - 1);
  const isList =
    opener !== undefined && ["in", "array"].includes(tokens[tokens.indexOf(opener) - 1]?.text ?? "");
  if (isList && next?.text === ",") {
    const { end } = next;
    proposals.push({ operator: "shortened list", start: token.start, end, to: "" });
  } else if (isList && before?.text === ",") {
    proposals.push({ operator: "shortened list", start: before.start, end: token.end, to: "" });
  }
  return proposals;
}

function columnBefore(tokens: readonly Token[], index: number): string | null {
  for (let at = index - 1; at >= Math.max(0, index - 20); at -= 1) {
    const token = tokens[at];
    if (token?.kind === "word" && !NO_COLUMN.has(token.text)) return token.text;
  }
  return null;
}

/** The tokens from `from` on that stand at this depth or deeper, up to one of `ends` at this depth. */
function until(
  tokens: readonly Token[],
  from: number,
  depth: number,
  ends: ReadonlySet<string>,
): readonly Token[] {
  let to = from;
  for (; to < tokens.length; to += 1) {
    const token = tokens[to];
    if (token === undefined || token.depth < depth) break;
    if (token.depth === depth && ends.has(token.text)) break;
  }
  return tokens.slice(from, to);
}

function wordSet(words: string): ReadonlySet<string> {
  return new Set(words.split(" "));
}
