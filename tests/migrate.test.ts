/**
 * Migrations while the service runs: how they wait for locks, what waits for them, and how an interrupted one
 * continues.
 */
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { after, before, test } from "node:test";
import pg from "pg";
import { migrate } from "../src/db/migrate.ts";
import { BASELINE, knownMigrations, parseMigration, type Migration } from "../src/db/migrations.ts";
import { SERVICE_NAME } from "../src/db/postgres.ts";
import { readSchemaState, stateOf } from "../src/db/schema-state.ts";
import { emptyDatabase, testDatabase, type TestDatabase } from "./support/database.ts";
import { adHoc } from "../tools/ad-hoc.ts";

const WAIT_MS_MAX = 30_000;

let database: TestDatabase;
let known: readonly Migration[];
const clients: pg.Client[] = [];

before(async () => {
  database = await testDatabase();
  known = await knownMigrations();
});
after(async () => {
  for (const client of clients) await client.end();
  await database.close();
});

/** The versions after this one, each with one migration more. */
let later: readonly Migration[] = [];

const isCompatible = (number: number) => `-- compatible with: ${String(number).padStart(4, "0")}\n`;

/** A version with one migration more, which this version works with. */
function next(text: string, compatibleWith = known.length): readonly Migration[] {
  const all = [...known, ...later];
  const name = `${String(all.length + 1).padStart(4, "0")}_later.sql`;
  return [...all, parseMigration(name, isCompatible(compatibleWith) + text)];
}

/** Migrates to the version. The following tests build on it. */
async function migrateTo(
  migrations: readonly Migration[],
  how: { readonly log?: (message: string) => void; readonly force?: boolean } = {},
): Promise<readonly string[]> {
  const applied = await migrate(database.ownerUrl, database.url, { migrations, pauseMs: 20, ...how });
  later = migrations.slice(known.length);
  return applied;
}

async function connection(name = "test"): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: database.ownerUrl, application_name: name });
  client.on("error", () => {});
  await client.connect();
  clients.push(client);
  return client;
}

const CREATING =
  "select from pg_stat_activity where pid <> pg_backend_pid() and query like '%create index conc%'";

/** Repeats the check until it is true. */
async function until(isSo: () => Promise<boolean> | boolean): Promise<void> {
  const deadline = performance.now() + WAIT_MS_MAX;
  while (!(await isSo())) {
    assert.ok(performance.now() < deadline, "it happens in time");
    await sleep(10);
  }
}

async function rows(text: string, values: readonly unknown[] = []): Promise<readonly object[]> {
  return database.db.query(...adHoc(text, values));
}

/** Inserts banks. @param values the code and the name of each. */
function bank(country: string, values: string, from = "(select) one"): string {
  return `insert into banks (country, source, imported_at, bank_code, name) select '${country}', 'test', now(), ${values} from ${from}`;
}

/** BASE stands for the newest migration of the baseline. */
const based = (text: string) => text.replaceAll("BASE", String(BASELINE).padStart(4, "0"));

for (const [text, why] of [
  ["create table x ();", /begins with "-- compatible with: NNNN"/],
  ["-- compatible with: 0005\ncreate table x ();", /begins with "-- compatible with: NNNN"/],
  ["-- compatible with: 0900\ncreate table x ();", /compatible with itself or an earlier one/],
  ["create table x ();\n-- compatible with: BASE", /begins with "-- compatible with: NNNN"/],
  ["-- compatible with: BASE\n-- runs: quickly\nselect 1;", /runs in one of the ways/],
  ["-- compatible with: BASE\n-- runs: concurrently\ncreate index concurrently a on b (c);", /if not exists/],
  [
    "-- compatible with: BASE\n-- runs: concurrently\ncreate index concurrently if not exists a on b (c);\nselect 1;",
    /each statement .* is create index concurrently/,
  ],
] as const) {
  test(`a migration is refused: ${text.replaceAll("\n", " ")}`, () => {
    assert.throws(() => parseMigration("0099_x.sql", based(text)), why);
  });
}

