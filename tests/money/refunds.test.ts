/**
 * Refunds: full or partial, never more than was collected, reported once, and completed after any interruption
 * (contract: Refunds).
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { must } from "../../src/lib/assert.ts";
import { later } from "../../src/lib/clock.ts";
import { applyNews } from "../../src/payments/news/apply.ts";
import { chargeBack } from "../../src/payments/chargebacks/charge-back.ts";
import { recoverRefundsJob } from "../../src/payments/refunds/recover.ts";
import { lockTransaction } from "../../src/payments/store.ts";
import { recoverJob } from "../../src/sessions/recover.ts";
import { untilWaiting } from "../support/at-once.ts";
import { createMerchant, createRecord, IBAN, type Merchant } from "../support/merchant.ts";
import {
  startService,
  type CallOptions,
  type Json,
  type Response,
  type Service,
} from "../support/service.ts";

let service: Service;
let merchant: Merchant;
/** The service's clock, moved by the tests. */
let shift = 0;

const EVENTS = ["transaction.created", "transaction.status_changed", "guard.triggered"];

before(async () => {
  service = await startService({
    clock: { now: () => later(new Date(), shift), monotonicMs: () => performance.now() },
  });
  merchant = await createMerchant(service);
  const profile = { name: "All", url: "https://example.com/hook", events: EVENTS };
  await createRecord(service, merchant.key, "webhook-profiles", profile);
});
after(() => service.close());

/** The envelope of a payment of 19.90. */
async function paid(iban: string = IBAN.approved, changes: Record<string, unknown> = {}): Promise<Json> {
  return (await merchant.pay(await merchant.session(changes), iban)).body;
}

function refund(id: string, body: unknown = {}, options: CallOptions = {}): Promise<Response> {
  return service.post(`management/transactions/${id}/refunds/`, body, { key: merchant.key, ...options });
}

const tick = () => service.post("management/sandbox/tick/", undefined, { key: merchant.key });

async function state(payment: Json): Promise<readonly unknown[]> {
  const [row] = await service.rows(
    `select t.status as transaction, o.status as "order", t.refunded, t.refund_claimed as claimed
       from transactions t join orders o on o.tenant = t.tenant and o.id = t.order_id where t.id = $1`,
    [payment["transaction"].id],
  );
  return [row?.["transaction"], row?.["order"], row?.["refunded"], row?.["claimed"]];
}

function eventsOf(payment: Json): Promise<readonly Json[]> {
  return service.rows(
    "select type, session_id, payload from events where payload ->> 'order_number' = $1 order by number",
    [payment["order_number"]],
  );
}

test("without an amount all of it goes back: the refund's record, the transaction refunded, the order REFUNDED", async () => {
  const payment = await paid(IBAN.approved, { amount: "20.00" });
  const { status, body, text } = await refund(payment["transaction"].id, { reason: "Kündigung" });
  assert.equal(status, 201, text);
  assert.match(body["merchant_transaction_id"], /^TXN-\d{8}-[0-9A-Z]{8}$/);
  assert.deepEqual(
    [
      body["type"],
      body["source"],
      body["status"],
      body["amount"],
      body["currency"],
      body["tenant_reference_id"],
    ],
    ["sdd_refund", "admin_refund", "approved", "20.00", "EUR", null],
  );
  assert.deepEqual(
    [body["original_transaction_id"], body["reason"], body["error_details"], body["order_id"], body["iban"]],
    [payment["transaction"].id, "Kündigung", null, payment["order"].id, "******************3000"],
  );
  assert.notEqual(body["id"], payment["transaction"].id);
  assert.notEqual(body["transaction_id"], null);
  assert.deepEqual(await state(payment), ["refunded", "REFUNDED", "20.00", "20.00"]);
});

test("without a body at all: all of it", async () => {
  const payment = await paid();
  const { status, body } = await refund(payment["transaction"].id, undefined);
  assert.deepEqual([status, body["amount"]], [201, "19.90"]);
});

