/** Each cycle is collected exactly once, on the right day, whatever happens: real SQL, the sandbox bank, a moved clock. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createApp } from "../../src/app.ts";
import { checkBooks } from "../../src/books/check.ts";
import type { Calls } from "../../src/db/database.ts";
import { announceJob } from "../../src/subscriptions/announce.ts";
import { followRenewals, recoverRenewalsJob, renewDue } from "../../src/subscriptions/renew.ts";
import { CLAIM_MS } from "../../src/gateways/calling.ts";
import { DAY_MS, HOUR_MS, later, manualClock, MINUTE_MS } from "../../src/lib/clock.ts";
import type { News } from "../../src/gateways/gateway.ts";
import { silentLog } from "../../src/lib/log.ts";
import { applyNews } from "../../src/payments/news/apply.ts";
import { cyclesOf, readSubscription, subscribe, switchAccount } from "../support/billing.ts";
import { assertBooksAgree } from "../support/books.ts";
import { createMerchant, createRecord, IBAN, lead, type Merchant } from "../support/merchant.ts";
import { onClock } from "../support/database-clock.ts";
import { countedOutcomes } from "../support/outcome-count.ts";
import { OPERATOR_KEY, startService, type Json, type Service } from "../support/service.ts";
import { sized } from "../support/sized.ts";
import { OUTCOME, slowBank } from "../support/slow-bank.ts";

const clock = manualClock(new Date("2026-01-30T10:00:00Z"));
let service: Service;
let merchant: Merchant;
const slow = slowBank();

before(async () => {
  service = await startService({ clock, adapters: [slow.adapter] });
});
after(async () => {
  await assertBooksAgree(service.db).finally(() => service.close());
});

/** The clock of the database that all instances share. */
const between = (db: Calls): Calls => onClock(db, clock);

/** A merchant whose time is its own: what other tests move does not reach it. */
async function freshMerchant(): Promise<Merchant> {
  merchant = await createMerchant(service);
  return merchant;
}

/** Moves the merchant's time; returns when the work that became due is done. */
async function moveTo(date: string, whose = merchant): Promise<void> {
  const { status, text } = await service.post("management/clock/", { date }, { key: whose.key });
  assert.equal(status, 200, text);
}

function read(id: string, whose = merchant): Promise<Json> {
  return readSubscription(service, whose, id);
}

test("monthly renewals are counted from the anchor, end with a shorter month, and are collected on the next TARGET day", async () => {
  await freshMerchant();
  await moveTo("2026-01-31T12:00:00Z");
  const id = await subscribe(merchant);
  assert.equal((await read(id))["next_billing_date"], "2026-02-28");
  await moveTo("2026-02-28T12:00:00Z");
  assert.deepEqual(cyclesOf(await read(id)), [], "a Saturday");
  await moveTo("2026-03-02T06:00:00Z");
  const march = await read(id);
  assert.deepEqual(cyclesOf(march), ["1:paid"]);
  assert.equal(march["next_billing_date"], "2026-03-31");
  assert.equal(march["successful_billing_count"], 1);
  assert.equal(march["total_revenue"], "59.80");
  await moveTo("2026-03-31T06:00:00Z");
  await moveTo("2026-04-30T06:00:00Z");
  assert.deepEqual(cyclesOf(await read(id)), ["1:paid", "2:paid", "3:paid"]);
  const renewals = await service.rows(
    "select type, sequence_type, status, amount, session_id from transactions where subscription_id = $1 and type = 'sdd_rebill'",
    [id],
  );
  assert.deepEqual(
    renewals,
    Array.from({ length: 3 }, () => ({
      type: "sdd_rebill",
      sequence_type: "RCUR",
      status: "approved",
      amount: "29.90",
      session_id: null,
    })),
  );
});

test("the metrics count a renewal by what its gateway answered", async () => {
  await freshMerchant();
  const counted = (outcome: string) => countedOutcomes(service, "sandbox", outcome);
  await moveTo("2026-01-31T12:00:00Z");
  const id = await subscribe(merchant);
  const before = [await counted("approved"), await counted("declined")];
  await moveTo("2026-03-02T06:00:00Z");
  await switchAccount(service, id, IBAN.insufficientFunds);
  await moveTo("2026-03-31T06:00:00Z");
  assert.deepEqual(cyclesOf(await read(id)), ["1:paid", "2:retry"]);
  assert.deepEqual(
    [await counted("approved"), await counted("declined")],
    before.map((count) => count + 1),
  );
});

