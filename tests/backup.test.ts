/** Export and import: the copy is complete and of one moment, and an incomplete file leaves nothing behind. */
import assert from "node:assert/strict";
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { createReadStream, createWriteStream } from "node:fs";
import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { after, before, test } from "node:test";
import { gunzipSync } from "node:zlib";
import pg from "pg";
import { createApp } from "../src/app.ts";
import { exportTo, importFrom } from "../src/backup/commands.ts";
import { exportDatabase } from "../src/backup/export.ts";
import { importDatabase } from "../src/backup/import.ts";
import { checkBooks } from "../src/books/check.ts";
import { migrate, MIGRATION_LOCK } from "../src/db/migrate.ts";
import { openDatabase, SERVICE_NAME } from "../src/db/postgres.ts";
import { readSchema, schemaSql } from "../src/db/schema-dump.ts";
import { readTar, writeTar, type TarFile } from "../src/files/tar.ts";
import { keyName } from "../src/lib/keyring.ts";
import { manualClock } from "../src/lib/clock.ts";
import { silentLog } from "../src/lib/log.ts";
import { assertBooksAgree } from "./support/books.ts";
import { childEnv } from "./support/child-env.ts";
import { emptyDatabase, type EmptyDatabase } from "./support/database.ts";
import { createMerchant, createRecord, IBAN, type Merchant } from "./support/merchant.ts";
import { startReceiver } from "./support/receiver.ts";
import { deskOf } from "./support/sepa-desk.ts";
import { caller, startService, type Json, type Service } from "./support/service.ts";

const PART_BYTES = 2_000;
const CLI = join(import.meta.dirname, "../src/cli.ts");
const console = { tell: () => {}, nowMs: () => 0, stdin: Readable.from([]), stdout: new PassThrough() };

// A Monday, before the cut-off.
const clock = manualClock(new Date("2026-11-23T08:00:00Z"));
let folder: string;
let service: Service;
let merchant: Merchant;
/** A backup of a service with a bit of everything. */
let file: string;
let exported: Awaited<ReturnType<typeof exportDatabase>>;
const databases: EmptyDatabase[] = [];

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "payment-sessions-backup-"));
  service = await startService({ clock });
  merchant = await createMerchant(service);
  await doABitOfEverything();
  file = join(folder, "all.tar.gz");
  exported = await exportDatabase(service.databaseUrl, createWriteStream(file), () => {}, PART_BYTES);
});
after(async () => {
  await service.close();
  for (const database of databases) await database.close();
  await rm(folder, { recursive: true, force: true });
});

/** Payments, refunds, a return, a subscription, bank files, a webhook, and texts that are hard to copy. */
async function doABitOfEverything(): Promise<void> {
  const desk = deskOf(service);
  const { payments, merchant: atBank } = await desk.refundable(2);
  await desk.refund(atBank, payments[0]);
  const receiver = await startReceiver();
  await createRecord(service, merchant.key, "webhook-profiles", {
    name: "Höök \\N \t \\. \u{1F600} 'quoted' \"twice\"",
    url: receiver.url,
    events: ["payment_session.completed"],
  });
  const stop = service.app.startWork();
  for (const iban of [IBAN.approved, IBAN.declined, IBAN.chargedBack, IBAN.returned])
    await merchant.pay(await merchant.session(), iban);
  await merchant.pay(
    await merchant.session({ billing_type: "RECURRING", billing_frequency: "MONTHLY" }),
    IBAN.approved,
  );
  await service.post("management/sandbox/tick/", {}, { key: merchant.key });
  await receiver.arrived(1);
  await stop();
  await receiver.close();
}

async function target(server?: string): Promise<EmptyDatabase> {
  const database = await emptyDatabase(server);
  databases.push(database);
  return database;
}

async function rowsOf(url: string, text: string): Promise<readonly Json[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client
    .query<Json>(text)
    .then(({ rows }) => rows)
    .finally(() => client.end());
}

