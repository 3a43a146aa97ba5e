/**
 * News of gateways: the settings under which a payment was accepted stay with it, and a notice that cannot be applied
 * does not delay others.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { checkBooks } from "../../src/books/check.ts";
import { HOUR_MS, manualClock, MINUTE_MS } from "../../src/lib/clock.ts";
import { newsJob, fetchNews } from "../../src/payments/news/fetch.ts";
import { assertBooksAgree } from "../support/books.ts";
import { createMerchant, IBAN, type Merchant } from "../support/merchant.ts";
import { bankMerchant, payAt } from "../support/sepa-bank.ts";
import { startService, type Json, type Service } from "../support/service.ts";

const clock = manualClock(new Date("2027-03-01T08:00:00Z"));
let service: Service;

before(async () => {
  service = await startService({ clock });
});
after(async () => {
  await assertBooksAgree(service.db).finally(() => service.close());
});

async function paid(merchant: Merchant, iban: string = IBAN.pending): Promise<Json> {
  return (await merchant.pay(await merchant.session(), iban)).body;
}

async function tick(merchant: Merchant): Promise<Json> {
  const { status, body, text } = await service.post("management/sandbox/tick/", undefined, {
    key: merchant.key,
  });
  assert.equal(status, 200, text);
  return body;
}

async function setting(merchant: Merchant, completed_event_at: string): Promise<void> {
  const path = `management/gateways/${merchant.gatewayId}/`;
  const { status, text } = await service.call("PATCH", path, { completed_event_at }, { key: merchant.key });
  assert.equal(status, 200, text);
}

async function statusOf(payment: Json): Promise<string> {
  const [row] = await service.rows("select status from transactions where id = $1", [
    payment["transaction"].id,
  ]);
  return row?.["status"];
}

async function completedEvents(payment: Json): Promise<number> {
  const events = await service.rows(
    "select 1 from events where type = 'payment_session.completed' and payload ->> 'order_number' = $1",
    [payment["order_number"]],
  );
  return events.length;
}

/** Makes the database refuse writes to this payment until the returned function is called. */
async function refusing(payment: Json, which = "true"): Promise<() => Promise<void>> {
  const reference: string = payment["transaction"].merchant_transaction_id;
  const name = `refuse_${reference.replaceAll("-", "_").toLowerCase()}`;
  await service.rows(`create function ${name}() returns trigger language plpgsql as $$
    begin raise exception 'this payment cannot be written'; end $$`);
  await service.rows(`create trigger ${name} before update on transactions for each row
    when (old.merchant_transaction_id = '${reference}' and ${which}) execute function ${name}()`);
  return async () => {
    await service.rows(`drop function ${name} cascade`);
  };
}

for (const [accepted, later, atAcceptance] of [
  ["acceptance", "settlement", 1],
  ["settlement", "acceptance", 0],
] as const) {
  test(`a payment accepted while its gateway completed at ${accepted} has one completed event, whatever the gateway's setting is later`, async () => {
    const merchant = await createMerchant(service, { completed_event_at: accepted });
    const payment = await paid(merchant);
    assert.equal(await completedEvents(payment), atAcceptance);
    await setting(merchant, later);
    const newer = await paid(merchant);
    await tick(merchant);
    assert.deepEqual([await statusOf(payment), await statusOf(newer)], ["approved", "approved"]);
    assert.deepEqual([await completedEvents(payment), await completedEvents(newer)], [1, 1]);
  });
}

test("the completed event of a payment with a lost answer follows its gateway's setting when it was sent", async () => {
  const merchant = await createMerchant(service, { completed_event_at: "settlement" });
  const payment = await paid(merchant, IBAN.answerLost);
  await service.rows(
    "update sandbox_books set state = 'pending', scenario = 'settle_later' where reference = $1",
    [payment["transaction"].merchant_transaction_id],
  );
  await setting(merchant, "acceptance");
  clock.advance(20_000);
  await runJob("recover-payments");
  assert.deepEqual([await statusOf(payment), await completedEvents(payment)], ["pending", 0]);
  await tick(merchant);
  assert.deepEqual([await statusOf(payment), await completedEvents(payment)], ["approved", 1]);
});

async function runJob(name: string): Promise<void> {
  const job = service.app.jobs.find((one) => one.name === name);
  assert.ok(job !== undefined);
  await job.runOnce(job.batch);
}