test("a full refund emits a created refund and a changed payment, with the payment's session", async () => {
  const payment = await paid();
  const { body } = await refund(payment["transaction"].id);
  const [created, refunded, changed, ...more] = await eventsOf(payment).then((all) =>
    all.filter(({ type }) => type !== "payment_session.completed"),
  );
  assert.deepEqual(more, []);
  assert.equal(created?.["payload"].transaction.id, payment["transaction"].id);
  const {
    original_transaction_id: _,
    reason: __,
    error_details: ___,
    notice: ____,
    held_until,
    way,
    ...record
  } = body;
  assert.deepEqual([held_until, way], [null, "transfer"]);
  assert.deepEqual([refunded?.["type"], refunded?.["payload"].transaction], ["transaction.created", record]);
  assert.deepEqual(
    [changed?.["type"], changed?.["payload"].transaction.id, changed?.["payload"].transaction.status],
    ["transaction.status_changed", payment["transaction"].id, "refunded"],
  );
  assert.equal(changed?.["payload"].previous_status, "approved");
  const day = created?.["payload"].transaction.date_processed.slice(0, 10);
  const listed = await service.get(
    `reconciliation/transactions/?start_date=${day}&end_date=${day}&page_size=1000`,
    { key: merchant.key },
  );
  const original = listed.body["results"].find(({ id }: Json) => id === payment["transaction"].id);
  assert.deepEqual(changed?.["payload"].transaction, original);
  assert.equal(new Set([created, refunded, changed].map((event) => event?.["session_id"])).size, 1);
});

test("partial refunds: the order moves with the last of them, which takes all that is left", async () => {
  const payment = await paid();
  const { id } = payment["transaction"];
  assert.equal((await refund(id, { amount: "5.00" })).body["status"], "approved");
  assert.equal((await refund(id, { amount: 4.9 })).body["amount"], "4.90");
  assert.deepEqual(await state(payment), ["approved", "COMPLETED", "9.90", "9.90"]);
  assert.equal((await refund(id)).body["amount"], "10.00");
  assert.deepEqual(await state(payment), ["refunded", "REFUNDED", "19.90", "19.90"]);
  const changes = (await eventsOf(payment)).filter(({ type }) => type === "transaction.status_changed");
  assert.equal(changes.length, 1);
});

test("100 concurrent partial refunds: never one cent too much, here and in the bank's books", async () => {
  const payment = await paid();
  const { id, merchant_transaction_id: reference } = payment["transaction"];
  const answers = await Promise.all(Array.from({ length: 100 }, () => refund(id, { amount: "0.37" })));
  const taken = answers.filter(({ status }) => status === 201);
  // 53 × 0.37 = 19.61; the 54th would be 19.98.
  assert.equal(taken.length, 53);
  assert.ok(taken.every(({ body }) => body["status"] === "approved"));
  assert.ok(answers.every(({ status }) => status === 201 || status === 400));
  assert.deepEqual(await state(payment), ["approved", "COMPLETED", "19.61", "19.61"]);
  const [books] = await service.rows(
    `select b.refunded, (select sum(amount) from sandbox_books r where r.refund_of = b.reference and r.state = 'refunded') as given
       from sandbox_books b where b.reference = $1`,
    [reference],
  );
  assert.deepEqual(books, { refunded: "19.61", given: "19.61" });
  assert.deepEqual((await refund(id, { amount: "0.30" })).body, {
    amount: ["At most 0.29 EUR can still be refunded."],
    status_code: 400,
  });
});

test("of 50 full refunds at once, one is made", async () => {
  const payment = await paid();
  const answers = await Promise.all(Array.from({ length: 50 }, () => refund(payment["transaction"].id)));
  const count = (wanted: number) => answers.filter(({ status }) => status === wanted).length;
  assert.deepEqual([count(201), count(409)], [1, 49]);
  assert.deepEqual(await state(payment), ["refunded", "REFUNDED", "19.90", "19.90"]);
});

