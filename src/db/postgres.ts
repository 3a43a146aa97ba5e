/**
 * The only file that uses the PostgreSQL driver on behalf of the service: a pool, prepared statements, transactions.
 */
import pg from "pg";
import { MINUTE_MS } from "../lib/clock.ts";
import { outsideWork, tracedStatement } from "../lib/trace.ts";
import { isUnavailable } from "../refusals.ts";
import { atOnce } from "./at-once.ts";
import { refusalOfDatabaseError } from "./constraints.ts";
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
import { retried } from "./retry.ts";
import { together } from "./together.ts";

interface PoolOptions {
  readonly connections: number;
  /** Called for errors of idle connections, which the pool replaces. */
  readonly onIdleError: (error: Error) => void;
  /** The time limit of a statement; 15 seconds by default. */
  readonly statementTimeoutMs?: number;
  /** After which an idle connection is closed; 5 minutes unless said otherwise, 0 for never. */
  readonly idleTimeoutMs?: number;
  /** The newest migration that the code knows: a migration that would break it is refused then. */
  readonly knows?: number;
  /** Called for failed statements with the class of the error, and for combined runs, for the metrics. */
  readonly onFailed?: (errorClass: string) => void;
  readonly onTogether?: (statement: string, calls: number) => void;
  /**
   * Checks whether a new connection leads to the intended database; otherwise it is not used. Receives a query's only
   * row.
   */
  readonly verify?: { readonly statement: PlainStatement; readonly accepts: (row: object) => boolean };
}

/** The number of connections, and of calls that wait for one. */
interface PoolUsage {
  readonly max: number;
  readonly open: number;
  readonly idle: number;
  readonly waiting: number;
}

interface PooledDatabase extends Database {
  usage(): PoolUsage;
}

/** The name of instances in pg_stat_activity, followed by the newest migration that they know. */
export const SERVICE_NAME = "payment-session-service";

/** After waiting this long for a free connection the caller gets a 503. */
const CONNECT_TIMEOUT_MS = 5_000;
/** Longer than a person reads a page: a new connection knows neither tables nor plans, and makes the next page wait for them. */
const IDLE_TIMEOUT_MS = 5 * MINUTE_MS;
/** Server side limits; all of them are unlimited by default. */
const STATEMENT_TIMEOUT_MS = 15_000;
/** Longer than the server's limit: a response that has not arrived by then is lost, with its connection. */
const ANSWER_TIMEOUT_MS = 5_000;
/** Keep-alive for idle connections, so that one that a firewall has dropped is noticed in time. */
const KEEP_ALIVE_AFTER_MS = 10_000;
const SESSION_LIMITS =
  "-c lock_timeout=5000 -c idle_in_transaction_session_timeout=15000 -c timezone=UTC -c datestyle=ISO";
/**
 * The costs are those of a disk without a head: else small tables are read whole where an index finds one row. No statement is
 * compiled: PostgreSQL would for what it takes to be long, anew for each call, and longer than any of ours runs.
 */
const COSTS = "-c random_page_cost=1.1 -c jit=off";
/**
 * A plan is made once, for any tenant: one for a new tenant, for which the statistics show no rows, would read all rows
 * to find one (docs/decisions/0012).
 */
export const PLANNING = `${COSTS} -c plan_cache_mode=force_generic_plan`;
/** Citus has to know the tenant to find the worker, so it plans each call; the worker makes the rest of the plan. */
const PLANNED_FOR_EACH_TENANT = `select set_config('plan_cache_mode', 'force_custom_plan', false)
  from pg_extension where extname = 'citus'`;
const DATE_OID = 1082;

/**
 * Opens a pool on `url`.
 * @throws Error only later, when a statement runs and the server cannot be reached.
 */
