/** Chargebacks entered by hand: one per transaction, linked, reported, logged (contract: Chargebacks). */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { assertBooksAgree } from "../support/books.ts";
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

before(async () => {
  service = await startService();
  merchant = await createMerchant(service);
  const events = ["chargeback.created", "transaction.status_changed"];
  await createRecord(service, merchant.key, "webhook-profiles", {
    name: "All",
    url: "https://example.com/hook",
    events,
  });
});
after(() => service.close());

async function paid(iban: string = IBAN.approved, changes: Record<string, unknown> = {}): Promise<Json> {
  const token = await merchant.session(changes);
  return (await merchant.pay(token, iban, { tenant_reference_id: `ref-${token.slice(-20)}` })).body;
}

function record(body: Record<string, unknown>, options: CallOptions = {}): Promise<Response> {
  return service.post("management/chargebacks/", body, { key: merchant.key, ...options });
}

const read = (path: string) => service.get(`management/chargebacks/${path}`, { key: merchant.key });
const tick = () => service.post("management/sandbox/tick/", undefined, { key: merchant.key });

async function state(payment: Json): Promise<readonly unknown[]> {
  const [row] = await service.rows(
    `select t.status as transaction, o.status as "order",
            (select count(*)::int from chargebacks c where c.tenant = t.tenant and c.transaction_id = t.id) as chargebacks
       from transactions t join orders o on o.tenant = t.tenant and o.id = t.order_id where t.id = $1`,
    [payment["transaction"].id],
  );
  return [row?.["transaction"], row?.["order"], row?.["chargebacks"]];
}

test("a chargeback is the documented record, linked to its transaction, which is charged back, and its order", async () => {
  const payment = await paid();
  const { status, body, text } = await record({
    transaction_id: payment["transaction"].id,
    reason_code: "MD06",
    reason_message: "Widerspruch",
    report_date: "2026-03-02",
    cb_bank_fee: "3.5",
  });
  assert.equal(status, 201, text);
  const { id, created_at, updated_at, transaction_date, ...rest } = body;
  const { transaction } = payment;
  assert.deepEqual(rest, {
    adapter_unique_id: transaction.gateway_reference,
    merchant_transaction_id: transaction.merchant_transaction_id,
    tenant_reference_id: transaction.tenant_reference_id,
    status: "charged_back",
    type: "chargeback",
    amount: "19.90",
    currency: "EUR",
    report_date: "2026-03-02T00:00:00.000Z",
    reason_code: "MD06",
    reason_message: "Widerspruch",
    report_type: null,
    report_message: null,
    report_info: null,
    arn: null,
    iban: "******************3000",
    bic: "COBADEFFXXX",
    email: rest["email"],
    country: "DE",
    source: "manual",
    cb_bank_fee: "3.50",
    transaction_id: transaction.id,
    lead_id: payment["lead"].id,
    payment_gateway_id: merchant.gatewayId,
    withdrawn_on: null,
  });
  assert.match(rest["email"], /^ada\d+@example\.com$/);
  assert.deepEqual([created_at, transaction_date], [updated_at, payment["processed_at"]]);
  assert.deepEqual(await state(payment), ["charged_back", "CHARGEDBACK", 1]);
  assert.deepEqual((await read(`${id}/`)).body, body);
  assert.deepEqual((await read("?page_size=1")).body["results"], [body]);
});

test("chargeback.created has the same record except for when it was withdrawn, and transaction.status_changed the transaction's", async () => {
  const payment = await paid();
  const { body } = await record({
    transaction_id: payment["transaction"].id,
    amount: "10.00",
    cb_bank_fee: 0,
    report_date: "2026-03-02T23:30:00+02:00",
  });
  assert.deepEqual(
    [body["amount"], body["cb_bank_fee"], body["report_date"]],
    ["10.00", "0.00", "2026-03-02T21:30:00.000Z"],
  );
  const events = await service.rows(
    "select type, payload from events where payload ->> 'order_number' = $1 and type <> 'payment_session.completed' order by number",
    [payment["order_number"]],
  );
  assert.deepEqual(
    events.map(({ type }) => type),
    ["chargeback.created", "transaction.status_changed"],
  );
  const { withdrawn_on, ...told } = body;
  assert.deepEqual([events[0]?.["payload"].chargeback, withdrawn_on], [told, null]);
  assert.deepEqual(
    [events[1]?.["payload"].previous_status, events[1]?.["payload"].transaction.status],
    ["approved", "charged_back"],
  );
});

test("the entry is in the audit log, once", async () => {
  const payment = await paid();
  const headers = { "idempotency-key": `cb-${payment["transaction"].id}` };
  const body = { transaction_id: payment["transaction"].id };
  const first = await record(body, { headers });
  assert.equal((await record(body, { headers })).text, first.text);
  await service.rows(
    "update idempotency_keys set status = null, answer = null, locked_until = created_at where key = $1 returning key",
    [headers["idempotency-key"]],
  );
  assert.deepEqual((await record(body, { headers })).body, first.body);
  const log = await service.get(
    `management/audit-log/?resource=chargebacks&resource_id=${first.body["id"]}`,
    {
      key: merchant.key,
    },
  );
  assert.deepEqual(
    log.body["results"].map((entry: Json) => [entry["action"], entry["before"], entry["after"]]),
    [["create", null, first.body]],
  );
});