/** The number of rows in all tables; 0 for a database without tables. */
async function countRows(url: string): Promise<number> {
  const tables = await rowsOf(
    url,
    "select relname from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' and relname <> 'schema_migrations'",
  );
  const counts = tables.map(({ relname }) => `(select count(*) from ${relname})`);
  return Number((await rowsOf(url, `select ${["0", ...counts].join(" + ")} as n`))[0]?.["n"]);
}

/** The state of triggers, and whether foreign keys are deferrable; an import changes both temporarily. */
const RULES = `
  select tgrelid::regclass::text || tgname as rule, tgenabled::text as state from pg_trigger where not tgisinternal
   union all
  select conrelid::regclass::text || conname, condeferrable::text || condeferred::text from pg_constraint where contype = 'f'
   order by 1`;

async function assertSame(one: string, other: string): Promise<void> {
  assert.equal(schemaSql(await readSchema(other)), schemaSql(await readSchema(one)));
  assert.deepEqual(await rowsOf(other, RULES), await rowsOf(one, RULES));
  const [ours, theirs] = [openDatabase(one, OPTIONS), openDatabase(other, OPTIONS)];
  try {
    await assertBooksAgree(theirs);
    assert.deepEqual(await checkBooks(theirs), await checkBooks(ours));
  } finally {
    await Promise.all([ours.close(), theirs.close()]);
  }
}
const OPTIONS = { connections: 2, onIdleError: () => {} };

/** Waits until another process or connection has done something. */
async function until(happened: () => boolean | Promise<boolean>, what = "it never happened"): Promise<void> {
  for (let tries = 0; tries < 2_000; tries += 1) {
    if (await happened()) return;
    await new Promise((resolve) => {
      setTimeout(resolve, 20);
    });
  }
  assert.fail(what);
}

const entriesOf = (path: string) => Array.fromAsync(readTar(createReadStream(path)));

async function written(entries: readonly TarFile[]): Promise<Buffer> {
  const to = new PassThrough();
  const chunks: Buffer[] = [];
  to.on("data", (chunk: Buffer) => chunks.push(chunk));
  await writeTar(Readable.from(entries), to, new Date(0));
  return Buffer.concat(chunks);
}

test("a copy has the same rows, rules and counters, its books agree, and the service works with it", async () => {
  const copy = await target();
  const imported = await importDatabase(copy, createReadStream(file));
  assert.deepEqual(
    [imported.rows, imported.bytes, imported.sha256],
    [exported.rows, exported.bytes, exported.sha256],
  );
  assert.deepEqual(imported.at, exported.at);
  assert.equal(await countRows(copy.ownerUrl), await countRows(service.ownerUrl));
  await assertSame(service.ownerUrl, copy.ownerUrl);

  const again = join(folder, "again.tar.gz");
  const second = await exportDatabase(copy.url, createWriteStream(again));
  assert.equal(second.sha256, exported.sha256, "exported from the copy it is the same");

  const receiver = await startReceiver();
  const app = await createApp(service.config, copy.url, silentLog, { clock });
  const { port } = await app.server.listen({ host: "127.0.0.1", port: 0 });
  const stop = app.startWork();
  try {
    const call = caller(`http://127.0.0.1:${port}`);
    const there = {
      call,
      post: (path: string, body?: unknown, more?: object) => call("POST", path, body, more),
    } as Service;
    const shop = await createMerchant(there);
    await createRecord(there, shop.key, "webhook-profiles", {
      name: "After",
      url: receiver.url,
      events: ["payment_session.completed"],
    });
    const paid = await shop.pay(await shop.session(), IBAN.approved);
    assert.equal(paid.body["status"], "completed", paid.text);
    await receiver.arrived(1);
    // Encrypted values can be decrypted, because the same key is set.
    const old = await call("GET", `management/webhook-profiles/`, undefined, { key: merchant.key });
    assert.equal(old.status, 200);
  } finally {
    await stop();
    await app.server.close();
    await app.close();
    await receiver.close();
  }
});

