/**
 * Renewals at a bank account, where the outcome is known weeks later: each cycle is collected once, whatever the bank
 * reports and when.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { checkBooks } from "../../src/books/check.ts";
import { isTargetDay } from "../../src/sepa/target.ts";
import { manualClock } from "../../src/lib/clock.ts";
import { cyclesOf, readSubscription } from "../support/billing.ts";
import { assertBooksAgree } from "../support/books.ts";
import { createRecord } from "../support/merchant.ts";
import {
  bankMerchant,
  camt,
  markSent,
  outgoing,
  pain002,
  payAt,
  uploadFile,
  type BankMerchant,
} from "../support/sepa-bank.ts";
import { OPERATOR_KEY, startService, type Json, type Service } from "../support/service.ts";
import { sized } from "../support/sized.ts";
import * as treasury from "../support/treasury.ts";

// A Monday, before the cut-off in Berlin.
const clock = manualClock(new Date("2026-11-23T08:00:00Z"));
let service: Service;

before(async () => {
  service = await startService({ clock });
});
after(async () => {
  await assertBooksAgree(service.db).finally(() => service.close());
});

const moveTo = (merchant: BankMerchant, date: string) => treasury.moveTo(service, merchant, date);

function plus(date: string, days: number): string {
  return Temporal.PlainDate.from(date).add({ days }).toString();
}

/** The afternoon of each day on which banks settle: what was due in the morning has been written into the day's file. */
async function live(
  merchant: BankMerchant,
  from: string,
  to: string,
  each: (day: string) => Promise<void>,
): Promise<void> {
  for (let day = from; day <= to; day = plus(day, 1)) {
    if (!isTargetDay(day)) continue;
    await moveTo(merchant, `${day}T08:30:00Z`);
    await moveTo(merchant, `${day}T14:00:00Z`);
    for (const { id, status } of await outgoing(service, merchant))
      if (status === "ready") await markSent(service, merchant, id);
    await each(day);
  }
}

/** Buys a subscription at the bank account; returns its id. */
async function subscribe(merchant: BankMerchant, frequency: string | undefined): Promise<string> {
  const paid = await payAt(merchant, {
    billing_type: "RECURRING",
    billing_frequency: frequency,
    amount: "9.90",
  });
  assert.equal(paid["status"], "completed");
  return paid["subscription"].id;
}

/** Instructions at the bank without an outcome, oldest first. */
function atTheBank(merchant: BankMerchant): Promise<readonly Json[]> {
  return service.rows(
    `select c.reference, c.amount, c.due_date::text, f.message_id, c.block_id
       from sepa_collections c join sepa_files f on f.tenant = c.tenant and f.id = c.file_id
      where c.gateway_id = $1 and c.state = 'batched' order by c.created_at, c.reference`,
    [merchant.accountId],
  );
}

/** The bank books what was due that long ago. */
async function bookUntil(merchant: BankMerchant, day: string, dueBy: string): Promise<void> {
  const due = (await atTheBank(merchant)).filter((row) => row["due_date"] <= dueBy);
  if (due.length === 0) return;
  const entries = due.map(
    ({ amount, reference }) => ["collection", { amount, endToEndId: reference }] as const,
  );
  const { status, body } = await uploadFile(service, merchant, camt("camt.053", day, entries));
  assert.equal(status, 201, JSON.stringify(body));
  await moveTo(merchant, `${day}T14:30:00Z`);
}

async function reject(merchant: BankMerchant, day: string, row: Json, reason: string): Promise<void> {
  const { message_id: messageId, block_id: id, reference: endToEndId } = row;
  const xml = pain002(day, { messageId }, [{ id, transactions: [{ endToEndId, reason }] }]);
  const { status, body } = await uploadFile(service, merchant, xml);
  assert.equal(status, 201, JSON.stringify(body));
  await moveTo(merchant, `${day}T14:30:00Z`);
}

async function presentations(id: string): Promise<number> {
  const rows = await service.rows(
    "select id from transactions where subscription_id = $1 and type = 'sdd_rebill'",
    [id],
  );
  return rows.length;
}

