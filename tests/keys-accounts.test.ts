/** While keys are rotated, mandates of one account have fingerprints under different keys. They are found all the same. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createApp } from "../src/app.ts";
import { must } from "../src/lib/assert.ts";
import { manualClock } from "../src/lib/clock.ts";
import { silentLog } from "../src/lib/log.ts";
import { cyclesOf, readSubscription, subscribe } from "./support/billing.ts";
import { assertBooksAgree } from "./support/books.ts";
import { createMerchant, createRecord, IBAN, type Merchant } from "./support/merchant.ts";
import { sendForm } from "./support/page.ts";
import { caller, startService, testConfig, type Response, type Service } from "./support/service.ts";

const clock = manualClock(new Date("2026-03-04T10:00:00Z"));
const [OLD, NEW] = [Buffer.alloc(32, 31), Buffer.alloc(32, 32)];
const FRENCH = "FR1420041010050500013M02606";
const FORM = { "content-type": "application/x-www-form-urlencoded" };

let older: Service;
let newer: Service;

before(async () => {
  older = await startService({ clock, config: { masterKeys: [OLD, NEW] } });
  newer = await another(older, [NEW, OLD]);
});
after(async () => {
  await assertBooksAgree(older.db).finally(async () => {
    await newer.close();
    await older.close();
  });
});

/** Another instance on the same database. */
async function another(service: Service, masterKeys: readonly Buffer[]): Promise<Service> {
  const config = testConfig("http://pay.example.test", { masterKeys });
  const app = await createApp(config, service.databaseUrl, silentLog, { clock });
  const { port } = await app.server.listen({ host: "127.0.0.1", port: 0 });
  const call = caller(`http://127.0.0.1:${port}`);
  return {
    ...service,
    app,
    call,
    get: (path, more) => call("GET", path, undefined, more),
    post: (path, body, more) => call("POST", path, body, more),
    async close() {
      await app.server.close();
      await app.close();
    },
  };
}

/** The same merchant, whose customers pay at another instance. */
function at(service: Service, merchant: Merchant): Merchant {
  const pay: Merchant["pay"] = (token, iban) =>
    service.post(`payment-sessions/${token}/pay/`, { iban, iban_holder_name: "Ada Example" });
  return { ...merchant, pay };
}

const paysOnce = async (merchant: Merchant, iban: string = IBAN.approved) =>
  (await merchant.pay(await merchant.session(), iban)).body;

async function blocking(service: Service): Promise<Merchant> {
  const merchant = await createMerchant(service);
  const rules = { return_rules: { AC04: "block_account" } };
  const { status, text } = await service.call("PATCH", "management/tenant/", rules, { key: merchant.key });
  assert.equal(status, 200, text);
  return merchant;
}

/** A payment with the account comes back, and blocks it. */
async function block(service: Service, merchant: Merchant, iban: string = IBAN.approved): Promise<void> {
  const body = {
    transaction_id: (await paysOnce(at(service, merchant), iban))["transaction"].id,
    reason_code: "AC04",
  };
  const { status, text } = await service.post("management/chargebacks/", body, { key: merchant.key });
  assert.equal(status, 201, text);
}

async function mandateOfPayment(merchant: Merchant, iban: string = IBAN.approved): Promise<string> {
  const paid = await paysOnce(merchant, iban);
  const [row] = await older.rows("select mandate_id from transactions where id = $1", [
    paid["transaction"].id,
  ]);
  return row?.["mandate_id"];
}

