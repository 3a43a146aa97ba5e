/** kill -9 of the real process at each step: after a restart the session ends in agreement with the gateway's books. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { assertBooksAgree } from "./support/books.ts";
import { testDatabase, type TestDatabase } from "./support/database.ts";
import type { Step } from "../src/deps.ts";
import { targetDayFrom } from "../src/sepa/target.ts";
import { DAY_MS } from "../src/lib/clock.ts";
import { utcDate } from "../src/lib/dates.ts";
import { cyclesOf, readSubscription, subscribe } from "./support/billing.ts";
import { createMerchant, IBAN, lead, type Merchant } from "./support/merchant.ts";
import { machine, serviceOf, type Machine, type ServiceProcess } from "./support/process.ts";
import type { Json } from "./support/service.ts";
import { sized } from "./support/sized.ts";
import { adHoc } from "../tools/ad-hoc.ts";

let database: TestDatabase;
let host: Machine;
let running: ServiceProcess;
/** Calls the process that is running. */
const service = serviceOf(() => running);
let merchant: Merchant;

before(async () => {
  database = await testDatabase();
  host = await machine(database.url);
  running = await host.start();
  merchant = await createMerchant(service);
});
after(async () => {
  await running.stop();
  await host.remove();
  await database.close();
});

function rows(text: string, values: readonly unknown[] = []): Promise<readonly Json[]> {
  return database.db.query<Json>(...adHoc(text, values));
}

/** Makes the call during which the process dies at the step, and then restarts the process. */
async function dyingAt(step: Step, call: () => Promise<unknown>): Promise<void> {
  await running.dieAt(step);
  await assert.rejects(call, /socket hang up|ECONNRESET/);
  assert.equal(await running.ended, "SIGKILL");
  // Recovery waits until the dead process's lease ends; this ends it at once.
  await rows(
    "update transactions set resolve_at = now() - interval '1 second', locked_until = null where status in ('submitted', 'verifying')",
  );
  running = await host.start();
}

async function settled(): Promise<void> {
  for (let tries = 0; tries < 600; tries += 1) {
    const open = await rows(
      "select 1 from transactions where status in ('submitted', 'unresolved', 'verifying')",
    );
    if (open.length === 0) return;
    await new Promise((resolve) => {
      setTimeout(resolve, 50);
    });
  }
  assert.fail("an attempt was never resolved");
}

/** There is at most one charge, and the records agree with the bank's books. */
async function assertBooks(reference: {
  readonly charges: number;
  readonly status: string;
  readonly email: unknown;
}): Promise<void> {
  const [row] = await rows(
    `select s.status,
            count(distinct b.reference) filter (where b.charged_at is not null)::int as charges,
            count(distinct t.id) filter (where t.status = 'approved')::int as approved,
            count(distinct e.id)::int as events
       from sessions s
       join leads l on l.tenant = s.tenant and l.id = s.lead_id
       left join transactions t on t.tenant = s.tenant and t.session_id = s.id
       left join sandbox_books b on b.tenant = s.tenant and b.reference = t.merchant_transaction_id
       left join events e on e.tenant = s.tenant and e.session_id = s.id and e.type = 'payment_session.completed'
      where l.email = $1
      group by s.id, s.status`,
    [reference.email],
  );
  const { charges, status } = reference;
  assert.deepEqual({ ...row }, { status, charges, approved: charges, events: charges });
}

const PAY = [
  ["pay.claimed", 0, "PENDING"],
  ["pay.collected", 1, "COMPLETED"],
  ["pay.before_claim", 0, "PENDING"],
  ["pay.recorded", 1, "COMPLETED"],
] as const;
for (const [step, charges, status] of sized(PAY.slice(0, 2), PAY)) {
  test(`killed at ${step}: ${charges} charge, session ${status}`, async () => {
    const person = lead();
    const token = await merchant.session({ lead: person });
    await dyingAt(step, () => merchant.pay(token, IBAN.approved));
    await settled();
    await assertBooks({ charges, status, email: person["email"] });
    const again = await merchant.pay(token, IBAN.approved);
    if (charges === 1) assert.equal(again.status, 410);
    else assert.equal(again.body["status"], "completed");
    await assertBooks({ charges: 1, status: "COMPLETED", email: person["email"] });
  });
}

