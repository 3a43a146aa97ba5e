/**
 * A customer pays the same amount from the same account at a payment link again, while the first payment is still at
 * the bank.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { assertBooksAgree } from "../support/books.ts";
import { createMerchant, createRecord, IBAN, type Merchant } from "../support/merchant.ts";
import { sendForm } from "../support/page.ts";
import { startService, type Json, type Service } from "../support/service.ts";
import { OUTCOME, slowBank } from "../support/slow-bank.ts";

const bank = slowBank();
let service: Service;
let merchant: Merchant;
let made: Json;

before(async () => {
  service = await startService({ adapters: [bank.adapter] });
  merchant = await createMerchant(service, { adapter: "slow-bank" });
  const asks = { ask_about_duplicates: true };
  const { status } = await service.call("PATCH", "management/tenant/", asks, { key: merchant.key });
  assert.equal(status, 200);
  made = await createRecord(service, merchant.key, "payment-links", {
    name: "Ticket",
    gateway_id: merchant.gatewayId,
    amount: "12.50",
  });
});
after(async () => {
  await assertBooksAgree(service.db).finally(() => service.close());
});

/** Begins a session at the link. @returns its token. */
async function begun(email: string): Promise<string> {
  const typed = { first_name: "Ada", last_name: "Example", email, country: "DE" };
  const headers = { "accept-language": "en", "content-type": "application/x-www-form-urlencoded" };
  const body = new URLSearchParams(typed).toString();
  const sent = await service.post(new URL(String(made["url"])).pathname, body, { headers });
  assert.equal(sent.status, 303, sent.text);
  return /^\/pay\/(ps_[^/]+)\/$/.exec(String(sent.headers["location"]))?.[1] ?? "";
}

async function attemptsOf(email: string): Promise<readonly unknown[]> {
  const rows = await service.rows(
    "select t.status from transactions t join leads l on l.tenant = t.tenant and l.id = t.lead_id where l.email = $1 order by t.created_at",
    [email],
  );
  return rows.map(({ status }) => status);
}

const STATES = ["submitted", "unresolved", "awaiting_verification", "pending"] as const;
for (const state of STATES) {
  test(`while a first payment is ${state}, eight more by the same link and customer each need a confirmation, and none reaches the bank`, async () => {
    const email = `${state}@example.com`;
    const first = sendForm(service, await begun(email), { iban: IBAN.approved });
    const question = await bank.asked();
    if (state !== "submitted") {
      question.answer(OUTCOME[state === "awaiting_verification" ? "verification_required" : state]);
      await first;
    }
    assert.deepEqual(await attemptsOf(email), [state]);
    const tokens: string[] = [];
    for (let n = 0; n < 8; n += 1) tokens.push(await begun(email));
    const sent = await Promise.all(tokens.map((token) => sendForm(service, token, { iban: IBAN.approved })));
    for (const page of sent) {
      assert.equal(page.status, 422, page.words);
      assert.match(page.words, /I have paid this amount in the last 24 hours and want to pay it again\./);
    }
    assert.deepEqual(await attemptsOf(email), [state]);
    const confirmed = sendForm(service, tokens[0] ?? "", { iban: IBAN.approved, again: "yes" });
    (await bank.asked()).answer(OUTCOME.approved);
    assert.equal((await confirmed).status, 303);
    assert.deepEqual(await attemptsOf(email), [state, "approved"]);
    if (state === "submitted") question.answer(OUTCOME.approved);
    await first;
  });
}

test("once the first payment was declined at the bank, the next one needs no confirmation", async () => {
  const email = "declined@example.com";
  const first = sendForm(service, await begun(email), { iban: IBAN.approved });
  const question = await bank.asked();
  const token = await begun(email);
  assert.equal((await sendForm(service, token, { iban: IBAN.approved })).status, 422);
  question.answer(OUTCOME.declined);
  await first;
  const second = sendForm(service, token, { iban: IBAN.approved });
  (await bank.asked()).answer(OUTCOME.approved);
  assert.equal((await second).status, 303);
  assert.deepEqual(await attemptsOf(email), ["declined", "approved"]);
});
