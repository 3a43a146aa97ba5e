/**
 * The clock of a staging tenant: it moves forward on request, runs the tenant's due work, and does not affect other
 * tenants.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createApp } from "../src/app.ts";
import type { Calls } from "../src/db/database.ts";
import { DAY_MS, manualClock } from "../src/lib/clock.ts";
import { silentLog } from "../src/lib/log.ts";
import { createMerchant, IBAN, type Merchant } from "./support/merchant.ts";
import { startService, type Json, type Response, type Service } from "./support/service.ts";

const START = new Date("2026-01-31T12:00:00Z");

let service: Service;
let merchant: Merchant;
const clock = manualClock(START);

before(async () => {
  service = await startService({ clock });
  merchant = await createMerchant(service);
});
after(() => service.close());

function move(date: unknown, whose = merchant): Promise<Response> {
  return service.post("management/clock/", { date }, { key: whose.key });
}

test("a tenant's time is the service's until it is moved, and then continues from there", async () => {
  const mine = await createMerchant(service);
  const read = () => service.get("management/clock/", { key: mine.key });
  assert.deepEqual((await read()).body, { now: START.toISOString(), moved: false });
  const moved = await move("2026-03-01", mine);
  assert.deepEqual(moved.body, { now: "2026-03-01T00:00:00.000Z", moved: true });
  clock.advance(1_000);
  assert.equal((await read()).body["now"], "2026-03-01T00:00:01.000Z");
});

test("sessions, orders and subscriptions follow a tenant's moved time; another tenant's do not", async () => {
  const mine = await createMerchant(service);
  const left = await mine.session();
  const untouched = await merchant.session();
  await move("2026-02-28T10:00:00Z", mine);
  assert.equal((await mine.retrieve(left)).status, 404, "its 24 hours are over");
  assert.equal((await merchant.retrieve(untouched)).body["status"], "PENDING");
  const token = await mine.session({ billing_type: "RECURRING", billing_frequency: "MONTHLY" });
  const paid = await mine.pay(token, IBAN.approved);
  assert.equal(paid.body["subscription"]["next_billing_date"], "2026-03-28");
  assert.match(paid.body["transaction"]["merchant_transaction_id"], /^TXN-20260228-/);
});

test("moving the clock returns when the work that became due is done", async () => {
  const mine = await createMerchant(service);
  const token = await mine.session();
  await mine.pay(token, IBAN.answerLost);
  await move("2026-02-01T12:00:00Z", mine);
  const rows = await service.rows("select status from sessions where gateway_id = $1", [mine.gatewayId]);
  assert.deepEqual(rows, [{ status: "COMPLETED" }]);
});

test("another process of the same environment sees a moved clock within a second", async () => {
  const mine = await createMerchant(service);
  const other = await createApp(service.config, service.databaseUrl, silentLog, { clock });
  const [row] = await service.rows("select tenant from gateways where id = $1", [mine.gatewayId]);
  const before = other.deps.time.now(row?.["tenant"]);
  await move("2026-06-01", mine);
  const stop = other.startWork();
  try {
    while (other.deps.time.now(row?.["tenant"]).getTime() === before.getTime()) {
      await new Promise((resolve) => {
        setTimeout(resolve, 20);
      });
    }
    assert.equal(other.deps.time.now(row?.["tenant"]).toISOString().slice(0, 10), "2026-06-01");
  } finally {
    await stop();
    await other.close();
  }
});

test("a clock is not moved back, to its present time, too far ahead, or to an invalid time", async () => {
  const mine = await createMerchant(service);
  await move("2026-05-01", mine);
  for (const date of ["2026-04-30", "2026-05-01", "2047-01-01", "soon", "", null, 7, "2026-02-30"]) {
    const refused = await move(date, mine);
    assert.equal(refused.status, 400, String(date));
    assert.ok(refused.body["date"], String(date));
  }
  const forward = Array.from({ length: 20 }, (_, index) =>
    move(new Date(Date.UTC(2026, 5, 1) + (index % 10) * DAY_MS).toISOString(), mine),
  );
  await Promise.all(forward);
  const read = await service.get("management/clock/", { key: mine.key });
  assert.equal(read.body["now"].slice(0, 10), "2026-06-10", "the furthest of many moves at once");
});

test("moving a clock asks the database no more when many other tenants have moved theirs, or have work for the jobs", async () => {
  let asked = 0;
  const between = (db: Calls): Calls => ({
    ...db,
    query: (statement, values) => ((asked += 1), db.query(statement, values)),
    transaction: (work) => ((asked += 1), db.transaction(work)),
  });
  const counted = await startService({ clock, between });
  try {
    const mine = await createMerchant(counted);
    const statementsOf = async (date: string): Promise<number> => {
      asked = 0;
      const moved = await counted.post("management/clock/", { date }, { key: mine.key });
      assert.equal(moved.status, 200);
      return asked;
    };
    await statementsOf("2026-03-01");
    const alone = await statementsOf("2026-03-02");
    const others = Array.from({ length: 10 }, () => createMerchant(counted));
    for (const { key, campaignId } of await Promise.all(others)) {
      await counted.call("PATCH", `management/campaigns/${campaignId}/`, { return_rate_max: 40 }, { key });
      await counted.post("management/clock/", { date: "2026-03-01" }, { key });
    }
    assert.equal(await statementsOf("2026-03-03"), alone);
  } finally {
    await counted.close();
  }
});

test("production has no movable clock", async () => {
  const live = await startService({ config: { environment: "production" } });
  try {
    assert.equal((await live.get("management/clock/")).status, 404);
    assert.equal((await live.post("management/clock/", { date: "2030-01-01" })).status, 404);
  } finally {
    await live.close();
  }
});

test("moving the clock is recorded in the audit log, a refused move is not", async () => {
  const mine = await createMerchant(service);
  await move("2026-03-01", mine);
  await move("2026-02-01", mine);
  const log = await service.get("management/audit-log/?resource=clock", { key: mine.key });
  const entries: readonly Json[] = log.body["results"];
  assert.deepEqual(
    entries.map(({ resource, resource_id, before, after }) => ({ resource, resource_id, before, after })),
    [
      {
        resource: "clock",
        resource_id: null,
        before: { now: clock.now().toISOString() },
        after: { now: "2026-03-01T00:00:00.000Z" },
      },
    ],
  );
});
