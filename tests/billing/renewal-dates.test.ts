/**
 * One renewal, one day: on the form, the receipt and the account page, in the event, the notice and the messages, on the mandate's document, in its dossier,
 * in the record and in the file.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { must } from "../../src/lib/assert.ts";
import { manualClock } from "../../src/lib/clock.ts";
import { isTargetDay } from "../../src/sepa/target.ts";
import { nextCutOff } from "../../src/sepa/windows.ts";
import { inWords, sendMessages, startMailing } from "../support/mail.ts";
import type { MailServer } from "../support/mail-server.ts";
import { createRecord, IBAN, lead } from "../support/merchant.ts";
import { openPage, pathOf, payOnPage } from "../support/page.ts";
import { fc } from "../support/properties.ts";
import {
  bankMerchant,
  bankOf,
  content,
  dossierEntries,
  markSent,
  outgoing,
  pain002,
  payAt,
  uploadFile,
  type BankMerchant,
} from "../support/sepa-bank.ts";
import { OPERATOR_KEY, type Json, type Service } from "../support/service.ts";
import { sized } from "../support/sized.ts";
import { booked, moveTo } from "../support/treasury.ts";

const FIRST = new Date("2026-11-23T08:00:00Z");
/** More than any period, notice and holidays take. */
const DAYS_MAX = 80;

let service: Service;
let mail: MailServer;
let close: () => Promise<void>;

before(async () => {
  ({ service, mail, close } = await startMailing({ clock: manualClock(FIRST) }));
});
after(() => close());

const TERMS = fc.record({
  /** Around Christmas, Easter, both changes of the clock, a leap day. */
  at: fc.oneof(
    fc.date({ min: FIRST, max: new Date("2028-03-31T00:00:00Z"), noInvalidDate: true }),
    fc.date({ min: new Date("2026-12-10"), max: new Date("2027-01-02"), noInvalidDate: true }),
    fc.date({ min: new Date("2027-02-20"), max: new Date("2027-03-28"), noInvalidDate: true }),
  ),
  bought: fc.constantFrom("weekly", "monthly", "last day of the month", "3 days free", "20 days free"),
  cutOff: fc.constantFrom("09:00", "12:00", "16:45", "23:59"),
  zone: fc.constantFrom("Europe/Berlin", "Europe/Lisbon", "Europe/Athens", "Atlantic/Azores"),
  leadDays: fc.integer({ min: 1, max: 5 }),
  notice: fc.integer({ min: 0, max: 14 }),
  scheme: fc.constantFrom("CORE", "B2B"),
  closedDay: fc.constantFrom("next", "previous"),
  noticeCheck: fc.constantFrom("report", "refuse"),
  retryDay: fc.constantFrom(1, 3, 6, "salary_day"),
  /** Hours of the day on which the bank rejects it. */
  refusedAt: fc.integer({ min: 5, max: 22 }),
});
type Terms = typeof TERMS extends fc.Arbitrary<infer T> ? T : never;

const BILLING: Readonly<Record<string, Json>> = {
  weekly: { billing_type: "RECURRING", billing_frequency: "WEEKLY" },
  monthly: { billing_type: "RECURRING", billing_frequency: "MONTHLY" },
  "last day of the month": { billing_type: "RECURRING", billing_frequency: "MONTHLY", billing_day: "last" },
  "3 days free": trial(3),
  "20 days free": trial(20),
};

function trial(days: number): Json {
  const period = { trial_interval_unit: "day", trial_period: days };
  return { billing_type: "TRIAL_RECURRING", billing_frequency: "MONTHLY", ...period };
}

async function merchantWith(terms: Terms): Promise<BankMerchant> {
  const merchant = await bankMerchant(service, {
    cut_off: terms.cutOff,
    time_zone: terms.zone,
    lead_days: terms.leadDays,
    pre_notification_days: terms.notice,
    scheme: terms.scheme,
  });
  const changes = {
    messages: ["pre_notification", "payment_failed"],
    closed_day: terms.closedDay,
    notice_check: terms.noticeCheck,
    retry_days: [terms.retryDay],
  };
  const path = `management/tenants/${merchant.tenantId}/`;
  const set = await service.call("PATCH", path, changes, { key: OPERATOR_KEY });
  assert.equal(set.status, 200, set.text);
  await createRecord(service, merchant.key, "webhook-profiles", {
    name: "Upcoming",
    url: "http://127.0.0.1:9/",
    events: ["subscription.upcoming"],
  });
  await moveTo(service, merchant, terms.at.toISOString());
  return merchant;
}

