/** An upgrade: first the schema, then the instances one by one, without a failed request. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { after, test } from "node:test";
import pg from "pg";
import { migrate } from "../src/db/migrate.ts";
import { knownMigrations, parseMigration } from "../src/db/migrations.ts";
import { childEnv } from "./support/child-env.ts";
import { createMerchant } from "./support/merchant.ts";
import { machine, serviceOf } from "./support/process.ts";
import { caller, type Json } from "./support/service.ts";
import { testDatabase } from "./support/database.ts";
import { startReceiver } from "./support/receiver.ts";
import { unpackRelease } from "./support/release.ts";
import { startBalancer } from "../tools/fleet/balancer.ts";
import { openShop, startLoad } from "../tools/fleet/load.ts";
import { openMember } from "../tools/fleet/member.ts";
import { replaceAll, untilReady } from "../tools/fleet/rolling.ts";

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

test("an instance that may not migrate waits, alive but not ready, until the command has migrated; then it serves", async () => {
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
    /The database is empty\. Create its schema first: npm run cli -- migrate/,
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
  assert.equal(migrated.status, 0, migrated.stderr);
  assert.match(migrated.stdout, /^Applied 0001_tenants\.sql, /);
  const service = await starting;
  closing.push(() => service.stop());
  assert.deepEqual((await service.call("GET", "/readyz")).body, { status: "ready" });
  const again = cli(url, "migrate");
  assert.deepEqual([again.status, again.stdout.trim()], [0, "Nothing to do: the schema is up to date."]);
  assert.equal(cli(url, "migrate", "--status").status, 0);
  await service.stop();
});

test("a start on a schema that is too new is refused with advice, and so are commands", async () => {
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

test("an instance that is asked to stop is not ready, still serves while it drains, and closes each connection", async () => {
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

/** Migrations of a later release, of each kind. */
const LATER = [
  "alter table sessions add column later text;",
  "-- runs: concurrently\ncreate index concurrently if not exists transactions_later on transactions (tenant, amount, id);",
  `-- runs: in batches
   update sessions set later = 'x' where (tenant, id) in (select tenant, id from sessions where later is null limit 5);`,
  "alter table leads add column later text not null default 'x', add constraint later_is_short check (char_length(later) < 9) not valid;",
  "alter table leads validate constraint later_is_short;",
];

test(
  "two instances of the last release are replaced by this version under load, while the schema is migrated: no request fails",
  { timeout: 300_000 },
  async () => {
    const release = await unpackRelease();
    closing.push(() => release.remove());
    const url = await emptyDatabase();
    const known = await knownMigrations();
    await migrate(url, url, { migrations: known.slice(0, release.migrations.size) });
    const receiver = await startReceiver();
    closing.push(() => receiver.close());
    const env = {
      ...KEYS,
      DATABASE_URL: url,
      MIGRATE_ON_START: "false",
      DRAIN_SECONDS: "4",
      DEMO: "false",
      TRUSTED_PROXIES: "127.0.0.1",
    };
    const specOf = (folder: string) => ({ program: join(folder, "src/main.ts"), env });
    const members = [await openMember("first"), await openMember("second")];
    const balancer = await startBalancer(members);
    closing.push(() => balancer.close());
    for (const member of members) {
      closing.push(() => member.stop());
      member.start(specOf(release.folder));
    }
    for (const member of members) await untilReady(balancer, member);
    const merchant = await openShop(balancer.url, receiver.url);
    const load = startLoad(balancer.url, merchant, 3);
    closing.push(() => load.stop());

    const later = LATER.map((text, index) =>
      parseMigration(
        `${String(known.length + 1 + index).padStart(4, "0")}_later.sql`,
        `-- compatible with: ${String(release.migrations.size).padStart(4, "0")}\n${text}`,
      ),
    );
    const applied = await migrate(url, url, { migrations: [...known, ...later], pauseMs: 100 });
    assert.equal(applied.length, known.length - release.migrations.size + LATER.length);
    for (const { url: address } of members) {
      // The responses of the last second are kept.
      let body: Json = {};
      while (body["detail"] === undefined) {
        const ready = await caller(address)("GET", "/readyz");
        assert.equal(ready.status, 200);
        ({ body } = ready);
      }
      assert.match(body["detail"], /is newer than this version's .* and compatible with it/);
    }
    await replaceAll(balancer, members, specOf(join(import.meta.dirname, "..")));
    await load.stop();
    assert.deepEqual([load.unexpected, balancer.failures], [[], []]);
    assert.ok(
      load.completed.length > 10 && members.every(({ name }) => (balancer.answered.get(name) ?? 0) > 10),
    );
    await receiver.arrived(load.completed.length);
    const books = cli(url, "books", "check");
    assert.equal(books.status, 0, books.stdout + books.stderr);
  },
);
