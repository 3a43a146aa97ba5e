/** A restored database is detected, and the service sends nothing until an operator releases it. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createReadStream, createWriteStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { exportDatabase } from "../src/backup/export.ts";
import { importDatabase } from "../src/backup/import.ts";
import { differenceOf, holdByHand, checkPlace, readHeld, release, samePlace } from "../src/backup/place.ts";
import { openDatabase } from "../src/db/postgres.ts";
import { skipMessageNumbers } from "../src/gateways/sepa-batch/outgoing/store.ts";
import { childEnv } from "./support/child-env.ts";
import { emptyDatabase, testDatabase } from "./support/database.ts";
import { createMerchant, createRecord, IBAN } from "./support/merchant.ts";
import { machine, serviceOf } from "./support/process.ts";
import { startReceiver } from "./support/receiver.ts";
import { OPERATOR_KEY } from "./support/service.ts";
import { adHoc } from "../tools/ad-hoc.ts";

const CLI = join(import.meta.dirname, "../src/cli.ts");

function cli(url: string, keys: string, ...args: readonly string[]) {
  const env = { ...childEnv(), DATABASE_URL: url, MASTER_KEYS: keys, OPERATOR_KEY };
  return new Promise<{ readonly code: number | null; readonly out: string }>((resolve) => {
    const child = execFile(process.execPath, [CLI, ...args], { env }, (_error, out, err) =>
      resolve({ code: child.exitCode, out: `${out}${err}` }),
    );
  });
}

const HERE = { server: "1", database: "5", timeline: "00000001" };
const NOW = new Date("2026-11-23T08:00:00Z");
const closing: (() => Promise<void>)[] = [];
after(async () => {
  for (const close of closing.toReversed()) await close();
});

for (const [known, reason] of [
  [null, "first"],
  [HERE, null],
  [{ ...HERE, server: "2", timeline: "00000002" }, "another server"],
  [{ ...HERE, database: "6" }, "another database"],
  [{ ...HERE, timeline: "00000002" }, "another timeline"],
] as const) {
  test(`comparison of the database's present and recorded place: ${reason ?? "the same"}`, () => {
    assert.equal(differenceOf(known, HERE), reason);
  });
}

test("the service's role can find out where the database runs; a held service stays held until it is released", async () => {
  const database = await testDatabase();
  closing.push(() => database.close());
  const db = openDatabase(database.url, { connections: 2, onIdleError: () => {} });
  closing.push(() => db.close());
  assert.equal(await checkPlace(db, NOW), null);
  assert.equal(await checkPlace(db, NOW), null);
  assert.equal(await readHeld(db), null);
  for (const column of ["timeline", "database", "server"]) {
    await database.db.commit(...adHoc(`update database_places set ${column} = '0'`));
    const reason = `another ${column}`;
    assert.deepEqual(await checkPlace(db, NOW), { reason, since: NOW });
    assert.deepEqual(
      await checkPlace(db, new Date()),
      { reason, since: NOW },
      "by another instance, or later",
    );
    assert.deepEqual(await readHeld(db), { reason, since: NOW });
    assert.equal(await release(db, skipMessageNumbers, NOW), true);
    assert.equal(await release(db, skipMessageNumbers, NOW), false);
    assert.equal(await checkPlace(db, NOW), null);
  }
  await holdByHand(db, NOW);
  assert.deepEqual(await checkPlace(db, new Date()), { reason: "by hand", since: NOW });
});

test("a restore that several instances notice is recorded once, and of several concurrent releases one counts", async () => {
  const database = await testDatabase();
  closing.push(() => database.close());
  const db = openDatabase(database.url, { connections: 10, onIdleError: () => {} });
  closing.push(() => db.close());
  await checkPlace(db, NOW);
  await database.db.commit(...adHoc("update database_places set timeline = '0'"));
  await Promise.all(Array.from({ length: 8 }, () => checkPlace(db, NOW)));
  assert.deepEqual(
    await database.db.query(...adHoc("select reason, released_at from database_places order by number")),
    [
      { reason: "first", released_at: NOW },
      { reason: "another timeline", released_at: null },
    ],
  );
  let skips = 0;
  const skip = async () => void (skips += 1);
  const released = await Promise.all(Array.from({ length: 5 }, () => release(db, skip, NOW)));
  assert.deepEqual([released.filter(Boolean).length, skips], [1, 1]);
  assert.equal(await checkPlace(db, NOW), null);
});

test("an instance that notices a new place waits for the instance that records it", async () => {
  const database = await testDatabase();
  closing.push(() => database.close());
  const db = openDatabase(database.url, { connections: 5, onIdleError: () => {} });
  closing.push(() => db.close());
  await checkPlace(db, NOW);
  await database.db.commit(...adHoc("update database_places set timeline = '0'"));
  const looks = await database.db.transaction(async (tx) => {
    await tx.query(...adHoc("select pg_advisory_xact_lock(hashtext('database places'))"));
    const started = [checkPlace(db, NOW), checkPlace(db, NOW)];
    const ended = { all: false };
    void Promise.all(started).then(() => (ended.all = true));
    const waiting = adHoc(
      `select count(*)::int as count from pg_locks l join pg_database d on d.oid = l.database
        where l.locktype = 'advisory' and not l.granted and d.datname = current_database()`,
    );
    while (!ended.all && (await tx.query<{ count: number }>(...waiting))[0]?.count !== 2) await sleep(20);
    assert.equal(ended.all, false);
    return { started };
  });
  await Promise.all(looks.started);
  const rows = await database.db.query(...adHoc("select number from database_places"));
  assert.equal(rows.length, 2);
});

test("a release before any instance has noticed the restore counts, also against a check at the same moment", async () => {
  const database = await testDatabase();
  closing.push(() => database.close());
  const db = openDatabase(database.url, { connections: 10, onIdleError: () => {} });
  closing.push(() => db.close());
  await checkPlace(db, NOW);
  await database.db.commit(...adHoc("update database_places set server = '0'"));
  const [released] = await Promise.all([
    release(db, skipMessageNumbers, NOW),
    ...Array.from({ length: 4 }, () => checkPlace(db, NOW)),
  ]);
  assert.equal(released, true);
  assert.equal(await checkPlace(db, NOW), null);
});

/** Recreates the tables with the same rows, as a dump that is restored over them does. */
const MADE_AGAIN = `
  alter table database_places rename to old_places;
  create table database_places (like old_places including all);
  insert into database_places overriding system value select * from old_places;
  drop table old_places;
  grant select, insert, update on database_places to payment_sessions`;