for (const [name, instances] of [
  ["the old key", () => [older, newer]],
  ["the new key", () => [newer, older]],
] as const) {
  test(`an account that is blocked under ${name} is refused under the other: no payment, no amendment, until it is unblocked`, async () => {
    const [there, here] = instances() as [Service, Service];
    const merchant = await blocking(here);
    const { key } = merchant;
    const mandate = await mandateOfPayment(merchant);
    const dutch = await mandateOfPayment(merchant, IBAN.approvedDutch);
    await block(there, merchant);
    const refused = await paysOnce(merchant);
    assert.deepEqual(
      [refused["status"], refused["error_details"]?.code, refused["transaction"]],
      ["declined", "do_not_honor", null],
    );
    const amended = await here.post(`management/mandates/${dutch}/amend/`, { iban: IBAN.approved }, { key });
    assert.equal(amended.status, 400, amended.text);
    const lifted = await here.post(`management/mandates/${mandate}/unblock-account/`, {}, { key });
    assert.equal(lifted.status, 200, lifted.text);
    assert.equal((await paysOnce(merchant))["status"], "completed");
  });

  test(`a payment at a link is asked about if the same account has paid under ${name}`, async () => {
    const [there, here] = instances() as [Service, Service];
    const merchant = await createMerchant(here);
    const { key } = merchant;
    await here.call("PATCH", "management/tenant/", { ask_about_duplicates: true }, { key });
    const link = { name: "Ticket", gateway_id: merchant.gatewayId, amount: "12.50" };
    const { url } = await createRecord(here, key, "payment-links", link);
    const pay = async (service: Service, iban: string): Promise<Response> => {
      const person = { first_name: "Grace", last_name: "Hopper", email: "grace@example.com", country: "DE" };
      const form = new URLSearchParams(person).toString();
      const begun = await service.post(new URL(url).pathname, form, { headers: FORM });
      const token = must(/\/pay\/(ps_[^/]+)\//.exec(String(begun.headers["location"])), begun.text)[1];
      return sendForm(service, must(token, "a session"), { iban });
    };
    assert.equal((await pay(there, IBAN.approved)).status, 303);
    assert.equal((await pay(here, IBAN.approvedDutch)).status, 303, "another account");
    assert.equal((await pay(here, IBAN.approved)).status, 422);
  });

  test(`a block under ${name} ends the subscriptions of mandates under the other, which are not collected again`, async () => {
    const [there, here] = instances() as [Service, Service];
    const merchant = await blocking(here);
    const { key } = merchant;
    const failing = await subscribe(merchant, {}, IBAN.renewalFailsFirst);
    const later = await subscribe(merchant, { billing_frequency: "QUARTERLY" });
    const free = await subscribe(merchant, {}, IBAN.approvedDutch);
    const elsewhere = await subscribe(at(there, merchant), { billing_frequency: "QUARTERLY" }, FRENCH);
    const moveTo = async (day: string) => {
      const moved = await here.post("management/clock/", { date: `${day}T12:00:00Z` }, { key });
      assert.equal(moved.status, 200, moved.text);
    };
    const standOf = async (id: string) => {
      const shown = await readSubscription(here, merchant, id);
      return [shown["status"], ...cyclesOf(shown)];
    };
    await moveTo("2026-04-07");
    assert.deepEqual(await standOf(failing), ["PAST_DUE", "1:retry"]);
    await block(there, merchant);
    await block(there, merchant, IBAN.renewalFailsFirst);
    await block(here, merchant, FRENCH);

    const collected = await here.post(`management/subscriptions/${failing}/collect/`, undefined, { key });
    assert.deepEqual([collected.status, collected.body["code"]], [409, "not_collectable"], collected.text);
    const [row] = await here.rows("select lead_id from subscriptions where id = $1", [failing]);
    const made = await here.post(`management/customers/${row?.["lead_id"]}/account-link/`, {}, { key });
    const page = await here.get(new URL(made.body["url"]).pathname);
    const link = must(/\/pay\/failed\/pf_[A-Za-z0-9_-]{44}\//.exec(page.text), "a link to what failed")[0];
    assert.equal((await here.post(link, "", { headers: FORM })).status, 303);
    assert.deepEqual(await standOf(failing), ["PAST_DUE", "1:retry"]);

    await moveTo("2026-06-05");
    assert.deepEqual(
      [(await standOf(failing))[0], await standOf(later), await standOf(elsewhere), await standOf(free)],
      ["CANCELLED", ["CANCELLED"], ["CANCELLED"], ["ACTIVE", "1:paid", "2:skipped", "3:paid"]],
    );
    const debits = await here.rows(
      "select status from transactions where subscription_id = any ($1) and type = 'sdd_rebill'",
      [[failing, later, elsewhere]],
    );
    assert.deepEqual(debits, [{ status: "declined" }]);
  });
}