export function openDatabase(url: string, options: PoolOptions): PooledDatabase {
  const {
    statementTimeoutMs = STATEMENT_TIMEOUT_MS,
    idleTimeoutMs = IDLE_TIMEOUT_MS,
    onFailed = () => {},
    onTogether,
  } = options;
  const pool = new pg.Pool({
    connectionString: url,
    max: options.connections,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: idleTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
    query_timeout: statementTimeoutMs + ANSWER_TIMEOUT_MS,
    options: `${SESSION_LIMITS} ${PLANNING} -c statement_timeout=${statementTimeoutMs}`,
    application_name: options.knows === undefined ? SERVICE_NAME : `${SERVICE_NAME} ${options.knows}`,
    types: { getTypeParser: typeParser },
    ...(options.verify === undefined ? {} : { verify: verifier(options.verify) }),
    // The pool waits for it before it hands out the connection.
    onConnect: async (client) => void (await client.query(PLANNED_FOR_EACH_TENANT)),
  });
  // While the pool verifies a new connection, and until `onConnection` takes it, an unhandled error would end the
  // process. The next statement fails.
  pool.on("connect", (client) => client.on("error", () => {}));
  // A connection outlives the request that has opened it.
  pool.on("error", (error) => outsideWork(() => options.onIdleError(error)));
  const failed: Failed = (error) => {
    onFailed(errorClass(error));
    return refusalOfDatabaseError(error);
  };

  // Not with the pool's own `query`, which closes the connection after any error of the statement.
  const runOnce = <Row extends object>(statement: Statement<string, Row>, values: Values<string>) =>
    onConnection(pool, (client) => run(client, statement, values, failed), failed);
  const isHalfFree = () => pool.totalCount - pool.idleCount <= options.connections / 2;
  const reading = atOnce<pg.PoolClient>((work) => onConnection(pool, work, failed), isHalfFree);
  const db = combiningCalls(
    {
      query: (statement, values) =>
        reading((client, discard) =>
          statement.plannedByValues
            ? runPlanned(client, discard, statement, values, failed)
            : run(client, statement, values, failed),
        ),
      each: (statement, values, take) => runByRow(pool, statement, values, take, failed),
      commit: (statement, values) => retried(() => runOnce(statement, values)),
      transaction: (work) => retried(() => inTransaction(pool, work, failed)),
      close: () => pool.end(),
    },
    onTogether,
  );
  const usage = () => ({
    max: options.connections,
    open: pool.totalCount,
    idle: pool.idleCount,
    waiting: pool.waitingCount,
  });
  return { ...db, usage };
}

/**
 * A database that combines calls of the same kind, over these calls.
 * @param onTogether called with the number of calls that a run has served.
 */
export function combiningCalls(calls: Calls, onTogether?: PoolOptions["onTogether"]): Database {
  return { ...calls, together: together(calls, onTogether) };
}

type Verify = NonNullable<PoolOptions["verify"]>;

/** Called by the pool with a new connection. */
function verifier({ statement, accepts }: Verify) {
  return (client: pg.ClientBase, done: (error?: Error) => void): void => {
    client.query<object>(statement.text, (error: Error | null, result) => {
      const [row] = error === null ? result.rows : [];
      if (row !== undefined && accepts(row)) done();
      else done(error ?? new Error("The database has been replaced by another one."));
    });
  };
}

/** A date stays text: a `Date` would move it to the host's time zone. */
const typeParser: typeof pg.types.getTypeParser = (oid: number, format?: string) =>
  oid === DATE_OID ? (text: string) => text : pg.types.getTypeParser(oid, format as "text");

async function run<Row extends object>(
  on: pg.PoolClient,
  statement: Statement<string, Row>,
  values: Values<string>,
  failed: Failed,
): Promise<readonly Row[]> {
  const { name, text } = statement;
  try {
    const given = { name, text, values: ordered(statement, values) };
    const { rows } = await tracedStatement(name, () => on.query<Row>(given));
    return rows;
  } catch (error) {
    throw failed(error);
  }
}

/** A page of a list reads a few hundred rows: starting parallel processes for it would take longer. */
const PLAN_BY_VALUES = sql(
  "db.plan_by_values",
  `-- every tenant: settings
 select set_config('plan_cache_mode', 'force_custom_plan', true), set_config('max_parallel_workers_per_gather', '0', true)`,
);

