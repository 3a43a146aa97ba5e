/**
 * Describes the effect of a statement on rows of the one-row database, as tables in tests/conditions: which rows it
 * reads or writes, and which rows it must leave alone.
 */
import { isDeepStrictEqual } from "node:util";
import type { PlainStatement } from "../../src/db/database.ts";
import type { Row } from "./one-row.ts";
import type { Runner } from "./row-runner.ts";

/**
 * Rows of the database. `table` is the table's one row, or its list of rows. In a case, `table` changes columns of the
 * first of them and `table[1]` of the second, and `+table` adds a row. `with` are parameters. Everything else has its
 * default.
 */
export interface Given {
  readonly with?: Row;
  readonly [table: string]: Row | readonly Row[] | undefined;
}

export interface Outcome {
  /** The returned rows, each with the columns to compare. */
  readonly gives?: readonly Row[];
  /** The changes of each table: changed columns of a row, an added row, or a deleted one. Nothing else may change. */
  readonly does?: Readonly<Record<string, Written | readonly Written[]>>;
  /** The code of an error of PostgreSQL. */
  readonly fails?: string;
}

export type Written = Row | "gone";

/** An added row: its columns that differ from the defaults. The tenant is omitted. */
export function added(columns: Row): Row {
  return { ...columns, added: true };
}

/** A change of the given rows, and how the outcome then differs from the entry's. */
export interface Case {
  readonly given: Given;
  /** The entry's rows if omitted. As many rows as the entry has change its rows by column; other lists replace them. */
  readonly gives?: readonly Row[];
  /**
   * Further tables. A row changes columns of the entry's first row (`undefined`: unchanged). A list as long as the
   * entry's changes its rows one by one; another list replaces them.
   */
  readonly does?: Readonly<Record<string, Written | readonly Written[]>>;
  readonly fails?: string;
}

/** The effect of a statement on the rows that it is meant for, and the rows that it must leave alone. */
export interface Entry extends Outcome {
  readonly given?: Given;
  /** Changes of the given rows after which the statement returns and writes nothing. */
  readonly not?: Readonly<Record<string, Given>>;
  /** Changes of the given rows after which the outcome is another one. */
  readonly also?: Readonly<Record<string, Case>>;
  /**
   * Mutations of the statement that no row can detect (`operator: how the statement continues … a part of its line`),
   * each with the reason why it is harmless, or the test that detects it.
   */
  readonly same?: Readonly<Record<string, string>>;
}
export type Entries = Readonly<Record<string, Entry>>;

export interface NamedCase extends Outcome {
  readonly name: string;
  readonly given: Given;
}

const NOTHING: Outcome = { gives: [], does: {} };

/** The cases of an entry; the first is the entry's own. */
export function casesOf(entry: Entry): readonly NamedCase[] {
  const { given = {}, not = {}, also = {} } = entry;
  const first = outcomeOf(entry);
  return [
    { name: "as given", given, ...first },
    ...Object.entries(not).map(([name, change]) => ({
      name: `not: ${name}`,
      given: merged(given, change),
      ...NOTHING,
    })),
    ...Object.entries(also).map(([name, { given: change, ...more }]) => ({
      name: `also: ${name}`,
      given: merged(given, change),
      ...outcomeThen(first, more),
    })),
  ];
}

function outcomeOf({ gives, does = {}, fails }: Outcome): Outcome {
  if (fails !== undefined) return { fails };
  return gives === undefined ? { does } : { gives, does };
}

function outcomeThen(first: Outcome, { gives, does = {}, fails }: Omit<Case, "given">): Outcome {
  if (fails !== undefined) return { fails };
  const isMore = gives?.length === first.gives?.length;
  const rows = isMore ? gives?.map((row, n) => ({ ...first.gives?.[n], ...row })) : gives;
  const changes: Record<string, readonly Written[]> = {};
  for (const table of new Set([...Object.keys(first.does ?? {}), ...Object.keys(does)])) {
    const [before, now] = [listed(first.does?.[table] ?? []), does[table]];
    const [row = {}, ...others] = before;
    const written =
      now === undefined ? before : isList(now) ? oneByOne(before, now) : oneByOne([row], [now], others);
    const real = written.filter((one) => one === "gone" || Object.keys(one).length > 0);
    if (real.length > 0) changes[table] = real;
  }
  return outcomeOf({
    ...((rows ?? first.gives) === undefined ? {} : { gives: rows ?? first.gives ?? [] }),
    does: changes,
  });
}