const REASONS = [
  ["AG02", 1],
  ["MS03", 3],
  ["CNOR", 1],
  ["FF01", 1],
  ["AM05", 1],
  ["FF10", 3],
] as const;
for (const [reason, times] of sized(REASONS.slice(0, 2), REASONS)) {
  // Holds CYCLE-4.
  test(`a renewal that the bank rejects with ${reason} each time is presented ${times} in all`, async () => {
    const merchant = await bankMerchant(service);
    const id = await subscribe(merchant, "MONTHLY");
    await moveTo(merchant, "2026-11-23T14:00:00Z");
    for (const file of await outgoing(service, merchant)) await markSent(service, merchant, file["id"]);
    await bookUntil(merchant, "2026-11-25", "2026-11-25");
    await live(merchant, "2026-12-23", "2027-01-21", async (day) => {
      for (const row of await atTheBank(merchant)) await reject(merchant, day, row, reason);
    });
    const ended = await readSubscription(service, merchant, id);
    assert.equal(await presentations(id), times);
    assert.deepEqual(
      [ended["status"], ...cyclesOf(ended), ended["failed_billing_count"], ended["cycles"][0].gateway_code],
      ["PAST_DUE", "1:failed", times, reason],
    );
  });
}

for (const notice of sized([14], [14, 0])) {
  // Holds CYCLE-1 and CYCLE-3.
  test(`91 days of weekly cycles at a bank that is late, ${notice} days of notice: every cycle is collected once, none is skipped`, async () => {
    const merchant = await bankMerchant(service, { pre_notification_days: notice });
    const id = await subscribe(merchant, "WEEKLY");
    let most = 0;
    await live(merchant, "2026-11-23", "2027-02-22", async (day) => {
      await bookUntil(merchant, day, plus(day, -3));
      const { cycles } = await readSubscription(service, merchant, id);
      const pending = (cycles as readonly Json[]).filter(({ status }) => status === "pending").length;
      most = Math.max(most, pending);
    });
    await live(merchant, "2027-02-23", "2027-02-26", () => Promise.resolve());
    const cycles = cyclesOf(await readSubscription(service, merchant, id));
    assert.deepEqual(
      cycles.map((cycle) => cycle.split(":")[0]),
      Array.from({ length: 13 }, (_, n) => `${n + 1}`),
    );
    assert.deepEqual(new Set(cycles.map((cycle) => cycle.split(":")[1])), new Set(["paid", "pending"]));
    assert.equal(most, notice === 14 ? 3 : 1, "cycles that are pending side by side");
    assert.equal(await presentations(id), 13);
    const sums = await service.rows(
      `select u.total_revenue, u.successful_billing_count as count, u.status,
              (select count(*) filter (where status = 'paid')::integer from billing_cycles where subscription_id = u.id) as paid
         from subscriptions u where id = $1`,
      [id],
    );
    const paid = sums[0]?.["paid"];
    assert.deepEqual(sums[0], {
      total_revenue: ((paid + 1) * 9.9).toFixed(2),
      count: paid,
      status: "ACTIVE",
      paid,
    });
  });
}

test("an older cycle that is returned is retried while a newer one is pending, and the subscription is PAST_DUE until it is paid", async () => {
  const merchant = await bankMerchant(service);
  const id = await subscribe(merchant, "WEEKLY");
  await live(merchant, "2026-11-23", "2026-12-04", (day) => bookUntil(merchant, day, "2026-11-25"));
  await live(merchant, "2026-12-07", "2026-12-07", async (day) => {
    const [first] = await atTheBank(merchant);
    await reject(merchant, day, first ?? {}, "AM04");
  });
  const both = await readSubscription(service, merchant, id);
  assert.deepEqual([both["status"], ...cyclesOf(both)], ["PAST_DUE", "1:retry", "2:pending"]);
  await live(merchant, "2026-12-08", "2026-12-09", (day) => bookUntil(merchant, day, day));
  const newer = await readSubscription(service, merchant, id);
  assert.deepEqual([newer["status"], ...cyclesOf(newer)], ["PAST_DUE", "1:retry", "2:paid"]);
  await live(merchant, "2026-12-10", "2026-12-14", () => Promise.resolve());
  await live(merchant, "2026-12-15", "2026-12-15", (day) => bookUntil(merchant, day, day));
  const paid = await readSubscription(service, merchant, id);
  assert.deepEqual([paid["status"], ...cyclesOf(paid)], ["ACTIVE", "1:paid", "2:paid", "3:pending"]);
});