test("a trial is collected for the first time when it ends, and then by its frequency", async () => {
  await freshMerchant();
  const id = await subscribe(merchant, {
    billing_type: "TRIAL_RECURRING",
    billing_frequency: "WEEKLY",
    trial_interval_unit: "day",
    trial_period: 14,
  });
  const before = await read(id);
  assert.deepEqual([before["next_billing_date"], before["total_revenue"]], ["2026-02-13", "0.00"]);
  await moveTo("2026-02-12T23:59:59Z");
  assert.deepEqual(cyclesOf(await read(id)), []);
  await moveTo("2026-02-13T00:00:01Z");
  await moveTo("2026-02-20");
  const later = await read(id);
  assert.deepEqual(cyclesOf(later), ["0:paid", "1:paid"]);
  assert.deepEqual([later["next_billing_date"], later["total_revenue"]], ["2026-02-27", "59.80"]);
});

// Holds CYCLE-8.
test("insufficient funds are tried again after 3 and 7 days, and then no more; the next cycle is collected", async () => {
  await freshMerchant();
  const id = await subscribe(merchant);
  await switchAccount(service, id, IBAN.insufficientFunds);
  await moveTo("2026-03-02");
  const first = await read(id);
  assert.deepEqual([first["status"], ...cyclesOf(first)], ["PAST_DUE", "1:retry"]);
  await moveTo("2026-03-04");
  assert.equal((await read(id))["cycles"][0].attempts, 1, "not before its time");
  await moveTo("2026-03-05T01:00:00Z");
  await moveTo("2026-03-12T02:00:00Z");
  const third = await read(id);
  assert.deepEqual(
    [third["cycles"][0].attempts, third["cycles"][0].status, third["failed_billing_count"], third["status"]],
    [3, "failed", 3, "PAST_DUE"],
  );
  await switchAccount(service, id, IBAN.approved);
  await moveTo("2026-03-30");
  const next = await read(id);
  assert.deepEqual([next["status"], ...cyclesOf(next)], ["ACTIVE", "1:failed", "2:paid"]);
});

test("a retry that succeeds makes the subscription active again", async () => {
  await freshMerchant();
  const id = await subscribe(merchant);
  await switchAccount(service, id, IBAN.declined);
  await moveTo("2026-03-02");
  await switchAccount(service, id, IBAN.approved);
  await moveTo("2026-03-05T01:00:00Z");
  const paid = await read(id);
  assert.deepEqual([paid["status"], ...cyclesOf(paid)], ["ACTIVE", "1:paid"]);
});

for (const [reason, iban] of [
  ["mandate_rejected", "DE77370400440532013022"],
  ["account_closed", "DE50370400440532013023"],
  ["invalid_iban", "DE07370400440532013021"],
] as const) {
  // Holds SUBSCRIPTION-4.
  test(`${reason} cancels the subscription, and nothing more is collected`, async () => {
    await freshMerchant();
    const id = await subscribe(merchant);
    await switchAccount(service, id, iban);
    await moveTo("2026-03-02");
    const ended = await read(id);
    assert.deepEqual(
      [ended["status"], ended["cancel_reason"], ended["next_billing_date"], ...cyclesOf(ended)],
      ["CANCELLED", reason, null, "1:failed"],
    );
    await moveTo("2026-06-02");
    assert.deepEqual(cyclesOf(await read(id)), ["1:failed"]);
  });
}

test("a gateway that cannot be reached for a week does not count as a failed payment", async () => {
  await freshMerchant();
  const id = await subscribe(merchant);
  await switchAccount(service, id, IBAN.unreachable);
  await moveTo("2026-03-02");
  for (let day = 3; day <= 6; day += 1) await moveTo(`2026-03-0${day}`);
  const waiting = await read(id);
  assert.deepEqual(
    [
      waiting["status"],
      waiting["failed_billing_count"],
      waiting["cycles"][0].status,
      waiting["cycles"][0].attempts,
    ],
    ["ACTIVE", 0, "retry", 0],
  );
  await switchAccount(service, id, IBAN.approved);
  await moveTo("2026-03-09");
  assert.deepEqual(cyclesOf(await read(id)), ["1:paid"]);
});

test("a renewal that a gateway refused with a code of its own counts as failed, whatever the code means", async () => {
  merchant = await createMerchant(service, { adapter: "slow-bank" });
  const bought = subscribe(merchant);
  (await slow.asked()).answer(OUTCOME.approved);
  const id = await bought;
  const moved = moveTo("2026-03-02");
  const refused = { ...OUTCOME.declined, code: "gateway_unavailable", gatewayCode: "AG02" } as const;
  (await slow.asked()).answer(refused);
  await moved;
  const { status, failed_billing_count: failed, cycles } = await read(id);
  assert.deepEqual([status, failed, cycles[0].status, cycles[0].attempts], ["PAST_DUE", 1, "failed", 1]);
});