test("a database whose encoding cannot store every name is refused, with advice", async () => {
  const latin = await emptyDatabase(undefined, { encoding: "SQL_ASCII" });
  await assert.rejects(
    migrate(latin.ownerUrl),
    /encoded in SQL_ASCII.*create database … encoding 'UTF8' template template0/,
  );
  await latin.close();
});

test("a migration says which code works after it and how it runs; those of the baseline need not", () => {
  const text =
    "-- compatible with: BASE\r\n-- runs: concurrently\r\n-- Why.\r\ncreate unique index concurrently if not exists\r\n  sessions_x on sessions (tenant, id) where status = 'PENDING';\r\n";
  const { compatibleWith, runs, indexes } = parseMigration("0099_x.sql", based(text));
  assert.deepEqual(
    [compatibleWith, runs, indexes.map(({ name }) => name)],
    [BASELINE, "concurrently", ["sessions_x"]],
  );
  const { hash } = parseMigration("0099_x.sql", based(text).replaceAll("\r\n", "\n"));
  assert.equal(parseMigration("0099_x.sql", based(text)).hash, hash);
  const first = parseMigration(`00${BASELINE}_x.sql`, "create table x ();");
  assert.deepEqual([first.compatibleWith, first.runs], [BASELINE, "in a transaction"]);
});