test("the database itself refuses to refund more than was collected", async () => {
  const payment = await paid();
  await assert.rejects(
    service.rows("update transactions set refund_claimed = 19.91 where id = $1 returning id", [
      payment["transaction"].id,
    ]),
    /refunds_within_amount/,
  );
});

test("400 on amount: above what was collected, zero, negative, three decimals, not a number", async () => {
  const { id } = (await paid())["transaction"];
  for (const amount of ["19.91", "0", "-1", "1.001", "all", true]) {
    const { status, body } = await refund(id, { amount });
    assert.deepEqual([status, Object.keys(body)], [400, ["amount", "status_code"]], String(amount));
  }
  const { status, body } = await refund(id, { reason: "x".repeat(501) });
  assert.deepEqual([status, Object.keys(body)], [400, ["reason", "status_code"]]);
});

const words = async (id: string) => {
  const { status, body } = await refund(id);
  return [status, body["detail"]];
};

test("409 with the reason for a transaction that cannot be refunded", async () => {
  const pending = await paid(IBAN.pending);
  const declined = await paid(IBAN.declined);
  const trial = await paid(IBAN.approved, {
    billing_type: "TRIAL_RECURRING",
    billing_frequency: "MONTHLY",
    trial_interval_unit: "day",
    trial_period: 7,
  });
  const refunded = await paid();
  const itself = (await refund(refunded["transaction"].id)).body;
  const partly = await paid(IBAN.pending);
  await tick();
  await refund(partly["transaction"].id);
  const only = "Only an approved transaction can be refunded; this one is";
  // The tick above has settled what was pending.
  assert.equal((await refund(pending["transaction"].id)).status, 201);
  const unsettled = await paid(IBAN.pending);
  for (const [payment, detail] of [
    [unsettled["transaction"].id, `${only} pending.`],
    [declined["transaction"].id, `${only} declined.`],
    [trial["transaction"].id, "This transaction collected nothing."],
    [refunded["transaction"].id, "This transaction is refunded in full."],
    [itself["id"], "This transaction is a refund."],
    [partly["transaction"].id, "The whole amount is refunded or being refunded."],
  ] as const) {
    assert.deepEqual(await words(payment), [409, detail]);
  }
});

test("409 once it was charged back; a refund before that does not stop the chargeback", async () => {
  const payment = await paid(IBAN.chargedBack);
  const before = await paid(IBAN.chargedBack);
  assert.equal((await refund(before["transaction"].id)).status, 201);
  await tick();
  assert.deepEqual(await state(payment), ["charged_back", "CHARGEDBACK", "0.00", "0.00"]);
  assert.deepEqual(await state(before), ["charged_back", "CHARGEDBACK", "19.90", "19.90"]);
  const [status, detail] = await words(payment["transaction"].id);
  assert.equal(status, 409);
  assert.match(String(detail), /returned or charged back/);
});

test("404 for an unknown, malformed or foreign id; 403 without the scope", async () => {
  const other = await createMerchant(service);
  const theirs = (await other.pay(await other.session(), IBAN.approved)).body["transaction"].id;
  for (const id of [theirs, "018f0000-0000-7000-8000-000000000000", "x"]) {
    assert.deepEqual(await words(id), [404, "Not found."]);
    const list = await service.get(`management/transactions/${id}/refunds/`, { key: merchant.key });
    assert.equal(list.status, 404);
  }
  const { api_key: key } = await createRecord(service, merchant.key, "api-keys", {
    name: "Accounting",
    scopes: ["reconciliation"],
  });
  assert.equal((await refund((await paid())["transaction"].id, {}, { key })).status, 403);
});

test("the same Idempotency-Key refunds once; another body under it is 422", async () => {
  const payment = await paid();
  const { id } = payment["transaction"];
  const headers = { "idempotency-key": `refund-${id}` };
  const first = await refund(id, { amount: "1.00" }, { headers });
  const again = await refund(id, { amount: "1.00" }, { headers });
  assert.deepEqual([again.status, again.text], [201, first.text]);
  assert.equal(again.headers["idempotent-replayed"], "true");
  assert.equal((await refund(id, { amount: "2.00" }, { headers })).status, 422);
  assert.deepEqual(await state(payment), ["approved", "COMPLETED", "1.00", "1.00"]);
});