test("an unknown outcome is asked about until it is known, and not collected again before", async () => {
  await freshMerchant();
  const lost = await subscribe(merchant);
  const never = await subscribe(merchant);
  await switchAccount(service, lost, IBAN.answerLost);
  await switchAccount(service, never, IBAN.notCharged);
  await moveTo("2026-03-02");
  assert.deepEqual(cyclesOf(await read(lost)), ["1:collecting"]);
  await switchAccount(service, never, IBAN.approved);
  await moveTo("2026-03-02T02:00:00Z");
  assert.deepEqual(cyclesOf(await read(lost)), ["1:paid"]);
  await moveTo("2026-03-02T06:00:00Z");
  assert.deepEqual(cyclesOf(await read(never)), ["1:paid"]);
});

test("accepted first, settled later: paid with the settlement; a return is a failure that is tried again", async () => {
  await freshMerchant();
  const settles = await subscribe(merchant);
  const returns = await subscribe(merchant);
  await switchAccount(service, settles, IBAN.pending);
  await switchAccount(service, returns, IBAN.returned);
  await moveTo("2026-03-02");
  const settled = await read(settles);
  assert.deepEqual([...cyclesOf(settled), settled["total_revenue"]], ["1:paid", "59.80"]);
  const returned = await read(returns);
  assert.deepEqual(
    [returned["status"], ...cyclesOf(returned), returned["total_revenue"]],
    ["PAST_DUE", "1:retry", "29.90"],
  );
});

async function configure(fields: Record<string, unknown>): Promise<void> {
  const path = `/api/v1/management/tenants/${merchant.tenantId}/`;
  const { status, text } = await service.call("PATCH", path, fields, { key: OPERATOR_KEY });
  assert.equal(status, 200, text);
}

for (const [choice, status, reason, later] of [
  [undefined, "CANCELLED", "chargeback", ["1:charged_back"]],
  ["past_due", "PAST_DUE", null, ["1:charged_back", "2:paid"]],
  ["keep", "ACTIVE", null, ["1:charged_back", "2:paid"]],
] as const) {
  test(`a chargeback of a renewal, with ${choice ?? "nothing"} configured: ${status}`, async () => {
    await freshMerchant();
    if (choice !== undefined) await configure({ subscription_after_chargeback: choice });
    const id = await subscribe(merchant);
    await switchAccount(service, id, IBAN.chargedBack);
    await moveTo("2026-03-02");
    const told = await read(id);
    assert.deepEqual(
      [told["status"], told["cancel_reason"], told["total_revenue"]],
      [status, reason, "29.90"],
    );
    await switchAccount(service, id, IBAN.approved);
    await moveTo("2026-03-30");
    const month = await read(id);
    assert.deepEqual(cyclesOf(month), later);
    assert.equal(month["status"], status === "CANCELLED" ? "CANCELLED" : "ACTIVE");
  });
}

for (const [choice, amount, status] of [
  [undefined, undefined, "ACTIVE"],
  ["cancel", "10.00", "ACTIVE"],
  ["cancel", undefined, "CANCELLED"],
] as const) {
  test(`a refund of ${amount ?? "all"} of a renewal, with ${choice ?? "nothing"} configured: ${status}`, async () => {
    await freshMerchant();
    if (choice !== undefined) await configure({ subscription_after_refund: choice });
    const id = await subscribe(merchant);
    await moveTo("2026-03-02");
    const renewal = (await read(id))["cycles"][0].transaction_id;
    const path = `management/transactions/${renewal}/refunds/`;
    const refund = await service.post(path, amount === undefined ? {} : { amount }, { key: merchant.key });
    assert.equal(refund.status, 201, refund.text);
    const after = await read(id);
    assert.equal(after["status"], status);
    assert.equal(after["cancel_reason"], status === "CANCELLED" ? "refund" : null);
  });
}