test("a transaction has one chargeback: the same again, by hand or from the bank, is a duplicate", async () => {
  const payment = await paid(IBAN.chargedBack);
  const body = { transaction_id: payment["transaction"].id };
  const first = await record(body);
  const { status, body: refused } = await record(body);
  assert.deepEqual(
    [status, refused["detail"]],
    [409, `This transaction already has the chargeback ${first.body["id"]}.`],
  );
  await tick();
  assert.deepEqual(await state(payment), ["charged_back", "CHARGEDBACK", 1]);
  const reported = await paid(IBAN.chargedBack);
  await tick();
  assert.equal((await record({ transaction_id: reported["transaction"].id })).status, 409);
  assert.deepEqual(await state(reported), ["charged_back", "CHARGEDBACK", 1]);
});

test("20 entries and 5 ticks at once: one chargeback, one event", async () => {
  const payment = await paid(IBAN.chargedBack);
  const entries = Array.from({ length: 20 }, () => record({ transaction_id: payment["transaction"].id }));
  const ticks = Array.from({ length: 5 }, tick);
  const answers = await Promise.all([...entries, ...ticks]);
  assert.ok(answers.slice(0, 20).every(({ status }) => status === 201 || status === 409));
  assert.deepEqual(await state(payment), ["charged_back", "CHARGEDBACK", 1]);
  const told = await service.rows(
    "select 1 from events where type = 'chargeback.created' and payload ->> 'order_number' = $1",
    [payment["order_number"]],
  );
  assert.equal(told.length, 1);
});

test("a refunded order is charged back as well", async () => {
  const payment = await paid();
  const { id } = payment["transaction"];
  await service.post(`management/transactions/${id}/refunds/`, {}, { key: merchant.key });
  assert.deepEqual(await state(payment), ["refunded", "REFUNDED", 0]);
  assert.equal((await record({ transaction_id: id })).status, 201);
  assert.deepEqual(await state(payment), ["charged_back", "CHARGEDBACK", 1]);
});

test("409 with the reason for a transaction that cannot be charged back", async () => {
  const declined = await paid(IBAN.declined);
  const open = await paid(IBAN.verification);
  const trial = await paid(IBAN.approved, {
    billing_type: "TRIAL_RECURRING",
    trial_interval_unit: "day",
    trial_period: 7,
  });
  const refunded = await paid();
  const refund = await service.post(
    `management/transactions/${refunded["transaction"].id}/refunds/`,
    { amount: "1.00" },
    { key: merchant.key },
  );
  const only = "Only a collected payment can be charged back; this one is";
  for (const [id, detail] of [
    [declined["transaction"].id, `${only} declined.`],
    [open["transaction"].id, `${only} pending.`],
    [trial["transaction"].id, "This transaction collected nothing."],
    [refund.body["id"], "A refund cannot be charged back."],
  ] as const) {
    const { status, body } = await record({ transaction_id: id });
    assert.deepEqual([status, body["detail"]], [409, detail]);
  }
});

test("400 on every invalid field; a foreign transaction answers like an unknown one", async () => {
  const other = await createMerchant(service);
  const theirs = (await other.pay(await other.session(), IBAN.approved)).body["transaction"].id;
  const mine = (await paid())["transaction"].id;
  for (const [body, fields] of [
    [{}, ["transaction_id"]],
    [{ transaction_id: "x" }, ["transaction_id"]],
    [{ transaction_id: theirs }, ["transaction_id"]],
    [{ transaction_id: "018f0000-0000-7000-8000-000000000000" }, ["transaction_id"]],
    [{ transaction_id: mine, amount: "19.91" }, ["amount"]],
    [{ transaction_id: mine, amount: "0" }, ["amount"]],
    [
      { transaction_id: mine, report_date: "2026-02-30", cb_bank_fee: "-1", reason_code: "x".repeat(36) },
      ["reason_code", "report_date", "cb_bank_fee"],
    ],
    [{ transaction_id: mine, report_date: "2026-02-28T25:00:00Z" }, ["report_date"]],
    [
      { transaction_id: mine, report_date: "yesterday", reason_message: "x".repeat(501) },
      ["report_date", "reason_message"],
    ],
  ] as const) {
    const { status, body: answer } = await record(body);
    assert.equal(status, 400, JSON.stringify(body));
    assert.deepEqual(new Set(Object.keys(answer)), new Set([...fields, "status_code"]));
  }
  const unknown = await record({ transaction_id: "018f0000-0000-7000-8000-000000000000" });
  assert.equal((await record({ transaction_id: theirs })).text, unknown.text);
  assert.equal((await read("x/")).status, 404);
});

test("another tenant reads no chargeback", async () => {
  const { id } = (await record({ transaction_id: (await paid())["transaction"].id })).body;
  const other = await createMerchant(service);
  assert.equal((await service.get(`management/chargebacks/${id}/`, { key: other.key })).status, 404);
  assert.deepEqual((await service.get("management/chargebacks/", { key: other.key })).body["results"], []);
});

test("after all of this the books agree", async () => {
  await tick();
  await assertBooksAgree(service.db);
});

test("a mandate without a payment is never charged back by the sandbox", async () => {
  const trial = await paid(IBAN.chargedBack, {
    billing_type: "TRIAL_RECURRING",
    trial_interval_unit: "day",
    trial_period: 7,
  });
  await tick();
  assert.deepEqual(await state(trial), ["approved", "COMPLETED", 0]);
});