// Holds LIVE-3.
test("news that cannot be recorded delays neither other news of its gateway nor other gateways", async () => {
  const merchant = await createMerchant(service);
  const other = await createMerchant(service);
  const [stuck, next] = [await paid(merchant), await paid(merchant)];
  const elsewhere = await paid(other);
  const release = await refusing(stuck);
  await newsJob(service.app.deps, null).runOnce(100);
  assert.deepEqual(
    [await statusOf(stuck), await statusOf(next), await statusOf(elsewhere)],
    ["pending", "approved", "approved"],
  );
  const later = await paid(merchant);
  await tick(merchant);
  assert.equal(await statusOf(later), "approved");

  const { differences } = await checkBooks(service.db);
  assert.equal(differences.length, 1, differences.join("\n"));
  assert.match(
    differences[0] ?? "",
    /TXN-.* is settled, .* 2 times since 2027-03-01 08:00: this payment cannot/,
  );
  const metrics = await service.get("/metrics");
  assert.match(metrics.text, /^gateway_news_set_aside 1$/m);

  await release();
  clock.advance(MINUTE_MS);
  await tick(merchant);
  assert.equal(await statusOf(stuck), "approved");
  assert.match((await service.get("/metrics")).text, /^gateway_news_set_aside 0$/m);
});

test("news that was set aside is retried with growing pauses, an hour at most", async () => {
  const merchant = await createMerchant(service);
  const stuck = await paid(merchant);
  const release = await refusing(stuck);
  const tries = async () => {
    const [row] = await service.rows("select tries from gateway_news_set_aside where reference = $1", [
      stuck["transaction"].merchant_transaction_id,
    ]);
    return row?.["tries"];
  };
  const minutes: number[] = [];
  let minute = 0;
  for (let last = 0; minute < 240; minute += 1) {
    await tick(merchant);
    const now = await tries();
    if (now !== last) minutes.push(minute);
    last = now;
    clock.advance(MINUTE_MS);
  }
  assert.deepEqual(minutes, [0, 1, 2, 4, 8, 16, 32, 64, 124, 184]);
  await release();
  clock.advance(HOUR_MS);
  await tick(merchant);
  assert.deepEqual([await statusOf(stuck), await tries()], ["approved", undefined]);
});

test("news of one payment is applied in order, even when the first has to wait", async () => {
  const merchant = await createMerchant(service);
  const stuck = await paid(merchant);
  const release = await refusing(stuck);
  await tick(merchant);
  // The bank reports it after the settlement that could not be recorded.
  await service.rows(
    "update sandbox_books set state = 'pending', scenario = 'return_later' where reference = $1",
    [stuck["transaction"].merchant_transaction_id],
  );
  await release();
  await tick(merchant);
  assert.equal(await statusOf(stuck), "declined");
});

// Holds MONEY-10.
test("of two notices of one payment in one pass the second waits for the first, which could not be recorded", async () => {
  const merchant = await bankMerchant(service);
  const payment = await payAt(merchant);
  const { id, merchant_transaction_id: reference } = payment["transaction"];
  const [row] = await service.rows("select tenant from transactions where id = $1", [id]);
  await service.rows(
    `insert into sepa_news (tenant, gateway_id, reference, kind, at, reason_code)
     select c.tenant, c.gateway_id, c.reference, n.kind, now(), n.reason from sepa_collections c
      cross join (values ('settled', null), ('charged_back', 'MD06')) n (kind, reason)
      where c.reference = $1`,
    [reference],
  );
  await service.rows("update sepa_collections set state = 'returned' where reference = $1 returning 1", [
    reference,
  ]);
  // The write that a deadlock or a full disk may prevent: only the settlement.
  const release = await refusing(payment, "new.status = 'approved'");
  const pass = () => newsJob(service.app.deps, row?.["tenant"]).runOnce(1, new AbortController().signal);
  await pass();
  assert.equal(await statusOf(payment), "pending");
  await release();
  clock.advance(HOUR_MS);
  await pass();
  assert.equal(await statusOf(payment), "charged_back");
});

