/**
 * Applies the numbered migrations, forward only, under a lock for which other instances wait; docs/upgrades.md has the
 * rules for migrations.
 */
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { assert } from "../lib/assert.ts";
import { SECOND_MS } from "../lib/clock.ts";
import { knownMigrations, statementsOf, type Migration } from "./migrations.ts";
import { SERVICE_NAME } from "./postgres.ts";
import { fourDigits, readHistory, SchemaError, stateOfHistory } from "./schema-state.ts";
import { isDistributed, placeNewTables, prepareForPlacing } from "./place.ts";
import { grantToService } from "./service-role.ts";
import { LOCK_NOT_AVAILABLE } from "./constraints.ts";

/** Any number that nothing else uses on the same database. */
export const MIGRATION_LOCK = 7_307_426_411;
/** A waiting statement has a snapshot, for whose end the creation of an index waits: so the lock is polled. */
const LOCK_POLL_MS = 250;
const SAY_EVERY_MS = 30 * SECOND_MS;
/** The oldest version that the schema is tested with is PostgreSQL 15. */
const SERVER_VERSION_MIN = 150_000;
/** While a migration waits for a table, requests queue behind it: it soon lets them pass, and tries again. */
const TABLE_LOCK_MS = 1_000;
const PAUSE_MS = 2_000;
const TRIES_MAX = 60;
const DEADLOCK = "40P01";

interface Migrating {
  /** Called with what takes time. */
  readonly log?: (message: string) => void;
  /** Those of this version by default. */
  readonly migrations?: readonly Migration[];
  /** Skips the check for instances that a migration would break. */
  readonly force?: boolean;
  readonly pauseMs?: number;
}

/** The connection and options for applying migrations. */
interface Worker {
  readonly client: pg.Client;
  readonly log: (message: string) => void;
  readonly pauseMs: number;
}

/**
 * Migrates the database to the newest schema and grants the service's role its rights; returns the names of the applied
 * migrations. A newer schema that this version works with stays unchanged.
 * @param ownerUrl connects as the role that owns the tables.
 * @param serviceUrl connects as the role of the service.
 * @throws Error naming the migration that failed.
 */
export async function migrate(
  ownerUrl: string,
  serviceUrl = ownerUrl,
  { log = () => {}, migrations, force = false, pauseMs = PAUSE_MS }: Migrating = {},
): Promise<readonly string[]> {
  const client = new pg.Client({ connectionString: ownerUrl, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    await checkServer(client);
    await client.query("set statement_timeout = 0");
    await waitForOthers(client, log);
    const known = migrations ?? (await knownMigrations());
    const history = await readHistory(client, known);
    const state = stateOfHistory(history, known);
    if (state.kind === "too_new") throw new SchemaError(state.words ?? state.kind);
    // The rights are those of the newest code: an older instance would revoke those of newer ones.
    if (state.kind === "newer") {
      log(state.words ?? state.kind);
      return [];
    }
    const missing = known.slice(history.length);
    if (!force) await refuseWhileOlderRun(client, missing);
    const worker = { client, log, pauseMs };
    // A role without ownership may start the service on a database that is up to date.
    if (missing.length > 0) await makeHistory(worker);
    for (const migration of missing) await apply(worker, migration);
    await grantToService(client, serviceUrl);
    return missing.map(({ name }) => name);
  } finally {
    await client.end();
  }
}

/**
 * Refuses a server that may lose acknowledged writes; for production.
 * @throws Error naming the setting.
 */
export async function assertDurable(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>(
      "select name from pg_settings where name in ('fsync', 'synchronous_commit', 'full_page_writes') and setting = 'off'",
    );
    const off = rows.map(({ name }) => name).join(", ");
    if (off !== "") {
      throw new Error(
        `The database runs with ${off} off: acknowledged payments could be lost. Turn it on, or run in staging.`,
      );
    }
  } finally {
    await client.end();
  }
}

/**
 * Checks the server.
 * @throws Error when it is too old, or the database's encoding cannot store every name.
 */
async function checkServer(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ version: number; encoding: string }>(
    "select current_setting('server_version_num')::int as version, current_setting('server_encoding') as encoding",
  );
  const { version = 0, encoding = "" } = rows[0] ?? {};
  assert(version >= SERVER_VERSION_MIN, "the database is PostgreSQL 15 or newer");
  if (encoding !== "UTF8") {
    throw new SchemaError(
      `The database is encoded in ${encoding}, which cannot store every name. Recreate it: create database … encoding 'UTF8' template template0.`,
    );
  }
}

async function waitForOthers(client: pg.Client, log: Worker["log"]): Promise<void> {
  for (let waitedMs = 0; ; waitedMs += LOCK_POLL_MS) {
    const { rows } = await client.query<{ got: boolean }>("select pg_try_advisory_lock($1) as got", [
      MIGRATION_LOCK,
    ]);
    if (rows[0]?.got === true) return;
    if (waitedMs % SAY_EVERY_MS === 0) log("another instance migrates the database: waiting for it");
    await sleep(LOCK_POLL_MS);
  }
}

