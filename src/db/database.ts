/** The door to SQL: what reads takes a `Reader`, what writes takes a `Tx`, and only `Database` makes one. */

/** A named statement: PostgreSQL prepares it once per connection. */
export interface Statement {
  readonly name: string;
  readonly text: string;
  /** Planned anew for the values of each call: for lists whose filters may be null. It costs three round trips more. */
  readonly plannedByValues?: true;
}

export interface Reader {
  query<Row extends object>(statement: Statement, values: readonly unknown[]): Promise<readonly Row[]>;
}

export interface Tx extends Reader {
  /** Runs a statement that changes rows, inside this transaction. */
  write<Row extends object>(statement: Statement, values: readonly unknown[]): Promise<readonly Row[]>;
}

export interface Database extends Reader {
  /**
   * Runs `work` in one transaction: all of it is kept, or none. No foreign call may happen inside. After a deadlock it
   * runs again from its beginning, so it must begin anew what it counts or collects outside.
   */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /**
   * Reads row by row: `take` is given each row's values, in the order of the select list, as it arrives, and nothing is
   * kept. For what lists thousands. The statement is planned once for all values.
   */
  each(statement: Statement, values: readonly unknown[], take: (row: unknown[]) => void): Promise<void>;
  /** One statement that is its own transaction: one round trip. */
  commit<Row extends object>(statement: Statement, values: readonly unknown[]): Promise<readonly Row[]>;
  close(): Promise<void>;
}

const statements = new Map<string, Statement>();

/** Names a statement. @throws Error when the name is taken: two texts under one name would be mixed up on a connection. */
export function sql(name: string, text: string, how: Pick<Statement, "plannedByValues"> = {}): Statement {
  if (statements.has(name)) throw new Error(`Two statements are named ${name}`);
  const statement = { name, text, ...how };
  statements.set(name, statement);
  return statement;
}

/** Every statement of the service, for the test that prepares each of them and looks for the tenant. */
export function allStatements(): readonly Statement[] {
  return [...statements.values()];
}