test("the copy continues the original's numbering, and so does a copy of the copy", async () => {
  const next = `insert into tenants (id, name, session_lifetime_seconds, created_at, updated_at)
    values (gen_random_uuid(), 'Next', 3600, now(), now()) returning tenant`;
  const counters = async (path: string) => JSON.parse(String((await entriesOf(path))[0]?.bytes)).counters;
  const copy = await target();
  await importDatabase(copy, createReadStream(file));
  const again = join(folder, "copy.tar.gz");
  await exportDatabase(copy.url, createWriteStream(again));
  assert.deepEqual(await counters(again), await counters(file));
  const [last] = await rowsOf(service.ownerUrl, "select max(tenant) as tenant from tenants");
  assert.deepEqual(await rowsOf(copy.ownerUrl, next), [{ tenant: last?.["tenant"] + 1 }]);
  assert.deepEqual(
    (await counters(file)).map((one: Json) => `${one["table"]}.${one["column"]}`),
    [
      "audit_pending.number",
      "database_places.number",
      "ebics_events.number",
      "events.number",
      "sepa_news.number",
      "session_moves.number",
      "tenants.tenant",
    ],
  );
});

test("an invalid file is refused with the reason, and the database stays empty", async () => {
  const whole = await readFile(file);
  const entries = await entriesOf(file);
  const manifest = JSON.parse(String(entries[0]?.bytes));
  const changed = (changes: object) =>
    written([
      { name: "manifest.json", bytes: Buffer.from(JSON.stringify({ ...manifest, ...changes })) },
      ...entries.slice(1),
    ]);
  const migrations: readonly Json[] = manifest.migrations;
  const parts = entries.filter(({ name }) => name.startsWith("tables/"));
  const [first] = parts;
  assert.ok(first !== undefined);
  /** Flips one bit of the file. */
  const flipped = (at: number) =>
    written(
      entries.map(({ name, bytes }, index) => {
        if (index !== at) return { name, bytes };
        const other = Buffer.from(bytes);
        other[bytes.length >> 1] = (other[bytes.length >> 1] ?? 0) ^ 1;
        return { name, bytes: other };
      }),
    );
  const bad: readonly (readonly [why: string, file: Buffer, says: RegExp])[] = [
    ["empty", Buffer.alloc(0), /damaged or incomplete .*nothing was imported/],
    ["no archive", Buffer.from("create table x"), /damaged or incomplete/],
    [
      "another archive",
      await written([{ name: "x", bytes: Buffer.from("{}") }]),
      /not a file that `npm run cli -- export` has written/,
    ],
    ["another format", await changed({ format: 2 }), /format 2, this version reads 1/],
    [
      "newer",
      await changed({ migrations: [...migrations, { number: 9999, name: "9999_future.sql", hash: "" }] }),
      /of a newer version.*Import it with the newer version/,
    ],
    [
      "older",
      await changed({ migrations: migrations.slice(0, -1) }),
      /of an older version.*then start this one/,
    ],
    [
      "of other migrations",
      await changed({ migrations: migrations.map((one) => ({ ...one, hash: "0" })) }),
      /other migrations: its 0001_/,
    ],
    ["with another manifest", await changed({ at: new Date(0).toISOString() }), /checksums do not match/],
    [
      "without a part",
      await written(entries.filter((one) => one !== parts[3])),
      /refuses rows|checksums do not match/,
    ],
    [
      "with a part twice",
      await written(entries.toSpliced(entries.length - 1, 0, first)),
      /refuses rows|checksums do not match/,
    ],
    ["without its end", await written(entries.slice(0, -1)), /ends too early/],
    ["with more after its end", await written([...entries, first]), /contains data after its end/],
    [
      "with a foreign part",
      await written([
        ...entries.slice(0, 2),
        { name: "tables/001_pg_authid/000001.copy", bytes: Buffer.from("x\n") },
        ...entries.slice(2),
      ]),
      /tables\/001_pg_authid/,
    ],
    [
      "with another table",
      await changed({ tables: [...manifest.tables, { name: "more", columns: ["a"] }] }),
      /changed by hand/,
    ],
    [
      "without a column",
      await changed({
        tables: manifest.tables.with(0, {
          ...manifest.tables[0],
          columns: manifest.tables[0].columns.slice(1),
        }),
      }),
      /changed by hand/,
    ],
    ...[0.1, 0.5, 0.9, 0.999].map(
      (share) =>
        [`cut off at ${share}`, whole.subarray(0, whole.length * share), /damaged or incomplete/] as const,
    ),
    ["with a bit changed", await flipped(1), /nothing was imported/],
    ["with a bit changed later", await flipped(parts.length - 1), /nothing was imported/],
    ["with a bit of its checksums changed", await flipped(parts.length + 1), /checksums do not match/],
  ];
  const copy = await target();
  for (const [why, bytes, says] of bad) {
    await assert.rejects(importDatabase(copy, Readable.from([bytes])), (error: Error) => {
      assert.match(error.message, says, why);
      assert.equal(error.constructor.name, "BackupRefused", `${why}: ${error.stack}`);
      return true;
    });
    assert.equal(await countRows(copy.ownerUrl), 0, why);
  }
  // The refused files have left nothing that would prevent an import of a good one.
  assert.equal((await importDatabase(copy, Readable.from([whole]))).sha256, exported.sha256);
  await assertSame(service.ownerUrl, copy.ownerUrl);
});

