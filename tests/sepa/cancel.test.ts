/**
 * Stopping a debit before it is written into a file: it is either in a file or stopped, never both, and its records
 * agree.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { cancelTransaction } from "../../src/gateways/sepa-batch/cancel/cancel.ts";
import { findAccounts } from "../../src/gateways/sepa-batch/files-store.ts";
import { collectDue } from "../../src/gateways/sepa-batch/outgoing/write-files.ts";
import { randomIds } from "../../src/lib/ids.ts";
import { manualClock } from "../../src/lib/clock.ts";
import { COMMAND_LINE } from "../../src/management/audit/audit.ts";
import { createRace } from "../support/at-once.ts";
import { readSubscription } from "../support/billing.ts";
import { assertBooksAgree } from "../support/books.ts";
import { createMerchant, createRecord, IBAN } from "../support/merchant.ts";
import { bankMerchant, content, outgoing, payAt, type BankMerchant } from "../support/sepa-bank.ts";
import { deskOf, referenceOf } from "../support/sepa-desk.ts";
import { startService, type Json, type Service } from "../support/service.ts";

const clock = manualClock(new Date("2026-11-23T08:00:00Z"));
const race = createRace();
let service: Service;
let desk: ReturnType<typeof deskOf>;

before(async () => {
  service = await startService({ clock, between: race.between });
  desk = deskOf(service);
});
after(async () => {
  await assertBooksAgree(service.db).finally(() => service.close());
});

const cancel = (merchant: BankMerchant, id: string, options: object = {}) =>
  service.post(`management/transactions/${id}/cancel/`, undefined, { key: merchant.key, ...options });

async function cancelNow(merchant: BankMerchant, id: string): Promise<unknown> {
  const [row] = await service.rows("select tenant from gateways where id = $1", [merchant.accountId]);
  const operationId = randomIds.uuid();
  const input = { tenant: row?.["tenant"], transactionId: id, operationId, author: COMMAND_LINE };
  return cancelTransaction(service.app.deps, input).catch((error: unknown) => error);
}

async function write(merchant: BankMerchant): Promise<void> {
  const [row] = await service.rows("select tenant from gateways where id = $1", [merchant.accountId]);
  const [account] = await findAccounts(service.db, row?.["tenant"], merchant.accountId);
  assert.ok(account !== undefined);
  await collectDue(service.app.deps, account, { evenBeforeCutOff: true });
}

async function instructionOf(payment: Json): Promise<Json> {
  const [row] = await service.rows(
    "select state, file_id, reason_code from sepa_collections where reference = $1",
    [referenceOf(payment)],
  );
  return row ?? {};
}

test("a stopped payment is declined and in no file, with one event and one line of the audit log", async () => {
  const merchant = await bankMerchant(service);
  await createRecord(service, merchant.key, "webhook-profiles", {
    name: "Shop",
    url: "http://127.0.0.1:9/",
    events: ["transaction.status_changed"],
  });
  const [payment, other] = [await payAt(merchant), await payAt(merchant)];
  const { id } = payment["transaction"];
  for (let again = 0; again < 2; again += 1) {
    const { status, body, text } = await cancel(merchant, id);
    assert.deepEqual([status, body], [200, { id, status: "declined" }], text);
  }
  const { body: shown } = await service.get(`management/transactions/${id}/`, { key: merchant.key });
  assert.deepEqual(
    [shown["status"], shown["gateway_code"], shown["order_status"]],
    ["declined", "CUST", "FAILED"],
  );
  assert.match(shown["error_message"], /cancelled before it was collected/);
  await desk.moveTo(merchant, "2026-11-23T12:00:00Z");
  const [file] = await outgoing(service, merchant);
  assert.equal(file?.["transactions"], 1);
  const xml = await content(service, merchant, file?.["id"]);
  assert.match(xml, new RegExp(referenceOf(other)));
  assert.doesNotMatch(xml, new RegExp(referenceOf(payment)));
  const events = await service.rows(
    "select 1 from events where transaction_id = $1 and type = 'transaction.status_changed'",
    [id],
  );
  assert.equal(events.length, 1);
  const entries = await service.rows(
    "select after from audit_log where resource = 'transactions' and resource_id = $1",
    [id],
  );
  assert.deepEqual(entries, [{ after: { cancelled: true } }]);
});

test("instructions in a file, ended ones and those of other gateways or tenants cannot be stopped", async () => {
  const merchant = await bankMerchant(service);
  const payment = await payAt(merchant);
  const { id } = payment["transaction"];
  const stranger = await createMerchant(service);
  assert.equal((await cancel({ ...merchant, key: stranger.key }, id)).status, 404);
  assert.equal((await cancel(merchant, "nothing")).status, 404);
  await desk.moveTo(merchant, "2026-11-23T12:00:00Z");
  const inFile = await cancel(merchant, id);
  assert.deepEqual([inFile.status, inFile.body["code"]], [409, "not_cancellable"]);
  assert.match(inFile.body["detail"], /in a file/);
  const [file] = await outgoing(service, merchant);
  const path = `management/sepa-files/${file?.["id"]}/withdraw/`;
  assert.equal((await service.post(path, undefined, { key: merchant.key })).status, 200);
  assert.equal((await cancel(merchant, id)).status, 200, "taken back, it waits again");
  const token = await stranger.session();
  const sandbox = (await stranger.pay(token, IBAN.approved)).body["transaction"];
  const sent = await cancel({ ...merchant, key: stranger.key }, sandbox.id);
  assert.deepEqual(
    [sent.status, sent.body["detail"]],
    [409, "The gateway of this transaction sent it at once."],
  );
});

for (const first of ["cancel", "write"] as const) {
  test(`a stop while the file is being written, ${first} first: in the file or stopped, never both`, async () => {
    const merchant = await bankMerchant(service);
    const payment = await payAt(merchant);
    const answers: unknown[] = [];
    const stop = async () => answers.push(await cancelNow(merchant, payment["transaction"].id));
    const run = () => write(merchant);
    await race.atOnce<unknown, unknown>(
      service,
      first === "cancel" ? stop : run,
      first === "cancel" ? run : stop,
    );
    const { state, file_id: file } = await instructionOf(payment);
    const { status } = await desk.transaction(payment);
    if (first === "cancel") assert.deepEqual([state, file, status], ["rejected", null, "declined"]);
    else assert.deepEqual([state, file !== null, status], ["batched", true, "pending"]);
    assert.equal(answers[0] instanceof Error, first === "write");
    const files = await outgoing(service, merchant);
    assert.equal(files.length, first === "cancel" ? 0 : 1);
  });
}

test("two concurrent requests to stop a payment both succeed, and it is recorded once", async () => {
  const merchant = await bankMerchant(service);
  const payment = await payAt(merchant);
  const { id } = payment["transaction"];
  const stop = () => cancelNow(merchant, id);
  const answers = await race.atOnce(service, stop, stop);
  assert.deepEqual(answers, [
    { ...(answers[0] as object), status: "declined" },
    { ...(answers[0] as object), status: "declined" },
  ]);
  const entries = await service.rows(
    "select 1 from audit_log where resource = 'transactions' and resource_id = $1",
    [id],
  );
  assert.equal(entries.length, 1);
});

test("stopping a first payment ends its subscription; stopping a refund frees its amount", async () => {
  const merchant = await bankMerchant(service);
  const first = await payAt(merchant, { billing_type: "RECURRING", billing_frequency: "MONTHLY" });
  assert.equal((await cancel(merchant, first["transaction"].id)).status, 200);
  const subscription = await readSubscription(service, merchant, first["subscription"].id);
  assert.equal(subscription["status"], "CANCELLED");
  const { merchant: other, payments } = await desk.refundable();
  const refund = await desk.refund(other, payments[0], { amount: "5.00" });
  assert.equal(refund.body["status"], "pending", refund.text);
  assert.equal((await cancel(other, refund.body["id"])).body["status"], "declined");
  const paid = await desk.transaction(payments[0]);
  assert.deepEqual([paid["status"], paid["refund_claimed"]], ["approved", "0.00"]);
});