for (const [newest, needed, kind, words] of [
  [0, 0, "empty", /is empty.*npm run cli -- migrate/],
  [15, 0, "older", /\(0015\) is older than this version's \(0016\)\. .*npm run cli -- migrate/],
  [16, 0, "current", null],
  [17, 16, "newer", /\(0017\) is newer than this version's \(0016\) and compatible/],
  [18, 17, "too_new", /not compatible.*Start a version that knows migration 0017/],
] as const) {
  test(`code that knows 16 migrations on a database that has ${newest} and needs ${needed}: ${kind}`, () => {
    const state = stateOf(newest, needed, 16);
    assert.equal(state.kind, kind);
    if (words === null) assert.equal(state.words, null);
    else assert.match(state.words ?? "", words);
  });
}

test("a migration that cannot lock its table lets requests pass, and retries until it can", async () => {
  const holder = await connection();
  await holder.query("begin");
  await holder.query("lock table tenants in access share mode");
  const said: string[] = [];
  const migrating = migrateTo(next("alter table tenants add column later_a text;"), {
    log: (message) => said.push(message),
  });
  await until(async () => {
    // Behind the migration that waits for the holder, and until it gives up.
    await rows("select from tenants");
    return said.length > 0;
  });
  await holder.query("rollback");
  assert.deepEqual(await migrating, [later.at(-1)?.name]);
  assert.match(said[0] ?? "", /_later\.sql: a table is in use; trying again \(1 of 60\)/);
});

test("a migration that waits for another one reports this, and does not prevent the other from creating an index", async () => {
  const writer = await connection();
  await writer.query("begin");
  await writer.query(bank("DE", "'00000001', 'x'"));
  const concurrent = next(
    "-- runs: concurrently\ncreate index concurrently if not exists banks_later on banks (name);",
  );
  const first = migrateTo(concurrent);
  await until(async () => (await rows(CREATING)).length > 0);
  const said: string[] = [];
  const second = migrate(database.ownerUrl, database.url, {
    migrations: concurrent,
    log: (message) => said.push(message),
  });
  await until(() => said.length > 0);
  assert.match(said[0] ?? "", /another instance migrates the database: waiting for it/);
  await writer.query("rollback");
  assert.deepEqual([(await first).length, (await second).length], [1, 0]);
  assert.equal((await rows("select from pg_indexes where indexname = 'banks_later'")).length, 1);
});

test("an interrupted creation of indexes continues; a completed but unrecorded one is recorded", async () => {
  const migrations = next(
    "-- runs: concurrently\ncreate index concurrently if not exists banks_first on banks (name);\ncreate unique index concurrently if not exists banks_of_country on banks (country);",
  );
  await rows(bank("XX", "n::text, 'a'", "generate_series(1, 2) n"));
  await assert.rejects(migrateTo(migrations), /Migration \d{4}_later\.sql failed/);
  const valid = "select indisvalid from pg_index where indexrelid = 'banks_of_country'::regclass";
  assert.deepEqual(await rows(valid), [{ indisvalid: false }]);
  const first = "select oid::text from pg_class where relname = 'banks_first'";
  const made = await rows(first);
  assert.equal(made.length, 1);
  await rows("delete from banks where country = 'XX'");
  assert.equal((await migrateTo(migrations)).length, 1);
  assert.deepEqual(await rows(valid), [{ indisvalid: true }]);
  assert.deepEqual(await rows(first), made);

  await rows("delete from schema_migrations where number = $1", [migrations.length]);
  assert.equal((await migrateTo(migrations)).length, 1);
  await rows("drop index banks_of_country");
  await rows("drop index banks_first");
});

test("interrupted batches continue where they stopped", async () => {
  await rows(bank("YY", "n::text, 'old'", "generate_series(1, 25) n"));
  const text = (more: string) =>
    `-- runs: in batches
     update banks set name = 'new' where (country, bank_code) in
       (select country, bank_code from banks where country = 'YY' and name = 'old' ${more} limit 10);`;
  const breaking = next(text("and 1 / (select count(*) - 15 from banks where name = 'old') is not null"));
  await assert.rejects(migrateTo(breaking), /failed/);
  assert.deepEqual(await rows("select count(*)::int as n from banks where name = 'new'"), [{ n: 10 }]);
  const said: string[] = [];
  assert.equal((await migrateTo(next(text("")), { log: (message) => said.push(message) })).length, 1);
  assert.deepEqual(await rows("select count(*)::int as n from banks where name = 'new'"), [{ n: 25 }]);
  assert.match(said.join(), /15 rows/);
});

test("a migration that fails in the middle leaves nothing behind", async () => {
  await assert.rejects(
    migrateTo(next("create table later_b (); select 1 / 0;")),
    /failed and was rolled back/,
  );
  assert.deepEqual(await rows("select from pg_class where relname = 'later_b'"), []);
});

test("a newer schema that this version is compatible with is left unchanged, including its rights", async () => {
  await migrateTo(next("create table later_c (); comment on table later_c is 'x';"));
  const { kind } = await readSchemaState(database.url);
  assert.equal(kind, "newer");
  const role = decodeURIComponent(new URL(database.url).username);
  await rows(`grant delete on later_c to ${role}`);
  const said: string[] = [];
  assert.deepEqual(
    await migrate(database.ownerUrl, database.url, { log: (message) => said.push(message) }),
    [],
  );
  assert.match(said[0] ?? "", /is newer than this version's .* and compatible with it/);
  assert.deepEqual(await rows("select has_table_privilege($1, 'later_c', 'delete') as may", [role]), [
    { may: true },
  ]);
});

test("a migration that would break a connected instance is refused unless forced, and a compatible one is not", async () => {
  const newest = known.length + later.length;
  const old = await connection(`${SERVICE_NAME} ${newest}`);
  await migrateTo(next("create table later_d ();", newest));
  const contract = next("drop table later_d;", newest + 2);
  await assert.rejects(
    migrateTo(contract),
    new RegExp(
      `Nothing was migrated: \\d+_later\\.sql needs code that knows migration 00${newest + 2}, .* knows 00${newest} `,
    ),
  );
  assert.equal((await rows("select from pg_class where relname = 'later_d'")).length, 1);
  assert.equal((await migrateTo(contract, { force: true })).length, 1);
  await old.end();

  const { kind, words } = await readSchemaState(database.url);
  assert.equal(kind, "too_new");
  await assert.rejects(migrate(database.ownerUrl, database.url), { message: words ?? "" });
});