test("a chargeback that ends a subscription ends the retry of its open cycle too", async () => {
  await freshMerchant();
  const id = await subscribe(merchant, {}, IBAN.renewalFailsFirst);
  await moveTo("2026-03-02");
  assert.deepEqual(cyclesOf(await read(id)), ["1:retry"]);
  const [sale] = await service.rows(
    "select id from transactions where subscription_id = $1 and type = 'sdd_sale'",
    [id],
  );
  const body = { transaction_id: sale?.["id"], reason_code: "MD06", report_date: "2026-03-02" };
  const made = await service.post("management/chargebacks/", body, { key: merchant.key });
  assert.equal(made.status, 201, made.text);
  const ended = await read(id);
  assert.deepEqual([ended["status"], ...cyclesOf(ended)], ["CANCELLED", "1:failed"]);
});

test("the sandbox's account that fails first declines each cycle and pays its retry", async () => {
  await freshMerchant();
  const id = await subscribe(merchant, {}, IBAN.renewalFailsFirst);
  await moveTo("2026-03-02");
  assert.equal((await read(id))["status"], "PAST_DUE");
  await moveTo("2026-03-05T01:00:00Z");
  const paid = await read(id);
  assert.deepEqual([paid["status"], paid["cycles"][0].attempts, ...cyclesOf(paid)], ["ACTIVE", 2, "1:paid"]);
  await moveTo("2026-03-30T12:00:00Z");
  assert.deepEqual(cyclesOf(await read(id)), ["1:paid", "2:retry"]);
});

test("subscriptions are listed newest first, by status and by e-mail address, and only the tenant's own", async () => {
  await freshMerchant();
  const kept = await subscribe(merchant);
  const ended = await subscribe(merchant, { lead: lead({ email: "Listed@Example.com" }) });
  await service.post(`management/subscriptions/${ended}/cancel/`, {}, { key: merchant.key });
  const list = async (query: string, whose = merchant) => {
    const { status, body, text } = await service.get(`management/subscriptions/${query}`, { key: whose.key });
    assert.equal(status, 200, text);
    return (body["results"] as readonly Json[]).map((row) => row["id"]);
  };
  assert.deepEqual(await list(""), [ended, kept]);
  assert.deepEqual(await list("?status=ACTIVE"), [kept]);
  assert.deepEqual(await list("?email=listed@example.com"), [ended]);
  assert.deepEqual(await list("", await createMerchant(service)), []);
});

test("a subscription that a chargeback has ended leaves no cycle that waits for another try", async () => {
  await freshMerchant();
  const id = await subscribe(merchant);
  await switchAccount(service, id, IBAN.insufficientFunds);
  await moveTo("2026-03-02");
  assert.deepEqual(cyclesOf(await read(id)), ["1:retry"]);
  const [sale] = await service.rows(
    "select id from transactions where subscription_id = $1 and type = 'sdd_sale'",
    [id],
  );
  const chargeback = { transaction_id: sale?.["id"] };
  const recorded = await service.post("management/chargebacks/", chargeback, { key: merchant.key });
  assert.equal(recorded.status, 201, recorded.text);
  await followRenewals(service.app.deps, 100);
  const ended = await read(id);
  assert.deepEqual([ended["status"], ...cyclesOf(ended)], ["CANCELLED", "1:failed"]);
});

test("after three months without the service one cycle is collected and the others are marked as missed", async () => {
  await freshMerchant();
  const id = await subscribe(merchant);
  await moveTo("2026-06-15");
  const late = await read(id);
  assert.deepEqual(cyclesOf(late), ["1:skipped", "2:skipped", "3:skipped", "4:paid"]);
  assert.equal(late["next_billing_date"], "2026-06-30");
});

test("a mandate that was not used for 36 months is no longer debited, even before it is marked as expired", async () => {
  await freshMerchant();
  const id = await subscribe(merchant, { billing_frequency: undefined });
  const monthly = await subscribe(merchant);
  await moveIdly("2029-02-01T12:00:00Z");
  await renewDue(service.app.deps, 10);
  const { status, cancel_reason: why, cycles } = await read(monthly);
  assert.deepEqual([status, why, cycles], ["CANCELLED", "mandate_expired", []]);
  const refused = await service.post(`management/subscriptions/${id}/collect/`, undefined, {
    key: merchant.key,
  });
  assert.equal(refused.status, 409, refused.text);
  assert.match(refused.body["detail"], /mandate .* no longer valid/);
});

test("a collection requested many times at once is made once; the other requests get a 409 or the result", async () => {
  await freshMerchant();
  const id = await subscribe(merchant, { billing_frequency: undefined }, IBAN.approved);
  await switchAccount(service, id, IBAN.pending);
  const answers = await Promise.all(
    Array.from({ length: 12 }, () =>
      service.post(`management/subscriptions/${id}/collect/`, undefined, { key: merchant.key }),
    ),
  );
  assert.deepEqual(
    answers.map(({ status }) => status).toSorted((a, b) => a - b),
    [200, ...Array<number>(11).fill(409)],
  );
});

