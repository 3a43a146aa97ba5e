/**
 * Proof that customers were notified of renewals. If the tenant requires it, no renewal is collected without notice.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { checkBooks } from "../../src/books/check.ts";
import { must } from "../../src/lib/assert.ts";
import { createApp } from "../../src/app.ts";
import { HOUR_MS, manualClock } from "../../src/lib/clock.ts";
import { announceJob } from "../../src/subscriptions/announce.ts";
import { renewDue } from "../../src/subscriptions/renew.ts";
import { cyclesOf, readSubscription, subscribe, switchAccount } from "../support/billing.ts";
import { onClock } from "../support/database-clock.ts";
import { sendMessages, startMailing } from "../support/mail.ts";
import type { MailServer } from "../support/mail-server.ts";
import { createMerchant, IBAN, lead, type Merchant } from "../support/merchant.ts";
import { openPage } from "../support/page.ts";
import { OPERATOR_KEY, type Json, type Service } from "../support/service.ts";

const clock = manualClock(new Date("2026-03-04T10:00:00Z"));
let service: Service;
let mail: MailServer;
let close: () => Promise<void>;

before(async () => {
  ({ service, mail, close } = await startMailing({ clock }));
});
after(() => close());

async function shop(changes: Json): Promise<Merchant> {
  mail.behave({});
  const merchant = await createMerchant(service);
  const path = `management/tenants/${merchant.tenantId}/`;
  const set = await service.call("PATCH", path, changes, { key: OPERATOR_KEY });
  assert.equal(set.status, 200, set.text);
  return merchant;
}

async function moveTo(merchant: Merchant, day: string): Promise<void> {
  const moved = await service.post("management/clock/", { date: `${day}T12:00:00Z` }, { key: merchant.key });
  assert.equal(moved.status, 200, moved.text);
}

const send = () => sendMessages(service.app);

async function cycles(merchant: Merchant, id: string): Promise<readonly string[]> {
  return cyclesOf(await readSubscription(service, merchant, id));
}

function runDays(merchant: Merchant, days: readonly string[]): Promise<void> {
  return days.reduce((before, day) => before.then(() => moveTo(merchant, day)), Promise.resolve());
}

async function amend(merchant: Merchant, changes: Json): Promise<void> {
  const { id } = await mandateOf(merchant);
  const amended = await service.post(`management/mandates/${id}/amend/`, changes, { key: merchant.key });
  assert.equal(amended.status, 200, amended.text);
}

/** The days that the messages have announced, oldest first. */
async function announcedDays(merchant: Merchant): Promise<readonly string[]> {
  const { notices } = await mandateOf(merchant);
  return notices.map((notice: Json) => notice["collection_date"]).toReversed();
}

async function broken(merchant: Merchant): Promise<readonly string[]> {
  const { differences, unannounced } = await checkBooks(service.db);
  return [...differences, ...unannounced].filter((words) => words.includes(merchant.tenantId));
}

/** A merchant who notifies customers itself, upon the service's events, and who has one subscriber. */
async function ownRoad(changes: Json = {}): Promise<{ readonly merchant: Merchant; readonly id: string }> {
  const merchant = await shop({ notice_check: "refuse", ...changes });
  const made = await service.post(
    "management/webhook-profiles/",
    { name: "Upcoming", url: "http://127.0.0.1:9/", events: ["subscription.upcoming"] },
    { key: merchant.key },
  );
  assert.equal(made.status, 201, made.text);
  return { merchant, id: await subscribe(merchant) };
}

/** Delivers the waiting events to the merchant's server. */
async function delivered(merchant: Merchant, at: string): Promise<void> {
  await service.app.jobs.find(({ name }) => name === "deliver-webhooks")?.runOnce(500);
  await service.rows(
    `with d as (
       update webhook_deliveries set status = 'delivered', due_at = null, delivered_at = $2
        where tenant = (select tenant from tenants where id = $1) and status <> 'delivered'
       returning tenant, id, attempts
     )
     insert into webhook_attempts (tenant, delivery_id, number, at, duration_ms, response_code)
     select tenant, id, attempts + 1, $2, 5, 200 from d`,
    [merchant.tenantId, at],
  );
}

async function mandateOf(merchant: Merchant): Promise<Json> {
  const [mandate] = (await service.get("management/mandates/", { key: merchant.key })).body["results"];
  return (await service.get(`management/mandates/${mandate.id}/`, { key: merchant.key })).body;
}