const VERIFY = ["verify.collected", "verify.claimed", "verify.before_claim", "verify.recorded"] as const;
for (const step of sized(VERIFY.slice(0, 1), VERIFY)) {
  test(`killed at ${step}: the verification completes once`, async () => {
    const person = lead();
    const token = await merchant.session({ lead: person });
    assert.equal((await merchant.pay(token, IBAN.verification)).body["status"], "awaiting_verification");
    await dyingAt(step, () => merchant.verify(token));
    await settled();
    const again = await merchant.verify(token);
    assert.ok(again.status === 410 || again.body["status"] === "completed", again.text);
    await assertBooks({ charges: 1, status: "COMPLETED", email: person["email"] });
  });
}

const CREATE = ["create.before_answer", "create.before_insert"] as const;
for (const step of sized(CREATE.slice(0, 1), CREATE)) {
  test(`killed at ${step}: no incomplete session is left, and the same Idempotency-Key creates one`, async () => {
    const person = lead();
    const body = {
      lead: person,
      gateway_id: merchant.gatewayId,
      amount: "5.00",
      currency: "EUR",
      billing_type: "ONE_OFF",
    };
    const create = () =>
      service.post("payment-sessions/", body, { key: merchant.key, headers: { "idempotency-key": step } });
    await dyingAt(step, create);
    await rows(
      "update idempotency_keys set locked_until = now() - interval '1 second' where locked_until is not null",
    );
    const again = await create();
    assert.equal(again.status, 201, again.text);
    const sessions = await rows(
      "select s.id from sessions s join leads l on l.id = s.lead_id where l.email = $1",
      [person["email"]],
    );
    assert.equal(sessions.length, 1);
    assert.equal((await merchant.retrieve(again.body["session_token"])).body["status"], "PENDING");
  });
}

const REFUND = [
  ["refund.claimed", 0],
  ["refund.asked", 1],
  ["refund.before_claim", 0],
  ["refund.recorded", 1],
] as const;
for (const [step, refunded] of sized(REFUND.slice(0, 2), REFUND)) {
  test(`killed at ${step}: ${refunded} refund, and the same Idempotency-Key makes no second one`, async () => {
    const payment = (await merchant.pay(await merchant.session(), IBAN.approved)).body["transaction"];
    const refund = () =>
      service.post(`management/transactions/${payment.id}/refunds/`, undefined, {
        key: merchant.key,
        headers: { "idempotency-key": `${step}-${payment.id}` },
      });
    await dyingAt(step, refund);
    await settled();
    const given = async () => {
      const [row] = await rows(
        `select t.status, t.refunded, t.refund_claimed as claimed, b.refunded as given
           from transactions t join sandbox_books b on b.tenant = t.tenant and b.reference = t.merchant_transaction_id
          where t.id = $1`,
        [payment.id],
      );
      return [row?.["status"], row?.["refunded"], row?.["claimed"], row?.["given"]];
    };
    const all = ["refunded", "19.90", "19.90", "19.90"];
    assert.deepEqual(await given(), refunded === 1 ? all : ["approved", "0.00", "0.00", "0.00"]);
    await rows(
      "update idempotency_keys set locked_until = now() - interval '1 second' where locked_until is not null",
    );
    const again = await refund();
    const status = { "refund.before_claim": "approved", "refund.claimed": "declined" }[step as string];
    assert.deepEqual([again.status, again.body["status"]], [201, status ?? "approved"]);
    assert.deepEqual(await given(), step === "refund.claimed" ? ["approved", "0.00", "0.00", "0.00"] : all);
  });
}

test("killed while a held refund is being sent: it ends in agreement with the gateway", async () => {
  const shop = await createMerchant(service);
  const settings = { refund_hold_days: 10 };
  await service.call("PATCH", "management/tenant/", settings, { key: shop.key });
  const payment = (await shop.pay(await shop.session(), IBAN.approved)).body["transaction"];
  const path = `management/transactions/${payment.id}/refunds/`;
  const held = (await service.post(path, {}, { key: shop.key })).body;
  assert.notEqual(held["held_until"], null);
  await dyingAt("refund.asked", () => service.post(`${path}${held["id"]}/release/`, {}, { key: shop.key }));
  await settled();
  const ends = await rows(
    `select r.status, p.status as original, b.refunded as given
       from transactions r
       join transactions p on p.tenant = r.tenant and p.id = r.original_id
       join sandbox_books b on b.tenant = p.tenant and b.reference = p.merchant_transaction_id
      where r.id = $1`,
    [held["id"]],
  );
  assert.deepEqual(ends, [{ status: "approved", original: "refunded", given: "19.90" }]);
});