function oneByOne(
  before: readonly Written[],
  now: readonly Written[],
  others: readonly Written[] = [],
): readonly Written[] {
  if (before.length !== now.length) return now;
  return [...now.map((row, n) => changedRow(before[n] ?? {}, row)), ...others];
}

function changedRow(row: Written, now: Written): Written {
  if (row === "gone" || now === "gone") return now;
  return Object.fromEntries(Object.entries({ ...row, ...now }).filter(([, value]) => value !== undefined));
}

function merged(given: Given, change: Given): Given {
  const result: Record<string, Row | readonly Row[]> = {};
  for (const [key, rows] of Object.entries(given)) if (rows !== undefined) result[key] = rows;
  for (const [key, rows] of Object.entries(change)) {
    if (rows === undefined) continue;
    const [, more, table = "", at = "0"] = /^(\+?)(\w+)(?:\[(\d+)\])?$/.exec(key) ?? [];
    const before = listed(result[table] ?? {});
    if (table === "with") result[table] = { ...(result[table] as Row | undefined), ...(rows as Row) };
    else if (more === "+") result[table] = [...before, ...listed(rows)];
    else if (isList(rows)) result[table] = rows;
    else if (before.length === 0) result[table] = [rows];
    else result[table] = before.map((row, n) => (n === Number(at) ? { ...row, ...rows } : row));
  }
  return result;
}

function isList<T>(value: T | readonly T[]): value is readonly T[] {
  return Array.isArray(value);
}

export function listed<T>(value: T | readonly T[]): readonly T[] {
  return isList(value) ? value : [value];
}

/** @returns null, or how the outcome differs from the expected one. */
export function wrongWith(expected: Outcome, found: Outcome): string | null {
  if (expected.fails !== undefined || found.fails !== undefined)
    return expected.fails === found.fails ? null : `it fails with ${found.fails ?? "nothing"}`;
  const does = Object.fromEntries(
    Object.entries(expected.does ?? {}).map(([name, rows]) => [name, listed(rows)]),
  );
  if (!isDeepStrictEqual(found.does, does))
    return `it does ${JSON.stringify(found.does)}, not ${JSON.stringify(does)}`;
  if (expected.gives === undefined) return null;
  const rows = (found.gives ?? []).map((row, n) => {
    const names = Object.keys(expected.gives?.[n] ?? row);
    return Object.fromEntries(names.map((name) => [name, row[name]]));
  });
  return isDeepStrictEqual(inOrder(rows, found), inOrder(expected.gives, found))
    ? null
    : `it gives ${JSON.stringify(rows)}, not ${JSON.stringify(expected.gives)}`;
}

/** Written rows may be returned in any order. */
function inOrder(rows: readonly Row[], { does = {} }: Outcome): readonly Row[] {
  if (Object.keys(does).length === 0) return rows;
  return rows.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

/** Runs the cases. @returns the failures. */
export async function wrongIn(
  runner: Runner,
  { text, params = [] }: PlainStatement,
  entry: Entry,
): Promise<readonly string[]> {
  const wrong: string[] = [];
  for (const { name, given, ...expected } of casesOf(entry)) {
    const [found] = await runner.run([text], params, given);
    const why = wrongWith(expected, found ?? {});
    if (why !== null) wrong.push(`${name}: ${why}`);
  }
  return wrong;
}

/** The variants of a statement that no case detects. Variants that PostgreSQL cannot prepare are left out. */
export async function unnoticed<T extends { readonly text: string }>(
  runner: Runner,
  { params = [], text: original }: PlainStatement,
  entry: Entry,
  mutants: readonly T[],
): Promise<readonly T[]> {
  let alive = mutants;
  for (const { given, ...expected } of casesOf(entry)) {
    if (alive.length === 0) break;
    const [, ...found] = await runner.run([original, ...alive.map(({ text }) => text)], params, given);
    alive = alive.filter((_, n) => {
      const outcome = found[n] ?? {};
      return !(outcome.fails?.startsWith("42") ?? false) && wrongWith(expected, outcome) === null;
    });
  }
  return alive;
}