const HISTORY = `
  create table if not exists schema_migrations
    (number integer primary key, name text not null, sha256 text not null, applied_at timestamptz not null default now());
  alter table schema_migrations add column if not exists compatible_with integer;
  comment on table schema_migrations is 'The migrations that this database has, each with its file and the hash of its text.';
  comment on column schema_migrations.compatible_with is
    'Code that knows this migration, or a later one, works with the schema after it; null: no earlier code than its own.'`;

/** A correct table is not altered: readiness probes would queue behind the waiting change. */
async function makeHistory(worker: Worker): Promise<void> {
  const { rows } = await worker.client.query(
    "select from pg_attribute where attrelid = to_regclass('schema_migrations') and attname = 'compatible_with'",
  );
  if (rows.length === 0) await inTransaction(worker, "schema_migrations", () => worker.client.query(HISTORY));
}

/** @throws Error when an instance is connected whose code would fail after one of the migrations. */
async function refuseWhileOlderRun(client: pg.Client, missing: readonly Migration[]): Promise<void> {
  const { rows } = await client.query<{ name: string; count: number }>(
    `select application_name as name, count(*)::int as count from pg_stat_activity
      where datname = current_database() and application_name like $1 group by 1`,
    [`${SERVICE_NAME} %`],
  );
  for (const { name } of rows) {
    const knows = Number(name.slice(SERVICE_NAME.length));
    const breaking = missing.find(({ compatibleWith }) => compatibleWith > knows);
    if (breaking === undefined) continue;
    throw new SchemaError(
      `Nothing was migrated: ${breaking.name} needs code that knows migration ${fourDigits(breaking.compatibleWith)}, ` +
        `and an instance that knows ${fourDigits(knows)} is connected. Replace it first (docs/upgrades.md).`,
    );
  }
}

async function apply(worker: Worker, migration: Migration): Promise<void> {
  const { name, runs } = migration;
  try {
    if (runs === "concurrently") await applyConcurrently(worker, migration);
    else if (runs === "in batches") await applyInBatches(worker, migration);
    else await inTransaction(worker, name, () => applyText(worker, migration));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`Migration ${name} failed and was rolled back: ${why}`, { cause: error });
  }
}

async function applyText({ client }: Worker, migration: Migration): Promise<void> {
  if (await isDistributed(client)) await applyDistributed(client, migration);
  else await client.query(migration.text);
  await record(client, migration);
}

/** Citus passes each statement on to its workers, one at a time; a new table is placed at once. */
async function applyDistributed(client: pg.Client, { text }: Migration): Promise<void> {
  await prepareForPlacing(client);
  for (const statement of statementsOf(text)) await client.query(statement);
  await placeNewTables(client);
}

/**
 * Repeats a statement that changes a bounded number of rows until it finds none; after an interruption the completed
 * part stays.
 */
async function applyInBatches(worker: Worker, migration: Migration): Promise<void> {
  const { client, log } = worker;
  let changed = 0;
  for (;;) {
    const rows = await inTransaction(worker, migration.name, async () => {
      const { rowCount } = await client.query(migration.text);
      if (rowCount === 0) await record(client, migration);
      return rowCount ?? 0;
    });
    if (rows === 0) break;
    changed += rows;
  }
  log(`${migration.name}: ${changed} rows`);
}

/** An interrupted creation leaves an invalid index, or valid ones that are not recorded. */
async function applyConcurrently({ client }: Worker, migration: Migration): Promise<void> {
  // It waits for open transactions, and blocks none.
  await client.query("set lock_timeout = 0");
  for (const { name, statement } of migration.indexes) {
    const { rows } = await client.query(
      "select from pg_index where indexrelid = to_regclass($1) and not indisvalid",
      [name],
    );
    if (rows.length > 0) await client.query(`drop index concurrently ${name}`);
    await client.query(statement);
  }
  await record(client, migration);
}

/** Runs `work` in a transaction, and repeats it when it does not get its locks at once. */
async function inTransaction<T>(
  { client, log, pauseMs }: Worker,
  name: string,
  work: () => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      await client.query("begin");
      await client.query(`set local lock_timeout = ${TABLE_LOCK_MS}`);
      const result = await work();
      await client.query("commit");
      return result;
    } catch (error) {
      await client.query("rollback");
      const code = error instanceof Error && "code" in error ? error.code : null;
      if ((code !== LOCK_NOT_AVAILABLE && code !== DEADLOCK) || tries === TRIES_MAX) throw error;
      log(`${name}: a table is in use; trying again (${tries} of ${TRIES_MAX})`);
      await sleep(pauseMs);
    }
  }
}

async function record(client: pg.Client, { number, name, hash, compatibleWith }: Migration): Promise<void> {
  await client.query(
    "insert into schema_migrations (number, name, sha256, compatible_with) values ($1, $2, $3, $4)",
    [number, name, hash, compatibleWith],
  );
}