test("the same operation again, its answer lost: it finds the refund that it made", async () => {
  const payment = await paid();
  const { id } = payment["transaction"];
  const headers = { "idempotency-key": `lost-${id}` };
  const first = await refund(id, {}, { headers });
  await service.rows(
    "update idempotency_keys set status = null, answer = null, locked_until = created_at where key = $1 returning key",
    [headers["idempotency-key"]],
  );
  const again = await refund(id, {}, { headers });
  assert.deepEqual([again.status, again.body], [201, first.body]);
  assert.deepEqual(await state(payment), ["refunded", "REFUNDED", "19.90", "19.90"]);
});

test("a refund whose answer was lost is pending until eight passes at once have asked the gateway once", async () => {
  const payment = await paid(IBAN.answerLost);
  shift += 11_000;
  await recoverJob(service.app.deps).runOnce(10);
  const { body } = await refund(payment["transaction"].id);
  assert.deepEqual([body["status"], body["error_details"].code], ["pending", "gateway_unavailable"]);
  assert.deepEqual(await state(payment), ["approved", "COMPLETED", "0.00", "19.90"]);
  assert.deepEqual(await words(payment["transaction"].id), [
    409,
    "The whole amount is refunded or being refunded.",
  ]);
  shift += 11_000;
  await Promise.all(Array.from({ length: 8 }, () => recoverRefundsJob(service.app.deps).runOnce(10)));
  assert.deepEqual(await state(payment), ["refunded", "REFUNDED", "19.90", "19.90"]);
  const created = (await eventsOf(payment)).filter(
    ({ type, payload }) => type === "transaction.created" && payload.transaction.type === "sdd_refund",
  );
  assert.equal(created.length, 1);
});

test("a refund that the bank declines releases its amount, and emits no event", async () => {
  const payment = await paid();
  const { id, merchant_transaction_id: reference } = payment["transaction"];
  // The bank has refunded some of it in another way.
  await service.rows("update sandbox_books set refunded = 10 where reference = $1 returning reference", [
    reference,
  ]);
  const { status, body } = await refund(id);
  assert.deepEqual([status, body["status"], body["error_details"].gateway_code], [201, "declined", "AM02"]);
  assert.deepEqual(await state(payment), ["approved", "COMPLETED", "0.00", "0.00"]);
  assert.deepEqual(
    (await eventsOf(payment)).map(({ type }) => type),
    ["payment_session.completed", "transaction.created"],
  );
  assert.equal((await refund(id, { amount: "9.90" })).body["status"], "approved");
  const told = (await eventsOf(payment)).filter(({ payload }) => payload.transaction?.type === "sdd_refund");
  assert.deepEqual(
    told.map(({ payload }) => payload.transaction.amount),
    ["9.90"],
  );
});

test("a refund that is settled later is pending until then, and the order moves only then", async () => {
  const payment = await paid(IBAN.pending);
  await tick();
  const { body } = await refund(payment["transaction"].id);
  assert.equal(body["status"], "pending");
  assert.deepEqual(await state(payment), ["approved", "COMPLETED", "0.00", "19.90"]);
  await Promise.all(Array.from({ length: 4 }, tick));
  assert.deepEqual(await state(payment), ["refunded", "REFUNDED", "19.90", "19.90"]);
  const told = (await eventsOf(payment)).filter(({ payload }) => payload.transaction?.id === body["id"]);
  assert.deepEqual(
    told.map(({ type, payload }) => [type, payload.previous_status ?? null, payload.transaction.status]),
    [
      ["transaction.created", null, "pending"],
      ["transaction.status_changed", "pending", "approved"],
    ],
  );
});