for (const [kind, told] of [
  ["settled", {}],
  ["returned", { reasonCode: "AM04", reasonMessage: null }],
] as const) {
  test(`a renewal that is ${kind} leaves the order to its first payment, which is still under way`, async () => {
    await freshMerchant();
    const id = await subscribe(merchant, { billing_frequency: undefined }, IBAN.pending);
    if (kind === "returned") await switchAccount(service, id, IBAN.returned);
    await service.post(`management/subscriptions/${id}/collect/`, undefined, { key: merchant.key });
    const renewalRow = async () => {
      const [row] = await service.rows(
        `select t.tenant, t.gateway_id, t.merchant_transaction_id as reference, t.status, o.status as order_status
           from transactions t join orders o on o.tenant = t.tenant and o.id = t.order_id
          where t.subscription_id = $1 and t.type = 'sdd_rebill'`,
        [id],
      );
      return row ?? {};
    };
    const renewal = await renewalRow();
    const news = { kind, reference: renewal["reference"], at: new Date(), ...told } as News;
    await applyNews(service.app.deps, renewal["tenant"], renewal["gateway_id"], news);
    const { status, order_status: order } = await renewalRow();
    assert.deepEqual([status, order], [kind === "settled" ? "approved" : "declined", "PENDING"]);
  });
}

for (const [what, iban, told, first] of [
  ["came back", IBAN.returned, "returned", "that"],
  ["came back", IBAN.returned, "returned", "the chargeback"],
  ["has settled", IBAN.pending, "settled", "that"],
  ["has settled", IBAN.pending, "settled", "the chargeback"],
] as const) {
  test(`an order whose first payment ${what} and whose renewal was charged back is charged back, though ${first} came first`, async () => {
    await freshMerchant();
    const id = await subscribe(merchant, { billing_frequency: undefined }, iban);
    await switchAccount(service, id, IBAN.approved);
    const path = `management/subscriptions/${id}/collect/`;
    const collected = await service.post(path, undefined, { key: merchant.key });
    assert.deepEqual(cyclesOf(collected.body), ["1:paid"], collected.text);
    const ends = async () => {
      const ticked = await service.post("management/sandbox/tick/", undefined, { key: merchant.key });
      assert.equal(ticked.body[told], 1, ticked.text);
    };
    const isChargedBack = async () => {
      const chargeback = { transaction_id: collected.body["cycles"][0].transaction_id };
      const made = await service.post("management/chargebacks/", chargeback, { key: merchant.key });
      assert.equal(made.status, 201, made.text);
    };
    const both = [ends, isChargedBack];
    for (const happens of first === "that" ? both : both.toReversed()) await happens();
    const rows = await service.rows(
      "select distinct o.status from orders o join transactions t on t.order_id = o.id where t.subscription_id = $1",
      [id],
    );
    assert.deepEqual(rows, [{ status: "CHARGEDBACK" }]);
  });
}

test("the chargeback of a payment of an ended subscription is recorded, and leaves it ended", async () => {
  await freshMerchant();
  await configure({ subscription_after_chargeback: "past_due" });
  const id = await subscribe(merchant);
  const cancelled = await service.post(`management/subscriptions/${id}/cancel/`, {}, { key: merchant.key });
  assert.equal(cancelled.status, 200, cancelled.text);
  const [sale] = await service.rows("select id from transactions where subscription_id = $1", [id]);
  const chargeback = { transaction_id: sale?.["id"] };
  const made = await service.post("management/chargebacks/", chargeback, { key: merchant.key });
  assert.equal(made.status, 201, made.text);
  const ended = await read(id);
  assert.deepEqual([ended["status"], ended["cancel_reason"]], ["CANCELLED", "cancelled by the merchant"]);
});

test("a last period does not end while its cycle waits for another attempt", async () => {
  await freshMerchant();
  const id = await subscribe(merchant, { billing_frequency: "WEEKLY" }, IBAN.approved);
  await switchAccount(service, id, IBAN.insufficientFunds);
  await moveTo("2026-02-06T12:00:00Z");
  const body = { at_period_end: true };
  await service.post(`management/subscriptions/${id}/cancel/`, body, { key: merchant.key });
  await moveTo("2026-02-09T13:00:00Z");
  await moveTo("2026-02-13T12:00:00Z");
  const waiting = await read(id);
  assert.deepEqual([waiting["status"], ...cyclesOf(waiting)], ["PAST_DUE", "1:retry"]);
  await switchAccount(service, id, IBAN.approved);
  await moveTo("2026-02-16T14:00:00Z");
  const ended = await read(id);
  assert.deepEqual([ended["status"], ...cyclesOf(ended)], ["CANCELLED", "1:paid"]);
});

