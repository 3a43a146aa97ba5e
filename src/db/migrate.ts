/** Applies the numbered migrations, forward only, each in a transaction of its own, under a lock that instances wait for. */
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import pg from "pg";
import { assert } from "../lib/assert.ts";
import { grantToService } from "./service-role.ts";

const FOLDER = new URL("migrations/", import.meta.url);
const FILE_NAME = /^(\d{4})_[a-z0-9_]+\.sql$/;
/** Any number that nothing else on the same database uses. */
const LOCK = 7_307_426_411;
/** PostgreSQL 15 is the oldest that the schema is tested with. */
const SERVER_VERSION_MIN = 150_000;

interface Migration {
  readonly number: number;
  readonly name: string;
  readonly text: string;
  /** SHA-256 of the text. */
  readonly hash: string;
}

/**
 * Brings the database to the newest schema, and gives the service's role its rights on it; returns the names applied now.
 * @param ownerUrl connects as the role that owns the tables.
 * @param serviceUrl connects as the role that the service works as.
 * @throws Error naming the migration that failed.
 */
export async function migrate(ownerUrl: string, serviceUrl = ownerUrl): Promise<readonly string[]> {
  const client = new pg.Client({ connectionString: ownerUrl, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    await checkServerVersion(client);
    await client.query("select pg_advisory_lock($1)", [LOCK]);
    const applied = await applyMissing(client, await readMigrations());
    await grantToService(client, serviceUrl);
    return applied;
  } finally {
    await client.end();
  }
}

/** How many migrations this version of the service knows; `readyz` compares it with the database. */
export async function migrationCount(): Promise<number> {
  return (await readMigrations()).length;
}

/**
 * Refuses a server that may forget what it has acknowledged; meant for production.
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

async function checkServerVersion(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ version: number }>(
    "select current_setting('server_version_num')::int as version",
  );
  assert((rows[0]?.version ?? 0) >= SERVER_VERSION_MIN, "the database is PostgreSQL 15 or newer");
}

async function readMigrations(): Promise<readonly Migration[]> {
  const names = (await readdir(FOLDER)).filter((name) => FILE_NAME.test(name)).toSorted();
  return Promise.all(
    names.map(async (name, index) => {
      const number = Number(name.slice(0, 4));
      assert(number === index + 1, `migration ${name} has the next number`);
      // A checkout on Windows may have changed the line ends.
      const text = (await readFile(new URL(name, FOLDER), "utf8")).replaceAll("\r\n", "\n");
      return { number, name, text, hash: createHash("sha256").update(text).digest("hex") };
    }),
  );
}

async function applyMissing(client: pg.Client, migrations: readonly Migration[]): Promise<readonly string[]> {
  const { rows: there } = await client.query(
    "select from pg_class where oid = to_regclass('schema_migrations')",
  );
  // Asked first: a role that owns nothing may start the service on a database that is up to date.
  if (there.length === 0) {
    await client.query(`create table schema_migrations
      (number integer primary key, name text not null, sha256 text not null, applied_at timestamptz not null default now());
      comment on table schema_migrations is 'The migrations that this database has, each with its file and the hash of its text.'`);
  }
  const applied = await checkedHistory(client, migrations);
  const missing = migrations.filter(({ number }) => !applied.has(number));
  for (const migration of missing) await apply(client, migration);
  return missing.map(({ name }) => name);
}

/** The numbers that the database has. @throws Error when they are not this version's, and what to do. */
async function checkedHistory(
  client: pg.Client,
  migrations: readonly Migration[],
): Promise<ReadonlySet<number>> {
  const { rows } = await client.query<{ number: number; name: string; hash: string | null }>(
    // As JSON: databases of before the first release have no hashes.
    "select number, name, to_jsonb(m) ->> 'sha256' as hash from schema_migrations m order by number",
  );
  const own = new Map(migrations.map((migration) => [migration.number, migration]));
  for (const { number, name, hash } of rows) {
    const ours = own.get(number);
    if (ours === undefined || (ours.name === name && ours.hash === hash)) continue;
    const difference =
      ours.name === name
        ? "was applied with another text than this version's"
        : `is not this version's ${ours.name}`;
    throw new Error(
      `The database was made by other migrations: its ${name} ${difference}. ` +
        "Nothing leads from one to the other: name a new, empty database in DATABASE_URL, " +
        "or move the folder postgres in DATA_DIR away if the service brings its own server.",
    );
  }
  const newest = rows.at(-1)?.number ?? 0;
  assert(
    newest <= migrations.length,
    `this version knows the database's migration ${newest}; start a newer version`,
  );
  return new Set(rows.map(({ number }) => number));
}

async function apply(client: pg.Client, { number, name, text, hash }: Migration): Promise<void> {
  try {
    await client.query("begin");
    // Waiting for a lock would stall every request behind this migration; failing lets the operator try again.
    await client.query("set local lock_timeout = '5s'");
    await client.query("insert into schema_migrations (number, name, sha256) values ($1, $2, $3)", [
      number,
      name,
      hash,
    ]);
    await client.query(text);
    await client.query("commit");
  } catch (error) {
    await client.query("rollback");
    throw new Error(`Migration ${name} failed and was rolled back`, { cause: error });
  }
}