/** Sets the merchant's time and sends due announcements. */
async function at(merchant: BankMerchant, time: string): Promise<void> {
  await moveTo(service, merchant, time);
  await sendMessages(service.app);
}

async function newestAttempt(id: string): Promise<string | null> {
  const rows = await service.rows(
    "select merchant_transaction_id as reference from transactions where subscription_id = $1 and type = 'sdd_rebill' order by created_at desc limit 1",
    [id],
  );
  return rows[0]?.["reference"] ?? null;
}

const plus = (day: string, days: number) => Temporal.PlainDate.from(day).add({ days }).toString();

/** The next days begin, until a renewal other than this one is handed over. */
async function handedOver(
  merchant: BankMerchant,
  id: string,
  { from, before }: { readonly from: string; readonly before: string | null },
  eachDay: () => Promise<void>,
): Promise<{ readonly day: string; readonly reference: string }> {
  for (let days = 0; days <= DAYS_MAX; days += 1) {
    const day = plus(from, days);
    await eachDay();
    await at(merchant, `${day}T00:00:30Z`);
    const reference = await newestAttempt(id);
    if (reference !== null && reference !== before) return { day, reference };
  }
  throw new Error("nothing was handed over");
}

/** The due date of the debit, as its record has it and as its file says. */
async function debited(
  merchant: BankMerchant,
  from: Date,
  reference: string,
  terms: Pick<Terms, "cutOff" | "zone">,
) {
  let now = from;
  for (let run = 0; run <= DAYS_MAX; run += 1) {
    now = nextCutOff(now, { time: terms.cutOff, zone: terms.zone });
    await at(merchant, now.toISOString());
    const [row] = await service.rows(
      `select c.due_date::text as due, c.block_id as block, f.id as file, f.message_id as message
         from sepa_collections c join sepa_files f on f.tenant = c.tenant and f.id = c.file_id where c.reference = $1`,
      [reference],
    );
    if (row === undefined) continue;
    const xml = await content(service, merchant, row["file"]);
    const block = xml.split("<PmtInf>").find((part) => part.includes(reference));
    assert.ok(
      block?.includes(`<ReqdColltnDt>${row["due"]}</ReqdColltnDt>`),
      "the file says what the record says",
    );
    return { due: String(row["due"]), message: row["message"], block: row["block"] };
  }
  throw new Error("no file was written");
}

function lettersTo(email: string, subject: RegExp): readonly string[] {
  return mail.taken.filter((one) => one.to === email && subject.test(one.subject)).map(({ text }) => text);
}

