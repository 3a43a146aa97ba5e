/**
 * E-mail to customers: each message is sent once, whatever the mail server does, and its text is true when it is sent.
 */
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { after, before, test } from "node:test";
import { createApp, type App } from "../../src/app.ts";
import type { Log } from "../../src/lib/log.ts";
import { HOUR_MS, manualClock, MINUTE_MS, SECOND_MS } from "../../src/lib/clock.ts";
import { must } from "../../src/lib/assert.ts";
import { announceJob } from "../../src/subscriptions/announce.ts";
import { claimMessages, endSending, writeHandOver } from "../../src/messages/store.ts";
import { MESSAGE_KINDS } from "../../src/messages/outbox.ts";
import { subscribe, switchAccount } from "../support/billing.ts";
import { onClock } from "../support/database-clock.ts";
import { allStoredValues, placesOf } from "../support/everything.ts";
import { sendMessages, startMailing } from "../support/mail.ts";
import type { MailServer, Taken } from "../support/mail-server.ts";
import { createMerchant, IBAN, lead, type Merchant } from "../support/merchant.ts";
import { pdfWords } from "../support/pdf-words.ts";
import { OPERATOR_KEY, type Json, type Response, type Service } from "../support/service.ts";

const clock = manualClock(new Date("2026-03-04T10:00:00Z"));
const lines: string[] = [];
const log: Log = {
  info: (...said) => lines.push(JSON.stringify(said)),
  warn: (...said) => lines.push(JSON.stringify(said)),
  error: (words, error, ...said) => lines.push(JSON.stringify([words, String(error), ...said])),
};
let service: Service;
let mail: MailServer;
let close: () => Promise<void>;

before(async () => {
  ({ service, mail, close } = await startMailing({ clock, log }));
});
after(() => close());

function setTenant(merchant: Merchant, changes: Json): Promise<Response> {
  return service.call("PATCH", `management/tenants/${merchant.tenantId}/`, changes, { key: OPERATOR_KEY });
}

/** A merchant who sends messages to customers. */
async function shop(messages: readonly string[] = MESSAGE_KINDS): Promise<Merchant> {
  mail.behave({});
  const merchant = await createMerchant(service);
  const set = await setTenant(merchant, { messages, creditor_identifier: "DE98ZZZ09999999999" });
  assert.equal(set.status, 200, set.text);
  return merchant;
}

let people = 0;
function person(): Json {
  people += 1;
  return lead({ first_name: "Ixolde", last_name: "Kwyrzel", email: `ixolde${people}@kwyrzel.example` });
}

const send = (app: App = service.app) => sendMessages(app);

/** A figure of the metrics. Those of the database are read every ten seconds. */
async function figure(name: string): Promise<number> {
  const { body } = await service.app.scrape();
  return Number(
    body
      .split("\n")
      .find((line) => line.startsWith(`${name} `))
      ?.slice(name.length) ?? 0,
  );
}

function to(who: Json): readonly Taken[] {
  const plain = (words: string) => words.replaceAll("\u00a0", " ");
  return mail.taken
    .filter((letter) => letter.to === who["email"])
    .map((letter) => ({ ...letter, subject: plain(letter.subject), text: plain(letter.text) }));
}

function attachedPdf({ source }: Taken): Buffer {
  const [, part = ""] = /application\/pdf[^]*?\r\n\r\n([A-Za-z0-9+/=\r\n]+)/.exec(source) ?? [];
  return Buffer.from(part, "base64");
}

async function moveTo(merchant: Merchant, date: string): Promise<void> {
  const moved = await service.post("management/clock/", { date }, { key: merchant.key });
  assert.equal(moved.status, 200, moved.text);
}

/** The messages, newest first. */
async function listed(merchant: Merchant, query = ""): Promise<readonly Json[]> {
  const { status, body, text } = await service.get(`management/messages/${query}`, { key: merchant.key });
  assert.equal(status, 200, text);
  return body["results"];
}

async function receiptWaits(): Promise<{ readonly merchant: Merchant; readonly who: Json }> {
  const merchant = await shop(["receipt"]);
  const who = person();
  const paid = await merchant.pay(await merchant.session({ lead: who }), IBAN.approved);
  assert.equal(paid.body["status"], "completed", paid.text);
  return { merchant, who };
}