/** The end of a second attempt at a cycle, and the subscription's counts of paid and failed ones besides the first. */
const SECOND_ENDS = [
  ["booked", "before", [1, 0]],
  ["rejected", "after", [0, 1]],
  ["booked", "after", [1, 0]],
  ["rejected", "before", [0, 1]],
  ["still on its way", "before", [0, 0]],
] as const;

for (const [second, order, [paid, failed]] of sized(SECOND_ENDS.slice(0, 2), SECOND_ENDS)) {
  // Holds SUBSCRIPTION-2.
  test(`a retried renewal whose first debit is paid ${order} the second is ${second}: each debit keeps its own outcome`, async () => {
    const merchant = await bankMerchant(service);
    const id = await subscribe(merchant, "MONTHLY");
    await live(merchant, "2026-11-23", "2026-11-25", (day) => bookUntil(merchant, day, day));
    let first: Json = {};
    await live(merchant, "2026-12-23", "2026-12-23", async (day) => {
      first = (await atTheBank(merchant))[0] ?? {};
      await reject(merchant, day, first, "MS03");
    });
    await live(merchant, "2026-12-24", "2026-12-28", () => Promise.resolve());
    const [other] = await atTheBank(merchant);
    assert.ok(other !== undefined && other["reference"] !== first["reference"], "it was tried again");
    const counts = async () => {
      const now = await readSubscription(service, merchant, id);
      await assertBooksAgree(service.db);
      return [now["successful_billing_count"], now["failed_billing_count"], now["total_revenue"]];
    };
    const arrives = async () => {
      const entry = { amount: "9.90", endToEndId: first["reference"] };
      await treasury.booked(service, merchant, [["collection", entry]], "2026-12-29");
      const [waits] = await treasury.unmatched(service, merchant);
      const body = { action: "reinstate", transaction_id: await idOf(first["reference"]) };
      const { status, text } = await treasury.resolve(service, merchant, waits?.["id"], body);
      assert.equal(status, 200, text);
    };
    const ends = async () => {
      if (second === "booked") await bookUntil(merchant, "2026-12-30", "2026-12-31");
      if (second === "rejected") await reject(merchant, "2026-12-30", other, "AG02");
    };
    assert.deepEqual(await counts(), [0, 1, "9.90"]);
    if (order === "before") {
      await arrives();
      assert.deepEqual(await counts(), [1, 0, "19.80"]);
      await ends();
    } else {
      await ends();
      assert.deepEqual(await counts(), [paid, 1 + failed, paid === 1 ? "19.80" : "9.90"]);
      await arrives();
    }
    assert.deepEqual(await counts(), [1 + paid, failed, paid === 1 ? "29.70" : "19.80"]);
    const back = { amount: "9.90", endToEndId: first["reference"], reason: "MS03" };
    await treasury.booked(service, merchant, [["return", back]], "2027-01-04");
    await moveTo(merchant, "2027-01-04T14:30:00Z");
    assert.deepEqual(await counts(), [paid, failed, paid === 1 ? "19.80" : "9.90"]);
    await treasury.booked(service, merchant, [["withdrawn", { ...back, amount: "9.90" }]], "2027-01-05");
    const [again] = await treasury.unmatched(service, merchant);
    const body = { action: "reinstate", transaction_id: await idOf(first["reference"]) };
    const { status, text } = await treasury.resolve(service, merchant, again?.["id"], body);
    assert.equal(status, 200, text);
    assert.deepEqual(await counts(), [1 + paid, failed, paid === 1 ? "29.70" : "19.80"]);
  });
}