test("a subscription whose end waits for its last cycle does not block others in a pass", async () => {
  await freshMerchant();
  const id = await subscribe(merchant, { billing_frequency: "WEEKLY" });
  await switchAccount(service, id, IBAN.insufficientFunds);
  await moveTo("2026-02-06T12:00:00Z");
  const body = { at_period_end: true };
  await service.post(`management/subscriptions/${id}/cancel/`, body, { key: merchant.key });
  await moveTo("2026-02-09T13:00:00Z");
  const other = await subscribe(merchant, { billing_frequency: "WEEKLY" });
  await moveIdly("2026-02-16T06:00:00Z");
  assert.equal(await renewDue(service.app.deps, 1), 1);
  assert.deepEqual(cyclesOf(await read(other)), ["1:paid"]);
  assert.deepEqual(cyclesOf(await read(id)), ["1:retry"]);
});

/** Moves the merchant's time without doing what became due. */
async function moveIdly(date: string): Promise<void> {
  await service.rows(
    `insert into tenant_clocks (tenant, ahead_ms, updated_at)
     select tenant, $2, now() from gateways where id = $1
         on conflict (tenant) do update set ahead_ms = excluded.ahead_ms`,
    [merchant.gatewayId, Date.parse(date) - clock.now().getTime()],
  );
  await (service.app.deps.time as unknown as { refresh(): Promise<void> }).refresh();
}

test("a renewal is announced once, however many processes find it at the same time", async () => {
  await freshMerchant();
  await createRecord(service, merchant.key, "webhook-profiles", {
    name: "Upcoming",
    url: "http://127.0.0.1:9/",
    events: ["subscription.upcoming"],
  });
  const ids = await Promise.all(Array.from({ length: 10 }, () => subscribe(merchant)));
  await moveIdly(later(clock.now(), 20 * DAY_MS).toISOString());
  await Promise.all([1, 2, 3, 4].map(() => announceJob(service.app.deps).runOnce(200)));
  const told = await service.rows(
    "select count(*)::integer as count from events where type = 'subscription.upcoming' and payload -> 'subscription' ->> 'id' = any ($1)",
    [ids],
  );
  assert.equal(told[0]?.["count"], 10);
});

test("four instances at once collect each cycle once", async () => {
  await freshMerchant();
  const ids = await Promise.all(Array.from({ length: 25 }, () => subscribe(merchant)));
  const others = await Promise.all(
    [1, 2, 3].map(() =>
      createApp({ ...service.config, databaseConnections: 5 }, service.databaseUrl, silentLog, {
        clock,
        between,
      }),
    ),
  );
  try {
    const [row] = await service.rows("select tenant from gateways where id = $1", [merchant.gatewayId]);
    await service.rows("insert into tenant_clocks (tenant, ahead_ms, updated_at) values ($1, $2, now())", [
      row?.["tenant"],
      31 * DAY_MS,
    ]);
    const apps = [service.app, ...others];
    await Promise.all(
      apps.map((app) => (app.deps.time as unknown as { refresh(): Promise<void> }).refresh()),
    );
    await Promise.all(
      apps.flatMap(({ deps }) => [
        renewDue(deps, 50),
        renewDue(deps, 50),
        recoverRenewalsJob(deps).runOnce(50),
      ]),
    );
    const charged = await service.rows(
      `select t.subscription_id, count(*)::integer as count from transactions t
         join sandbox_books b on b.tenant = t.tenant and b.reference = t.merchant_transaction_id and b.state = 'charged'
        where t.type = 'sdd_rebill' and t.subscription_id = any ($1) group by 1`,
      [ids],
    );
    assert.equal(charged.length, 25);
    assert.deepEqual([...new Set(charged.map(({ count }) => count))], [1]);
  } finally {
    for (const app of others) await app.close();
  }
});

