/**
 * Group commit: calls of one statement and tenant that wait while it runs for others are combined in its next run. No
 * call waits for others that have not arrived yet: an idle service runs each alone, at once.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { setImmediate as otherEvents } from "node:timers/promises";
import { traced } from "../lib/trace.ts";
import { isUncertain } from "./constraints.ts";
import { sql, type Database, type PlainStatement, type Statement, type Value } from "./database.ts";

/** The most calls in one run: more of them make a row no cheaper. */
const TOGETHER_MAX = 32;

/** The values of a call, with their PostgreSQL types. */
type Columns = Readonly<Record<string, string>>;

/** A statement that takes many calls of one tenant at once. */
export interface Together<Column extends string = string, Row extends object = object> {
  /** Its parameters are `:tenant` and an array for each column. */
  readonly statement: Statement<string, Row & Numbered>;
  readonly columns: readonly Column[];
  /** Whether it only reads. */
  readonly reads: boolean;
  /** Calls that have one of these keys in common are never combined. */
  apart(values: Readonly<Record<Column, Value>>): readonly string[];
}

/** A row with the number of its call. */
interface Numbered {
  readonly n: number;
}

interface Untyped<Column extends string> {
  /** The columns of each row besides `n`, the number of its call. */
  gives<Row extends object>(): Together<Column, Row>;
}

/**
 * Names a statement that writes for many calls of one tenant. In its text `:tenant` is the tenant and `v` the calls: a
 * row with a column for each of `columns`, and `n`, which each returned row repeats.
 * @param text begins with its branches, before which `v` is inserted: `with …`.
 * @param apart keys of a call; two calls with a common key are not combined, as they would write the same row.
 */
export function writesTogether<const Given extends Columns>(
  name: string,
  columns: Given,
  text: string,
  apart: (values: Readonly<Record<keyof Given & string, Value>>) => readonly string[],
): Untyped<keyof Given & string> {
  return declared(name, columns, `with ${calls(columns)}, ${text.replace(/^\s*with\s/, "")}`, {
    reads: false,
    apart,
  });
}

/**
 * Names a statement that reads for many calls of one tenant.
 * @param text reads for one, the row `v`.
 */
export function readsTogether<const Given extends Columns>(
  name: string,
  columns: Given,
  text: string,
): Untyped<keyof Given & string> {
  const all = `with ${calls(columns)}\n select v.n, r.* from v cross join lateral (\n${text}\n) r`;
  return declared(name, columns, all, { reads: true, apart: () => [] });
}

function calls(columns: Columns): string {
  const names = Object.keys(columns).join(", ");
  const arrays = Object.entries(columns).map(([column, type]) => `:${column}::${type}[]`);
  return `v as (
     select ${names}, n::integer as n from unnest(${arrays.join(", ")}) with ordinality as v (${names}, n)
   )`;
}

function declared<Column extends string>(
  name: string,
  columns: Readonly<Record<Column, string>>,
  text: string,
  how: Pick<Together<Column>, "reads" | "apart">,
): Untyped<Column> {
  const statement = sql(name, text);
  return {
    gives: <Row extends object>() => ({
      statement: statement.gives<Row & Numbered>(),
      columns: Object.keys(columns) as Column[],
      ...how,
    }),
  };
}

/** The parameters of the statement that runs these calls, in their order. */
export function valuesOfRun<Column extends string>(
  kind: Pick<Together<Column>, "columns">,
  tenant: number,
  calls: readonly Readonly<Record<Column, Value>>[],
): Readonly<Record<string, Value>> {
  const values: Record<string, Value> = { tenant };
  for (const column of kind.columns) values[column] = calls.map((call) => call[column]);
  return values;
}

/** A call that waits for its run. */
interface Call {
  readonly values: Readonly<Record<string, Value>>;
  readonly apart: readonly string[];
  /** Runs something in the context of this call. */
  readonly as: <T>(work: () => T) => T;
  resolve(rows: readonly object[]): void;
  reject(error: unknown): void;
}

/**
 * Combines calls, on the connections of `db`.
 * @param onRun called with the number of calls that a run has served.
 */
export function together(
  db: Pick<Database, "query" | "commit">,
  onRun: (statement: string, calls: number) => void = () => {},
): Database["together"] {
  const lanes = new Map<PlainStatement, Map<number, Call[]>>();

  const join = <Column extends string, Row extends object>(
    kind: Together<Column, Row>,
    tenant: number,
    values: Readonly<Record<Column, Value>>,
  ) => {
    const { promise, resolve, reject } = Promise.withResolvers<readonly Row[]>();
    const call: Call = {
      values,
      apart: kind.apart(values),
      as: AsyncLocalStorage.snapshot(),
      resolve: resolve as Call["resolve"],
      reject,
    };
    let ofKind = lanes.get(kind.statement);
    if (ofKind === undefined) lanes.set(kind.statement, (ofKind = new Map()));
    const waiting = ofKind.get(tenant);
    if (waiting === undefined) {
      const mine = [call];
      ofKind.set(tenant, mine);
      void drain(kind, tenant, mine);
    } else waiting.push(call);
    return promise;
  };
  const drain = async (kind: Together, tenant: number, waiting: Call[]): Promise<void> => {
    // Calls that arrived with this one are read in the same turn of the event loop; otherwise they would wait for its
    // run.
    await otherEvents();
    for (let members = taken(waiting); members.length > 0; members = taken(waiting)) {
      await members[0]?.as(() => runFor(kind, tenant, members));
    }
    lanes.get(kind.statement)?.delete(tenant);
  };
  const runFor = async (kind: Together, tenant: number, members: readonly Call[]): Promise<void> => {
    try {
      const rows = await run(kind, tenant, members);
      const own = members.map((): object[] => []);
      for (const { n, ...row } of rows) own[n - 1]?.push(row);
      members.forEach((call, index) => call.resolve(own[index] ?? []));
    } catch (error) {
      // A run that certainly wrote nothing is repeated one call at a time, so that only the call at fault fails.
      if (members.length === 1 || isUncertain(error)) for (const call of members) call.reject(error);
      else await Promise.all(members.map((call) => call.as(() => runFor(kind, tenant, [call]))));
    }
  };
  const run = (kind: Together, tenant: number, members: readonly Call[]) => {
    const values = valuesOfRun(
      kind,
      tenant,
      members.map((call) => call.values),
    );
    onRun(kind.statement.name, members.length);
    return kind.reads ? db.query(kind.statement, values) : db.commit(kind.statement, values);
  };

  // Each call's span begins when it starts to wait; the statement is a step of the call in whose context it runs.
  return (kind, tenant, values) =>
    traced(`${kind.statement.name} together`, "internal", {}, () => join(kind, tenant, values));
}

/** Removes the next members from the list: the longest waiting calls that can be combined. */
function taken(waiting: Call[]): readonly Call[] {
  const members: Call[] = [];
  const left: Call[] = [];
  const held = new Set<string>();
  for (const call of waiting.splice(0)) {
    const fits = members.length < TOGETHER_MAX && !call.apart.some((key) => held.has(key));
    (fits ? members : left).push(call);
    // A call that has to wait keeps its place before others with its keys.
    for (const key of call.apart) held.add(key);
  }
  waiting.push(...left);
  return members;
}