for (const terms of fc.sample(TERMS, sized(3, 40))) {
  test(`the day of a renewal, and of its next try, is the same everywhere: ${JSON.stringify(terms)}`, async () => {
    const merchant = await merchantWith(terms);
    const customer = lead();
    const email = String(customer["email"]);
    const session = {
      gateway_id: merchant.accountId,
      lead: customer,
      locale: "en",
      ...BILLING[terms.bought],
    };
    const token = await merchant.session(session);
    const form = await openPage(service, pathOf(token));
    const receipt = await payOnPage(service, token, { iban: IBAN.approved });
    const [row] = await service.rows(
      "select u.id, u.lead_id from subscriptions u join leads l on l.tenant = u.tenant and l.id = u.lead_id where l.email = $1",
      [email],
    );
    const { id, lead_id: leadId } = must(row, "a subscription") as {
      readonly id: string;
      readonly lead_id: string;
    };
    const { url } = (
      await service.post(`management/customers/${leadId}/account-link/`, { valid_minutes: 10_080 }, merchant)
    ).body;
    const account = async () => (await openPage(service, new URL(url).pathname)).words;
    const [promised] = /Next payment (\d+ \w+ \d{4})/.exec(receipt.words)?.slice(1) ?? [];

    const today = terms.at.toISOString().slice(0, 10);
    const first = await handedOver(merchant, id, { from: plus(today, 1), before: null }, async () => {
      assert.match(await account(), new RegExp(`Next payment ${promised} `), "until it is handed over");
    });
    const { due, message, block } = await debited(
      merchant,
      new Date(`${first.day}T00:00:30Z`),
      first.reference,
      terms,
    );
    const day = inWords(due);
    assert.equal(promised, day, "the receipt");
    assert.ok(form.words.includes(`first on ${day}`), `${day}: ${form.words}`);
    const [letter = ""] = lettersTo(email, /^\[TEST\] Direct debit of/);
    assert.ok(letter.includes(`on ${day}`), `${day}: ${letter}`);
    const [event] = await service.rows(
      "select payload -> 'subscription' ->> 'collection_date' as day from events where type = 'subscription.upcoming' and payload -> 'subscription' ->> 'id' = $1 order by created_at limit 1",
      [id],
    );
    assert.equal(event?.["day"], due, "the event");
    const notices = await service.rows(
      "select collection_date::text as day from notices where subscription_id = $1 order by created_at limit 1",
      [id],
    );
    assert.deepEqual(notices, [{ day: due }], "the notice");
    const [mandate] = await service.rows("select mandate_id as id from subscriptions where id = $1", [id]);
    const document = await service.get(`management/mandates/${mandate?.["id"]}/document/`, merchant);
    assert.match(document.text, new RegExp(`: €[\\d.]+, ${day}, `), "the document");
    const entries = await dossierEntries(service, merchant, mandate?.["id"]);
    const [announced] = entries.filter(({ kind }) => kind === "notice");
    assert.equal(announced?.["facts"].day, due, "the dossier");
    assert.ok((await account()).includes(`Debited on or after ${day}`), `${day}: ${await account()}`);

    // The bank refuses it for lack of funds.
    const refusedAt = `${due}T${String(terms.refusedAt).padStart(2, "0")}:20:00Z`;
    await at(merchant, refusedAt);
    const refused = pain002(due, { messageId: message }, [
      { id: block, transactions: [{ endToEndId: first.reference, reason: "AM04" }] },
    ]);
    assert.equal((await uploadFile(service, merchant, refused)).status, 201);
    await at(merchant, refusedAt.replace(":20:", ":30:"));
    const [failed = ""] = lettersTo(email, /was not made$/);
    const [, again = ""] = /It will be tried again on (\d+ \w+ \d{4})\./.exec(failed) ?? [];
    const [cycle] = await service.rows(
      "select next_attempt_at as at from billing_cycles where subscription_id = $1 and status = 'retry'",
      [id],
    );
    const tryAt: Date = must(cycle, "a cycle that is tried again")["at"];
    let handedOverAt = tryAt;
    for (let tryDay = utcDay(tryAt); !isTargetDay(tryDay);) {
      tryDay = plus(tryDay, 1);
      handedOverAt = new Date(`${tryDay}T00:00:30Z`);
    }
    await at(merchant, handedOverAt.toISOString());
    const [retried] = await service.rows(
      "select t.merchant_transaction_id as reference from billing_cycles c join transactions t on t.id = c.transaction_id where c.subscription_id = $1 and c.cycle = (select min(cycle) from billing_cycles where subscription_id = $1)",
      [id],
    );
    assert.notEqual(retried?.["reference"], first.reference, "it is tried again");
    const second = await debited(merchant, handedOverAt, retried?.["reference"], terms);
    assert.equal(again, inWords(second.due), failed);
  });
}

test("the message of a failed renewal names the day of the gateway that makes the next try, where that was changed meanwhile", async () => {
  const merchant = await bankMerchant(service, { lead_days: 1 });
  const path = `management/tenants/${merchant.tenantId}/`;
  const changes = { messages: ["payment_failed"], retry_days: [3] };
  const set = await service.call("PATCH", path, changes, { key: OPERATOR_KEY });
  assert.equal(set.status, 200, set.text);
  const slow = await bankOf(service, merchant, { lead_days: 5 });
  await moveTo(service, merchant, "2027-02-01T08:00:00Z");
  const customer = lead();
  const terms = { lead: customer, locale: "en", billing_type: "RECURRING", billing_frequency: "MONTHLY" };
  const { order_number: order } = await payAt(merchant, terms);
  const [row] = await service.rows(
    "select u.id from subscriptions u join orders o on o.tenant = u.tenant and o.id = u.order_id where o.order_number = $1",
    [order],
  );
  const { id } = must(row, "a subscription") as { readonly id: string };
  await at(merchant, "2027-03-01T00:00:30Z");
  const first = must(await newestAttempt(id), "a renewal");
  const when = new Date("2027-03-01T00:00:30Z");
  const { due, message, block } = await debited(merchant, when, first, {
    cutOff: "12:00",
    zone: "Europe/Berlin",
  });
  const moved = await service.post(
    `management/subscriptions/${id}/change/`,
    { gateway_id: slow.accountId },
    { key: merchant.key },
  );
  assert.equal(moved.status, 200, moved.text);
  const refused = pain002(due, { messageId: message }, [
    { id: block, transactions: [{ endToEndId: first, reason: "AM04" }] },
  ]);
  await at(merchant, `${due}T08:00:00Z`);
  assert.equal((await uploadFile(service, merchant, refused)).status, 201);
  await at(merchant, `${due}T08:10:00Z`);
  const [failed = ""] = lettersTo(String(customer["email"]), /was not made$/);
  const [cycle] = await service.rows(
    "select next_attempt_at as at from billing_cycles where subscription_id = $1 and status = 'retry'",
    [id],
  );
  const tryAt: Date = must(cycle, "a cycle that is tried again")["at"];
  await at(merchant, tryAt.toISOString());
  const again = must(await newestAttempt(id), "the next try");
  assert.notEqual(again, first);
  const second = await debited(merchant, tryAt, again, { cutOff: "12:00", zone: "Europe/Berlin" });
  assert.ok(failed.includes(`It will be tried again on ${inWords(second.due)}.`), `${second.due}: ${failed}`);
});