for (const how of ["then held", "and released at once"] as const) {
  test(`an instance whose database is restored while it runs ends, ${how}; a new instance reports that it is held`, async () => {
    const database = await testDatabase();
    closing.push(() => database.close());
    const host = await machine(database.url);
    closing.push(() => host.remove());
    const one = await host.start();
    const restore = `begin; lock table database_places; ${MADE_AGAIN}; ${
      how === "then held"
        ? ""
        : `update database_places set database = (select oid from pg_database where datname = current_database()) || '/' || 'database_places'::regclass::oid;`
    } commit`;
    const owner = new pg.Client({ connectionString: database.ownerUrl });
    await owner.connect();
    await owner.query(restore).finally(() => owner.end());
    assert.equal(await one.ended, 1, one.output());
    assert.match(one.output(), /restored while the service ran/);
    const two = await host.start();
    closing.push(() => two.stop());
    const { body } = await two.call("GET", "/readyz");
    assert.equal(body["detail"]?.includes("restored") ?? false, how === "then held");
  });
}

test("an instance that started held and was released ends when the database is held again", async () => {
  const database = await testDatabase();
  closing.push(() => database.close());
  const db = openDatabase(database.url, { connections: 2, onIdleError: () => {} });
  closing.push(() => db.close());
  await holdByHand(db, NOW);
  const host = await machine(database.url);
  closing.push(() => host.remove());
  const one = await host.start();
  assert.equal(await release(db, skipMessageNumbers, NOW), true);
  await one.printed("released: ");
  await holdByHand(db, new Date());
  assert.equal(await one.ended, 1, one.output());
  assert.match(one.output(), /is held by hand/);
});

test("a connection to another database than the first connection's is not used", async () => {
  const database = await testDatabase();
  closing.push(() => database.close());
  const same = samePlace();
  const options = { connections: 1, onIdleError: () => {}, verify: same };
  const db = openDatabase(database.url, options);
  closing.push(() => db.close());
  assert.equal((await db.query(...adHoc("select 1 as one"))).length, 1);
  const other = await testDatabase();
  closing.push(() => other.close());
  const moved = openDatabase(other.url, options);
  closing.push(() => moved.close());
  await assert.rejects(moved.query(...adHoc("select 1 as one")));
});