test("an import into a database with rows is refused with its name, and a database with an older schema is not migrated", async () => {
  await assert.rejects(
    importDatabase({ ownerUrl: service.ownerUrl, url: service.databaseUrl }, createReadStream(file)),
    /The database is not empty: .*tenants, .*Create a new one and name it in DATABASE_URL/,
  );
  const old = await target();
  await rowsOf(old.ownerUrl, "create table tenants (name text)");
  await rowsOf(old.ownerUrl, "insert into tenants values ('Somebody')");
  await assert.rejects(importDatabase(old, createReadStream(file)), /not empty: tenants has rows/);
  assert.deepEqual(
    await rowsOf(old.ownerUrl, "select relname from pg_class where relnamespace = 'public'::regnamespace"),
    [{ relname: "tenants" }],
  );
});

test("an import into a database with a newer schema is refused, although this version works with it", async () => {
  const newer = await target();
  await migrate(newer.ownerUrl, newer.url);
  await rowsOf(
    newer.ownerUrl,
    "insert into schema_migrations (number, name, sha256, compatible_with) values (9999, '9999_future.sql', '', 1)",
  );
  await assert.rejects(
    importDatabase(newer, createReadStream(file)),
    /has the schema of a newer version.*Import it into a new database/,
  );
  assert.equal(await countRows(newer.ownerUrl), 0);
});

test("of two imports into one database one succeeds completely, and the other is refused", async () => {
  const copy = await target();
  const results = await Promise.allSettled([1, 2].map(() => importDatabase(copy, createReadStream(file))));
  const refused = results.filter((one) => one.status === "rejected");
  assert.equal(refused.length, 1);
  assert.match(String(refused[0]?.reason), /not empty/);
  await assertSame(service.ownerUrl, copy.ownerUrl);
});