test("after a crash behind the claim, or behind the collection, the cycle ends once, with the bank's outcome", async () => {
  for (const step of ["renewal.claimed", "renewal.collected"] as const) {
    await freshMerchant();
    const id = await subscribe(merchant);
    const dying = await createApp(
      { ...service.config, databaseConnections: 5 },
      service.databaseUrl,
      silentLog,
      {
        clock,
        between,
        reached: (at) => {
          if (at === step) throw new Error("died");
        },
      },
    );
    try {
      const [row] = await service.rows("select tenant from gateways where id = $1", [merchant.gatewayId]);
      await service.rows("insert into tenant_clocks (tenant, ahead_ms, updated_at) values ($1, $2, now())", [
        row?.["tenant"],
        31 * DAY_MS,
      ]);
      await (dying.deps.time as unknown as { refresh(): Promise<void> }).refresh();
      await renewDue(dying.deps, 50);
    } finally {
      await dying.close();
    }
    await (service.app.deps.time as unknown as { refresh(): Promise<void> }).refresh();
    assert.deepEqual(cyclesOf(await read(id)), ["1:collecting"], step);
    // The dead process's claim ends by the database's clock, not by the tenant's.
    clock.advance(CLAIM_MS);
    await moveTo("2026-03-03T10:00:00Z");
    const ended = await read(id);
    // Never sent: its reference was given up, and it is tried again an hour later, which the move has passed.
    await moveTo("2026-03-03T12:00:00Z");
    const tried = await read(id);
    assert.deepEqual(cyclesOf(tried), ["1:paid"], `${step}: ${cyclesOf(ended).join()}`);
    const books = await service.rows(
      `select count(*)::integer as count from sandbox_books b join transactions t
          on t.tenant = b.tenant and t.merchant_transaction_id = b.reference
        where t.subscription_id = $1 and t.type = 'sdd_rebill' and b.charged_at is not null`,
      [id],
    );
    assert.equal(books[0]?.["count"], 1, step);
  }
});

test("an instance whose clock is a minute ahead leaves a renewal to the instance that holds its lease", async () => {
  await freshMerchant();
  const id = await subscribe(merchant, { billing_frequency: undefined });
  const start = (more: object) =>
    createApp({ ...service.config, databaseConnections: 5 }, service.databaseUrl, silentLog, {
      between,
      ...more,
    });
  const ahead = await start({ clock: { ...clock, now: () => later(clock.now(), MINUTE_MS) } });
  const first = await start({
    clock,
    reached: (at: string) => {
      if (at === "renewal.claimed") throw new Error("died");
    },
  });
  try {
    const headers = { authorization: `Bearer ${merchant.key}` };
    const url = `/api/v1/management/subscriptions/${id}/collect/`;
    await first.server.app.ready();
    const died = await first.server.app.inject({ method: "POST", url, headers });
    assert.equal(died.statusCode, 500);
    await recoverRenewalsJob(ahead.deps).runOnce(50);
    assert.deepEqual(
      cyclesOf(await read(id)),
      ["1:collecting"],
      "the bank was not asked, and fences nothing",
    );
    clock.advance(CLAIM_MS);
    await recoverRenewalsJob(ahead.deps).runOnce(50);
    assert.deepEqual(cyclesOf(await read(id)), ["1:retry"]);
  } finally {
    for (const app of [first, ahead]) await app.close();
  }
});

test("a cancellation ends a subscription at once, also during a renewal, or with its period, and never another tenant's", async () => {
  await freshMerchant();
  const cancel = (id: string, body?: unknown, whose = merchant) =>
    service.post(`management/subscriptions/${id}/cancel/`, body, { key: whose.key });
  const now = await subscribe(merchant);
  const first = await cancel(now, { reason: "asked for it" });
  assert.deepEqual(
    [first.body["status"], first.body["cancel_reason"], first.body["next_billing_date"]],
    ["CANCELLED", "asked for it", null],
  );
  assert.deepEqual((await cancel(now, { reason: "again" })).body, first.body);
  const atEnd = await subscribe(merchant);
  assert.deepEqual((await cancel(atEnd, { at_period_end: true })).body["status"], "ACTIVE");
  const inFlight = await subscribe(merchant);
  await switchAccount(service, inFlight, IBAN.answerLost);
  await moveTo("2026-03-02");
  assert.deepEqual(
    [(await read(atEnd))["status"], (await read(atEnd))["cancel_reason"]],
    ["CANCELLED", "cancelled by the merchant"],
  );
  assert.equal((await cancel(inFlight)).body["status"], "CANCELLED");
  await moveTo("2026-03-02T02:00:00Z");
  const late = await read(inFlight);
  assert.deepEqual(
    [late["status"], ...cyclesOf(late), late["total_revenue"]],
    ["CANCELLED", "1:paid", "59.80"],
  );
  await moveTo("2026-05-04");
  assert.deepEqual(cyclesOf(await read(inFlight)), ["1:paid"]);
  const stranger = await createMerchant(service);
  const foreign = await cancel(now, undefined, stranger);
  const unknown = await cancel("018f0000-0000-7000-8000-000000000000", undefined, stranger);
  assert.deepEqual([foreign.status, foreign.text], [404, unknown.text]);
});