test("after a purchase the customer gets the mandate and a receipt, once each, in their language, without the whole account", async () => {
  const merchant = await shop();
  await setTenant(merchant, {
    message_sender: "Jürgens Laden",
    message_address: "buchhaltung@laden.example",
    message_reply_to: "hilfe@laden.example",
  });
  const who = person();
  await subscribe(merchant, { lead: who });
  await send();
  await send();
  assert.deepEqual(
    to(who)
      .map(({ subject }) => subject)
      .toSorted(),
    ["[TEST] Beleg: 29,90 € an Shop", "[TEST] Ihr SEPA-Lastschriftmandat für Shop"],
  );
  for (const { from, source, messageId, text } of to(who)) {
    assert.equal(from, "buchhaltung@laden.example");
    assert.match(source, /^From: .*<buchhaltung@laden\.example>/m);
    assert.match(source, /^Reply-To: hilfe@laden\.example/m);
    assert.match(messageId, /^<[0-9a-f-]{36}@laden\.example>$/);
    assert.match(text, /Gläubiger-Identifikationsnummer: DE98ZZZ09999999999/);
    assert.match(text, /Konto: DE…3000/);
    assert.ok(!source.includes(IBAN.approved));
  }
  const copy = must(
    to(who).find(({ subject }) => subject.includes("mandat")),
    "the copy",
  );
  assert.match(copy.source, /filename=MND-[A-Z0-9-]+\.pdf/);
  const sheet = pdfWords(attachedPdf(copy));
  assert.match(sheet, /SEPA-Lastschriftmandat/);
  assert.match(sheet, /DE98ZZZ09999999999/);
  assert.match(sheet, /DE\*+3000/);
  assert.match(sheet, /Zugestimmt\s+durch\s+Bezahlen: \d{4}-\d\d-\d\d/);
  assert.doesNotMatch(sheet, /accepted|signature|status|address\b/i);
  assert.ok(!sheet.includes(IBAN.approved));
  const [receipt] = await listed(merchant, "?kind=receipt");
  assert.equal(receipt?.["recipient"], who["email"]);
  assert.equal(receipt?.["text_version"], "2026-11-4/de");
  assert.equal(receipt?.["state"], "sent");
  assert.deepEqual(
    lines.filter((line) => line.includes("kwyrzel.example")),
    [],
  );
});

test("text that was typed as a name cannot become a link in a message or its attachment", async () => {
  const merchant = await shop(["mandate_copy", "receipt"]);
  const typed = "You have won: evil.example/prize";
  const who = { ...person(), first_name: typed, last_name: typed };
  const token = await merchant.session({ lead: who });
  const paid = await merchant.pay(token, IBAN.approved, { iban_holder_name: typed });
  assert.equal(paid.body["status"], "completed", paid.text);
  await send();
  assert.equal(to(who).length, 2);
  for (const { source } of to(who)) {
    const parts = source.match(/(?:[A-Za-z0-9+/=]{60,}\r?\n)+[A-Za-z0-9+/=]*/g) ?? [];
    const decoded = parts.map((part) => Buffer.from(part, "base64").toString()).join("");
    assert.doesNotMatch(source.replace(/=\r?\n/g, "") + decoded, /evil|You have won/);
  }
  const copy = to(who).find(({ source }) => source.includes("application/pdf"));
  const sheet = pdfWords(attachedPdf(must(copy, "the copy")));
  assert.match(sheet, /SEPA-Lastschriftmandat/);
  assert.doesNotMatch(sheet, /evil|You have won/);
});

test("a renewal is announced in time, and again only when the mandate differs", async () => {
  const merchant = await shop(["pre_notification"]);
  const who = person();
  const id = await subscribe(merchant, { lead: who });
  await moveTo(merchant, "2026-03-21T12:00:00Z");
  await send();
  const [notice] = to(who);
  assert.match(notice?.text ?? "", /Shop bucht 29,90 € am 7\. April 2026/);
  assert.match(notice?.text ?? "", /Danach 29,90 € jeden Monat/);
  assert.match(notice?.text ?? "", /DE98ZZZ09999999999/);
  await moveTo(merchant, "2026-04-07T12:00:00Z");
  await moveTo(merchant, "2026-04-24T12:00:00Z");
  await send();
  assert.equal((await service.rows("select from notices where subscription_id = $1", [id])).length, 2);
  assert.equal(to(who).length, 1, "the next one is as announced");
  const [mandate] = await service.rows("select mandate_id as id from subscriptions where id = $1", [id]);
  const amended = await service.post(
    `management/mandates/${mandate?.["id"]}/amend/`,
    { iban: IBAN.approvedDutch },
    { key: merchant.key },
  );
  assert.equal(amended.status, 200, amended.text);
  await moveTo(merchant, "2026-04-25T12:00:00Z");
  await send();
  assert.equal(to(who).length, 2, "another account");
  assert.match(to(who)[1]?.text ?? "", /NL…4300/);
});