test("a gateway account that cannot be opened refunds nothing", async () => {
  const payment = await paid();
  const [gateway] = await service.rows(
    "update gateways set credentials = '\\x00' where id = $1 returning id",
    [merchant.gatewayId],
  );
  assert.ok(gateway);
  const { body } = await refund(payment["transaction"].id);
  await service.rows("update gateways set credentials = null where id = $1 returning id", [
    merchant.gatewayId,
  ]);
  assert.deepEqual([body["status"], body["error_details"].code], ["declined", "gateway_unavailable"]);
  assert.deepEqual(await state(payment), ["approved", "COMPLETED", "0.00", "0.00"]);
});

test("a refund that arrives at the same moment as a chargeback of its payment takes no revenue of another payment", async () => {
  const payment = await paid(IBAN.pending, { billing_type: "RECURRING", billing_frequency: "MONTHLY" });
  const { id } = payment["transaction"];
  await service.post("management/sandbox/tick/", undefined, { key: merchant.key });
  const { body } = await refund(id, { amount: "5.00" });
  assert.equal(body["status"], "pending");
  const subscription = payment["subscription"].id;
  // As if other payments had earned 100.00.
  await service.rows(
    "update subscriptions set total_revenue = total_revenue + 100 where id = $1 returning 1",
    [subscription],
  );
  const { deps } = service.app;
  const [row] = await service.rows("select tenant from subscriptions where id = $1", [subscription]);
  const tenant: number = row?.["tenant"];
  const [written, kept] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const charging = deps.db.transaction(async (tx) => {
    const locked = must(await lockTransaction(tx, tenant, id), "the payment");
    const more = { reasonCode: null, reasonMessage: null, amount: null, bankFee: null, reportType: null };
    await chargeBack(deps, tx, tenant, locked, {
      id: deps.ids.uuid(),
      reportDate: new Date(),
      source: "webhook",
      ...more,
    });
    written.resolve();
    await kept.promise;
  });
  await written.promise;
  const reference: string = body["merchant_transaction_id"];
  const settling = applyNews(deps, tenant, merchant.gatewayId, {
    kind: "settled",
    reference,
    at: new Date(),
  });
  await untilWaiting(service);
  kept.resolve();
  await Promise.all([charging, settling]);
  const [end] = await service.rows("select total_revenue from subscriptions where id = $1", [subscription]);
  assert.equal(end?.["total_revenue"], "100.00");
});

test("a subscription's revenue follows its refunds", async () => {
  const payment = await paid(IBAN.approved, { billing_type: "RECURRING", billing_frequency: "MONTHLY" });
  const revenue = async () =>
    (
      await service.rows("select status, total_revenue from subscriptions where id = $1", [
        payment["subscription"].id,
      ])
    )[0];
  await refund(payment["transaction"].id, { amount: "4.90" });
  assert.deepEqual(await revenue(), { status: "ACTIVE", total_revenue: "15.00" });
  await refund(payment["transaction"].id);
  assert.deepEqual(await revenue(), { status: "ACTIVE", total_revenue: "0.00" });
});

test("the audit log names who refunded, and the transaction lists its refunds, newest first", async () => {
  const payment = await paid();
  const { id } = payment["transaction"];
  const first = (await refund(id, { amount: "1.00" })).body;
  const second = (await refund(id, { amount: "2.00" })).body;
  const path = `management/transactions/${id}/refunds/`;
  const page = (await service.get(`${path}?page_size=1`, { key: merchant.key })).body;
  assert.deepEqual(page["results"], [second]);
  const next = new URL(page["next"]);
  assert.deepEqual((await service.get(next.pathname + next.search, { key: merchant.key })).body["results"], [
    first,
  ]);
  const log = await service.get(`management/audit-log/?resource=refunds&resource_id=${second["id"]}`, {
    key: merchant.key,
  });
  const [entry] = log.body["results"];
  assert.deepEqual(
    [entry.action, entry.before, entry.after.amount, entry.after.original_transaction_id],
    ["create", null, "2.00", id],
  );
});