test("a subscription without a frequency is collected when asked, once per Idempotency-Key; a scheduled one on its day", async () => {
  await freshMerchant();
  const id = await subscribe(merchant, { billing_frequency: undefined });
  const collect = (which: string, headers: Record<string, string> = {}) =>
    service.post(`management/subscriptions/${which}/collect/`, undefined, { key: merchant.key, headers });
  const keyed = await Promise.all([1, 2, 3].map(() => collect(id, { "idempotency-key": "cycle-1" })));
  assert.ok(keyed.every(({ status }) => status === 200 || status === 409));
  await collect(id, { "idempotency-key": "cycle-1" });
  assert.deepEqual(cyclesOf(await read(id)), ["1:paid"]);
  await collect(id);
  assert.deepEqual(cyclesOf(await read(id)), ["1:paid", "2:paid"]);
  const scheduled = await subscribe(merchant);
  const refused = await collect(scheduled);
  assert.deepEqual(
    [refused.status, refused.body["detail"]],
    [409, "This subscription is collected automatically on 2026-02-28."],
  );
  await switchAccount(service, scheduled, IBAN.insufficientFunds);
  await moveTo("2026-03-02");
  await switchAccount(service, scheduled, IBAN.approved);
  assert.deepEqual(
    cyclesOf((await collect(scheduled)).body),
    ["1:paid"],
    "what waits for its next try is collected now",
  );
});

test("a renewal is announced once, so many days before, to the profiles that ask for it", async () => {
  await freshMerchant();
  await createRecord(service, merchant.key, "webhook-profiles", {
    name: "Upcoming",
    url: "http://127.0.0.1:9/",
    events: ["subscription.upcoming"],
  });
  const id = await subscribe(merchant);
  const told = async () =>
    (
      await service.rows(
        "select payload from events where type = 'subscription.upcoming' and payload -> 'subscription' ->> 'id' = $1 order by number",
        [id],
      )
    ).map(({ payload }) => payload["subscription"]);
  await moveTo("2026-02-13T12:00:00Z");
  assert.deepEqual(await told(), [], "15 days before");
  await moveTo("2026-02-14T12:00:00Z");
  await moveTo("2026-02-20");
  const [first, ...more] = await told();
  assert.deepEqual(more, []);
  assert.deepEqual(
    [first.amount, first.due_date, first.collection_date],
    ["29.90", "2026-02-28", "2026-03-02"],
  );
  assert.match(first.mandate_reference, /^MND-/);
  await moveTo("2026-03-02");
  await moveTo("2026-03-17");
  assert.equal((await told()).length, 2, "the next one");
});

test("the books check finds a cycle that does not have the outcome of its transaction", async () => {
  await freshMerchant();
  const id = await subscribe(merchant);
  await moveTo("2026-03-02");
  const differences = async () =>
    (await checkBooks(service.db)).differences.filter((words) => words.includes(`subscription ${id}`));
  assert.deepEqual(await differences(), []);
  await service.rows("update billing_cycles set status = 'failed' where subscription_id = $1", [id]);
  const [found] = await differences();
  assert.match(found ?? "", /Cycle 1 of subscription \S+ is failed; its transaction is approved\./);
  await service.rows("update billing_cycles set status = 'paid' where subscription_id = $1", [id]);
});

// Holds CYCLE-1 and SUBSCRIPTION-3.
test("many subscriptions are collected week after week: every cycle once, none missing, and the books agree", async () => {
  const weeks = sized(13, 52);
  await freshMerchant();
  const ids = await Promise.all(
    Array.from({ length: 20 }, () => subscribe(merchant, { billing_frequency: "WEEKLY" })),
  );
  const start = Date.parse("2026-01-30T10:00:00Z");
  for (let week = 1; week <= weeks; week += 1) {
    await moveTo(new Date(start + week * 7 * DAY_MS + 5 * DAY_MS + HOUR_MS).toISOString());
  }
  const counts = await service.rows(
    "select count(*)::integer as count, count(distinct cycle)::integer as cycles from billing_cycles where subscription_id = any ($1) and status = 'paid' group by subscription_id",
    [ids],
  );
  assert.deepEqual(
    counts,
    Array.from({ length: 20 }, () => ({ count: weeks, cycles: weeks })),
  );
});