test("a service on a copy starts held: it shows records but takes no payment and sends nothing until it is released", async () => {
  const folder = await mkdtemp(join(tmpdir(), "payment-sessions-restored-"));
  closing.push(() => rm(folder, { recursive: true, force: true }));
  const original = await testDatabase();
  closing.push(() => original.close());
  const first = await machine(original.url);
  closing.push(() => first.remove());
  const receiver = await startReceiver((_, response) => response.writeHead(500).end());
  closing.push(() => receiver.close());
  const MASTER_KEYS = Buffer.alloc(32, 7).toString("base64");
  const one = await first.start({ MASTER_KEYS });
  const merchant = await createMerchant(serviceOf(() => one));
  await createRecord(
    serviceOf(() => one),
    merchant.key,
    "webhook-profiles",
    {
      name: "Shop",
      url: receiver.url,
      events: ["payment_session.completed"],
    },
  );
  await merchant.pay(await merchant.session(), IBAN.approved);
  await receiver.arrived(1);
  const open = await merchant.session();
  await original.db.commit(
    ...adHoc(
      "insert into sepa_accounts (tenant, gateway_id, last_number) select tenant, id, 7 from gateways",
    ),
  );
  const file = join(folder, "backup.tar.gz");
  await exportDatabase(original.url, createWriteStream(file));
  await one.stop();

  const copy = await emptyDatabase();
  closing.push(() => copy.close());
  await importDatabase(copy, createReadStream(file));
  const db = openDatabase(copy.ownerUrl, { connections: 2, onIdleError: () => {} });
  closing.push(() => db.close());
  await db.commit(...adHoc("update webhook_receivers set next_at = now(), paused_until = null"));
  await db.commit(...adHoc("update webhook_deliveries set due_at = now() where due_at is not null"));
  receiver.received.length = 0;
  const second = await machine(copy.url);
  closing.push(() => second.remove());
  const two = await second.start({ MASTER_KEYS });
  closing.push(() => two.stop());
  assert.match(two.output(), /restored from a backup/);
  const third = await machine(copy.url);
  closing.push(() => third.remove());
  const three = await third.start({ MASTER_KEYS });
  closing.push(() => three.stop());

  const pay = () =>
    two.call("POST", `payment-sessions/${open}/pay/`, {
      iban: IBAN.approved,
      iban_holder_name: "Ada Example",
    });
  const refused = await pay();
  assert.deepEqual([refused.status, refused.headers["retry-after"]], [503, "60"]);
  assert.match(refused.text, /restored from a backup/);
  const created = await two.call("POST", "payment-sessions/", {}, { key: merchant.key });
  assert.equal(created.status, 503);
  const page = await two.call("POST", `/pay/${open}/`, "iban=x", {
    headers: { "content-type": "application/x-www-form-urlencoded" },
  });
  assert.equal(page.status, 503);
  assert.equal((await two.call("GET", `payment-sessions/${open}/`)).status, 200);
  assert.equal(
    (await two.call("GET", "management/transactions/", undefined, { key: merchant.key })).status,
    200,
  );
  assert.equal(
    (await two.call("POST", "management/tenants/", { name: "Other" }, { key: OPERATOR_KEY })).status,
    201,
  );
  assert.equal(
    (await two.call("POST", "management/sepa-files/", "x", { key: merchant.key })).status,
    415,
    "a bank's file may be read",
  );
  const attention = await two.call("GET", "management/needs-attention/", undefined, { key: merchant.key });
  assert.equal(attention.body["results"][0].kind, "held_after_restore");
  assert.match((await two.call("GET", "/readyz")).body["detail"], /restored/);
  assert.match((await two.call("GET", "/metrics")).text, /^service_held 1$/m);
  const signIn = await two.call("POST", "/console/sign-in/", "email=x", {
    headers: { "content-type": "application/x-www-form-urlencoded" },
  });
  assert.notEqual(signIn.status, 503, "people may sign in to look");
  const form = { "content-type": "application/x-www-form-urlencoded" };
  for (const path of ["/console/second-factor/", "/console/sign-out/"])
    assert.notEqual((await two.call("POST", path, "code=1", { headers: form })).status, 503, path);
  assert.equal((await two.call("GET", `/pay/${open}/`)).status, 200);
  assert.equal(
    (await two.call("GET", `/pay/${open}/?verification_id=v`)).status,
    503,
    "a customer who comes back from the bank changes the payment",
  );
  assert.deepEqual(receiver.received, [], "no webhook was sent");
  const collect = await cli(copy.url, MASTER_KEYS, "sepa", "collect");
  assert.equal(collect.code, 1, collect.out);
  assert.match(collect.out, /held after a restore/);
  const status = await cli(copy.url, MASTER_KEYS, "restored", "status");
  assert.equal(status.code, 1, status.out);
  assert.match(status.out, /webhooks to deliver/);

  assert.equal(await release(db, skipMessageNumbers, new Date()), true);
  await Promise.all([two.printed("released: "), three.printed("released: ")]);
  await receiver.arrived(1);
  const paid = await pay();
  assert.equal(paid.status, 200, paid.text);
  const [account] = await db.query<{ last_number: number }>(
    ...adHoc("select last_number from sepa_accounts"),
  );
  assert.equal(account?.last_number, 10_007, "numbers of lost bank messages are not used again");
});
