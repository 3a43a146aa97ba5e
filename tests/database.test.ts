/**
 * The service and its database: several instances start at once, the schema is too new, the server is not durable, or
 * the connection is lost and returns.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { connect, createServer, type Server, type Socket } from "node:net";
import { once } from "node:events";
import { join } from "node:path";
import { promisify } from "node:util";
import { after, test } from "node:test";
import pg from "pg";
import { assertDurable, migrate } from "../src/db/migrate.ts";
import { knownMigrations } from "../src/db/migrations.ts";
import { createApp } from "../src/app.ts";
import { openDatabase } from "../src/db/postgres.ts";
import { Refusal } from "../src/refusals.ts";
import { silentLog } from "../src/lib/log.ts";
import { recoverJob } from "../src/sessions/recover.ts";
import { testDatabase } from "./support/database.ts";
import { createMerchant, IBAN } from "./support/merchant.ts";
import { caller, startService, testConfig, type Service } from "./support/service.ts";
import { adHoc } from "../tools/ad-hoc.ts";

const names: string[] = [];
const server = process.env["TEST_SERVER_URL"] ?? "";

after(async () => {
  for (const name of names) await onServer(`drop database if exists ${name} with (force)`);
});

async function onServer(text: string): Promise<void> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  await client.query(text).finally(() => client.end());
}

async function emptyDatabase(): Promise<string> {
  const name = `${process.env["TEST_TEMPLATE"]}_${randomBytes(4).toString("hex")}`;
  names.push(name);
  await onServer(`create database ${name} template template0`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

test("eight instances that start at once on an empty database apply each migration once", async () => {
  const url = await emptyDatabase();
  const applied = await Promise.all(Array.from({ length: 8 }, () => migrate(url)));
  assert.equal(applied.filter((migrations) => migrations.length > 0).length, 1);
  assert.equal(applied.flat().length, (await knownMigrations()).length);
  assert.deepEqual(await migrate(url), []);
});

test("an older version of the service refuses a newer schema with that reason", async () => {
  const url = await emptyDatabase();
  await migrate(url);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(
    "insert into schema_migrations (number, name, sha256) values (9999, '9999_future.sql', '')",
  );
  await client.end();
  await assert.rejects(
    migrate(url),
    /schema \(9999\) is newer than this version's .*not compatible.*Start a version that knows migration 9999/,
  );
});

test("a database with other migrations is refused with advice, and left unchanged", async () => {
  const url = await emptyDatabase();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query("create table schema_migrations (number integer primary key, name text not null)");
  await client.query(
    "insert into schema_migrations select n, case n when 1 then '0001_merchants.sql' else n || '.sql' end from generate_series(1, 43) n",
  );
  await assert.rejects(
    migrate(url),
    /0001_merchants\.sql is not this version's 0001_tenants\.sql\. .*new, empty database in DATABASE_URL.*DATA_DIR/,
  );
  const { rows } = await client.query("select tablename from pg_tables where schemaname = 'public'");
  await client.end();
  assert.deepEqual(rows, [{ tablename: "schema_migrations" }]);
});

test("a database with a migration whose text differs from this version's is refused with the migration's name", async () => {
  const url = await emptyDatabase();
  await migrate(url);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query("update schema_migrations set sha256 = repeat('0', 64) where number = 2");
  await client.end();
  await assert.rejects(migrate(url), /its 0002_\w+\.sql was applied with another text .*new, empty database/);
});

test("production refuses a database that may lose an acknowledged commit", async () => {
  const url = new URL(await emptyDatabase());
  url.searchParams.set("options", "-c synchronous_commit=off");
  await assert.rejects(assertDurable(url.href), /synchronous_commit off/);
});

test("all invalid settings are named, with advice", async () => {
  const env = {
    PATH: process.env["PATH"],
    PORT: "http",
    SERVICE_ENVIRONMENT: "production",
    DATABASE_URL: "mysql://x",
    MASTER_KEY: "short",
  };
  const main = join(import.meta.dirname, "../src/main.ts");
  const { code, stderr } = (await promisify(execFile)(process.execPath, [main], { env }).catch(
    (error: { readonly code: number; readonly stderr: string }) => error,
  )) as { readonly code?: number; readonly stderr: string };
  assert.equal(code, 1);
  for (const name of ["PORT", "DATABASE_URL", "MASTER_KEY", "OPERATOR_KEY"])
    assert.match(stderr, new RegExp(`^${name} .*\\.$`, "m"));
});

/** A connection to the database that can be cut. */
interface Line {
  readonly url: string;
  cut(): void;
  mend(): void;
  close(): void;
}

