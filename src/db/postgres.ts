/** The only file that talks to the PostgreSQL driver on behalf of the service: a pool, prepared statements, transactions. */
import pg from "pg";
import { Refusal } from "../refusals.ts";
import { translated } from "./constraints.ts";
import {
  ordered,
  sql,
  type Calls,
  type Database,
  type PlainStatement,
  type Statement,
  type Tx,
  type Values,
} from "./database.ts";
import { repeated } from "./repeat.ts";
import { together } from "./together.ts";

interface PoolOptions {
  readonly connections: number;
  /** Called for errors of idle connections, which the pool replaces. */
  readonly onIdleError: (error: Error) => void;
  /** How long one statement may take; 15 seconds unless said otherwise. */
  readonly statementTimeoutMs?: number;
  /** The newest migration that the code knows: a migration that would break it is then refused. */
  readonly knows?: number;
}

/** How instances show in pg_stat_activity, followed by the newest migration that they know. */
export const SERVICE_NAME = "payment-session-service";

/** Waiting longer for a free connection does not help: the caller gets a 503. */
const CONNECT_TIMEOUT_MS = 5_000;
/** Server side limits; all of them are unlimited by default. */
const STATEMENT_TIMEOUT_MS = 15_000;
/** Beyond the server's limit: an answer that is not here by then is lost, and so is its connection. */
const ANSWER_TIMEOUT_MS = 5_000;
/** A quiet connection is asked for a sign of life, so that one that a firewall has forgotten is missed in time. */
const KEEP_ALIVE_AFTER_MS = 10_000;
const SESSION_LIMITS =
  "-c lock_timeout=5000 -c idle_in_transaction_session_timeout=15000 -c timezone=UTC -c datestyle=ISO";
/**
 * The costs are those of a disk without a head: else small tables are read whole where an index finds one row. A plan is
 * made once, for any tenant: one that was made for a new tenant, of whom the statistics say that it has no rows, reads
 * all of them to find one (docs/decisions/0012).
 */
export const PLANNING = "-c random_page_cost=1.1 -c plan_cache_mode=force_generic_plan";
const DATE_OID = 1082;

/** Opens a pool on `url`. @throws Error only later, when a statement runs and the server cannot be reached. */
export function openDatabase(url: string, options: PoolOptions): Database {
  const { statementTimeoutMs = STATEMENT_TIMEOUT_MS } = options;
  const pool = new pg.Pool({
    connectionString: url,
    max: options.connections,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
    query_timeout: statementTimeoutMs + ANSWER_TIMEOUT_MS,
    options: `${SESSION_LIMITS} ${PLANNING} -c statement_timeout=${statementTimeoutMs}`,
    application_name: options.knows === undefined ? SERVICE_NAME : `${SERVICE_NAME} ${options.knows}`,
    types: { getTypeParser: typeParser },
  });
  pool.on("error", options.onIdleError);

  return grouped({
    query: (statement, values) =>
      statement.plannedByValues ? runPlanned(pool, statement, values) : run(pool, statement, values),
    each: (statement, values, take) => runByRow(pool, statement, values, take),
    commit: (statement, values) => repeated(() => run(pool, statement, values)),
    transaction: (work) => repeated(() => inTransaction(pool, work)),
    close: () => pool.end(),
  });
}

/** A database whose calls of one kind travel together, over these calls. */
export function grouped(calls: Calls): Database {
  return { ...calls, together: together(calls) };
}

/** A date stays the text it is: a `Date` would move it to the host's time zone. */
const typeParser: typeof pg.types.getTypeParser = (oid: number, format?: string) =>
  oid === DATE_OID ? (text: string) => text : pg.types.getTypeParser(oid, format as "text");

async function run<Row extends object>(
  on: pg.Pool | pg.PoolClient,
  statement: Statement<string, Row>,
  values: Values<string>,
): Promise<readonly Row[]> {
  const { name, text } = statement;
  try {
    const { rows } = await on.query<Row>({ name, text, values: ordered(statement, values) });
    return rows;
  } catch (error) {
    throw translated(error);
  }
}

const PLAN_BY_VALUES = sql(
  "db.plan_by_values",
  "-- every tenant: a setting\n select set_config('plan_cache_mode', 'force_custom_plan', true)",
);

function runPlanned<Row extends object>(
  pool: pg.Pool,
  statement: Statement<string, Row>,
  values: Values<string>,
): Promise<readonly Row[]> {
  return inTransaction(pool, async (tx) => {
    await tx.query(PLAN_BY_VALUES, {});
    return tx.query(statement, values);
  });
}

function runByRow(
  pool: pg.Pool,
  statement: PlainStatement,
  values: Values<string>,
  take: (row: unknown[]) => void,
): Promise<void> {
  return onConnection(pool, (client) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    let failed: unknown = null;
    const { name, text } = statement;
    const config = { name, text, values: ordered(statement, values), rowMode: "array" };
    const query = new pg.Query<unknown[]>(config, (error) => {
      if (error ?? failed) reject(error ?? failed);
      else resolve();
    });
    query.on("row", (row, result) => {
      try {
        if (failed === null) take(row);
      } catch (error) {
        // Rethrown, it would end the process, because the socket is the caller.
        failed = error;
      }
      // The driver keeps each row all the same when there is a time limit: thousands of unused values.
      if (result !== undefined) result.rows.length = 0;
    });
    client.query(query);
    return promise;
  });
}

function inTransaction<T>(pool: pg.Pool, work: (tx: Tx) => Promise<T>): Promise<T> {
  return onConnection(pool, async (client, discard) => {
    const tx: Tx = {
      query: (statement, values) => run(client, statement, values),
      write: (statement, values) => run(client, statement, values),
    };
    try {
      await client.query("begin");
      const result = await work(tx);
      await client.query("commit");
      return result;
    } catch (error) {
      // A connection that cannot even roll back is thrown away: its end rolls back as well.
      if (!isUnavailable(translated(error))) await client.query("rollback").catch(discard);
      throw error;
    }
  });
}

/**
 * Works on a connection of the pool, which it goes back to, or is thrown away when it did not answer.
 * @throws what `work` threw, as callers know it.
 */
async function onConnection<T>(
  pool: pg.Pool,
  work: (client: pg.PoolClient, discard: (error: Error) => void) => Promise<T>,
): Promise<T> {
  const client = await connected(pool);
  let broken: Error | undefined;
  const discard = (error: Error): void => {
    broken = error;
  };
  // A connection lost between two statements emits an error that would end the process if unhandled.
  client.on("error", discard);
  try {
    return await work(client, discard);
  } catch (thrown) {
    const error = translated(thrown);
    if (isUnavailable(error)) discard(error);
    throw error;
  } finally {
    client.release(broken);
    client.off("error", discard);
  }
}

function isUnavailable(error: unknown): error is Refusal {
  return error instanceof Refusal && error.kind === "unavailable";
}

async function connected(pool: pg.Pool): Promise<pg.PoolClient> {
  try {
    return await pool.connect();
  } catch (error) {
    throw translated(error);
  }
}