test("an import into a database on which the service runs is refused, also if it starts meanwhile", async () => {
  const copy = await target();
  await migrate(copy.ownerUrl, copy.url);
  const locker = new pg.Client({ connectionString: copy.ownerUrl });
  const connect = async () => {
    const instance = new pg.Client({ connectionString: copy.url, application_name: `${SERVICE_NAME} 1` });
    await instance.connect();
    return instance;
  };
  const running = await connect();
  const stopFirst = /The service has 1 connections to the database\. Stop every instance first/;
  await assert.rejects(importDatabase(copy, createReadStream(file)), stopFirst);
  await running.end();
  const connections = `select from pg_stat_activity where application_name like '${SERVICE_NAME}%' and datname = current_database()`;
  await until(async () => (await rowsOf(copy.ownerUrl, connections)).length === 0);

  await locker.connect();
  for (const [lock, waiting] of [
    [`select pg_advisory_lock(${MIGRATION_LOCK})`, "select pg_try_advisory_lock%"],
    ["begin; lock table tenants in access share mode", "lock table%"],
  ]) {
    await locker.query(String(lock));
    const importing = importDatabase(copy, createReadStream(file));
    importing.catch(() => {});
    const waits = `select from pg_stat_activity where query like '${waiting}' and datname = current_database()`;
    await until(async () => (await rowsOf(copy.ownerUrl, waits)).length > 0);
    const starting = await connect();
    await locker.query("rollback; select pg_advisory_unlock_all()");
    await assert.rejects(importing, stopFirst);
    await starting.end();
    await until(async () => (await rowsOf(copy.ownerUrl, connections)).length === 0);
  }
  await locker.end();
  assert.equal(await countRows(copy.ownerUrl), 0);
});

test("an export while the service takes payments is a copy of one moment, whose books agree", async () => {
  const busy = await startService();
  try {
    const shop = await createMerchant(busy);
    let paid = 0;
    const stop = new AbortController();
    const customers = Array.from({ length: 4 }, async () => {
      while (!stop.signal.aborted) {
        const { body } = await shop.pay(await shop.session(), IBAN.approved);
        if (body["status"] === "completed") paid += 1;
      }
    });
    await until(() => paid >= 5);
    const path = join(folder, "busy.tar.gz");
    const began = paid;
    // Read slowly, so that the service changes much during the export.
    const slow = new PassThrough({ highWaterMark: 1 });
    const [moment] = await Promise.all([
      exportDatabase(busy.databaseUrl, slow, () => {}, 500),
      pipeline(
        slow,
        async function* (chunks: AsyncIterable<Buffer>) {
          for await (const chunk of chunks) {
            yield chunk;
            const before = paid;
            await until(() => paid > before);
          }
        },
        createWriteStream(path),
      ),
    ]);
    stop.abort();
    await Promise.all(customers);
    const meanwhile = paid - began;
    assert.ok(meanwhile > 3, "payments were taken during the export");
    const copy = await target();
    const { sha256 } = await importDatabase(copy, createReadStream(path));
    assert.equal(sha256, moment.sha256);
    const db = openDatabase(copy.ownerUrl, OPTIONS);
    await assertBooksAgree(db).finally(() => db.close());
    const count = async (url: string) =>
      Number(
        (await rowsOf(url, "select count(*) as n from transactions where status = 'approved'"))[0]?.["n"],
      );
    assert.ok(
      (await count(copy.ownerUrl)) < (await count(busy.ownerUrl)),
      "those after the moment are not in it",
    );
  } finally {
    await busy.close();
  }
});

test("of two exports to one file one writes it, and the other is refused and leaves it alone", async () => {
  const path = join(folder, "twice.tar.gz");
  const results = await Promise.allSettled([1, 2].map(() => exportTo(service.databaseUrl, path, console)));
  const [told, ...others] = results.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  assert.deepEqual(others, []);
  assert.match(
    String(results.find((one) => one.status === "rejected")?.reason),
    /twice\.tar\.gz is already there\. Name another file\./,
  );
  assert.deepEqual(
    (await readdir(folder)).filter((name) => name.startsWith("twice")),
    ["twice.tar.gz"],
  );
  const { sha256 } = await importDatabase(await target(), createReadStream(path));
  assert.equal(sha256, told?.split("sha256 ")[1]);
});

