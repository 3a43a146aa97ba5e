/**
 * What one statement does to rows of the one-row database, as tables say it (tests/conditions): the rows that it finds or writes, and the
 * rows that it must leave alone.
 */
import { isDeepStrictEqual } from "node:util";
import type { PlainStatement } from "../../src/db/database.ts";
import type { Row } from "./one-row.ts";
import type { Runner } from "./row-runner.ts";

/**
 * Rows of the database. `table` is its one row, or its rows; in a change `table` sets columns of the first of them, `table[1]` of the second,
 * and `+table` is one row more. `with` are parameters. What is not named is as everywhere.
 */
export interface Given {
  readonly with?: Row;
  readonly [table: string]: Row | readonly Row[] | undefined;
}

export interface Outcome {
  /** The rows that are returned, of each the named columns. */
  readonly gives?: readonly Row[];
  /** What has changed in each table, and nothing else has: the columns of a row, a row that was added, or one that has gone. */
  readonly does?: Readonly<Record<string, Written | readonly Written[]>>;
  /** PostgreSQL's code of an error. */
  readonly fails?: string;
}

export type Written = Row | "gone";

/** A row that was added: its columns that are not as they are by default. Its tenant is not named. */
export function added(columns: Row): Row {
  return { ...columns, added: true };
}

/** A change of what is given, and in what the outcome differs then from that of the entry. */
export interface Case {
  readonly given: Given;
  /** As of the entry where it is missing; as many rows as there add or replace columns. */
  readonly gives?: readonly Row[];
  /**
   * More tables; a row adds or replaces columns of the first one (`undefined`: unchanged). So do the rows of a list that is as long; another
   * list stands in place of all.
   */
  readonly does?: Readonly<Record<string, Written | readonly Written[]>>;
  readonly fails?: string;
}

/** What a statement does to the rows that it is for, and which rows it must leave alone. */
export interface Entry extends Outcome {
  readonly given?: Given;
  /** A change of what is given after which nothing is returned and nothing is written. */
  readonly not?: Readonly<Record<string, Given>>;
  /** A change of what is given after which something else follows. */
  readonly also?: Readonly<Record<string, Case>>;
  /** Changes that no row can tell apart (`operator: how the statement goes on … a part of its line`), each with the reason why it is harmless. */
  readonly same?: Readonly<Record<string, string>>;
  /** Changes that no row tells apart yet. */
  readonly open?: readonly string[];
}
export type Entries = Readonly<Record<string, Entry>>;

export interface NamedCase extends Outcome {
  readonly name: string;
  readonly given: Given;
}

const NOTHING: Outcome = { gives: [], does: {} };

/** The cases of an entry, the one that it is for first. */
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

/** @returns null, or in what the outcome differs from what the case says. */
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

/** Rows that were written are returned in any order. */
function inOrder(rows: readonly Row[], { does = {} }: Outcome): readonly Row[] {
  if (Object.keys(does).length === 0) return rows;
  return rows.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

/** Runs the cases. @returns what is wrong. */
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

/** The texts, of those given, that no case tells apart from the statement. What PostgreSQL does not prepare is left out. */
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
