/**
 * The same customer and amount within a day: a confirmation is requested before anything is charged, on the API and
 * on the page.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { DAY_MS, later } from "../../src/lib/clock.ts";
import { must } from "../../src/lib/assert.ts";
import { findAttempt } from "../../src/sessions/attempt-store.ts";
import { duplicateRefusal } from "../../src/sessions/duplicate.ts";
import { createRace } from "../support/at-once.ts";
import { assertBooksAgree } from "../support/books.ts";
import { createMerchant, createRecord, IBAN, lead, type Merchant } from "../support/merchant.ts";
import { payOnPage, sendForm } from "../support/page.ts";
import { startService, type Response, type Service } from "../support/service.ts";

const race = createRace();
let service: Service;
let merchant: Merchant;
let shift = 0;

before(async () => {
  service = await startService({
    clock: { now: () => later(new Date(), shift), monotonicMs: () => performance.now() },
    between: race.between,
  });
  merchant = await createMerchant(service);
  const url = "https://example.com/hook";
  await createRecord(service, merchant.key, "webhook-profiles", {
    name: "All",
    url,
    events: ["guard.triggered"],
  });
  await ask(true);
});
after(() => service.close());

const ask = (asks: boolean) =>
  service.call("PATCH", "management/tenant/", { ask_about_duplicates: asks }, { key: merchant.key });

async function pay(
  person: Record<string, unknown>,
  { iban = IBAN.approved as string, more = {}, ...changes }: Record<string, unknown> = {},
): Promise<Response> {
  const token = await merchant.session({ lead: person, ...changes });
  return merchant.pay(token, iban as string, more as Record<string, unknown>);
}

const isAsked = ({ status, body }: Response) => status === 409 && body["code"] === "duplicate_payment";

test("a duplicate is a 409 that names the first payment and uses no attempt; once confirmed, it is paid", async () => {
  const person = lead();
  const first = await pay(person);
  const token = await merchant.session({ lead: person });
  const asked = await merchant.pay(token, IBAN.approvedDutch);
  assert.ok(isAsked(asked), asked.text);
  assert.equal(asked.body["merchant_transaction_id"], first.body["transaction"].merchant_transaction_id);
  assert.ok(isAsked(await merchant.pay(token, IBAN.approved)), "and again");
  assert.equal((await merchant.retrieve(token)).body["attempts_remaining"], 3);
  const [row] = await service.rows(
    "select count(*)::integer as told, min(payload -> 'guard' ->> 'kind') as kind, min(payload -> 'guard' ->> 'merchant_transaction_id') as other from events where type = 'guard.triggered'",
  );
  const other = first.body["transaction"].merchant_transaction_id;
  assert.deepEqual(row, { told: 1, kind: "duplicate_payment", other });
  const paid = await merchant.pay(token, IBAN.approved, { confirm_duplicate: true });
  assert.equal(paid.body["status"], "completed", paid.text);
});

test("a payment in flight makes a duplicate; another amount or customer, a decline, or a day in between does not", async () => {
  const person = lead();
  assert.equal((await pay(person)).status, 200);
  assert.equal((await pay(person, { amount: "20.00" })).status, 200);
  assert.equal((await pay(lead())).status, 200);
  const declined = lead();
  await pay(declined, { iban: IBAN.declined, max_payment_attempts: 1 });
  assert.equal((await pay(declined)).status, 200);
  const waits = lead();
  await pay(waits, { iban: IBAN.pending });
  assert.ok(isAsked(await pay(waits)));
  shift += DAY_MS;
  assert.equal((await pay(person)).body["status"], "completed");
});

test("a trial's first payment is compared by what it charges", async () => {
  const trial = {
    billing_type: "TRIAL_RECURRING",
    billing_frequency: "MONTHLY",
    trial_interval_unit: "day",
    trial_period: 14,
    trial_price: "1.00",
  };
  const person = lead();
  await pay(person);
  assert.equal((await pay(person, trial)).body["status"], "completed");
  assert.ok(isAsked(await pay(person, trial)));
});

test("duplicates are asked about only while the setting is on, for sessions from before it as well", async () => {
  await ask(false);
  const person = lead();
  await pay(person);
  assert.equal((await pay(person)).body["status"], "completed");
  const token = await merchant.session({ lead: person });
  await ask(true);
  assert.ok(isAsked(await merchant.pay(token, IBAN.approved)));
});

test("of eight concurrent duplicates none is charged, and of eight that confirm one is", async () => {
  const person = lead();
  await pay(person);
  const token = await merchant.session({ lead: person });
  const eight = (more: Record<string, unknown>) =>
    Promise.all(Array.from({ length: 8 }, () => merchant.pay(token, IBAN.approved, more)));
  assert.ok((await eight({})).every(isAsked));
  const confirmed = await eight({ confirm_duplicate: true });
  assert.equal(confirmed.filter(({ status }) => status === 200).length, 1);
});

test("two duplicates at once are both asked about, with one event and one entry in the timeline", async () => {
  const person = lead();
  await pay(person);
  const token = await merchant.session({ lead: person });
  const [session] = await service.rows(
    `select s.tenant, s.id from sessions s join leads l on l.tenant = s.tenant and l.id = s.lead_id
      where l.email = $1 and s.status = 'PENDING'`,
    [person["email"]],
  );
  const { tenant, id } = must(session, "the session that is open");
  const { deps } = service.app;
  const fingerprints = deps.keys.fingerprints(tenant, IBAN.approved);
  await race.atOnce(
    service,
    async () =>
      duplicateRefusal(deps, tenant, must(await findAttempt(deps.db, tenant, id), "it"), fingerprints),
    async () => assert.ok(isAsked(await merchant.pay(token, IBAN.approved))),
  );
  const events = await service.rows(
    "select 1 from events where session_id = $1 and type = 'guard.triggered'",
    [id],
  );
  const moves = await service.rows(
    "select 1 from session_moves where session_id = $1 and cause = 'asked_about_duplicate'",
    [id],
  );
  assert.deepEqual([events.length, moves.length], [1, 1]);
});

test("the payment page asks the customer, who ticks a box and pays", async () => {
  const person = lead();
  await pay(person);
  const token = await merchant.session({ lead: person });
  const asked = await sendForm(service, token, { iban: IBAN.approved });
  assert.equal(asked.status, 422);
  assert.match(asked.text, /type="checkbox"\s+id="again"/);
  assert.match(asked.words, /I have paid this amount in the last 24 hours and want to pay it again\./);
  const paid = await payOnPage(service, token, { iban: IBAN.approved, again: "yes" });
  assert.match(paid.state, /^receipt-/);
});

test("after all of this the books agree", () => assertBooksAgree(service.app.deps.db));