test("if the connection to the database is cut in the middle, no file of that name and no row in the target is left", async () => {
  const cut = async (url: string) =>
    rowsOf(
      url,
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name like '% copy' and datname = current_database()",
    );
  const path = join(folder, "cut.tar.gz");
  const locker = new pg.Client({ connectionString: service.ownerUrl });
  await locker.connect();
  await locker.query("begin; lock table webhook_deliveries in access exclusive mode");
  const cutting = exportDatabase(service.databaseUrl, new PassThrough().resume(), () => {}, 100);
  cutting.catch(() => {});
  const waits =
    "select from pg_stat_activity where application_name like '% copy' and datname = current_database() and wait_event_type = 'Lock'";
  await until(async () => (await rowsOf(service.ownerUrl, waits)).length > 0);
  await cut(service.ownerUrl);
  await assert.rejects(cutting);
  await locker.end();

  const seen: string[] = [];
  const tell = (line: string) => {
    if (seen.push(line) === 1) void cut(service.ownerUrl);
  };
  let now = 0;
  const failing = exportTo(service.databaseUrl, path, { ...console, tell, nowMs: () => (now += 10_000) });
  await failing.then(
    () => rm(path),
    () => {},
  );
  assert.deepEqual(
    (await readdir(folder)).filter((name) => name.startsWith("cut")),
    [],
  );

  const copy = await target();
  const whole = await readFile(file);
  const from = new PassThrough();
  const importing = importDatabase(copy, from);
  importing.catch(() => {});
  from.write(whole.subarray(0, whole.length / 2));
  await until(() => isHalfWay(copy.ownerUrl));
  await cut(copy.ownerUrl);
  from.end(whole.subarray(whole.length / 2));
  await assert.rejects(importing);
  assert.equal(await countRows(copy.ownerUrl), 0);
});

/** Whether an import waits for more of the file, having read half of it. */
async function isHalfWay(ownerUrl: string): Promise<boolean> {
  const text = `select from pg_stat_activity where application_name like '% copy' and datname = current_database()
    and state = 'idle in transaction' and query like 'copy%'`;
  return (await rowsOf(ownerUrl, text)).length > 0;
}

function cli(
  args: readonly string[],
  database: EmptyDatabase,
): ChildProcessWithoutNullStreams & { err: () => string } {
  const child = spawn(process.execPath, [CLI, ...args], {
    cwd: folder,
    env: {
      ...childEnv(),
      DATA_DIR: join(folder, "data"),
      DATABASE_URL: database.url,
      DATABASE_OWNER_URL: database.ownerUrl,
      MASTER_KEYS: service.config.masterKeys.map((key) => key.toString("base64")).join(","),
    },
  });
  let err = "";
  child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString()));
  return Object.assign(child, { err: () => err });
}

test("the commands export through a pipe into another database, and start over after being killed", async () => {
  const source = { url: service.databaseUrl, ownerUrl: service.ownerUrl, close: async () => {} };
  const copy = await target();
  const whole = await readFile(file);

  const killed = cli(["import", "-"], copy);
  killed.stdin.on("error", () => {});
  killed.stdin.write(whole.subarray(0, whole.length / 2));
  await until(() => isHalfWay(copy.ownerUrl));
  killed.kill("SIGKILL");
  await once(killed, "exit");
  const open =
    "select from pg_stat_activity where application_name like '% copy' and datname = current_database()";
  await until(async () => (await rowsOf(copy.ownerUrl, open)).length === 0);
  assert.equal(await countRows(copy.ownerUrl), 0, "nothing is left of a killed import");

  const one = cli(["export", "-"], source);
  const other = cli(["import", "-"], copy);
  await pipeline(one.stdout, other.stdin);
  const [code] = other.exitCode === null ? await once(other, "exit") : [other.exitCode];
  assert.equal(code, 0, one.err() + other.err());
  assert.match(one.err(), /sha256 [0-9a-f]{64}/);
  await assertSame(service.ownerUrl, copy.ownerUrl);

  const path = join(folder, "killed.tar.gz");
  const blocker = new pg.Client({ connectionString: service.ownerUrl });
  await blocker.connect();
  await blocker.query("begin; lock table transactions in access exclusive mode");
  const stopped = cli(["export", path], source);
  const waits = "select from pg_stat_activity where wait_event_type = 'Lock' and query like 'lock table%'";
  await until(async () => (await rowsOf(service.ownerUrl, waits)).length > 0);
  stopped.kill("SIGKILL");
  await once(stopped, "exit");
  await blocker.end();
  assert.deepEqual(
    (await readdir(folder)).filter((name) => name === "killed.tar.gz"),
    [],
  );
  const repeated = cli(["export", path], source);
  assert.deepEqual(await once(repeated, "exit"), [0, null], repeated.err());
  assert.equal((await stat(path)).mode & 0o777, 0o600, "readable by its owner only");

  const refused = cli(["export", path], source);
  assert.deepEqual(await once(refused, "exit"), [1, null]);
  assert.match(refused.err(), /killed\.tar\.gz is already there\. Name another file\.\n$/);
});