async function idOf(reference: string): Promise<string> {
  const rows = await service.rows("select id from transactions where merchant_transaction_id = $1", [
    reference,
  ]);
  return rows[0]?.["id"];
}

test("cancelled at once: debits that wait are withdrawn, those at the bank go on, and the answer says so", async () => {
  const merchant = await bankMerchant(service, { pre_notification_days: 9 });
  const id = await subscribe(merchant, "WEEKLY");
  await live(merchant, "2026-11-23", "2026-12-08", (day) => bookUntil(merchant, day, plus(day, -1)));
  const before = await readSubscription(service, merchant, id);
  assert.deepEqual(cyclesOf(before), ["1:pending", "2:pending"]);
  assert.equal((await atTheBank(merchant)).length, 1, "the first of the two is in a file");
  const path = `management/subscriptions/${id}/cancel/`;
  const cancelled = await service.post(path, {}, { key: merchant.key });
  assert.deepEqual(cyclesOf(cancelled.body), ["1:pending", "2:withdrawn"]);
  assert.deepEqual([cancelled.body["status"], cancelled.body["failed_billing_count"]], ["CANCELLED", 0]);
  await live(merchant, "2026-12-09", "2026-12-31", (day) => bookUntil(merchant, day, day));
  assert.deepEqual(cyclesOf(await readSubscription(service, merchant, id)), ["1:paid", "2:withdrawn"]);
});

// Holds SUBSCRIPTION-4.
test("cancelled at once: a debit in a file that is withdrawn goes into no other file, and is withdrawn within the hour", async () => {
  const merchant = await bankMerchant(service, { lead_days: 2 });
  const id = await subscribe(merchant, "WEEKLY");
  await live(merchant, "2026-11-23", "2026-11-27", (day) => bookUntil(merchant, day, day));
  await moveTo(merchant, "2026-11-30T08:30:00Z");
  await moveTo(merchant, "2026-11-30T14:00:00Z");
  const [renewal] = await atTheBank(merchant);
  assert.ok(renewal !== undefined, "the renewal is in a file");
  await moveTo(merchant, "2026-12-01T10:30:00Z");
  const cancelled = await service.post(`management/subscriptions/${id}/cancel/`, {}, { key: merchant.key });
  assert.deepEqual([cancelled.body["status"], ...cyclesOf(cancelled.body)], ["CANCELLED", "1:pending"]);
  const file = (await outgoing(service, merchant)).find(({ status }) => status === "ready");
  const taken = await service.post(
    `management/sepa-files/${file?.["id"]}/withdraw/`,
    {},
    { key: merchant.key },
  );
  assert.equal(taken.status, 200, taken.text);
  // Past the cut-off, and before the gateway is asked again.
  await moveTo(merchant, "2026-12-01T11:10:00Z");
  assert.deepEqual(await atTheBank(merchant), []);
  const waiting = cyclesOf(await readSubscription(service, merchant, id));
  assert.deepEqual(waiting, ["1:pending"], "a gateway is asked once an hour");
  await moveTo(merchant, "2026-12-01T11:40:00Z");
  const ended = await readSubscription(service, merchant, id);
  assert.deepEqual(
    [ended["status"], ...cyclesOf(ended), ended["failed_billing_count"]],
    ["CANCELLED", "1:withdrawn", 0],
  );
  const [payment] = await service.rows("select status from transactions where merchant_transaction_id = $1", [
    renewal["reference"],
  ]);
  assert.equal(payment?.["status"], "declined");
});

