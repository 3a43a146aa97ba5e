/**
 * A merchant stops the debit of a renewal: it does not count as the customer's failure in the subscription, its
 * cycles and the reports.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { manualClock } from "../../src/lib/clock.ts";
import { followRenewals } from "../../src/subscriptions/renew.ts";
import { cyclesOf, readSubscription } from "../support/billing.ts";
import { assertBooksAgree } from "../support/books.ts";
import {
  bankMerchant,
  markSent,
  outgoing,
  pain002,
  payAt,
  uploadFile,
  type BankMerchant,
} from "../support/sepa-bank.ts";
import { startService, type Json, type Service } from "../support/service.ts";
import * as treasury from "../support/treasury.ts";

const clock = manualClock(new Date("2026-11-23T08:00:00Z"));
let service: Service;

before(async () => {
  service = await startService({ clock });
});
after(async () => {
  await assertBooksAgree(service.db).finally(() => service.close());
});

interface Subscribed {
  readonly merchant: BankMerchant;
  readonly id: string;
}

const moveTo = ({ merchant }: Subscribed, time: string) => treasury.moveTo(service, merchant, time);

/** The newest renewal, or the one before it, with its place in a file. */
async function renewal({ id }: Subscribed, before = 0): Promise<Json> {
  const rows = await service.rows(
    `select t.id, t.status, t.merchant_transaction_id as reference, c.block_id, f.message_id from transactions t
       join sepa_collections c on c.tenant = t.tenant and c.reference = t.merchant_transaction_id
       left join sepa_files f on f.tenant = c.tenant and f.id = c.file_id
      where t.subscription_id = $1 and t.type = 'sdd_rebill' order by t.created_at desc`,
    [id],
  );
  return rows[before] ?? {};
}

/** The day's file is written and given to the bank. */
async function sent(one: Subscribed, day: string): Promise<void> {
  await moveTo(one, `${day}T14:00:00Z`);
  for (const { id, status } of await outgoing(service, one.merchant))
    if (status === "ready") await markSent(service, one.merchant, id);
}

async function cancel(one: Subscribed): Promise<void> {
  const path = `management/transactions/${(await renewal(one))["id"]}/cancel/`;
  const { status, text } = await service.post(path, undefined, { key: one.merchant.key });
  assert.equal(status, 200, text);
  await followRenewals(service.app.deps, 100);
}

async function reject(one: Subscribed, day: string): Promise<void> {
  const { message_id: messageId, block_id: id, reference: endToEndId } = await renewal(one);
  const xml = pain002(day, { messageId }, [{ id, transactions: [{ endToEndId, reason: "MS03" }] }]);
  assert.equal((await uploadFile(service, one.merchant, xml)).status, 201);
  await followRenewals(service.app.deps, 100);
}

async function shown({ merchant, id }: Subscribed): Promise<readonly unknown[]> {
  const row = await readSubscription(service, merchant, id);
  return [row["status"], row["failed_billing_count"], ...cyclesOf(row)];
}

/** Its first payment is settled. */
async function subscribed(): Promise<Subscribed> {
  const merchant = await bankMerchant(service);
  const fields = { billing_type: "RECURRING", billing_frequency: "MONTHLY", amount: "9.90" };
  const paid = await payAt(merchant, fields);
  const one = { merchant, id: paid["subscription"].id };
  await sent(one, "2026-11-23");
  const first = { amount: "9.90", endToEndId: paid["transaction"].merchant_transaction_id };
  await treasury.booked(service, merchant, [["collection", first]], "2026-11-25");
  return one;
}

