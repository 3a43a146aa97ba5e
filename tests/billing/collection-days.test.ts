/** On which day a renewal is collected and tried again, as the tenant has chosen: real SQL, the sandbox bank, a moved clock. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { announceJob } from "../../src/subscriptions/announce.ts";
import { manualClock } from "../../src/lib/clock.ts";
import { renewDue } from "../../src/subscriptions/renew.ts";
import { cyclesOf, readSubscription, subscribe, switchAccount } from "../support/billing.ts";
import { assertBooksAgree } from "../support/books.ts";
import { createMerchant, createRecord, IBAN, type Merchant } from "../support/merchant.ts";
import { startService, type Json, type Service } from "../support/service.ts";

const clock = manualClock(new Date("2027-01-28T10:00:00Z"));
let service: Service;

before(async () => {
  service = await startService({ clock });
});
after(async () => {
  await assertBooksAgree(service.db).finally(() => service.close());
});

async function merchantWith(settings: Json): Promise<Merchant> {
  const merchant = await createMerchant(service);
  const { status, text } = await service.call("PATCH", "management/tenant/", settings, { key: merchant.key });
  assert.equal(status, 200, text);
  return merchant;
}

async function moveTo(merchant: Merchant, date: string): Promise<void> {
  const { status, text } = await service.post("management/clock/", { date }, { key: merchant.key });
  assert.equal(status, 200, text);
}

/** Cycles as `1:paid`, and the due date of the newest. */
async function standOf(merchant: Merchant, id: string): Promise<readonly unknown[]> {
  const shown = await readSubscription(service, merchant, id);
  return [...cyclesOf(shown), shown["cycles"][0]?.due_date ?? null, shown["next_billing_date"]];
}

/** 28 February 2027 is a Sunday. */
for (const [closedDay, dayBefore, day] of [
  ["next", "2027-02-28T23:59:00Z", "2027-03-01T06:00:00Z"],
  ["previous", "2027-02-25T23:59:00Z", "2027-02-26T06:00:00Z"],
] as const) {
  test(`closed_day ${closedDay}: February's cycle is collected on ${day.slice(0, 10)}, once, and stays February's`, async () => {
    const merchant = await merchantWith({ closed_day: closedDay });
    await moveTo(merchant, "2027-01-31T12:00:00Z");
    const id = await subscribe(merchant);
    await moveTo(merchant, dayBefore);
    assert.deepEqual(await standOf(merchant, id), [null, "2027-02-28"]);
    await moveTo(merchant, day);
    const [taken, due, following] = await standOf(merchant, id);
    assert.match(String(taken), /^1:(paid|pending)$/, "on this day, not a later one");
    assert.deepEqual([due, following], ["2027-02-28", "2027-03-31"]);
    await moveTo(merchant, "2027-03-02T06:00:00Z");
    assert.deepEqual(await standOf(merchant, id), ["1:paid", "2027-02-28", "2027-03-31"]);
    await moveTo(merchant, "2027-04-01T06:00:00Z");
    assert.deepEqual(await standOf(merchant, id), ["1:paid", "2:paid", "2027-03-31", "2027-04-30"]);
  });
}

test("closed_day previous: if the service was down, the cycle of the coming Sunday is collected on Friday, and of those that were missed none", async () => {
  const merchant = await merchantWith({ closed_day: "previous" });
  await moveTo(merchant, "2027-01-31T12:00:00Z");
  const id = await subscribe(merchant, { billing_frequency: "WEEKLY" });
  assert.deepEqual(await standOf(merchant, id), [null, "2027-02-07"]);
  for (const time of ["2027-02-26T06:00:00Z", "2027-02-26T06:10:00Z", "2027-02-28T06:00:00Z"]) {
    await moveTo(merchant, time);
    assert.deepEqual(
      await standOf(merchant, id),
      ["1:skipped", "2:skipped", "3:skipped", "4:paid", "2027-02-28", "2027-03-07"],
      time,
    );
  }
});

test("billing_day last: each renewal is due on the last day of its month, whatever the day of the purchase", async () => {
  const merchant = await createMerchant(service);
  await moveTo(merchant, "2027-02-15T12:00:00Z");
  const id = await subscribe(merchant, { billing_day: "LAST" });
  clock.advance(1_000);
  const quarterly = await subscribe(merchant, { billing_day: "last", billing_frequency: "QUARTERLY" });
  assert.deepEqual(await standOf(merchant, id), [null, "2027-03-31"]);
  assert.equal((await readSubscription(service, merchant, id))["billing_day"], "last");
  assert.deepEqual(await standOf(merchant, quarterly), [null, "2027-05-31"]);
  await moveTo(merchant, "2027-03-31T06:00:00Z");
  await moveTo(merchant, "2027-04-30T06:00:00Z");
  assert.deepEqual(await standOf(merchant, id), ["1:paid", "2:paid", "2027-04-30", "2027-05-31"]);
});

test("billing_day needs a frequency of months, in a session and in an offer; a campaign's session has its offer's", async () => {
  const merchant = await createMerchant(service);
  for (const frequency of ["WEEKLY", "BIWEEKLY", null]) {
    const terms = { billing_type: "RECURRING", billing_frequency: frequency, billing_day: "last" };
    const session = await merchant.create(terms);
    assert.deepEqual(
      [session.status, session.body["billing_day"]],
      [400, ["Needs a billing_frequency of months."]],
    );
  }
  const offer = { name: "A", price: "9.90", currency: "EUR", billing_type: "RECURRING", billing_day: "last" };
  const refused = await service.post("management/offers/", offer, { key: merchant.key });
  assert.equal(refused.status, 400);
});