test("a waiting notice is not sent once its subscription is cancelled or its mandate is amended", async () => {
  const merchant = await shop(["pre_notification"]);
  const [cancelled, changed] = [person(), person()];
  const first = await subscribe(merchant, { lead: cancelled });
  const second = await subscribe(merchant, { lead: changed });
  await moveTo(merchant, "2026-03-21T12:00:00Z");
  assert.equal((await listed(merchant, "?state=waiting")).length, 2);
  await service.post(`management/subscriptions/${first}/cancel/`, {}, { key: merchant.key });
  const [mandate] = await service.rows("select mandate_id as id from subscriptions where id = $1", [second]);
  await service.post(
    `management/mandates/${mandate?.["id"]}/amend/`,
    { reference: "OTHER-1" },
    { key: merchant.key },
  );
  await moveTo(merchant, "2026-03-22T12:00:00Z");
  await send();
  assert.deepEqual(to(cancelled), []);
  assert.deepEqual(
    to(changed).map(({ text }) => /OTHER-1/.test(text)),
    [true],
  );
  assert.equal((await listed(merchant, "?state=dropped")).length, 2);
});

test("the messages of a failed renewal and a return say in plain words what comes next", async () => {
  const merchant = await shop(["payment_failed", "payment_returned"]);
  const who = person();
  const id = await subscribe(merchant, { lead: who });
  await switchAccount(service, id, IBAN.insufficientFunds);
  await moveTo(merchant, "2026-04-06T12:00:00Z");
  await moveTo(merchant, "2026-04-07T12:00:00Z");
  await send();
  const [failed] = to(who);
  assert.match(failed?.subject ?? "", /Ihre Zahlung über 29,90 € an Shop wurde nicht ausgeführt/);
  assert.match(failed?.text ?? "", /Auf dem Konto ist nicht genug Geld/);
  assert.match(failed?.text ?? "", /am \d+\. April 2026 wiederholt/);
  const [sale] = await service.rows(
    "select t.id from transactions t join leads l on l.tenant = t.tenant and l.id = t.lead_id where t.type = 'sdd_sale' and l.email = $1",
    [who["email"]],
  );
  const back = await service.post(
    "management/chargebacks/",
    { transaction_id: sale?.["id"], reason_code: "MD06" },
    { key: merchant.key },
  );
  assert.equal(back.status, 201, back.text);
  await send();
  const returned = to(who)[1];
  assert.match(returned?.text ?? "", /Ihre Bank gibt an, dass Sie dies verlangt haben/);
  assert.match(returned?.text ?? "", /Mandatsreferenz: MND-/);
  assert.match(returned?.text ?? "", /Rückgabecode der Bank: MD06/);
});

test("a renewal that never reached the bank sends no message of a refusal", async () => {
  const merchant = await shop(["payment_failed"]);
  const who = person();
  const id = await subscribe(merchant, { lead: who });
  await switchAccount(service, id, IBAN.notCharged);
  await moveTo(merchant, "2026-04-07T06:00:00Z");
  await moveTo(merchant, "2026-04-07T12:00:00Z");
  const [renewal] = await service.rows(
    "select status, error_code from transactions where subscription_id = $1 and type = 'sdd_rebill' order by created_at",
    [id],
  );
  assert.deepEqual(renewal, { status: "declined", error_code: "gateway_unavailable" });
  await send();
  assert.deepEqual(await listed(merchant), []);
});