const RENEWAL = ["renewal.claimed", "renewal.collected", "renewal.before_claim", "renewal.recorded"] as const;
for (const step of sized(RENEWAL.slice(0, 2), RENEWAL)) {
  test(`killed at ${step}: the cycle is collected once`, async () => {
    const buyer = await createMerchant(service);
    const id = await subscribe(buyer);
    const day = targetDayFrom(utcDate(new Date(Date.now() + 40 * DAY_MS)));
    const move = (time: string) =>
      service.post("management/clock/", { date: `${day}T${time}Z` }, { key: buyer.key });
    await dyingAt(step, () => move("12:00:00"));
    const cycle = async () => cyclesOf(await readSubscription(service, buyer, id))[0];
    for (let tries = 0; tries < 600 && !["1:paid", "1:retry"].includes((await cycle()) ?? ""); tries += 1) {
      await new Promise((resolve) => {
        setTimeout(resolve, 50);
      });
    }
    // A claimed renewal that never reached the bank is retried an hour later.
    if (step === "renewal.claimed") await move("14:00:00");
    assert.equal(await cycle(), "1:paid");
    const [book] = await rows(
      `select count(*)::int as charges from sandbox_books b
         join transactions t on t.tenant = b.tenant and t.merchant_transaction_id = b.reference
        where t.subscription_id = $1 and t.type = 'sdd_rebill' and b.charged_at is not null`,
      [id],
    );
    assert.equal(book?.["charges"], 1);
  });
}

const BY_HAND = ["renewal.collected", "renewal.claimed", "renewal.recorded"] as const;
for (const step of sized(BY_HAND.slice(0, 1), BY_HAND)) {
  test(`killed at ${step} of a collection by hand: the same Idempotency-Key collects nothing more`, async () => {
    const buyer = await createMerchant(service);
    const id = await subscribe(buyer, { billing_frequency: undefined });
    const collect = () =>
      service.post(`management/subscriptions/${id}/collect/`, undefined, {
        key: buyer.key,
        headers: { "idempotency-key": `${step}-${id}` },
      });
    await dyingAt(step, collect);
    await settled();
    await rows(
      "update idempotency_keys set locked_until = now() - interval '1 second' where locked_until is not null",
    );
    const again = await collect();
    assert.equal(again.status, 200, again.text);
    assert.deepEqual(cyclesOf(again.body), [step === "renewal.claimed" ? "1:retry" : "1:paid"]);
    const [book] = await rows(
      `select count(*)::int as charges from sandbox_books b
         join transactions t on t.tenant = b.tenant and t.merchant_transaction_id = b.reference
        where t.subscription_id = $1 and t.type = 'sdd_rebill' and b.charged_at is not null`,
      [id],
    );
    assert.equal(book?.["charges"], step === "renewal.claimed" ? 0 : 1);
  });
}

const CANCEL = ["cancel.before_answer", "cancel.before_update"] as const;
for (const step of sized(CANCEL.slice(0, 1), CANCEL)) {
  test(`killed at ${step}: a repeated cancellation has the same response`, async () => {
    const token = await merchant.session();
    await dyingAt(step, () => merchant.cancel(token));
    assert.deepEqual((await merchant.cancel(token)).body, { session_token: token, status: "EXPIRED" });
  });
}

test("after SIGTERM a running payment is completed and answered before the process ends", async () => {
  const token = await merchant.session();
  const slow = merchant.pay(token, IBAN.slow);
  await submitted();
  running.child.kill("SIGTERM");
  assert.equal((await slow).body["status"], "completed");
  assert.equal(await running.ended, 0);
  running = await host.start();
});

test("after all of this the books agree", async () => {
  await assertBooksAgree(database.db);
});

async function submitted(): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1) {
    if ((await rows("select 1 from transactions where status = 'submitted'")).length > 0) return;
    await new Promise((resolve) => {
      setTimeout(resolve, 10);
    });
  }
  assert.fail("the payment was not submitted");
}