test("the file contains no key, and the import says which keys are needed and which of them are missing", async () => {
  const bytes = gunzipSync(await readFile(file));
  const [key] = service.config.masterKeys;
  assert.ok(key !== undefined);
  for (const secret of [key.toString("base64"), key.toString("hex"), service.config.operatorKey])
    assert.equal(bytes.includes(secret), false);
  assert.equal(bytes.includes(key), false);
  const name = keyName(key);
  const without = await importFrom(await target(), file, ["0".repeat(16)], console);
  assert.match(
    without,
    new RegExp(`^[1-9]\\d* values are sealed with the master key ${name}: MASTER_KEYS LACKS IT`, "m"),
  );
  const copy = await target();
  // A service that was started on the empty database has registered its own key.
  await migrate(copy.ownerUrl, copy.url);
  await rowsOf(copy.ownerUrl, "insert into master_keys (number, first_seen_at) values (0, now())");
  assert.match(
    await importFrom(copy, file, [name], console),
    new RegExp(`the master key ${name}: MASTER_KEYS has it\\.$`, "m"),
  );
  assert.equal(await countRows(copy.ownerUrl), await countRows(service.ownerUrl));
});

test("tar and psql can read the file", async () => {
  const entries = await entriesOf(file);
  assert.deepEqual([entries[0]?.name, entries.at(-1)?.name], ["manifest.json", "checksums.json"]);
  const checksums = JSON.parse(String(entries.at(-1)?.bytes));
  const parts = entries.filter(({ name }) => /^tables\/\d{3}_\w+\/\d{6}\.copy$/.test(name));
  assert.equal(parts.length, entries.length - 2);
  assert.ok(
    parts.every(({ bytes }) => bytes.at(-1) === 0x0a),
    "a part ends with a row",
  );
  const sessions = Buffer.concat(
    parts.filter(({ name }) => name.includes("_sessions/")).map(({ bytes }) => bytes),
  );
  assert.equal(sessions.toString().trimEnd().split("\n").length, checksums.tables.sessions.rows);
  assert.equal(
    Number((await rowsOf(service.ownerUrl, "select count(*) as n from sessions"))[0]?.["n"]),
    checksums.tables.sessions.rows,
  );
});

test("a table is exported in parts that end at the end of a row", async () => {
  const large = await target();
  await migrate(large.ownerUrl, large.url);
  await rowsOf(
    large.ownerUrl,
    `insert into banks (country, bank_code, name, source, imported_at)
     select 'DE', n, repeat(n::text, 30), 'test', now() from generate_series(1, 20000) n`,
  );
  const path = join(folder, "large.tar.gz");
  const { rows, sha256 } = await exportDatabase(large.url, createWriteStream(path), () => {}, 200_000);
  assert.equal(rows, 20_000);
  const parts = (await entriesOf(path)).filter(({ name }) => name.includes("_banks/"));
  assert.ok(parts.length > 10, `${parts.length} parts`);
  assert.ok(parts.every(({ bytes }) => bytes.length < 300_000 && bytes.at(-1) === 0x0a));
  assert.equal((await importDatabase(await target(), createReadStream(path))).sha256, sha256);
});