test("cancelled at the period's end: what falls due before is collected, then the subscription ends", async () => {
  const merchant = await bankMerchant(service, { pre_notification_days: 9 });
  const id = await subscribe(merchant, "WEEKLY");
  await live(merchant, "2026-11-23", "2026-12-01", (day) => bookUntil(merchant, day, day));
  const path = `management/subscriptions/${id}/cancel/`;
  await service.post(path, { at_period_end: true }, { key: merchant.key });
  await live(merchant, "2026-12-02", "2026-12-08", (day) => bookUntil(merchant, day, day));
  const waiting = await readSubscription(service, merchant, id);
  assert.deepEqual([waiting["status"], ...cyclesOf(waiting)], ["ACTIVE", "1:pending"]);
  await live(merchant, "2026-12-09", "2026-12-31", (day) => bookUntil(merchant, day, day));
  const ended = await readSubscription(service, merchant, id);
  assert.deepEqual([ended["status"], ...cyclesOf(ended)], ["CANCELLED", "1:paid"]);
});

test("a cancellation while the file is being written: the instruction is in the file or withdrawn, never both", async () => {
  for (let round = 0; round < 6; round += 1) {
    const merchant = await bankMerchant(service, { pre_notification_days: 2 });
    const id = await subscribe(merchant, "WEEKLY");
    await live(merchant, "2026-11-23", "2026-11-27", (day) => bookUntil(merchant, day, day));
    await moveTo(merchant, "2026-11-30T08:00:00Z");
    const waits = cyclesOf(await readSubscription(service, merchant, id));
    assert.deepEqual(waits, ["1:pending"]);
    const path = `management/subscriptions/${id}/cancel/`;
    const [cancelled] = await Promise.all([
      service.post(path, {}, { key: merchant.key }),
      moveTo(merchant, "2026-11-30T14:00:00Z"),
    ]);
    const sent = (await atTheBank(merchant)).length;
    const cycles = cyclesOf(await readSubscription(service, merchant, id));
    assert.equal(cancelled.status, 200);
    assert.deepEqual(cycles, [sent === 1 ? "1:pending" : "1:withdrawn"]);
  }
});

test("without a schedule, cancelling at the period's end cancels at once, and nothing more is collected", async () => {
  const merchant = await bankMerchant(service);
  const id = await subscribe(merchant, undefined);
  const path = `management/subscriptions/${id}/`;
  await service.post(`${path}collect/`, undefined, { key: merchant.key });
  const cancelled = await service.post(`${path}cancel/`, { at_period_end: true }, { key: merchant.key });
  assert.deepEqual(
    [cancelled.body["status"], cancelled.body["cancelled_at"] !== null, ...cyclesOf(cancelled.body)],
    ["CANCELLED", true, "1:pending"],
    "what was asked for before is kept",
  );
  const refused = await service.post(`${path}collect/`, undefined, { key: merchant.key });
  assert.deepEqual([refused.status, refused.body["detail"]], [409, "This subscription is cancelled."]);
});

test("a renewal that failed for a reason that was fixed can be collected again by hand", async () => {
  const merchant = await bankMerchant(service);
  const id = await subscribe(merchant, "MONTHLY");
  await live(merchant, "2026-11-23", "2026-11-25", (day) => bookUntil(merchant, day, day));
  await live(merchant, "2026-12-23", "2026-12-23", async (day) => {
    for (const row of await atTheBank(merchant)) await reject(merchant, day, row, "BE05");
  });
  assert.deepEqual(cyclesOf(await readSubscription(service, merchant, id)), ["1:failed"]);
  const path = `management/subscriptions/${id}/collect/`;
  const again = await service.post(path, undefined, { key: merchant.key });
  assert.deepEqual(cyclesOf(again.body), ["1:pending"], again.text);
  assert.equal((await service.post(path, undefined, { key: merchant.key })).status, 409);
});

