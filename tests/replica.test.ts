/**
 * DATABASE_READ_URL with a real streaming replica: what is read from it, how current it is, and what happens when it is
 * unavailable.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { createApp, type App } from "../src/app.ts";
import { preferReplica, type Reads } from "../src/db/replica.ts";
import { ensureEmbeddedRole } from "../src/db/service-role.ts";
import { migrate } from "../src/db/migrate.ts";
import { silentLog } from "../src/lib/log.ts";
import { Refusal } from "../src/refusals.ts";
import { temporaryServer, type TemporaryServer } from "../scripts/temporary-server.ts";
import { startReplica, type ReplicaServer } from "./support/replica.ts";
import { caller, OPERATOR_KEY, testConfig, type Service } from "./support/service.ts";

let primary: TemporaryServer;
let replica: ReplicaServer;
let owner: pg.Client;
let onReplica: pg.Client;
let app: App;
let call: Service["call"];
let key: string;
const said: string[] = [];

before(async () => {
  primary = await temporaryServer(true);
  const url = await ensureEmbeddedRole(primary.url);
  await migrate(primary.url, url);
  replica = await startReplica(primary.url);
  const read = new URL(url);
  read.port = new URL(replica.url).port;
  const config = testConfig("http://pay.example.test", { databaseReadUrl: read.href });
  const log = { ...silentLog, warn: (_: string, of?: object) => void said.push(JSON.stringify(of)) };
  app = await createApp(config, url, log);
  const { port } = await app.server.listen({ host: "127.0.0.1", port: 0 });
  call = caller(`http://127.0.0.1:${port}`);
  const tenant = await call("POST", "/api/v1/management/tenants/", { name: "Shop" }, { key: OPERATOR_KEY });
  assert.equal(tenant.status, 201, tenant.text);
  key = tenant.body["api_key"];
  [owner, onReplica] = [primary.url, replica.url].map((to) => new pg.Client({ connectionString: to })) as [
    pg.Client,
    pg.Client,
  ];
  await Promise.all([owner.connect(), onReplica.connect()]);
  // It ends with its server.
  onReplica.on("error", () => {});
});
after(async () => {
  await Promise.all([owner.end(), onReplica.end().catch(() => {})]);
  await app.server.close();
  await app.close();
  await replica.stop();
  await primary.stop();
});

const look = async (): Promise<void> => {
  const job = app.jobs.find(({ name }) => name === "look-at-replica");
  assert.ok(job, "the job runs with the others");
  await job.runOnce(1);
};

async function metric(pattern: RegExp): Promise<number> {
  const { body } = await app.metrics.text();
  const [, found = "NaN"] = pattern.exec(body) ?? [];
  return Number(found.replace("+Inf", "Infinity"));
}
const lag = () => metric(/^database_replica_lag_seconds (\S+)$/m);
const readsFrom = async (from: "replica" | "database") =>
  (await metric(new RegExp(`^database_reads_for_reports_total\\{from="${from}"\\} (\\d+)$`, "m"))) || 0;

/** The server that answered the next read of each endpoint. */
async function answeredBy(): Promise<string> {
  const before = [await readsFrom("replica"), await readsFrom("database")] as const;
  for (const path of [
    "/api/v1/reconciliation/transactions/?start_date=2026-01-01&end_date=2026-01-31",
    "/api/v1/management/transactions/",
    "/api/v1/management/customers/",
    "/api/v1/management/needs-attention/",
  ]) {
    const { status, text } = await call("GET", path, undefined, { key });
    assert.equal(status, 200, text);
  }
  const fromReplica = (await readsFrom("replica")) - before[0];
  const fromDatabase = (await readsFrom("database")) - before[1];
  return `${fromReplica} replica, ${fromDatabase} database`;
}

/** Waits until the replica has everything that was written before. */
async function near(): Promise<void> {
  const began = performance.now();
  for (let tries = 1; ; tries += 1) {
    await look();
    if ((await lag()) * 1_000 < performance.now() - began) return;
    assert.ok(tries < 100, "the replica came near");
    await sleep(50);
  }
}

test("before its first check the replica is not read, and its lag is unknown", async () => {
  assert.equal(await lag(), Infinity);
  assert.equal(await answeredBy(), "0 replica, 4 database");
});

test("lists and exports are read from the replica while it is current", async () => {
  await near();
  assert.equal(await answeredBy(), "4 replica, 0 database");
});

test("lists are read from the replica, and decisions from the primary", async () => {
  await near();
  // The replica is paused: later writes are on the primary alone.
  await onReplica.query("select pg_wal_replay_pause()");
  await owner.query(
    `insert into leads (tenant, id, email, email_key, first_name, last_name, country, created_at, updated_at)
     select tenant, gen_random_uuid(), 'new@example.test', 'new@example.test', 'New', 'One', 'DE', now(), now() from tenants`,
  );
  const list = await call("GET", "/api/v1/management/customers/", undefined, { key });
  assert.deepEqual(list.body["results"], []);
  const { rows } = await owner.query<{ id: string }>("select id from leads");
  const one = await call("GET", `/api/v1/management/customers/${rows[0]?.id}/`, undefined, { key });
  assert.equal(one.status, 200, one.text);
  await onReplica.query("select pg_wal_replay_resume()");
  await near();
  const then = await call("GET", "/api/v1/management/customers/", undefined, { key });
  assert.equal(then.body["results"].length, 1);
});