test("closed_day previous shortens neither a trial nor a last period", async () => {
  const merchant = await merchantWith({ closed_day: "previous" });
  await moveTo(merchant, "2027-01-31T12:00:00Z");
  const trial = await subscribe(merchant, {
    billing_type: "TRIAL_RECURRING",
    trial_interval_unit: "day",
    trial_period: 28,
  });
  clock.advance(1_000);
  const ending = await subscribe(merchant, { billing_frequency: "MONTHLY" });
  const cancelled = await service.post(
    `management/subscriptions/${ending}/cancel/`,
    { at_period_end: true },
    { key: merchant.key },
  );
  assert.equal(cancelled.status, 200);
  await moveTo(merchant, "2027-02-26T06:00:00Z");
  assert.deepEqual(await standOf(merchant, trial), [null, "2027-02-28"]);
  assert.equal((await readSubscription(service, merchant, ending))["status"], "ACTIVE");
  await moveTo(merchant, "2027-03-01T06:00:00Z");
  assert.deepEqual(await standOf(merchant, trial), ["0:paid", "2027-02-28", "2027-03-28"]);
  assert.equal((await readSubscription(service, merchant, ending))["status"], "CANCELLED");
});

test("a renewal is announced for the day on which it is collected, the notice before that", async () => {
  const merchant = await merchantWith({ closed_day: "previous", pre_notification_days: 5 });
  await createRecord(service, merchant.key, "webhook-profiles", {
    name: "all",
    url: "https://shop.example.com/hook",
    events: ["subscription.upcoming"],
  });
  await moveTo(merchant, "2027-01-31T12:00:00Z");
  const id = await subscribe(merchant);
  await moveTo(merchant, "2027-02-21T06:00:00Z");
  await announceJob(service.app.deps).runOnce(100);
  const [event] = await service.rows(
    "select payload -> 'subscription' ->> 'collection_date' as day from events where type = 'subscription.upcoming' and payload::text like $1",
    [`%${id}%`],
  );
  assert.deepEqual(event, { day: "2027-02-26" });
});

test("retry_days: the next salary day, then a number of days; second attempts are counted by reason", async () => {
  const merchant = await merchantWith({ retry_days: ["salary_day", 2] });
  await moveTo(merchant, "2027-01-31T12:00:00Z");
  const id = await subscribe(merchant);
  clock.advance(1_000);
  const other = await subscribe(merchant);
  await switchAccount(service, id, IBAN.insufficientFunds);
  await switchAccount(service, other, IBAN.insufficientFunds);
  await moveTo(merchant, "2027-03-01T06:00:00Z");
  const [first] = (await readSubscription(service, merchant, id))["cycles"];
  assert.deepEqual([first.status, first.next_attempt_at.slice(0, 16)], ["retry", "2027-03-15T00:00"]);
  await switchAccount(service, other, IBAN.approved);
  await moveTo(merchant, "2027-03-15T06:00:00Z");
  const [second] = (await readSubscription(service, merchant, id))["cycles"];
  assert.deepEqual([second.status, second.next_attempt_at.slice(0, 10)], ["retry", "2027-03-17"]);
  await moveTo(merchant, "2027-03-17T07:00:00Z");
  assert.deepEqual(cyclesOf(await readSubscription(service, merchant, id)), ["1:failed"]);
  assert.deepEqual(cyclesOf(await readSubscription(service, merchant, other)), ["1:paid"]);

  const { body } = await service.get("management/statistics/retries/?from=2027-03-01", { key: merchant.key });
  assert.deepEqual(body["results"], [
    {
      reason: "AM04",
      currency: "EUR",
      tried_again: 2,
      succeeded: 1,
      pending: 0,
      declined: 1,
      returned: 0,
      succeeded_amount: "29.90",
    },
  ]);
  const later = await service.get("management/statistics/retries/?from=2027-03-15", { key: merchant.key });
  assert.deepEqual(later.body["results"], [], "a second try is not taken for a first");
});

test("retry_days takes up to two days from 1 to 30, or salary_day; closed_day next or previous", async () => {
  const merchant = await createMerchant(service);
  for (const settings of [
    { retry_days: [0] },
    { retry_days: [31] },
    { retry_days: ["payday"] },
    { retry_days: [1, 2, 3] },
    { retry_days: null },
    { closed_day: "nearest" },
  ]) {
    const { status } = await service.call("PATCH", "management/tenant/", settings, { key: merchant.key });
    assert.equal(status, 400, JSON.stringify(settings));
  }
  const { body } = await service.call(
    "PATCH",
    "management/tenant/",
    { retry_days: [] },
    { key: merchant.key },
  );
  assert.deepEqual([body["retry_days"], body["closed_day"]], [[], "next"]);
});

// The last test, because it moves the clock of all tenants.
test("closed_day previous: the pass over all tenants finds who collects early, as one whose clock was moved", async () => {
  const [early, late] = [
    await merchantWith({ closed_day: "previous" }),
    await merchantWith({ closed_day: "next" }),
  ];
  const ids = [await subscribe(early), await subscribe(late)];
  const stand = async () => [await standOf(early, ids[0] ?? ""), await standOf(late, ids[1] ?? "")];
  // 28 February 2027 is a Sunday: one collects on the 26th, a Friday, the other on Monday.
  for (const [to, taken] of [
    ["2027-02-25T12:00:00Z", [false, false]],
    ["2027-02-26T12:00:00Z", [true, false]],
    ["2027-03-01T12:00:00Z", [true, true]],
  ] as const) {
    clock.advance(Date.parse(to) - clock.now().getTime());
    await renewDue(service.app.deps, 50);
    const cycles = (await stand()).map(([first]) => String(first).startsWith("1:"));
    assert.deepEqual(cycles, taken, to);
  }
});
