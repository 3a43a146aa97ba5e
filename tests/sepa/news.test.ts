/** The effect of a bank's file on payments: in the file's order, and no entry blocks others. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { manualClock } from "../../src/lib/clock.ts";
import { assertBooksAgree } from "../support/books.ts";
import { bankMerchant, camt, payAt, uploadFile, type BankMerchant } from "../support/sepa-bank.ts";
import { startService, type Json, type Service } from "../support/service.ts";

// A Monday, before the cut-off in Berlin.
const clock = manualClock(new Date("2026-11-23T08:00:00Z"));
const DUE = "2026-11-25";
let service: Service;
const warnings: string[] = [];

before(async () => {
  const log = { info: () => {}, warn: (message: string) => void warnings.push(message), error: () => {} };
  service = await startService({ clock, log });
});
after(async () => {
  await assertBooksAgree(service.db).finally(() => service.close());
});

/** Payments of one day in a file that was sent. */
async function sent(count: number): Promise<{ merchant: BankMerchant; payments: readonly Json[] }> {
  const merchant = await bankMerchant(service, {}, { completed_event_at: "settlement" });
  const payments: Json[] = [];
  for (let n = 0; n < count; n += 1) payments.push(await payAt(merchant));
  const date = "2026-11-23T12:00:00Z";
  const moved = await service.post("management/clock/", { date }, { key: merchant.key });
  assert.equal(moved.status, 200, moved.text);
  return { merchant, payments };
}

function referenceOf(payment: Json): string {
  return payment["transaction"].merchant_transaction_id;
}

async function statuses(payments: readonly Json[]): Promise<readonly string[]> {
  const rows = await service.rows(
    "select status from transactions where merchant_transaction_id = any ($1) order by array_position($1, merchant_transaction_id)",
    [payments.map(referenceOf)],
  );
  return rows.map(({ status }) => status);
}

async function settle(merchant: BankMerchant, payments: readonly Json[]): Promise<void> {
  const booked = payments.map(
    (payment) => ["collection", { amount: "19.90", endToEndId: referenceOf(payment) }] as const,
  );
  const { status, body } = await uploadFile(service, merchant, camt("camt.053", DUE, booked));
  assert.equal(status, 201, JSON.stringify(body));
}

test("a payment that cannot be settled delays no other payment of the same or a later file", async () => {
  const { merchant, payments } = await sent(3);
  const [stuck, next, later] = payments as [Json, Json, Json];
  await service.rows(`create function refuse_one() returns trigger language plpgsql as $$
    begin raise exception 'this payment cannot be written'; end $$`);
  await service.rows(`create trigger refuse_one before update on transactions for each row
    when (old.merchant_transaction_id = '${referenceOf(stuck)}') execute function refuse_one()`);
  await settle(merchant, [stuck, next]);
  assert.deepEqual(await statuses(payments), ["pending", "approved", "pending"]);
  await settle(merchant, [later]);
  assert.deepEqual(await statuses(payments), ["pending", "approved", "approved"]);

  await service.rows("drop function refuse_one cascade");
  clock.advance(3_600_000);
  const { merchant: other, payments: others } = await sent(1);
  await settle(other, others);
  await runJob("gateway-news");
  assert.deepEqual(await statuses(payments), ["approved", "approved", "approved"]);
});

async function runJob(name: string): Promise<void> {
  const job = service.app.jobs.find((one) => one.name === name);
  assert.ok(job !== undefined);
  await job.runOnce(job.batch);
}

test("news about unknown references, however much, does not hide later news", async () => {
  const { merchant, payments } = await sent(1);
  const [payment] = payments as [Json];
  await service.rows(
    `insert into sepa_collections (tenant, gateway_id, reference, state, amount, currency, recurring, mandate_reference, debtor_name, remittance, created_at, updated_at)
     select tenant, gateway_id, 'TXN-20200101-' || lpad(n::text, 8, '0'), 'settled', amount, currency, false, mandate_reference, debtor_name, remittance, created_at, updated_at
       from sepa_collections, generate_series(1, 250) n where reference = $1`,
    [referenceOf(payment)],
  );
  await service.rows(
    `insert into sepa_news (tenant, gateway_id, reference, kind, at)
     select tenant, gateway_id, reference, 'settled', now() from sepa_collections where reference like 'TXN-20200101-%' order by reference`,
  );
  await settle(merchant, payments);
  assert.deepEqual(await statuses(payments), ["approved"]);
  await service.rows("delete from sepa_news where reference like 'TXN-20200101-%'");
  await service.rows("delete from sepa_collections where reference like 'TXN-20200101-%'");
  await runJob("gateway-news");
});

test("a file with a debit and its return creates both the completed event and the chargeback", async () => {
  const { merchant, payments } = await sent(1);
  const [payment] = payments as [Json];
  const endToEndId = referenceOf(payment);
  const file = camt("camt.053", "2026-11-27", [
    ["collection", { amount: "19.90", endToEndId }],
    ["return", { amount: "19.90", endToEndId, reason: "AM04" }],
  ]);
  assert.equal((await uploadFile(service, merchant, file)).status, 201);
  assert.deepEqual(await statuses(payments), ["charged_back"]);
  const [told] = await service.rows(
    `select (select count(*)::int from events where type = 'payment_session.completed' and payload ->> 'order_number' = $1) as completed,
            (select count(*)::int from chargebacks where merchant_transaction_id = $2) as chargebacks`,
    [payment["order_number"], endToEndId],
  );
  assert.deepEqual(told, { completed: 1, chargebacks: 1 });
});

test("a debit that has not settled is not charged back by hand or by a file, and its money counts when it arrives", async () => {
  const merchant = await bankMerchant(service);
  const payment = await payAt(merchant);
  const body = { transaction_id: payment["transaction"].id };
  const byHand = () => service.post("management/chargebacks/", body, { key: merchant.key });
  const waiting = await byHand();
  assert.equal(waiting.status, 409);
  assert.match(waiting.body["detail"], /has not settled.*to stop a debit that was not sent yet, cancel it\./);
  const moved = await service.post(
    "management/clock/",
    { date: "2026-11-23T12:00:00Z" },
    { key: merchant.key },
  );
  assert.equal(moved.status, 200, moved.text);
  assert.equal((await byHand()).status, 409);

  await settle(merchant, [payment]);
  assert.deepEqual(await statuses([payment]), ["approved"]);
  assert.equal((await byHand()).status, 201);
  assert.deepEqual(await statuses([payment]), ["charged_back"]);
});

test("money that settles after a chargeback by hand is reported to the operator", async () => {
  const { merchant, payments } = await sent(1);
  const [payment] = payments as [Json];
  await settle(merchant, [payment]);
  const body = { transaction_id: payment["transaction"].id };
  assert.equal((await service.post("management/chargebacks/", body, { key: merchant.key })).status, 201);
  warnings.length = 0;
  await service.rows("update sepa_news set acknowledged_at = null where reference = $1", [
    referenceOf(payment),
  ]);
  await runJob("gateway-news");
  assert.deepEqual(warnings, ["gateway news contradicts a transaction"]);
  assert.deepEqual(await statuses([payment]), ["charged_back"]);
});
