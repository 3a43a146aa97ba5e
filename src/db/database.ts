/** The interface to SQL: readers take a `Reader`, writers take a `Tx`, and only `Database` creates one. */
import { assert } from "../lib/assert.ts";
import type { Together } from "./together.ts";

/** A named statement: PostgreSQL prepares it once per connection. */
export interface PlainStatement {
  readonly name: string;
  /** As sent to PostgreSQL, with `$1`, `$2`, … */
  readonly text: string;
  /** The names of `$1`, `$2`, …, in order. */
  readonly params?: readonly string[];
  /** Planned for the values of each call, for lists whose filters may be null. Costs three more round trips. */
  readonly plannedByValues?: true;
}

/** A statement with its parameters and rows as types. */
export interface Statement<
  Param extends string = string,
  Row extends object = object,
> extends PlainStatement {
  readonly params?: readonly Param[];
  /** Never set. */
  readonly row?: Row;
}

/** A statement whose rows have no type yet. */
interface Untyped<Param extends string> extends Statement<Param, never> {
  /** Sets the type of the rows. */
  gives<Row extends object>(): Statement<Param, Row>;
}

/** A value for a parameter. `undefined`, which would be sent as null, does not compile. */
export type Value = string | number | boolean | object | null;

/** The values of a call, by parameter name. */
export type Values<Param extends string> = Readonly<Record<Param, Value>>;

export interface Reader {
  query<Row extends object, Param extends string = string>(
    statement: Statement<Param, Row>,
    values: Values<Param>,
  ): Promise<readonly Row[]>;
}

export interface Tx extends Reader {
  /** Runs a statement that changes rows, in this transaction. */
  write<Row extends object, Param extends string = string>(
    statement: Statement<Param, Row>,
    values: Values<Param>,
  ): Promise<readonly Row[]>;
}

/** The calls of a database. Wrappers, as in tests, replace some of them. */
export interface Calls extends Reader {
  /**
   * Runs `work` in one transaction, completely or not at all. No call to another server may happen inside. After a
   * deadlock it runs again from the start, so it must reset what it counts or collects outside.
   */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /**
   * Reads row by row: `take` receives each row's values, in the order of the select list, as it arrives; nothing is
   * kept. For lists of thousands. The statement is planned once for all values.
   */
  each(statement: PlainStatement, values: Values<string>, take: (row: unknown[]) => void): Promise<void>;
  /** Runs one statement as its own transaction, in one round trip. */
  commit<Row extends object, Param extends string = string>(
    statement: Statement<Param, Row>,
    values: Values<Param>,
  ): Promise<readonly Row[]>;
  close(): Promise<void>;
}

/** Created only by `combiningCalls`, so that combined calls pass through the same wrappers. */
export interface Database extends Calls {
  /**
   * Runs one call of a combinable statement, alone or with other waiting calls of its tenant; returns its own rows, or
   * throws its own error.
   */
  together<Row extends object, Column extends string>(
    kind: Together<Column, Row>,
    tenant: number,
    values: Readonly<Record<Column, Value>>,
  ): Promise<readonly Row[]>;
}

const statements = new Map<string, PlainStatement>();

/**
 * Names a statement. Parameters are written `:tenant`; calls give them by name, and a missing one does not compile. The
 * parameters of an inserted fragment are included if its type is its text (`as const`).
 * @throws Error when the name is taken: two texts under one name would be mixed up on a connection.
 */
export function sql<const Text extends string>(
  name: string,
  text: Text,
  how: Pick<PlainStatement, "plannedByValues"> = {},
): Untyped<ParamsIn<Text>> {
  if (statements.has(name)) throw new Error(`Two statements are named ${name}`);
  const statement = { name, ...numbered(text), ...how };
  statements.set(name, statement);
  // The same object: changing the statement's text (scripts/mutate) changes it for every user.
  const declared = Object.assign(statement, { gives: () => statement });
  // The compiler finds the same names in the text.
  return declared as unknown as Untyped<ParamsIn<Text>>;
}

/** A parameter: not a cast (`::uuid`), and not in a word, a quoted text or a comment. */
const PARAMETER = /--[^\n]*|'(?:[^']|'')*'|::|(?<![\w:]):([a-z]\w*)/g;

function numbered(text: string): { readonly text: string; readonly params: readonly string[] } {
  const params: string[] = [];
  const positional = text.replace(PARAMETER, (whole, param: string | undefined) => {
    if (param === undefined) return whole;
    if (!params.includes(param)) params.push(param);
    return `$${params.indexOf(param) + 1}`;
  });
  return { text: positional, params };
}

/**
 * The values in the order of the statement's parameters.
 * @throws Error when one is missing.
 */
export function ordered({ name, params = [] }: PlainStatement, values: Values<string>): unknown[] {
  return params.map((param) => {
    const value = values[param];
    // Called for each value of each call, so the message is only built when needed.
    if (value === undefined) assert(param in values, `${name} is given :${param}`);
    return value;
  });
}

/** Every statement of the service, for tests that prepare and read all of them. */
export function allStatements(): readonly PlainStatement[] {
  return [...statements.values()];
}

/** The names of the parameters in a text. A text unknown at compile time has any. */
export type ParamsIn<Text extends string, Found extends string = never> = string extends Text
  ? string
  : Text extends `${string}:${infer After}`
    ? After extends `:${infer Rest}`
      ? ParamsIn<Rest, Found>
      : After extends `${Lower}${string}`
        ? ParamsIn<After, Found | WordAtStart<After>>
        : ParamsIn<After, Found>
    : Found;

type WordAtStart<Text extends string, Word extends string = ""> = Text extends `${infer First}${infer Rest}`
  ? First extends Lower | Uppercase<Lower> | Digit | "_"
    ? WordAtStart<Rest, `${Word}${First}`>
    : Word
  : Word;

type Digit = "0" | "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9";
// prettier-ignore
type Lower =
  | "a" | "b" | "c" | "d" | "e" | "f" | "g" | "h" | "i" | "j" | "k" | "l" | "m"
  | "n" | "o" | "p" | "q" | "r" | "s" | "t" | "u" | "v" | "w" | "x" | "y" | "z";