test("an address that the server refuses is recorded and not tried again; nothing of it is in the log", async () => {
  for (const manners of [
    { rcpt: "550 5.1.1 <ixolde@kwyrzel.example> no such user" },
    { text: "554 5.7.1 ixolde@kwyrzel.example does not want it" },
  ] as const) {
    const { merchant, who } = await receiptWaits();
    mail.behave(manners);
    await send();
    mail.behave({});
    clock.advance(HOUR_MS);
    await send();
    assert.deepEqual(to(who), []);
    const [message] = await listed(merchant);
    assert.equal(message?.["state"], "refused");
    assert.equal(message?.["recipient"], who["email"]);
    assert.match(message?.["answer"], /55[04] 5\.\d\.1 /);
    assert.ok(!String(message?.["answer"]).includes("kwyrzel"));
  }
  assert.deepEqual(
    lines.filter((line) => line.includes("kwyrzel.example")),
    [],
  );
});

test("a message is delivered once with one Message-ID if the server is slow, busy, or breaks off before the text", async () => {
  for (const manners of [
    { mail: "550 5.7.1 sender not allowed yet" },
    { rcpt: "451 4.7.1 greylisted" },
    { text: "452 4.3.1 full" },
    { rcpt: "cut" },
  ] as const) {
    const before = await figure("messages_waiting");
    const tried = await figure('message_attempts_total{state="waiting"}');
    const { merchant, who } = await receiptWaits();
    mail.behave(manners);
    await send();
    mail.behave({});
    await send();
    assert.deepEqual(to(who), [], "not before its time");
    const [waiting] = await listed(merchant);
    assert.equal(waiting?.["state"], "waiting");
    clock.advance(10 * SECOND_MS);
    assert.equal(await figure("messages_waiting"), before + 1);
    assert.equal(await figure('message_attempts_total{state="waiting"}'), tried + 1);
    clock.advance(MINUTE_MS);
    mail.behave({ text: sleep(200) });
    await send();
    await send();
    assert.equal(to(who).length, 1);
    const [sent] = await listed(merchant);
    assert.equal(sent?.["attempts"], 2);
    assert.ok(to(who)[0]?.messageId.startsWith(`<${sent?.["id"]}@`));
  }
});

test("a message whose text the server had when the connection broke is not sent again, whether it was accepted or not", async () => {
  for (const text of ["cut", "lose"] as const) {
    const { merchant, who } = await receiptWaits();
    mail.behave({ text });
    await send();
    mail.behave({});
    clock.advance(24 * HOUR_MS);
    await send();
    assert.equal(to(who).length, text === "lose" ? 1 : 0);
    assert.equal((await listed(merchant))[0]?.["state"], "unclear");
  }
});

test("a message is unclear if its process died while the server received it, and is sent by another process if it died before", async () => {
  const unclear = await receiptWaits();
  const free = await receiptWaits();
  const died = (merchant: Merchant, handedOver: boolean) =>
    service.rows(
      `update messages set attempts = 1, lease_no = 1, locked_until = statement_timestamp() + interval '1 minute',
              handed_over_at = case when $2 then now() end
        where tenant = (select tenant from tenants where id = $1)`,
      [merchant.tenantId, handedOver],
    );
  await died(unclear.merchant, true);
  await died(free.merchant, false);
  await service.rows(
    "update messages set locked_until = '2026-01-01' where locked_until is not null and state = 'waiting'",
  );
  await send();
  assert.deepEqual(to(unclear.who), []);
  assert.equal((await listed(unclear.merchant))[0]?.["state"], "unclear");
  assert.equal(to(free.who).length, 1);
});

test("a message that is erased after its process died while the server received it may have arrived", async () => {
  const { merchant, who } = await receiptWaits();
  await service.rows(
    `update messages set attempts = 1, lease_no = 1, locked_until = '2026-01-01', handed_over_at = now()
      where tenant = (select tenant from tenants where id = $1)`,
    [merchant.tenantId],
  );
  const [{ id } = {}] = await service.rows("select id from leads where email = $1", [who["email"]]);
  const path = `management/customers/${id}/erase/`;
  const erased = await service.post(path, { give_up_evidence: true }, { key: merchant.key });
  assert.equal(erased.status, 200, erased.text);
  const [message] = await listed(merchant);
  assert.deepEqual([message?.["state"], message?.["recipient"]], ["unclear", null]);
});