function runPlanned<Row extends object>(
  client: pg.PoolClient,
  discard: (error: Error) => void,
  statement: Statement<string, Row>,
  values: Values<string>,
  failed: Failed,
): Promise<readonly Row[]> {
  const planned = async (tx: Tx) => {
    await tx.query(PLAN_BY_VALUES, {});
    return tx.query(statement, values);
  };
  return transactionOn(client, discard, planned, failed);
}

function runByRow(
  pool: pg.Pool,
  statement: PlainStatement,
  values: Values<string>,
  take: (row: unknown[]) => void,
  failed: Failed,
): Promise<void> {
  const { name, text } = statement;
  const read = (client: pg.PoolClient): Promise<void> => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    let refused: unknown = null;
    const config = { name, text, values: ordered(statement, values), rowMode: "array" };
    const query = new pg.Query<unknown[]>(config, (error) => {
      if (error) reject(failed(error));
      else if (refused) reject(refused);
      else resolve();
    });
    query.on("row", (row, result) => {
      try {
        if (refused === null) take(row);
      } catch (error) {
        // Rethrowing would end the process, because the socket is the caller.
        refused = error;
      }
      // With a time limit the driver keeps each row: thousands of unused values.
      if (result !== undefined) result.rows.length = 0;
    });
    client.query(query);
    return promise;
  };
  return onConnection(pool, (client) => tracedStatement(name, () => read(client)), failed);
}

function inTransaction<T>(pool: pg.Pool, work: (tx: Tx) => Promise<T>, failed: Failed): Promise<T> {
  return onConnection(pool, (client, discard) => transactionOn(client, discard, work, failed), failed);
}

async function transactionOn<T>(
  client: pg.PoolClient,
  discard: (error: Error) => void,
  work: (tx: Tx) => Promise<T>,
  failed: Failed,
): Promise<T> {
  const tx: Tx = {
    query: (statement, values) => run(client, statement, values, failed),
    write: (statement, values) => run(client, statement, values, failed),
  };
  try {
    await client.query("begin");
    const result = await work(tx);
    await client.query("commit");
    return result;
  } catch (error) {
    // A connection that cannot roll back is discarded, which rolls back as well.
    if (!isUnavailable(refusalOfDatabaseError(error))) await client.query("rollback").catch(discard);
    throw error;
  }
}

/**
 * Works on a connection of the pool, which is returned, or discarded when it did not answer.
 * @throws what `work` threw, translated.
 */
async function onConnection<T>(
  pool: pg.Pool,
  work: (client: pg.PoolClient, discard: (error: Error) => void) => Promise<T>,
  failed: Failed,
): Promise<T> {
  const client = await connected(pool, failed);
  let broken: Error | undefined;
  const discard = (error: Error): void => {
    broken = error;
  };
  // A connection lost between two statements emits an error that would end the process if unhandled.
  client.on("error", discard);
  try {
    return await work(client, discard);
  } catch (thrown) {
    const error = refusalOfDatabaseError(thrown);
    if (isUnavailable(error)) discard(error);
    throw error;
  } finally {
    client.release(broken);
    client.off("error", discard);
  }
}

/** Counts a driver's error and translates it. */
type Failed = (error: unknown) => unknown;

/** Error classes by the first two characters of the server's code; few, as each is a metric label. */
const CLASSES: Readonly<Record<string, string>> = {
  "08": "connection",
  "22": "data",
  "23": "constraint",
  "40": "conflict",
  "53": "resources",
  "55": "lock",
  "57": "server",
};

/** An error of the driver itself, without a server code, is one of the connection. */
function errorClass(error: unknown): string {
  const code = typeof error === "object" && error !== null && "code" in error ? String(error.code) : "";
  return /^[0-9A-Z]{5}$/.test(code) ? (CLASSES[code.slice(0, 2)] ?? "other") : "connection";
}

async function connected(pool: pg.Pool, failed: Failed): Promise<pg.PoolClient> {
  try {
    return await pool.connect();
  } catch (error) {
    throw failed(error);
  }
}