test("any amount of news about unknown payments hides no later news", async () => {
  const merchant = await createMerchant(service);
  const payment = await paid(merchant);
  await service.rows(
    `insert into sandbox_books
       (tenant, gateway_id, reference, bank_reference, scenario, state, amount, currency, mandate_reference, creditor_name,
        iban_last4, charged_at, created_at)
     select tenant, gateway_id, 'TXN-20200101-' || lpad(n::text, 8, '0'), '', 'settle_later', 'pending', amount, currency,
            mandate_reference, creditor_name, iban_last4, charged_at, created_at - interval '1 day'
       from sandbox_books, generate_series(1, 250) n
      where reference = $1`,
    [payment["transaction"].merchant_transaction_id],
  );
  assert.deepEqual(await tick(merchant), { settled: 1, returned: 0, charged_back: 0 });
  assert.equal(await statusOf(payment), "approved");
  await service.rows("delete from sandbox_books where reference like 'TXN-20200101-%'");
  await tick(merchant);
  assert.deepEqual(await service.rows("select 1 from gateway_news_set_aside"), []);
});

test("two concurrent instances apply each news once, and set aside what fails at both", async () => {
  const merchant = await createMerchant(service);
  const payments = await Promise.all(Array.from({ length: 6 }, () => paid(merchant)));
  const [stuck] = payments;
  assert.ok(stuck !== undefined);
  const release = await refusing(stuck);
  const counts = await Promise.all([tick(merchant), tick(merchant), tick(merchant)]);
  assert.ok(counts.length === 3);
  const statuses = await Promise.all(payments.map(statusOf));
  assert.deepEqual(statuses, ["pending", ...Array.from({ length: 5 }, () => "approved")]);
  await release();
  clock.advance(HOUR_MS);
  await fetchNews(service.app.deps, null, ["sandbox"]);
  assert.equal(await statusOf(stuck), "approved");
});

test("when news has been applied, the delivery of its events is woken", async () => {
  const merchant = await createMerchant(service);
  const payment = await paid(merchant);
  let seen = "";
  const announce = () => {
    seen = "woken";
  };
  await fetchNews({ ...service.app.deps, announce }, null, ["sandbox"]);
  assert.deepEqual([await statusOf(payment), seen], ["approved", "woken"]);
});

test("retrieve follows a payment after its session is over: pending, approved, refunded in part, charged back", async () => {
  const merchant = await createMerchant(service);
  const token = await merchant.session();
  const shown = async () => (await merchant.retrieve(token)).body["payment"];
  assert.equal(await shown(), undefined);
  await merchant.pay(token, IBAN.declined);
  const refunded = (amount: string) => ({ amount_refunded: amount });
  assert.deepEqual(await shown(), {
    order_status: "FAILED",
    transaction_status: "declined",
    ...refunded("0.00"),
  });
  const { body } = await merchant.pay(token, IBAN.pending);
  const path = `management/transactions/${body["transaction"].id}`;
  assert.deepEqual(await shown(), {
    order_status: "PENDING",
    transaction_status: "pending",
    ...refunded("0.00"),
  });
  await tick(merchant);
  assert.deepEqual(await shown(), {
    order_status: "COMPLETED",
    transaction_status: "approved",
    ...refunded("0.00"),
  });
  const refund = await service.post(`${path}/refunds/`, { amount: "9.90" }, { key: merchant.key });
  assert.equal(refund.status, 201, refund.text);
  await tick(merchant);
  assert.deepEqual(await shown(), {
    order_status: "COMPLETED",
    transaction_status: "approved",
    ...refunded("9.90"),
  });
  const chargeback = { transaction_id: body["transaction"].id };
  const { status } = await service.post("management/chargebacks/", chargeback, { key: merchant.key });
  assert.equal(status, 201);
  assert.deepEqual(await shown(), {
    order_status: "CHARGEDBACK",
    transaction_status: "charged_back",
    ...refunded("9.90"),
  });
  assert.equal((await merchant.retrieve(token)).body["status"], "COMPLETED");
});

for (const [iban, order_status, transaction_status] of [
  [IBAN.returned, "FAILED", "declined"],
  [IBAN.chargedBack, "CHARGEDBACK", "charged_back"],
] as const) {
  test(`retrieve shows a returned payment as ${transaction_status}`, async () => {
    const merchant = await createMerchant(service);
    const token = await merchant.session();
    await merchant.pay(token, iban);
    await tick(merchant);
    const { payment, status } = (await merchant.retrieve(token)).body;
    assert.deepEqual(payment, { order_status, transaction_status, amount_refunded: "0.00" });
    assert.equal(status, "COMPLETED");
  });
}