test("a renewal waits until its notice was sent, and is debited on the day that the notice named", async () => {
  const merchant = await shop({ messages: ["pre_notification"], notice_check: "refuse" });
  const id = await subscribe(merchant, { lead: lead({ email: "waits@kwyrzel.example" }) });
  await runDays(merchant, ["2026-03-21", "2026-04-07"]);
  assert.deepEqual(await cycles(merchant, id), [], "the message was not sent");
  const asked = await service.post(`management/subscriptions/${id}/collect/`, undefined, {
    key: merchant.key,
  });
  assert.equal(asked.status, 409);
  assert.match(asked.text, /not notified of this collection in time/);
  await send();
  assert.equal(mail.taken.length, 0, "its day cannot be met");
  await moveTo(merchant, "2026-04-08");
  await send();
  assert.equal(mail.taken.length, 1);
  assert.match(mail.taken[0]?.text ?? "", /22\. April 2026/);
  await moveTo(merchant, "2026-04-21");
  assert.deepEqual(await cycles(merchant, id), []);
  await moveTo(merchant, "2026-04-22");
  assert.deepEqual(await cycles(merchant, id), ["1:paid"]);
  assert.deepEqual(await broken(merchant), []);
});

test("the mandate and its document show which notice was sent, to whom, when and with which text", async () => {
  const merchant = await shop({ messages: ["pre_notification"], notice_check: "refuse" });
  const id = await subscribe(merchant, { lead: lead({ email: "told@kwyrzel.example" }) });
  await moveTo(merchant, "2026-03-21");
  await send();
  const mandate = await mandateOf(merchant);
  const [notice] = mandate["notices"];
  assert.deepEqual(
    [
      notice.recipient,
      notice.amount,
      notice.collection_date,
      notice.text_version,
      notice.told_by,
      notice.told_at,
    ],
    ["told@kwyrzel.example", "29.90", "2026-04-07", "2026-11-4/de", "message", "2026-03-21T12:00:00.000Z"],
  );
  const sheet = await service.get(`management/mandates/${mandate["id"]}/document/`, { key: merchant.key });
  assert.match(
    sheet.text,
    /2026-03-21 12:00:00 UTC: 29,90\s€, 7\. April 2026, jeden Monat; Mandatsreferenz: MND-\S+; E-Mail-Adresse: told(@|&#64;)kwyrzel\.example; Fassung des Textes: 2026-11-4\/de/,
  );
  await runDays(merchant, ["2026-04-07", "2026-05-04"]);
  assert.deepEqual(await cycles(merchant, id), ["1:paid", "2:paid"], "the first notice holds for the second");
  assert.deepEqual(await broken(merchant), []);
});

const stopAll = (merchant: Merchant, at: Date | null) =>
  service.rows(
    "update campaigns set stopped_at = $2 where tenant = (select tenant from tenants where id = $1)",
    [merchant.tenantId, at],
  );

for (const notice_check of ["report", "refuse"] as const)
  test(`a stopped campaign announces nothing and sends no notice; once it is resumed, renewals are announced in time (${notice_check})`, async () => {
    const merchant = await shop({ messages: ["pre_notification"], notice_check });
    const email = `stopped-${notice_check}@kwyrzel.example`;
    const id = await subscribe(merchant, { campaign_id: merchant.campaignId, lead: lead({ email }) });
    const announced = () => mail.taken.filter(({ to }) => to === email).map(({ text }) => text);
    await moveTo(merchant, "2026-03-21");
    assert.deepEqual(await announcedDays(merchant), ["2026-04-07"]);
    await stopAll(merchant, clock.now());
    await send();
    await moveTo(merchant, "2026-03-22");
    await send();
    assert.deepEqual(announced(), []);
    assert.deepEqual(await announcedDays(merchant), ["2026-04-07"]);
    await moveTo(merchant, "2026-04-10");
    assert.deepEqual(await announcedDays(merchant), ["2026-04-07"], "not while it is stopped");
    await stopAll(merchant, null);
    await moveTo(merchant, "2026-04-11");
    await send();
    const days = { report: "2026-04-13", refuse: "2026-04-27" };
    assert.deepEqual(await announcedDays(merchant), ["2026-04-07", days[notice_check]]);
    assert.match(announced().join(), { report: /13\. April 2026/, refuse: /27\. April 2026/ }[notice_check]);
    if (notice_check === "refuse") await runDays(merchant, ["2026-04-13", "2026-04-26"]);
    assert.deepEqual(await cycles(merchant, id), []);
    await moveTo(merchant, days[notice_check]);
    assert.deepEqual(await cycles(merchant, id), ["1:paid"]);
  });

test("the message of a failed renewal says nothing about a retry while its campaign is stopped", async () => {
  const failed = async (email: string, isStopped: boolean) => {
    const merchant = await shop({ messages: ["payment_failed"] });
    const id = await subscribe(merchant, {
      campaign_id: merchant.campaignId,
      lead: lead({ email }),
      locale: "en",
    });
    await switchAccount(service, id, IBAN.insufficientFunds);
    await moveTo(merchant, "2026-04-07");
    assert.deepEqual(await cycles(merchant, id), ["1:retry"]);
    if (isStopped) await stopAll(merchant, clock.now());
    await send();
    return must(mail.taken.find(({ to }) => to === email)?.text, "a message");
  };
  const [again, none] = [/It will be tried again on /, /It will not be tried again automatically/];
  assert.match(await failed("failed-goes-on@kwyrzel.example", false), again);
  const text = await failed("failed-stopped@kwyrzel.example", true);
  assert.doesNotMatch(text, again);
  assert.doesNotMatch(text, none);
});

/** The next payment on the customer's account page, read when the function is called. */
function nextPayment(merchant: Merchant, subscriptionId: string): () => Promise<string | null> {
  return async () => {
    const [row] = await service.rows("select lead_id from subscriptions where id = $1", [subscriptionId]);
    const path = `management/customers/${row?.["lead_id"]}/account-link/`;
    const link = await service.post(path, {}, { key: merchant.key });
    const { words } = await openPage(service, new URL(link.body["url"]).pathname);
    return /Next payment (\d+ \w+ \d{4})/.exec(words)?.[1] ?? null;
  };
}

test("while a campaign is stopped no page names a day of the next debit; afterwards no page names a past one", async () => {
  const merchant = await shop({});
  const id = await subscribe(merchant, { campaign_id: merchant.campaignId });
  const next = nextPayment(merchant, id);
  await moveTo(merchant, "2026-03-30");
  assert.equal(await next(), "7 April 2026");
  await stopAll(merchant, clock.now());
  assert.equal(await next(), null);
  await moveTo(merchant, "2026-04-09");
  assert.equal(await next(), null);
  await stopAll(merchant, null);
  assert.equal(await next(), "9 April 2026");
  await moveTo(merchant, "2026-04-10");
  assert.deepEqual(await cycles(merchant, id), ["1:paid"]);
});

test("the form and the account page show the same day of a first renewal that waits until its customer was notified", async () => {
  const merchant = await shop({ notice_check: "refuse" });
  const terms = { billing_type: "RECURRING", billing_frequency: "WEEKLY", lead: lead() };
  const token = await merchant.session(terms);
  const { words: form } = await openPage(service, `/pay/${token}/`);
  const [, first] = /first on (\d+ \w+ \d{4})/.exec(form) ?? [];
  assert.equal(first, "18 March 2026", form);
  const paid = await merchant.pay(token, IBAN.approved);
  assert.equal(paid.status, 200, paid.text);
  assert.equal(await nextPayment(merchant, paid.body["subscription"].id)(), first);
});

test("a message that cannot be sent is tried once in a notice period, and nothing is collected before a message was sent", async () => {
  const merchant = await shop({ messages: ["pre_notification"], notice_check: "refuse" });
  const id = await subscribe(merchant, { lead: lead({ email: "gone@kwyrzel.example" }) });
  mail.behave({ rcpt: "550 5.1.1 no such user" });
  for (const day of ["2026-03-21", "2026-04-04", "2026-04-07", "2026-04-08", "2026-04-20"]) {
    await moveTo(merchant, day);
    await send();
  }
  assert.deepEqual(await announcedDays(merchant), ["2026-04-07", "2026-04-21"]);
  assert.deepEqual(await cycles(merchant, id), []);
  mail.behave({});
  await moveTo(merchant, "2026-04-21");
  await send();
  await moveTo(merchant, "2026-05-04");
  assert.deepEqual(await announcedDays(merchant), ["2026-04-07", "2026-04-21", "2026-05-05"]);
  await moveTo(merchant, "2026-05-05");
  assert.deepEqual(await cycles(merchant, id), ["1:skipped", "2:paid"]);
  assert.deepEqual(await broken(merchant), []);
});

test("a renewal whose mandate is amended after its notice is announced again, and debited on the new day", async () => {
  const merchant = await shop({ messages: ["pre_notification"], notice_check: "refuse" });
  const id = await subscribe(merchant, { lead: lead({ email: "moved@kwyrzel.example" }) });
  await moveTo(merchant, "2026-03-21");
  await send();
  await moveTo(merchant, "2026-04-01");
  await amend(merchant, { iban: IBAN.approvedDutch });
  await moveTo(merchant, "2026-04-02");
  await send();
  await moveTo(merchant, "2026-04-15");
  assert.deepEqual(
    [await cycles(merchant, id), await announcedDays(merchant)],
    [[], ["2026-04-07", "2026-04-16"]],
  );
  await moveTo(merchant, "2026-04-16");
  assert.deepEqual(await cycles(merchant, id), ["1:paid"]);
  assert.deepEqual(await broken(merchant), []);
});

test("a notice is still sent on the day that it names, and not on the day after", async () => {
  for (const [day, letters] of [
    ["2026-04-07", 1],
    ["2026-04-08", 0],
  ] as const) {
    const merchant = await shop({ messages: ["pre_notification"], notice_check: "report" });
    const email = `late${letters}@kwyrzel.example`;
    await subscribe(merchant, { lead: lead({ email }) });
    await runDays(merchant, ["2026-03-21", day]);
    await send();
    assert.equal(mail.taken.filter(({ to }) => to === email).length, letters, day);
  }
});

for (const [what, changes, said] of [
  ["name", { creditor_name: "Renamed Shop" }, /Renamed Shop/],
  ["identifier", { creditor_identifier: "DE98ZZZ09999999999" }, /DE98ZZZ09999999999/],
] as const)
  test(`a renewal is announced again when the creditor's ${what} is amended after its notice`, async () => {
    const merchant = await shop({ messages: ["pre_notification"], notice_check: "refuse" });
    const email = `renamed-${what}@kwyrzel.example`;
    const id = await subscribe(merchant, { lead: lead({ email }) });
    await moveTo(merchant, "2026-03-21");
    await send();
    await moveTo(merchant, "2026-04-01");
    await amend(merchant, changes);
    await moveTo(merchant, "2026-04-02");
    await send();
    assert.equal(lettersTo(email).length, 2);
    assert.match(lettersTo(email)[1] ?? "", said);
    await moveTo(merchant, "2026-04-15");
    assert.deepEqual(await cycles(merchant, id), []);
    await moveTo(merchant, "2026-04-16");
    assert.deepEqual(await cycles(merchant, id), ["1:paid"]);
    assert.deepEqual(await broken(merchant), []);
  });

async function changeDay(merchant: Merchant, id: string, nextBillingDate: string): Promise<void> {
  const path = `management/subscriptions/${id}/change/`;
  const body = { next_billing_date: nextBillingDate };
  const changed = await service.post(path, body, { key: merchant.key });
  assert.equal(changed.status, 200, changed.text);
}

function lettersTo(email: string): readonly string[] {
  return mail.taken.filter(({ to }) => to === email).map(({ text }) => text);
}

for (const notice_check of ["report", "refuse"] as const) {
  test(`a customer who was notified of a renewal is notified again when its day is moved to a later one (${notice_check})`, async () => {
    const merchant = await shop({ messages: ["pre_notification"], notice_check });
    const email = `moved-later-${notice_check}@kwyrzel.example`;
    const id = await subscribe(merchant, { lead: lead({ email }) });
    await moveTo(merchant, "2026-03-21");
    await send();
    await changeDay(merchant, id, "2026-04-15");
    await moveTo(merchant, "2026-04-01");
    await send();
    assert.equal(lettersTo(email).length, 2);
    assert.match(lettersTo(email)[1] ?? "", /15\. April 2026/);
    await runDays(merchant, ["2026-04-07", "2026-04-14"]);
    assert.deepEqual(await cycles(merchant, id), []);
    await moveTo(merchant, "2026-04-15");
    assert.deepEqual(await cycles(merchant, id), ["1:paid"]);
    assert.deepEqual(await broken(merchant), []);
  });

  test(`a customer who was notified of later renewals with the first is notified again when one is moved to an earlier day (${notice_check})`, async () => {
    const merchant = await shop({ messages: ["pre_notification"], notice_check });
    const email = `moved-earlier-${notice_check}@kwyrzel.example`;
    const id = await subscribe(merchant, { lead: lead({ email }) });
    await moveTo(merchant, "2026-03-21");
    await send();
    await runDays(merchant, ["2026-04-07", "2026-04-20"]);
    assert.deepEqual(await cycles(merchant, id), ["1:paid"]);
    await send();
    assert.equal(lettersTo(email).length, 1);
    await changeDay(merchant, id, "2026-04-24");
    await moveTo(merchant, "2026-04-21");
    await send();
    assert.equal(lettersTo(email).length, 2);
    // With "refuse", not before the agreed days of notice have passed.
    const day = { report: "24. April 2026", refuse: "5. Mai 2026" }[notice_check];
    assert.ok(lettersTo(email).at(-1)?.includes(day), day);
    await runDays(merchant, ["2026-04-23", "2026-04-24", "2026-05-04"]);
    assert.deepEqual(
      await cycles(merchant, id),
      { report: ["1:paid", "2:paid"], refuse: ["1:paid"] }[notice_check],
    );
    await runDays(merchant, ["2026-05-05", "2026-05-24", "2026-05-26"]);
    assert.deepEqual(await cycles(merchant, id), ["1:paid", "2:paid", "3:paid"]);
    await send();
    assert.equal(lettersTo(email).length, 2, "the third is as announced");
  });
}

for (const notice_check of ["report", "refuse"] as const)
  test(`the books report a debit on a moved day if the customer was notified of the old day only (${notice_check})`, async () => {
    const merchant = await shop({ messages: ["pre_notification"], notice_check });
    const id = await subscribe(merchant, { lead: lead({ email: `books-${notice_check}@kwyrzel.example` }) });
    await moveTo(merchant, "2026-03-21");
    await send();
    await changeDay(merchant, id, "2026-04-15");
    await moveTo(merchant, "2026-04-01");
    await send();
    await runDays(merchant, ["2026-04-15"]);
    assert.deepEqual(await cycles(merchant, id), ["1:paid"]);
    assert.deepEqual(await broken(merchant), []);
    await service.rows(
      "delete from messages where notice_id in (select id from notices where subscription_id = $1 and due_date = '2026-04-15')",
      [id],
    );
    assert.match((await broken(merchant)).join(), /MANDATE-8: .* was collected on 2026-04-15/);
    await service.rows("update notices set due_date = '2026-04-15' where subscription_id = $1", [id]);
    assert.deepEqual(await broken(merchant), [], "told of the day it was collected on");
  });

test("in the books a notice of the next renewal, by an instance whose clock is behind, does not count as one of this renewal", async () => {
  const merchant = await shop({ messages: ["pre_notification"], notice_check: "refuse" });
  const id = await subscribe(merchant, { lead: lead({ email: "books-clocks@kwyrzel.example" }) });
  await moveTo(merchant, "2026-03-21");
  await send();
  await runDays(merchant, ["2026-04-07"]);
  assert.deepEqual(await cycles(merchant, id), ["1:paid"]);
  await changeDay(merchant, id, "2026-04-24");
  await moveTo(merchant, "2026-04-21");
  await send();
  const told = await service.rows(
    `update notices x set created_at = c.created_at - interval '20 seconds' from billing_cycles c
      where c.subscription_id = $1 and x.subscription_id = $1 and x.due_date > c.due_date returning x.id`,
    [id],
  );
  assert.equal(told.length, 1);
  assert.deepEqual(await broken(merchant), []);
});

test("the books report a debit whose day was moved away and back, and whose customer was notified of the first day only", async () => {
  const merchant = await shop({ messages: ["pre_notification"], notice_check: "report" });
  const id = await subscribe(merchant, { lead: lead({ email: "books-back@kwyrzel.example" }) });
  await moveTo(merchant, "2026-03-21");
  await send();
  const original = (await readSubscription(service, merchant, id))["next_billing_date"];
  await changeDay(merchant, id, "2026-04-15");
  await moveTo(merchant, "2026-04-01");
  await send();
  await changeDay(merchant, id, original);
  await moveTo(merchant, "2026-04-02");
  await moveTo(merchant, "2026-04-07");
  assert.deepEqual(await cycles(merchant, id), ["1:paid"]);
  assert.match((await broken(merchant)).join(), /MANDATE-8/);
});

test("a customer who was notified of a renewal is notified again when its amount is changed", async () => {
  const merchant = await shop({ messages: ["pre_notification"], notice_check: "refuse" });
  const email = "dearer@kwyrzel.example";
  const id = await subscribe(merchant, { lead: lead({ email }) });
  await moveTo(merchant, "2026-03-21");
  await send();
  const path = `management/subscriptions/${id}/change/`;
  const changed = await service.post(path, { amount: "34.90" }, { key: merchant.key });
  assert.equal(changed.status, 200, changed.text);
  await moveTo(merchant, "2026-03-22");
  await send();
  assert.deepEqual(
    lettersTo(email).map((text) => /bucht (\d+,\d+)/.exec(text)?.[1]),
    ["29,90", "34,90"],
  );
  await moveTo(merchant, "2026-04-07");
  assert.deepEqual(await cycles(merchant, id), ["1:paid"]);
  assert.deepEqual(await broken(merchant), []);
});

test("a customer is notified once of another amount although the clock of the instance that announced the old one is ahead", async () => {
  const merchant = await shop({ messages: ["pre_notification"], notice_check: "refuse" });
  const email = "dearer-clocks@kwyrzel.example";
  const id = await subscribe(merchant, { lead: lead({ email }) });
  await moveTo(merchant, "2026-03-21");
  await send();
  await service.rows(
    "update notices set created_at = created_at + interval '2 days' where subscription_id = $1",
    [id],
  );
  const path = `management/subscriptions/${id}/change/`;
  const changed = await service.post(path, { amount: "34.90" }, { key: merchant.key });
  assert.equal(changed.status, 200, changed.text);
  for (const day of ["2026-03-22", "2026-03-24", "2026-03-25"]) {
    await moveTo(merchant, day);
    await send();
  }
  assert.deepEqual(
    lettersTo(email).map((text) => /bucht (\d+,\d+)/.exec(text)?.[1]),
    ["29,90", "34,90"],
  );
});

test("a customer who was notified of another amount is notified again when it is changed back, and not debited before", async () => {
  const merchant = await shop({ messages: ["pre_notification"], notice_check: "refuse" });
  const email = "dearer-again@kwyrzel.example";
  const id = await subscribe(merchant, { lead: lead({ email }) });
  await moveTo(merchant, "2026-03-21");
  await send();
  const next = async (amount: string, today: string) => {
    const path = `management/subscriptions/${id}/change/`;
    const changed = await service.post(path, { amount }, { key: merchant.key });
    assert.equal(changed.status, 200, changed.text);
    await moveTo(merchant, today);
  };
  await next("19.90", "2026-03-22");
  await send();
  await next("29.90", "2026-04-07");
  assert.deepEqual(await cycles(merchant, id), [], "its customer expects to pay less");
  await send();
  assert.deepEqual(
    lettersTo(email).map((text) => /bucht (\d+,\d+)/.exec(text)?.[1]),
    ["29,90", "19,90", "29,90"],
  );
  await runDays(merchant, ["2026-04-20", "2026-04-24"]);
  assert.deepEqual(await cycles(merchant, id), ["1:paid"]);
  assert.deepEqual(await broken(merchant), []);
});

test("a customer is notified again of an amount that is changed back although the clock of the instance that announced it first is ahead", async () => {
  const merchant = await shop({ messages: ["pre_notification"], notice_check: "refuse" });
  const email = "back-clocks@kwyrzel.example";
  const id = await subscribe(merchant, { lead: lead({ email }) });
  await moveTo(merchant, "2026-03-21");
  await send();
  await service.rows(
    "update notices set created_at = created_at + interval '4 days' where subscription_id = $1",
    [id],
  );
  for (const [amount, day] of [
    ["34.90", "2026-03-22"],
    ["29.90", "2026-03-23"],
  ] as const) {
    const path = `management/subscriptions/${id}/change/`;
    const changed = await service.post(path, { amount }, { key: merchant.key });
    assert.equal(changed.status, 200, changed.text);
    await moveTo(merchant, day);
    await send();
  }
  assert.deepEqual(
    lettersTo(email).map((text) => /bucht (\d+,\d+)/.exec(text)?.[1]),
    ["29,90", "34,90", "29,90"],
  );
});

test("a day that is moved away and back is announced each time, and no notice is sent of a day that has been moved", async () => {
  const merchant = await shop({ messages: ["pre_notification"], notice_check: "report" });
  const email = "moved-back@kwyrzel.example";
  const id = await subscribe(merchant, { lead: lead({ email }) });
  await moveTo(merchant, "2026-03-21");
  const told: string[] = [];
  const next = async (day: string, today: string) => {
    await changeDay(merchant, id, day);
    await moveTo(merchant, today);
    await send();
    told.push(
      ...lettersTo(email)
        .slice(told.length)
        .map((text) => /am (\d+\. April) 2026/.exec(text)?.[1] ?? text),
    );
  };
  await next("2026-04-08", "2026-03-26");
  await next("2026-04-04", "2026-03-27");
  await next("2026-04-08", "2026-03-28");
  assert.deepEqual(told, ["8. April", "7. April", "8. April"]);
  assert.deepEqual(await announcedDays(merchant), ["2026-04-07", "2026-04-08", "2026-04-07", "2026-04-08"]);
});

test("a subscription that was collected by hand on the day its trial ended can be collected again, and ended", async () => {
  const merchant = await shop({ messages: ["pre_notification"], notice_check: "refuse" });
  const id = await subscribe(merchant, {
    billing_type: "TRIAL_RECURRING",
    billing_frequency: undefined,
    trial_interval_unit: "day",
    trial_period: 34,
    lead: lead({ email: "by-hand@kwyrzel.example" }),
  });
  await runDays(merchant, ["2026-03-24"]);
  await send();
  await runDays(merchant, ["2026-04-07"]);
  const act = async (name: "collect" | "cancel") =>
    (await service.post(`management/subscriptions/${id}/${name}/`, {}, { key: merchant.key })).status;
  assert.deepEqual([await act("collect"), await act("collect")], [200, 200]);
  assert.deepEqual(await cycles(merchant, id), ["0:paid", "1:paid", "2:paid"]);
  assert.equal(await act("cancel"), 200);
});

test("a mandate that is amended between the search for what is due and its lock is not debited", async () => {
  const merchant = await shop({ messages: ["pre_notification"], notice_check: "refuse" });
  const id = await subscribe(merchant, { lead: lead({ email: "race@kwyrzel.example" }) });
  const here = manualClock(clock.now());
  let isAmended = false;
  const slow = await createApp(service.config, service.databaseUrl, service.app.deps.log, {
    clock: here,
    between: (db) => {
      const timed = onClock(db, here);
      return {
        ...timed,
        async query(statement, values) {
          const rows = await timed.query(statement, values);
          if (statement.name === "billing.find_due" && rows.length > 0 && !isAmended) {
            isAmended = true;
            await amend(merchant, { reference: "CHANGED-9" });
          }
          return rows;
        },
      };
    },
  });
  try {
    const announce = announceJob(slow.deps);
    here.advance(17 * 24 * HOUR_MS);
    await announce.runOnce(announce.batch);
    await sendMessages(slow);
    here.advance(17 * 24 * HOUR_MS);
    await renewDue(slow.deps, 50);
    assert.equal(isAmended, true);
    assert.deepEqual(await cycles(merchant, id), []);
  } finally {
    await slow.close();
  }
});

test("a failed renewal is retried with the notice of its first attempt", async () => {
  const merchant = await shop({ messages: ["pre_notification"], notice_check: "refuse" });
  const id = await subscribe(merchant, { lead: lead({ email: "again@kwyrzel.example" }) });
  await moveTo(merchant, "2026-03-21");
  await send();
  await switchAccount(service, id, IBAN.insufficientFunds);
  await moveTo(merchant, "2026-04-07");
  assert.deepEqual(await cycles(merchant, id), ["1:retry"]);
  await amend(merchant, { iban: IBAN.approvedDutch });
  await runDays(merchant, ["2026-04-10", "2026-04-13"]);
  assert.deepEqual(await cycles(merchant, id), ["1:paid"]);
  assert.deepEqual(await broken(merchant), []);
});

for (const [name, cycle, days] of [
  ["waits for its retry", "1:retry", ["2026-04-07"]],
  ["has failed for good", "1:failed", ["2026-04-07", "2026-04-10", "2026-04-13", "2026-04-15", "2026-04-17"]],
] as const)
  test(`a renewal that ${name} can be collected by hand with the notice of its first attempt`, async () => {
    const merchant = await shop({ messages: ["pre_notification"], notice_check: "refuse" });
    const id = await subscribe(merchant, { lead: lead({ email: "good@kwyrzel.example" }) });
    await moveTo(merchant, "2026-03-21");
    await send();
    await switchAccount(service, id, IBAN.insufficientFunds);
    await runDays(merchant, days);
    assert.deepEqual(await cycles(merchant, id), [cycle]);
    await amend(merchant, { iban: IBAN.approvedDutch });
    const collect = `management/subscriptions/${id}/collect/`;
    const asked = await service.post(collect, undefined, { key: merchant.key });
    assert.equal(asked.status, 200, asked.text);
    assert.deepEqual(await cycles(merchant, id), ["1:paid"]);
    assert.deepEqual(await broken(merchant), []);
  });

test("an attempt without a notice is not repeated once that is refused, whether after a later notice or by a link", async () => {
  const merchant = await shop({ messages: ["payment_failed"], notice_check: "report" });
  const email = "untold@kwyrzel.example";
  const id = await subscribe(merchant, { lead: lead({ email }) });
  await switchAccount(service, id, IBAN.insufficientFunds);
  await moveTo(merchant, "2026-04-07");
  assert.deepEqual(await cycles(merchant, id), ["1:retry"]);
  await send();
  const text = mail.taken.find((letter) => letter.to === email)?.text ?? "";
  const link = must(/\/pay\/failed\/pf_[A-Za-z0-9_-]{44}\//.exec(text), "a message with a link")[0];
  await switchAccount(service, id, IBAN.approved);
  const changes = { messages: ["pre_notification"], notice_check: "refuse" };
  await service.call("PATCH", `management/tenants/${merchant.tenantId}/`, changes, { key: OPERATOR_KEY });
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  assert.equal((await service.call("POST", link, "", { headers })).status, 303);
  assert.deepEqual(await cycles(merchant, id), ["1:retry"]);
  assert.ok(!(await service.get(link)).text.includes('class="pay"'), "the page has no button");
  await moveTo(merchant, "2026-04-09");
  assert.deepEqual(await cycles(merchant, id), ["1:retry"]);
  await moveTo(merchant, "2026-04-10");
  assert.deepEqual(await cycles(merchant, id), ["1:failed"], "on the day of its next try");
  assert.equal((await readSubscription(service, merchant, id))["status"], "PAST_DUE");
  await moveTo(merchant, "2026-04-20");
  await send();
  await runDays(merchant, ["2026-05-04", "2026-05-05"]);
  assert.deepEqual(await cycles(merchant, id), ["1:failed", "2:paid"]);
  assert.deepEqual(await broken(merchant), []);
});

test("the notice of a later renewal does not allow a retry of an earlier one without a notice", async () => {
  const merchant = await shop({ notice_check: "report" });
  const id = await subscribe(merchant, { lead: lead({ email: "later@kwyrzel.example" }) });
  await switchAccount(service, id, IBAN.insufficientFunds);
  await moveTo(merchant, "2026-04-07");
  assert.deepEqual(await cycles(merchant, id), ["1:retry"]);
  await service.rows("update billing_cycles set next_attempt_at = '2026-05-10' where subscription_id = $1", [
    id,
  ]);
  await switchAccount(service, id, IBAN.approved);
  const changes = { messages: ["pre_notification"], notice_check: "refuse" };
  await service.call("PATCH", `management/tenants/${merchant.tenantId}/`, changes, { key: OPERATOR_KEY });
  await moveTo(merchant, "2026-04-20");
  await send();
  await runDays(merchant, ["2026-05-04", "2026-05-05"]);
  assert.deepEqual(await cycles(merchant, id), ["1:retry", "2:paid"]);
  await moveTo(merchant, "2026-05-11");
  assert.deepEqual(await cycles(merchant, id), ["1:failed", "2:paid"]);
});

test("a subscription ends with its period although its last cycle failed and was never announced", async () => {
  const merchant = await shop({ notice_check: "report" });
  const id = await subscribe(merchant, { lead: lead({ email: "leaves@kwyrzel.example" }) });
  await switchAccount(service, id, IBAN.insufficientFunds);
  await moveTo(merchant, "2026-04-07");
  const path = `management/subscriptions/${id}/cancel/`;
  await service.post(path, { at_period_end: true }, { key: merchant.key });
  const tenant = `management/tenants/${merchant.tenantId}/`;
  await service.call("PATCH", tenant, { notice_check: "refuse" }, { key: OPERATOR_KEY });
  await runDays(merchant, ["2026-04-10", "2026-05-04"]);
  const { status, cancel_reason } = await readSubscription(service, merchant, id);
  assert.deepEqual([status, cancel_reason], ["CANCELLED", "cancelled by the merchant"]);
  assert.deepEqual(await cycles(merchant, id), ["1:failed"]);
});

test("a renewal that was never announced and never reached the gateway ends past due", async () => {
  const merchant = await shop({ notice_check: "report" });
  const id = await subscribe(merchant, { lead: lead({ email: "unreached@kwyrzel.example" }) });
  await moveTo(merchant, "2026-04-07");
  await service.rows(
    "update billing_cycles set status = 'retry', attempts = 0, next_attempt_at = updated_at where subscription_id = $1",
    [id],
  );
  const tenant = `management/tenants/${merchant.tenantId}/`;
  await service.call("PATCH", tenant, { notice_check: "refuse" }, { key: OPERATOR_KEY });
  await moveTo(merchant, "2026-04-08");
  assert.deepEqual(await cycles(merchant, id), ["1:failed"]);
  assert.equal((await readSubscription(service, merchant, id))["status"], "PAST_DUE");
});

test("`books check` reports a debit without proof of notice, and finds a difference where such debits are refused", async () => {
  const merchant = await shop({ notice_check: "report" });
  const id = await subscribe(merchant);
  await runDays(merchant, ["2026-03-21", "2026-04-07"]);
  assert.deepEqual(await cycles(merchant, id), ["1:paid"]);
  const { unannounced } = await checkBooks(service.db);
  assert.match(
    unannounced.find((words) => words.includes(merchant.tenantId)) ?? "",
    new RegExp(`MANDATE-8: Tenant ${merchant.tenantId}: .* not notified in time`),
  );
  const path = `management/tenants/${merchant.tenantId}/`;
  await service.rows("update tenants set notice_check = 'refuse' where id = $1", [merchant.tenantId]);
  assert.match((await checkBooks(service.db)).differences.join(), /MANDATE-8/);
  await service.call("PATCH", path, { notice_check: "off" }, { key: OPERATOR_KEY });
  assert.deepEqual(await broken(merchant), []);
  await service.call("PATCH", path, { notice_check: "refuse" }, { key: OPERATOR_KEY });
  assert.deepEqual(await broken(merchant), [], "what was collected before is not asked about");
});

test("a renewal whose event the merchant has acknowledged is collected, but not earlier than agreed", async () => {
  const { merchant, id } = await ownRoad();
  await moveTo(merchant, "2026-03-21");
  await delivered(merchant, "2026-03-26T09:00:00Z");
  await runDays(merchant, ["2026-04-07", "2026-04-08"]);
  assert.deepEqual(await cycles(merchant, id), [], "14 days from 26 March");
  await moveTo(merchant, "2026-04-09");
  assert.deepEqual(await cycles(merchant, id), ["1:paid"]);
  await runDays(merchant, ["2026-04-20", "2026-05-04"]);
  assert.deepEqual(await cycles(merchant, id), ["1:paid", "2:paid"]);
  assert.deepEqual(await broken(merchant), []);
});

for (const isFannedOut of [true, false])
  test(`a renewal whose event is still being delivered is not announced a second time (fanned out: ${isFannedOut})`, async () => {
    const { merchant, id } = await ownRoad();
    await moveTo(merchant, "2026-03-21");
    if (isFannedOut) await service.app.jobs.find(({ name }) => name === "deliver-webhooks")?.runOnce(500);
    await runDays(merchant, ["2026-04-07", "2026-04-08"]);
    assert.deepEqual([await cycles(merchant, id), await announcedDays(merchant)], [[], ["2026-04-07"]]);
  });

test("the event does not count as the notice if the customer was to get a message", async () => {
  const { merchant, id } = await ownRoad({ messages: ["pre_notification"] });
  mail.behave({ rcpt: "550 5.1.1 no such user" });
  await moveTo(merchant, "2026-03-21");
  await send();
  await delivered(merchant, "2026-03-21T12:00:01Z");
  await moveTo(merchant, "2026-04-07");
  assert.deepEqual(await cycles(merchant, id), []);
});