async function lineTo(url: string): Promise<Line> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  let open = true;
  const proxy: Server = createServer((client) => {
    if (!open) return void client.destroy();
    const upstream = connect(Number(target.port), target.hostname);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on("data", (bytes) => to.write(bytes));
      from.on("close", () => to.destroy());
      from.on("error", () => to.destroy());
    }
  }).listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const address = proxy.address();
  const through = new URL(url);
  through.hostname = "127.0.0.1";
  through.port = String(typeof address === "object" && address !== null ? address.port : 0);
  const cutAll = (): void => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };
  return {
    url: through.href,
    cut() {
      open = false;
      cutAll();
    },
    mend() {
      open = true;
    },
    close() {
      cutAll();
      proxy.close();
    },
  };
}

test("while the database is unavailable requests are 503 and use no attempt; a running payment is recorded when it is back", async () => {
  const database = await testDatabase();
  const line = await lineTo(database.url);
  const app = await createApp(testConfig("http://pay.example.test"), line.url, silentLog, {
    reached: (step) => {
      if (step !== "pay.collected" || !cutting) return;
      line.cut();
      setTimeout(() => line.mend(), 700);
    },
  });
  let cutting = false;
  const { port } = await app.server.listen({ host: "127.0.0.1", port: 0 });
  const call = caller(`http://127.0.0.1:${port}`);
  const service = {
    call,
    get: (path: string, more?: object) => call("GET", path, undefined, more),
    post: (path: string, body?: unknown, more?: object) => call("POST", path, body, more),
  } as Service;
  try {
    const merchant = await createMerchant(service);
    const token = await merchant.session();

    line.cut();
    const away = await merchant.pay(token, IBAN.approved);
    assert.deepEqual([away.status, away.body["status_code"]], [503, 503]);
    assert.ok(Number(away.headers["retry-after"]) >= 1);
    assert.equal((await call("GET", "/readyz")).status, 503);
    assert.equal((await call("GET", "/healthz")).status, 200);
    const page = await call("GET", `/pay/${token}/`);
    assert.equal(page.status, 503);
    assert.match(page.text, /If you have just paid, please do not pay again: your payment is not lost/);
    assert.match(page.text, new RegExp(`href="/pay/${token}/"`), "the way back to the payment");
    line.mend();
    assert.equal((await call("GET", "/readyz")).status, 200, "at once, not when the failure is a second old");
    assert.equal((await merchant.retrieve(token)).body["attempts_remaining"], 3);

    cutting = true;
    const paid = await merchant.pay(token, IBAN.approved);
    cutting = false;
    assert.equal(paid.body["status"], "completed", paid.text);
    assert.equal((await merchant.retrieve(token)).body["status"], "COMPLETED");
    assert.equal(await recoverJob(app.deps).runOnce(10), 0);
  } finally {
    await app.server.close();
    await app.close();
    line.close();
    await database.close();
  }
});

test("requests beyond the connections wait their turn and are answered", async () => {
  const service = await startService({ config: { databaseConnections: 2 } });
  try {
    const merchant = await createMerchant(service);
    const token = await merchant.session();
    const answers = await Promise.all(Array.from({ length: 300 }, () => merchant.retrieve(token)));
    assert.ok(answers.every(({ status }) => status === 200));
  } finally {
    await service.close();
  }
});

test("rows that are read one by one come completely and in order; an error at a row is thrown, and the next call works", async () => {
  const database = await testDatabase();
  const line = await lineTo(database.url);
  const db = openDatabase(line.url, { connections: 1, onIdleError: () => {}, statementTimeoutMs: 500 });
  const numbers = {
    name: "test.numbers",
    text: "select n, $1 || n as text from generate_series(1, 50000) n",
    params: ["before"],
  };
  const pid = async () => {
    const [row] = await db.query<{ pid: number }>(...adHoc("select pg_backend_pid() as pid"));
    return row?.pid;
  };
  try {
    let read = 0;
    await db.each(numbers, { before: "no. " }, (row) => {
      read += 1;
      assert.deepEqual(row, [read, `no. ${read}`]);
    });
    assert.equal(read, 50_000);

    const before = await pid();
    let taken = 0;
    const refused = db.each(numbers, { before: "" }, () => {
      taken += 1;
      if (taken === 3) throw new Error("the third is too much");
    });
    await assert.rejects(refused, /the third is too much/);
    assert.equal(taken, 3);
    const wrong = { name: "test.wrong", text: "select 1 / (3 - n) from generate_series(1, 5) n" };
    await assert.rejects(
      db.each(wrong, {}, () => {}),
      /division by zero/,
    );
    assert.equal(await pid(), before, "the connection is still the same");

    const slow = { name: "test.slow", text: "select n, pg_sleep(0.2) from generate_series(1, 50) n" };
    const isUnavailable = (error: unknown) => error instanceof Refusal && error.kind === "unavailable";
    await assert.rejects(
      db.each(slow, {}, () => {}),
      isUnavailable,
    );
    const cut = db.each(numbers, { before: "" }, ([n]) => {
      if (n === 10) line.cut();
    });
    await assert.rejects(cut, isUnavailable);
    line.mend();
    assert.notEqual(await pid(), undefined);
  } finally {
    await db.close();
    line.close();
    await database.close();
  }
});