test("a message that cannot be made is tried as often as any other, and then given up with the reason", async () => {
  const { merchant, who } = await receiptWaits();
  const broken = await createApp(service.config, service.databaseUrl, log, {
    clock,
    between: (db) => {
      const timed = onClock(db, clock);
      return {
        ...timed,
        query: (statement, values) =>
          statement.name === "messages.read_with_subject"
            ? Promise.reject(new Error(`the words for ${who["email"]} are missing`))
            : timed.query(statement, values),
      };
    },
  });
  try {
    for (let hour = 0; hour < 80; hour += 1) {
      await send(broken);
      const [message] = await listed(merchant);
      assert.equal(message?.["answer"], "not made: the words for (address) are missing");
      clock.advance(HOUR_MS);
    }
  } finally {
    await broken.close();
  }
  const [message] = await listed(merchant);
  assert.deepEqual([message?.["state"], message?.["attempts"], message?.["due_at"]], ["given_up", 10, null]);
  await send();
  assert.deepEqual(to(who), []);
});

test("two processes at once send each message once", async () => {
  const merchant = await shop(["receipt"]);
  const customers = Array.from({ length: 12 }, person);
  for (const who of customers) await merchant.pay(await merchant.session({ lead: who }), IBAN.approved);
  const other = await createApp(service.config, service.databaseUrl, log, {
    clock,
    between: (db) => onClock(db, clock),
  });
  try {
    await Promise.all([send(), send(other), send(), send(other)]);
  } finally {
    await other.close();
  }
  assert.deepEqual(
    customers.map((who) => to(who).length),
    customers.map(() => 1),
  );
});

test("a message that is being sent stays with its process while another process looks for work", async () => {
  const { merchant, who } = await receiptWaits();
  let goOn = (): void => {};
  mail.behave({ text: new Promise<void>((resolve) => (goOn = resolve)) });
  const sending = send();
  while (to(who).length === 0) await sleep(10);
  await send();
  goOn();
  await sending;
  assert.equal((await listed(merchant))[0]?.["state"], "sent");
});

test("a process whose lease has ended does not send a message that another one is sending", async () => {
  const { merchant, who } = await receiptWaits();
  let [goOn, finish] = [(): void => {}, (): void => {}];
  mail.behave({ rcpt: new Promise<void>((resolve) => (goOn = resolve)) });
  const is = { over: false };
  const late = send().finally(() => (is.over = true));
  while (!mail.recipients.includes(String(who["email"]))) await sleep(10);
  clock.advance(3 * MINUTE_MS);
  mail.behave({ text: new Promise<void>((resolve) => (finish = resolve)) });
  const sending = send();
  while (to(who).length === 0) await sleep(10);
  goOn();
  while (!is.over && to(who).length < 2) await sleep(10);
  finish();
  await Promise.all([late, sending]);
  assert.equal(to(who).length, 1);
  assert.equal((await listed(merchant))[0]?.["state"], "sent");
});

test("an attempt that ended before the text has sent nothing: the message waits for the next attempt", async () => {
  const { merchant, who } = await receiptWaits();
  const [{ tenant } = {}] = await service.rows("select tenant from tenants where id = $1", [
    merchant.tenantId,
  ]);
  const { db } = service.app.deps;
  const [claimed] = await claimMessages(db, tenant, clock.now(), MINUTE_MS, 1);
  const message = must(claimed, "the receipt");
  const over = { dueAt: clock.now(), sentAt: null, answer: "late", counts: true, telling: null } as const;
  await endSending(db, tenant, message, { state: "waiting", ...over });
  const telling = { recipient: Buffer.from("sealed"), language: "en", textVersion: "1/en" };
  assert.equal(await writeHandOver(db, tenant, message, clock.now(), telling), false);
  await send();
  assert.equal(to(who).length, 1);
});