test("a replica that gets no changes is further behind at each check, although it has replayed all that it was sent", async () => {
  await near();
  await onReplica.query("select pg_wal_replay_pause()");
  await owner.query("create table mark ()");
  await sleep(300);
  await look();
  const behind = await lag();
  assert.ok(behind >= 0.3 && behind < 60, `${behind} s`);
  await onReplica.query("select pg_wal_replay_resume()");
  await near();
});

test("the replica of an idle database stays current", async () => {
  await near();
  await sleep(300);
  await look();
  assert.ok((await lag()) < 0.25);
});

test("no request fails because the replica is unavailable, and it is used again only after a check", async () => {
  await near();
  said.length = 0;
  await replica.stop();
  assert.equal(await answeredBy(), "1 replica, 4 database");
  assert.equal(await lag(), Infinity);
  await look();
  assert.equal(said.filter((line) => line.includes('"reason":"it does not answer"')).length, 1);
});

/** A replica with fixed responses, and a primary whose position starts at 10. */
function played(replicaSays: { server?: string; position?: string | null } | Error, lagMaxMs = 5_000) {
  let now = 0;
  let position = 10;
  const asked: string[] = [];
  const reasons: (string | null)[] = [];
  const reads = (name: string, look: () => object): Reads => ({
    query: async (statement: { name: string }) => {
      if (statement.name.startsWith("replica.")) return [look()] as never;
      asked.push(name);
      return [];
    },
    each: async (_, __, take) => {
      asked.push(name);
      if (name === "replica" && failure !== null) {
        if (failure.afterRows > 0) take([1]);
        throw failure.error;
      }
      take([2]);
    },
  });
  let failure: { readonly error: Error; readonly afterRows: number } | null = null;
  const beside = preferReplica({
    database: reads("database", () => ({ server: "1", position: String(position) })),
    replica: reads("replica", () => {
      if (replicaSays instanceof Error) throw replicaSays;
      return { server: "1", position: "10", ...replicaSays };
    }),
    clock: { monotonicMs: () => now },
    lagMaxMs,
    onRead: () => {},
    onChange: (reason) => reasons.push(reason),
  });
  const statement = { name: "x", text: "select" };
  return {
    ...beside,
    asked,
    reasons,
    at(ms: number, written = position) {
      [now, position] = [ms, written];
    },
    fails(error: Error, afterRows: number) {
      failure = { error, afterRows };
    },
    async rows(): Promise<unknown[]> {
      const rows: unknown[] = [];
      await beside.reads.each(statement, {}, (row) => rows.push(...row));
      return rows;
    },
  };
}

test("a replica is as current as its last replayed position; it is not used when that is too old, also without a check", async () => {
  const it = played({ position: "20" });
  it.at(1_000, 10);
  await it.look.runOnce(1);
  it.at(2_000, 20);
  await it.look.runOnce(1);
  it.at(6_000, 30);
  await it.look.runOnce(1);
  assert.equal(it.lagMs(), 4_000);
  await it.rows();
  it.at(7_000);
  await it.rows();
  it.at(7_001);
  await it.rows();
  assert.deepEqual(it.asked, ["replica", "replica", "database"]);
});

for (const [what, says, reason] of [
  ["another cluster's", { server: "2" }, "it is not a replica of this database"],
  ["one that was promoted", { position: null }, "it does not follow the database"],
  ["one that does not answer", new Error("no"), "it does not answer"],
] as const) {
  test(`${what} is not used`, async () => {
    const it = played(says);
    await it.look.runOnce(1);
    await it.rows();
    assert.deepEqual([it.lagMs(), it.asked, it.reasons], [null, ["database"], [reason]]);
  });
}

const CONFLICT = Object.assign(new Error("canceling statement due to conflict with recovery"), {
  code: "40001",
});

test("a read that the replica cancels before its first row is repeated on the primary; after the first row the caller has to repeat it", async () => {
  const it = played({});
  await it.look.runOnce(1);
  it.fails(CONFLICT, 0);
  assert.deepEqual(await it.rows(), [2]);
  assert.equal(it.lagMs(), 0, "it is still near");
  it.fails(CONFLICT, 1);
  await assert.rejects(it.rows(), (error) => error instanceof Refusal && error.kind === "unavailable");
});

test("a read that takes too long on the replica is not repeated on the primary", async () => {
  const it = played({});
  await it.look.runOnce(1);
  it.fails(new Refusal("unavailable", { cause: Object.assign(new Error("timeout"), { code: "57014" }) }), 0);
  await assert.rejects(it.rows(), Refusal);
  assert.deepEqual([it.asked, it.lagMs()], [["replica"], 0]);
});