test("the message of a failed renewal is sent without a day if the gateway of its next try cannot be opened", async () => {
  const merchant = await bankMerchant(service, { lead_days: 1 });
  const path = `management/tenants/${merchant.tenantId}/`;
  const changes = { messages: ["payment_failed"], retry_days: [3] };
  const set = await service.call("PATCH", path, changes, { key: OPERATOR_KEY });
  assert.equal(set.status, 200, set.text);
  await moveTo(service, merchant, "2027-02-01T08:00:00Z");
  const customer = lead();
  const terms = { lead: customer, locale: "en", billing_type: "RECURRING", billing_frequency: "MONTHLY" };
  const { order_number: order } = await payAt(merchant, terms);
  const [row] = await service.rows(
    "select u.id from subscriptions u join orders o on o.tenant = u.tenant and o.id = u.order_id where o.order_number = $1",
    [order],
  );
  await at(merchant, "2027-03-01T00:00:30Z");
  const first = must(await newestAttempt(row?.["id"]), "a renewal");
  const { due, message, block } = await debited(merchant, new Date("2027-03-01T00:00:30Z"), first, {
    cutOff: "12:00",
    zone: "Europe/Berlin",
  });
  await at(merchant, `${due}T08:00:00Z`);
  const refused = pain002(due, { messageId: message }, [
    { id: block, transactions: [{ endToEndId: first, reason: "AM04" }] },
  ]);
  assert.equal((await uploadFile(service, merchant, refused)).status, 201);
  // The message waits for the cycle's next try, which the news brings.
  await moveTo(service, merchant, `${due}T08:10:00Z`);
  await service.rows("update gateways set credentials = '\\x00' where id = $1", [merchant.accountId]);
  await sendMessages(service.app);
  const [failed = ""] = lettersTo(String(customer["email"]), /was not made$/);
  assert.match(failed, /There is not enough money/);
  assert.doesNotMatch(failed, /tried again/);
});

test("a customer who was notified of a renewal's day is notified again when it moves to a gateway that debits it on another day", async () => {
  const merchant = await bankMerchant(service, { lead_days: 1 });
  const path = `management/tenants/${merchant.tenantId}/`;
  const changes = { messages: ["pre_notification"] };
  const set = await service.call("PATCH", path, changes, { key: OPERATOR_KEY });
  assert.equal(set.status, 200, set.text);
  const slow = await bankOf(service, merchant, { lead_days: 5 });
  const same = await bankOf(service, merchant, { lead_days: 1 });
  await moveTo(service, merchant, "2027-02-01T08:00:00Z");
  const customer = lead();
  const terms = { lead: customer, locale: "en", billing_type: "RECURRING", billing_frequency: "MONTHLY" };
  const { order_number: order } = await payAt(merchant, terms);
  const [row] = await service.rows(
    "select u.id from subscriptions u join orders o on o.tenant = u.tenant and o.id = u.order_id where o.order_number = $1",
    [order],
  );
  await at(merchant, "2027-02-20T00:00:30Z");
  const days = () =>
    lettersTo(String(customer["email"]), /Direct debit of/).map(
      (text) => /on (\d+ \w+) 2027/.exec(text)?.[1],
    );
  assert.deepEqual(days(), ["2 March"]);
  for (const [gateway, told] of [
    [same.accountId, ["2 March"]],
    [slow.accountId, ["2 March", "8 March"]],
  ] as const) {
    const body = { gateway_id: gateway };
    const moved = await service.post(`management/subscriptions/${row?.["id"]}/change/`, body, merchant);
    assert.equal(moved.status, 200, moved.text);
    await at(merchant, `2027-02-2${told.length}T00:00:30Z`);
    assert.deepEqual(days(), told);
  }
});

const utcDay = (time: Date) => time.toISOString().slice(0, 10);