test("erasing a customer drops waiting messages, and waits for those being sent", async () => {
  const { merchant, who } = await receiptWaits();
  const [{ id } = {}] = await service.rows("select id from leads where email = $1", [who["email"]]);
  const erase = () =>
    service.post(`management/customers/${id}/erase/`, { give_up_evidence: true }, { key: merchant.key });
  let goOn = (): void => {};
  mail.behave({ text: new Promise<void>((resolve) => (goOn = resolve)) });
  const sending = send();
  while (to(who).length === 0) await sleep(10);
  const refused = await erase();
  goOn();
  await sending;
  assert.equal(refused.status, 409, refused.text);
  assert.match(refused.text, /a message is being sent/);
  assert.equal((await listed(merchant))[0]?.["recipient"], who["email"]);

  const waiting = await receiptWaits();
  const [{ id: second } = {}] = await service.rows("select id from leads where email = $1", [
    waiting.who["email"],
  ]);
  const [erased] = await Promise.all([
    service.post(
      `management/customers/${second}/erase/`,
      { give_up_evidence: true },
      { key: waiting.merchant.key },
    ),
    erase(),
  ]);
  assert.equal(erased.status, 200, erased.text);
  await send();
  assert.deepEqual(to(waiting.who), []);
  const [dropped] = await listed(waiting.merchant);
  assert.deepEqual([dropped?.["state"], dropped?.["recipient"]], ["dropped", null]);
  assert.deepEqual(placesOf(await allStoredValues(service), [String(waiting.who["email"])]), []);
});

test("nothing is sent where the tenant has not asked for it", async () => {
  const merchant = await shop([]);
  const who = person();
  await subscribe(merchant, { lead: who });
  await moveTo(merchant, "2026-04-06T12:00:00Z");
  await send();
  assert.deepEqual(to(who), []);
  assert.deepEqual(await listed(merchant), []);
});

test("a mandate that is amended while its renewal is being announced is announced as it is then", async () => {
  const merchant = await shop(["pre_notification"]);
  const who = person();
  const id = await subscribe(merchant, { lead: who });
  const [mandate] = await service.rows("select mandate_id as id from subscriptions where id = $1", [id]);
  let amended: Promise<Response> | null = null;
  const slow = await createApp(service.config, service.databaseUrl, log, {
    clock,
    between: (db) => {
      const timed = onClock(db, clock);
      return {
        ...timed,
        async query(statement, values) {
          const rows = await timed.query(statement, values);
          if (statement.name === "billing.find_upcoming" && rows.length > 0)
            await (amended ??= service.post(
              `management/mandates/${mandate?.["id"]}/amend/`,
              { reference: "CHANGED-1" },
              { key: merchant.key },
            ));
          return rows;
        },
      };
    },
  });
  try {
    clock.advance(21 * 24 * HOUR_MS);
    const announce = announceJob(slow.deps);
    await announce.runOnce(announce.batch);
    await announce.runOnce(announce.batch);
  } finally {
    await slow.close();
  }
  await send();
  assert.deepEqual(
    to(who).map(({ text }) => /Mandatsreferenz: (\S+)/.exec(text)?.[1]),
    ["CHANGED-1"],
  );
});

test("a mandate that is amended while the day of its renewal is kept is announced as it is then", async () => {
  const merchant = await shop(["pre_notification"]);
  const who = person();
  const id = await subscribe(merchant, { lead: who });
  const [mandate] = await service.rows("select mandate_id as id from subscriptions where id = $1", [id]);
  const amend = async (changes: Json) => {
    const path = `management/mandates/${mandate?.["id"]}/amend/`;
    assert.equal((await service.post(path, changes, { key: merchant.key })).status, 200);
  };
  let isAmended = false;
  const slow = await createApp(service.config, service.databaseUrl, log, {
    clock,
    between: (db) => {
      const timed = onClock(db, clock);
      return {
        ...timed,
        async commit(statement, values) {
          if (statement.name === "billing.record_still_announced" && !isAmended) {
            isAmended = true;
            clock.advance(MINUTE_MS);
            await amend({ reference: "CHANGED-2" });
          }
          return timed.commit(statement, values);
        },
      };
    },
  });
  try {
    clock.advance(21 * 24 * HOUR_MS);
    const announce = announceJob(slow.deps);
    await announce.runOnce(announce.batch);
    await send();
    await amend({ iban: IBAN.approvedDutch });
    await amend({ iban: IBAN.approved });
    await announce.runOnce(announce.batch);
    await announce.runOnce(announce.batch);
  } finally {
    await slow.close();
  }
  assert.equal(isAmended, true);
  await send();
  assert.deepEqual(
    to(who).map(({ text }) => /Mandatsreferenz: (\S+)/.exec(text)?.[1] === "CHANGED-2"),
    [false, true],
  );
});