test("a stopped debit does not count as a failure: its cycle and its retry are withdrawn, and the next cycle is collected", async () => {
  const one = await subscribed();
  await moveTo(one, "2026-12-23T08:30:00Z");
  await cancel(one);
  assert.deepEqual(await shown(one), ["ACTIVE", 0, "1:withdrawn"]);
  await moveTo(one, "2027-01-25T08:30:00Z");
  await sent(one, "2027-01-25");
  await reject(one, "2027-01-26");
  assert.deepEqual(await shown(one), ["PAST_DUE", 1, "1:withdrawn", "2:retry"]);
  await moveTo(one, "2027-02-01T08:30:00Z");
  assert.equal((await renewal(one))["status"], "pending", "it is tried again");
  await cancel(one);
  assert.deepEqual(await shown(one), ["PAST_DUE", 1, "1:withdrawn", "2:withdrawn"], "and no third time");
  const path = "management/statistics/retries/?from=2026-12-01";
  const { body } = await service.get(path, { key: one.merchant.key });
  assert.deepEqual(body["results"], [], "what was stopped was no try");
  await moveTo(one, "2027-02-23T08:30:00Z");
  await sent(one, "2027-02-23");
  const paid = { amount: "9.90", endToEndId: (await renewal(one))["reference"] };
  await treasury.booked(service, one.merchant, [["collection", paid]], "2027-02-25");
  await followRenewals(service.app.deps, 100);
  assert.deepEqual(await shown(one), ["ACTIVE", 1, "1:withdrawn", "2:withdrawn", "3:paid"]);
});

test("money that arrives later makes the subscription active again, whatever was stopped before it", async () => {
  const one = await subscribed();
  await moveTo(one, "2026-12-23T08:30:00Z");
  await sent(one, "2026-12-23");
  await reject(one, "2026-12-23");
  await moveTo(one, "2026-12-28T08:30:00Z");
  await cancel(one);
  await moveTo(one, "2027-01-25T08:30:00Z");
  await cancel(one);
  assert.deepEqual(await shown(one), ["PAST_DUE", 1, "1:withdrawn", "2:withdrawn"]);
  const first = await renewal(one, 2);
  const entry = { amount: "9.90", endToEndId: first["reference"] };
  await treasury.booked(service, one.merchant, [["collection", entry]], "2027-01-26");
  const [waits] = await treasury.unmatched(service, one.merchant);
  const body = { action: "reinstate", transaction_id: first["id"] };
  const { status, text } = await treasury.resolve(service, one.merchant, waits?.["id"], body);
  assert.equal(status, 200, text);
  await followRenewals(service.app.deps, 100);
  assert.deepEqual(await shown(one), ["ACTIVE", 0, "1:paid", "2:withdrawn"]);
});

test("a first payment that comes back ends a subscription at once, also one that was to end with its period: a waiting debit is not sent", async () => {
  const merchant = await bankMerchant(service);
  const fields = { billing_type: "RECURRING", billing_frequency: "WEEKLY", amount: "9.90" };
  const first = await payAt(merchant, fields);
  const one = { merchant, id: first["subscription"].id };
  await sent(one, "2026-11-23");
  await moveTo(one, "2026-11-30T08:30:00Z");
  assert.equal((await renewal(one))["status"], "pending", "it waits for the day's file");
  const cancelled = await service.post(
    `management/subscriptions/${one.id}/cancel/`,
    { at_period_end: true },
    { key: merchant.key },
  );
  assert.equal(cancelled.status, 200, cancelled.text);
  const endToEndId: string = first["transaction"].merchant_transaction_id;
  const [kept] = await service.rows(
    `select c.block_id, f.message_id from sepa_collections c join sepa_files f on f.id = c.file_id where c.reference = $1`,
    [endToEndId],
  );
  const xml = pain002("2026-11-30", { messageId: kept?.["message_id"] }, [
    { id: kept?.["block_id"], transactions: [{ endToEndId, reason: "AM04" }] },
  ]);
  assert.equal((await uploadFile(service, merchant, xml)).status, 201);
  await followRenewals(service.app.deps, 100);
  const ended = await readSubscription(service, merchant, one.id);
  assert.deepEqual([ended["status"], ended["cancel_at_period_end"]], ["CANCELLED", false]);
  await sent(one, "2026-11-30");
  const stopped = await renewal(one);
  assert.deepEqual([stopped["status"], stopped["block_id"]], ["declined", null]);
});