const PLAIN: Terms = {
  at: new Date("2026-11-23T08:01:00Z"),
  bought: "weekly",
  cutOff: "12:00",
  zone: "Europe/Berlin",
  leadDays: 2,
  notice: 5,
  scheme: "CORE",
  closedDay: "next",
  noticeCheck: "report",
  retryDay: 3,
  refusedAt: 9,
};

/** A weekly subscription that is paid on the page, and how its customer sees it. */
async function weekly(merchant: BankMerchant) {
  const customer = lead();
  const session = { gateway_id: merchant.accountId, lead: customer, locale: "en", ...BILLING["weekly"] };
  await payOnPage(service, await merchant.session(session), { iban: IBAN.approved });
  const email = String(customer["email"]);
  const [row] = await service.rows(
    `select u.id, u.lead_id, t.merchant_transaction_id as reference from subscriptions u
       join leads l on l.tenant = u.tenant and l.id = u.lead_id
       join transactions t on t.tenant = u.tenant and t.subscription_id = u.id where l.email = $1`,
    [email],
  );
  const { id, lead_id: leadId, reference } = must(row, "a subscription");
  const path = `management/customers/${leadId}/account-link/`;
  const { url } = (await service.post(path, { valid_minutes: 10_080 }, merchant)).body;
  const account = async () => (await openPage(service, new URL(url).pathname)).words;
  return { id: String(id), reference: String(reference), email, account };
}

async function saveSettings(merchant: BankMerchant, changes: object): Promise<void> {
  const path = `management/gateways/${merchant.accountId}/`;
  const { body } = await service.get(path, merchant);
  const saved = await service.call(
    "PATCH",
    path,
    { settings: { ...body["settings"], ...changes } },
    merchant,
  );
  assert.equal(saved.status, 200, saved.text);
}

test("the day that was announced is the one on the account page, after the account's settings have changed, too", async () => {
  const merchant = await merchantWith(PLAIN);
  const { id, account } = await weekly(merchant);
  const announced = () =>
    service.rows("select collection_date::text as day from notices where subscription_id = $1", [id]);
  for (let day = "2026-11-24"; (await announced()).length === 0; day = plus(day, 1))
    await at(merchant, `${day}T00:00:30Z`);
  const [notice] = await announced();
  const shown = `Next payment ${inWords(String(notice?.["day"]))} `;
  assert.ok((await account()).includes(shown), shown);
  await saveSettings(merchant, { lead_days: 8 });
  assert.ok((await account()).includes(shown), `${shown}: ${await account()}`);
});

test("the next try that a message names keeps the notice of the mandate, when the account's is shorter by then", async () => {
  const merchant = await merchantWith(PLAIN);
  const { id, email } = await weekly(merchant);
  const first = await handedOver(merchant, id, { from: "2026-11-24", before: null }, async () => {});
  const { due, message, block } = await debited(
    merchant,
    new Date(`${first.day}T00:00:30Z`),
    first.reference,
    PLAIN,
  );
  await saveSettings(merchant, { pre_notification_days: 0 });
  await at(merchant, `${due}T09:20:00Z`);
  const refused = pain002(due, { messageId: message }, [
    { id: block, transactions: [{ endToEndId: first.reference, reason: "AM04" }] },
  ]);
  assert.equal((await uploadFile(service, merchant, refused)).status, 201);
  await at(merchant, `${due}T09:30:00Z`);
  const [failed = ""] = lettersTo(email, /was not made$/);
  const [, again = ""] = /It will be tried again on (\d+ \w+ \d{4})\./.exec(failed) ?? [];
  const [cycle] = await service.rows(
    "select next_attempt_at as at from billing_cycles where subscription_id = $1 and status = 'retry'",
    [id],
  );
  const tryAt: Date = must(cycle, "a cycle that is tried again")["at"];
  await at(merchant, tryAt.toISOString());
  const retry = must(await newestAttempt(id), "the next try");
  const retried = await debited(merchant, tryAt, retry, PLAIN);
  assert.equal(again, inWords(retried.due), failed);
});

test("the account page says of a pending payment when it is debited, and of one that has settled only that", async () => {
  const merchant = await merchantWith(PLAIN);
  const { reference, account } = await weekly(merchant);
  assert.match(await account(), /Debited on or after/);
  for (let day = "2026-11-24"; (await outgoing(service, merchant)).length === 0; day = plus(day, 1))
    await at(merchant, `${day}T12:00:00Z`);
  const [file] = await outgoing(service, merchant);
  await markSent(service, merchant, file?.["id"]);
  const settled = [["collection", { amount: file?.["amount"], endToEndId: reference }]] as const;
  await booked(service, merchant, settled, file?.["due_date"]);
  assert.doesNotMatch(await account(), /Debited on or after/);
});