const NOTICES = [
  [14, 2, "Europe/Berlin"],
  [2, 1, "Europe/Athens"],
  [0, 2, "Europe/Berlin"],
  [0, 5, "Europe/Berlin"],
] as const;
for (const [notice, lead, zone] of sized(NOTICES.slice(0, 2), NOTICES)) {
  // Holds CYCLE-9.
  test(`the announced day is the file's due date: ${notice} days of notice, ${lead} of lead, ${zone}`, async () => {
    const merchant = await bankMerchant(service, {
      pre_notification_days: notice,
      lead_days: lead,
      time_zone: zone,
    });
    await createRecord(service, merchant.key, "webhook-profiles", {
      name: "Upcoming",
      url: "http://127.0.0.1:9/",
      events: ["subscription.upcoming"],
    });
    const id = await subscribe(merchant, "MONTHLY");
    await live(merchant, "2026-12-22", "2027-01-12", () => Promise.resolve());
    const [told] = await service.rows(
      "select payload -> 'subscription' ->> 'collection_date' as day from events where type = 'subscription.upcoming' and payload -> 'subscription' ->> 'id' = $1",
      [id],
    );
    const [file] = await service.rows(
      `select c.due_date::text as day from sepa_collections c
         join transactions t on t.tenant = c.tenant and t.merchant_transaction_id = c.reference and t.type = 'sdd_rebill'
        where c.gateway_id = $1`,
      [merchant.accountId],
    );
    assert.ok(file?.["day"], "it is in a file");
    assert.equal(told?.["day"], file["day"]);
  });
}

// Holds CYCLE-9.
test("a renewal that was never announced is announced again only once its day cannot be met any more", async () => {
  const merchant = await bankMerchant(service, { pre_notification_days: 14 });
  const tenant = `management/tenants/${merchant.tenantId}/`;
  const refusing = await service.call("PATCH", tenant, { notice_check: "refuse" }, { key: OPERATOR_KEY });
  assert.equal(refusing.status, 200, refusing.text);
  const id = await subscribe(merchant, "WEEKLY");
  for (let day = "2026-11-24"; day <= "2026-12-24"; day = plus(day, 1))
    await moveTo(merchant, `${day}T09:00:00Z`);
  const notices = await service.rows(
    "select due_date::text as due, collection_date::text as day, created_at::date::text as told from notices where subscription_id = $1 order by created_at",
    [id],
  );
  const days = notices.map(({ due, day }) => `${due} on ${day}`);
  assert.ok(days.length > 1, "the first day passed without");
  assert.equal(new Set(days).size, days.length, days.join(", "));
});

test("a file that debits before the announced day counts as announced too late", async () => {
  const merchant = await bankMerchant(service, { pre_notification_days: 14 });
  await createRecord(service, merchant.key, "webhook-profiles", {
    name: "Upcoming",
    url: "http://127.0.0.1:9/",
    events: ["subscription.upcoming"],
  });
  await subscribe(merchant, "MONTHLY");
  await live(merchant, "2026-12-22", "2027-01-12", () => Promise.resolve());
  await service.app.jobs.find(({ name }) => name === "deliver-webhooks")?.runOnce(500);
  // A number that no attempt of the service, which may be in progress, uses.
  await service.rows(
    `insert into webhook_attempts (tenant, delivery_id, number, at, duration_ms, response_code)
     select x.tenant, v.id, v.attempts + 100, x.created_at, 5, 200 from webhook_deliveries v
       join notices x on x.tenant = v.tenant and x.event_id = v.event_id`,
  );
  const untold = async () => {
    const { unannounced } = await checkBooks(service.db);
    return unannounced.filter((words) => words.includes(merchant.tenantId)).length;
  };
  assert.equal(await untold(), 0);
  const debitedDaysLater = (days: number) =>
    service.rows("update sepa_collections set due_date = due_date + $2::integer where gateway_id = $1", [
      merchant.accountId,
      days,
    ]);
  await debitedDaysLater(-1);
  assert.equal(await untold(), 1);
  await debitedDaysLater(1);
});

test("the days of notice count from the account's own date: a payment late in the evening has all of them", async () => {
  const merchant = await bankMerchant(service, { pre_notification_days: 14 });
  await moveTo(merchant, "2026-11-23T23:30:00Z");
  await payAt(merchant);
  const [row] = await service.rows(
    "select not_before::text as day from sepa_collections where gateway_id = $1",
    [merchant.accountId],
  );
  assert.equal(row?.["day"], "2026-12-08", "14 days after the 24th, which it is in Berlin");
});
