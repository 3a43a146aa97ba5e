/** An upgrade as it is done: the schema goes first, instances follow one by one, and nobody notices. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { after, test } from "node:test";
import pg from "pg";
import { migrate } from "../src/db/migrate.ts";
import { childEnv } from "./support/child-env.ts";
import { createMerchant } from "./support/merchant.ts";
import { machine, serviceOf } from "./support/process.ts";
import { caller } from "./support/service.ts";
import { testDatabase } from "./support/database.ts";

const CLI = join(import.meta.dirname, "../src/cli.ts");
const server = process.env["TEST_SERVER_URL"] ?? "";
const closing: (() => Promise<unknown>)[] = [];

after(async () => {
  for (const close of closing.toReversed()) await close();
});

async function onServer(text: string): Promise<void> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  await client.query(text).finally(() => client.end());
}

async function emptyDatabase(): Promise<string> {
  const name = `${process.env["TEST_TEMPLATE"]}_${randomBytes(4).toString("hex")}`;
  await onServer(`create database ${name} template template0`);
  closing.push(() => onServer(`drop database if exists ${name} with (force)`));
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

function cli(databaseUrl: string, ...args: readonly string[]) {
  return spawnSync(process.execPath, [CLI, ...args], {
    env: { ...childEnv(), DATABASE_URL: databaseUrl, DATA_DIR: "/nowhere", ...KEYS },
    encoding: "utf8",
  });
}

const KEYS = { MASTER_KEY: Buffer.alloc(32, 5).toString("base64"), OPERATOR_KEY: `rk_${"o".repeat(40)}` };

test("an instance that may not migrate waits, alive and not ready, until the command has; then it serves", async () => {
  const url = await emptyDatabase();
  const box = await machine(url);
  closing.push(() => box.remove());
  const starting = box.start({ MIGRATE_ON_START: "false" });
  const call = caller(`http://127.0.0.1:${box.port}`);
  const answers = async (path: string) => {
    for (;;) {
      const answer = await call("GET", path).catch(() => null);
      if (answer !== null) return answer;
    }
  };
  const waiting = await answers("/readyz");
  assert.equal(waiting.status, 503);
  assert.match(
    waiting.body["detail"],
    /The database is empty\. Make its schema first: npm run cli -- migrate/,
  );
  assert.equal((await answers("/healthz")).status, 200);
  const refused = await answers("/api/v1/openapi.json");
  assert.deepEqual([refused.status, refused.headers["retry-after"]], [503, "5"]);

  const missing = cli(url, "migrate", "--status");
  assert.equal(missing.status, 1);
  assert.match(missing.stderr, /The database is empty.*\nMissing:\n  0001_tenants\.sql: in a transaction; /);
  const books = cli(url, "books", "check");
  assert.deepEqual([books.status, books.stderr.trim()], [1, waiting.body["detail"]]);

  const migrated = cli(url, "migrate");
  assert.deepEqual([migrated.status, migrated.stderr], [0, ""]);
  assert.match(migrated.stdout, /^Applied 0001_tenants\.sql, /);
  const service = await starting;
  closing.push(() => service.stop());
  assert.deepEqual((await service.call("GET", "/readyz")).body, { status: "ready" });
  const again = cli(url, "migrate");
  assert.deepEqual([again.status, again.stdout.trim()], [0, "Nothing to do: the schema is up to date."]);
  assert.equal(cli(url, "migrate", "--status").status, 0);
  await service.stop();
});

test("a start on a schema that is too new is refused, with what to do; so are commands", async () => {
  const url = await emptyDatabase();
  await migrate(url);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(
    "insert into schema_migrations (number, name, sha256) values (9999, '9999_later.sql', '')",
  );
  await client.end();
  const said =
    /\(9999\) is newer than this version's .*not compatible.* Start a version that knows migration 9999/;
  for (const env of [{}, { MIGRATE_ON_START: "false" }]) {
    const box = await machine(url);
    closing.push(() => box.remove());
    await assert.rejects(box.start(env), said);
  }
  for (const command of [["migrate"], ["banks", "import", CLI], ["books", "check"]]) {
    const { status, stderr } = cli(url, ...command);
    assert.equal(status, 1);
    assert.match(stderr, said);
    assert.ok(!stderr.includes("    at "), "no stack");
  }
});

test("an instance that is asked to stop is not ready, serves on while it drains, and closes each connection", async () => {
  const database = await testDatabase();
  closing.push(() => database.close());
  const box = await machine(database.url);
  closing.push(() => box.remove());
  const service = await box.start({ DATABASE_OWNER_URL: database.ownerUrl, DRAIN_SECONDS: "3" });
  closing.push(() => service.stop());
  const merchant = await createMerchant(serviceOf(() => service));
  const read = async () => {
    const address = `http://127.0.0.1:${box.port}/api/v1/management/campaigns/${merchant.campaignId}/`;
    const response = await fetch(address, { headers: { authorization: `Bearer ${merchant.key}` } });
    await response.text();
    return [response.status, response.headers.get("connection")];
  };
  assert.deepEqual(await read(), [200, "keep-alive"]);
  service.child.kill("SIGTERM");
  let ready = await service.call("GET", "/readyz");
  while (ready.status === 200) ready = await service.call("GET", "/readyz");
  assert.deepEqual(ready.body, { status: "not ready", detail: "The service is stopping." });
  assert.deepEqual(await read(), [200, "close"]);
  assert.equal(await service.ended, 0);
});
