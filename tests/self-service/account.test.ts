/**
 * The page of a customer's account: customers see their own records, change the account, pay a failed payment and
 * cancel, each once.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { must } from "../../src/lib/assert.ts";
import { HOUR_MS, manualClock } from "../../src/lib/clock.ts";
import { textOnForm } from "../../src/payment-page/mandate-text.ts";
import { renewDue } from "../../src/subscriptions/renew.ts";
import { createRace } from "../support/at-once.ts";
import { cyclesOf, readSubscription, subscribe, switchAccount } from "../support/billing.ts";
import { assertBooksAgree } from "../support/books.ts";
import {
  createMerchant,
  createRecord,
  createSandbox,
  IBAN,
  lead,
  type Merchant,
} from "../support/merchant.ts";
import { inWords } from "../support/mail.ts";
import { openPage, textOf, textShown } from "../support/page.ts";
import { OPERATOR_KEY, startService, type Json, type Response, type Service } from "../support/service.ts";

const clock = manualClock(new Date("2026-03-04T10:00:00Z"));
const race = createRace();
let service: Service;

before(async () => {
  service = await startService({ clock, between: race.between });
});
after(() => service.close());

interface Customer {
  readonly merchant: Merchant;
  /** The subscription's id. */
  readonly id: string;
  readonly leadId: string;
  readonly mandateId: string;
  /** The path of the account page. */
  readonly path: string;
}

/**
 * A change of the account first counts the attempt and then amends the mandate. The second transaction is the one to
 * hold.
 */
const AMENDS = 2;

async function customer(changes: Json = {}, gateway: Record<string, unknown> = {}): Promise<Customer> {
  const merchant = await createMerchant(service, gateway);
  const path = `management/tenants/${merchant.tenantId}/`;
  const set = await service.call("PATCH", path, changes, { key: OPERATOR_KEY });
  assert.equal(set.status, 200, set.text);
  await createRecord(service, merchant.key, "webhook-profiles", {
    name: "Acts",
    url: "http://127.0.0.1:9/",
    events: ["customer.acted"],
  });
  return another(merchant);
}

/** Another customer of the merchant. */
async function another(merchant: Merchant, session: Json = {}): Promise<Customer> {
  const id = await subscribe(merchant, { lead: lead(), ...session });
  const [row] = await service.rows("select lead_id, mandate_id from subscriptions where id = $1", [id]);
  const [leadId, mandateId] = [row?.["lead_id"], row?.["mandate_id"]];
  const made = await service.post(`management/customers/${leadId}/account-link/`, {}, { key: merchant.key });
  assert.equal(made.status, 201, made.text);
  return { merchant, id, leadId, mandateId, path: new URL(made.body["url"]).pathname };
}

function send(
  path: string,
  fields: Readonly<Record<string, string>> = {},
  { cookie, ...from }: { readonly from?: string; readonly cookie?: string } = {},
): Promise<Response> {
  const headers = {
    "content-type": "application/x-www-form-urlencoded",
    "accept-language": "en",
    ...(cookie === undefined ? {} : { cookie }),
  };
  return service.call("POST", path, new URLSearchParams(fields).toString(), { headers, ...from });
}

async function change(
  { path, mandateId }: Customer,
  iban: string,
  from: { readonly from?: string; readonly cookie?: string } = {},
): Promise<Response> {
  const form = `${path}mandates/${mandateId}/`;
  const text = textShown(await openPage(service, form));
  return send(form, { iban, accepted: "yes", text }, from);
}

function cancel({ path, id }: Customer): Promise<Response> {
  return send(`${path}subscriptions/${id}/cancel/`);
}

async function words(path: string): Promise<string> {
  const page = await openPage(service, path);
  assert.equal(page.status, 200, page.words);
  return page.words;
}

async function mandateOf({ merchant, mandateId }: Customer): Promise<Json> {
  return (await service.get(`management/mandates/${mandateId}/`, { key: merchant.key })).body;
}

async function moveTo({ merchant }: Customer, day: string): Promise<void> {
  const moved = await service.post("management/clock/", { date: `${day}T12:00:00Z` }, { key: merchant.key });
  assert.equal(moved.status, 200, moved.text);
}

/** The merchant's events, oldest first. */
async function eventsOf({ leadId }: Customer): Promise<readonly Json[]> {
  const rows = await service.rows(
    "select payload -> 'customer' as act from events where type = 'customer.acted' and payload -> 'customer' ->> 'lead_id' = $1 order by number",
    [leadId],
  );
  return rows.map((row) => row["act"]);
}

/** The actions of customers in the audit log. */
async function audited({ merchant }: Customer): Promise<readonly string[]> {
  const { body } = await service.get("management/audit-log/?actor=customer", { key: merchant.key });
  return body["results"].map((entry: Json) => `${entry["resource"]} ${entry["resource_id"]}`);
}

const cycles = async ({ merchant, id }: Customer) => cyclesOf(await readSubscription(service, merchant, id));

test("the page shows the customer's records only with the link, and no records of another customer", async () => {
  const one = await customer();
  const other = await another(one.merchant);
  const text = await words(one.path);
  // Due on 4 April, a Saturday; banks are open again after Easter.
  for (const shown of ["Your subscriptions and payments", "every month", "7 April 2026", "DE •••• 3000"])
    assert.ok(text.includes(shown), `${shown}: ${text}`);
  assert.match(text, /Payments 4 March 2026 · €29\.90 · Payment successful Creditor Shop/);
  const { reference } = await mandateOf(one);
  assert.ok(text.includes(reference));
  assert.ok(!text.includes((await mandateOf(other))["reference"]));
  assert.ok(!text.includes("@"), "no address");
  const altered = one.path.replace(
    /.(.{5})\/$/,
    (all, end: string) => (all[0] === "_" ? "-" : "_") + end + "/",
  );
  for (const wrong of [altered, one.path.replace("ca_", "pf_"), "/pay/account/ca_/"])
    assert.equal((await service.get(wrong)).status, 404, wrong);
  for (const path of [`mandates/${other.mandateId}/`, `mandates/${other.mandateId}/document/`, "mandates/x/"])
    assert.equal((await service.get(one.path + path)).status, 404, path);
  assert.equal(
    (await send(`${one.path}mandates/${other.mandateId}/`, { iban: IBAN.approvedDutch })).status,
    404,
  );
  assert.equal((await cancel({ ...one, id: other.id })).status, 404);
  assert.equal((await readSubscription(service, one.merchant, other.id))["cancel_at_period_end"], false);
  assert.deepEqual(await eventsOf(one), []);
});

test("a link needs the scope billing and a customer of the same tenant, and works until its expiry", async () => {
  const one = await customer();
  const { key } = one.merchant;
  const path = `management/customers/${one.leadId}/account-link/`;
  const narrow = await createRecord(service, key, "api-keys", { name: "Reads", scopes: ["read"] });
  assert.equal((await service.post(path, {}, { key: narrow["api_key"] })).status, 403);
  const stranger = await createMerchant(service);
  assert.equal((await service.post(path, {}, { key: stranger.key })).status, 404);
  assert.equal((await service.post(path, { valid_minutes: 4 }, { key })).status, 400);
  const { body } = await service.post(path, { valid_minutes: 120 }, { key });
  assert.equal(body["expires_at"], new Date(clock.now().getTime() + 2 * HOUR_MS).toISOString());
  const made = new URL(body["url"]).pathname;
  const log = await service.get("management/audit-log/?resource=account-links", { key });
  assert.equal(log.body["results"].length, 2);
  assert.ok(!log.text.includes("ca_"), "the audit log opens nobody's page");
  clock.advance(HOUR_MS);
  const over = await openPage(service, one.path);
  assert.deepEqual([over.status, over.state], [410, "linkOver"]);
  assert.match(over.words, /This link has expired Please ask .+ for a new one\./);
  assert.doesNotMatch(over.words, /payment page|charged/);
  assert.equal((await change(one, IBAN.approvedDutch)).status, 410);
  assert.equal((await cancel(one)).status, 410);
  for (const kept of ["", "document/"])
    assert.equal((await service.get(`${one.path}mandates/${one.mandateId}/${kept}`)).status, 410, kept);
  assert.match(await words(made), /every month/);
  assert.equal((await mandateOf(one))["iban_last4"], "3000");
});

test("once a customer is erased no link shows their records", async () => {
  const one = await customer();
  const { key } = one.merchant;
  await switchAccount(service, one.id, IBAN.insufficientFunds);
  await moveTo(one, "2026-04-07");
  const page = await service.get(one.path);
  const failed = must(/\/pay\/failed\/pf_[A-Za-z0-9_-]{44}\//.exec(page.text), "a link to what failed")[0];
  await service.post(`management/subscriptions/${one.id}/cancel/`, {}, { key });
  assert.equal((await service.get(failed)).status, 200);
  const body = { give_up_evidence: true };
  const erased = await service.post(`management/customers/${one.leadId}/erase/`, body, { key });
  assert.equal(erased.status, 200, erased.text);
  for (const path of [one.path, failed]) assert.equal((await service.get(path)).status, 404, path);
});

test("entering another account amends the mandate with the text that was shown, and that account is debited from then on", async () => {
  const one = await customer();
  const form = await openPage(service, `${one.path}mandates/${one.mandateId}/`);
  for (const shown of ["Change the account", "You authorise Shop", "within 8 weeks", "I agree to this SEPA"])
    assert.ok(form.words.includes(shown), shown);
  const sent = await change(one, "NL91 ABNA 0417 1643 00");
  assert.equal(sent.status, 303, sent.text);
  assert.match(textOf((await service.get(String(sent.headers["location"]))).text), /NL •••• 4300/);
  const mandate = await mandateOf(one);
  const [amendment] = mandate["amendments"];
  assert.deepEqual(
    [mandate["iban_last4"], amendment.kind, amendment.original_iban_last4, amendment.text_version],
    ["4300", "account", "3000", "2026-11-3/en"],
  );
  assert.ok(amendment.accepted_ip);
  const sheet = await service.get(`${one.path}mandates/${one.mandateId}/document/`);
  assert.match(sheet.text, /Konto: DE…3000; IP-Adresse: \S+; Fassung des Textes: 2026-11-3\/en/);
  assert.deepEqual(await eventsOf(one), [
    {
      kind: "account_changed",
      lead_id: one.leadId,
      mandate_id: one.mandateId,
      mandate_reference: mandate["reference"],
    },
  ]);
  assert.deepEqual(await audited(one), [`mandates ${one.mandateId}`]);
  assert.equal((await change(one, IBAN.approvedDutch)).status, 303, "the same account once more");
  assert.equal((await eventsOf(one)).length, 1);
  await moveTo(one, "2026-04-07");
  assert.deepEqual(await cycles(one), ["1:paid"]);
  await assertBooksAgree(service.db);
});

test("an account that cannot be debited, or a missing tick, changes nothing and is an error next to its field", async () => {
  const one = await customer();
  const path = `${one.path}mandates/${one.mandateId}/`;
  const wrong = await send(path, { iban: "DE00370400440532013000", accepted: "yes" });
  assert.equal(wrong.status, 422);
  assert.match(textOf(wrong.text), /typing error.*ended in 3000/);
  const unticked = await send(path, { iban: IBAN.approvedDutch });
  assert.equal(unticked.status, 422);
  assert.match(textOf(unticked.text), /Tick the box/);
  assert.deepEqual([(await mandateOf(one))["iban_last4"], await eventsOf(one)], ["3000", []]);
});

test("a customer can try as many accounts as the tenant allows, on all of their links together", async () => {
  const one = await customer({ invalid_ibans_max: 3, lead_accounts_max: 2 });
  for (const status of [422, 422, 422, 429]) assert.equal((await change(one, "DE00")).status, status);
  const two = await customer({ lead_accounts_max: 2 });
  assert.equal(
    (await change(two, IBAN.approvedDutch)).status,
    429,
    "too soon after the account of the payment",
  );
  clock.advance(120_000);
  assert.equal((await change(two, IBAN.approvedDutch)).status, 303);
  clock.advance(120_000);
  assert.equal((await change(two, IBAN.pending)).status, 429, "a third one");
  assert.equal((await mandateOf(two))["iban_last4"], "4300");
});

test("after too many accounts that cannot be debited no account is accepted for a time, which the page names", async () => {
  const one = await customer({ invalid_ibans_max: 2 });
  for (const status of [422, 422]) assert.equal((await change(one, "DE00")).status, status);
  const refused = await change(one, IBAN.approvedDutch);
  assert.equal(refused.status, 429);
  assert.match(textOf(refused.text), /There were too many attempts in a short time\./);
  const seconds = Number(refused.headers["retry-after"]);
  assert.ok(seconds > 80_000 && seconds <= 86_400, `${seconds} s`);
  assert.equal((await mandateOf(one))["iban_last4"], "3000");
});

test("the account that the mandate already has does not count as a try", async () => {
  const one = await customer({ lead_payments_max: 2 });
  for (let again = 0; again < 3; again += 1) assert.equal((await change(one, IBAN.approved)).status, 303);
  assert.equal(
    (await change(one, IBAN.approvedDutch)).status,
    303,
    "the second of the day, after the payment",
  );
  assert.equal((await change(one, IBAN.pending)).status, 429);
});

test("one browser can try as many accounts as the tenant allows, on all customers' links; another browser counts separately", async () => {
  const one = await customer({ device_accounts_max: 2 });
  const two = await another(one.merchant);
  const first = await change(one, IBAN.approvedDutch);
  const cookie = must(first.headers["set-cookie"], "a cookie").toString().replace(/;.*/, "");
  assert.match(cookie, /^pay-device=[A-Za-z0-9_-]{22}$/);
  clock.advance(120_000);
  const again = await change(two, IBAN.pending, { cookie });
  assert.deepEqual([again.status, again.headers["set-cookie"]], [303, undefined]);
  clock.advance(120_000);
  assert.equal((await change(two, IBAN.unknownCode, { cookie })).status, 429, "a third one");
  assert.equal((await change(two, IBAN.unknownCode)).status, 303, "another browser");
});

test("accounts that many customers enter from one network address count together", async () => {
  const one = await customer();
  const others = [await another(one.merchant), await another(one.merchant)];
  const path = `management/tenants/${one.merchant.tenantId}/`;
  await service.call("PATCH", path, { address_accounts_max: 2 }, { key: OPERATOR_KEY });
  const statuses = [];
  for (const [at, iban] of [IBAN.approvedDutch, IBAN.pending, IBAN.unknownCode].entries()) {
    statuses.push((await change([one, ...others][at] as Customer, iban, { from: "127.0.2.1" })).status);
    clock.advance(120_000);
  }
  assert.deepEqual(statuses, [303, 303, 429]);
});

test("a customer whose newest gateway is live can try an account as often as it may be debited in a day", async () => {
  const { merchant } = await customer();
  const live = await createSandbox(service, merchant.key);
  const same = lead();
  await another(merchant, { lead: same });
  clock.advance(1_000);
  const one = await another(merchant, { lead: same, gateway_id: live });
  await service.rows("update gateways set test_mode = false where id = $1", [live]);
  const [first, second] = ["DE75512108001245126199", "DE53512108001245126207"];
  const statuses = [];
  for (let tries = 0; tries < 21; tries += 1)
    statuses.push((await change(one, tries % 2 === 0 ? first : second)).status);
  assert.deepEqual(statuses, [...Array.from({ length: 20 }, () => 303), 429]);
});

test("a subscription that its customer cancels continues until the end of its period, and the merchant gets one event", async () => {
  const one = await customer();
  const statuses = [(await cancel(one)).status, (await cancel(one)).status];
  assert.deepEqual(statuses, [303, 303]);
  const { status, cancel_at_period_end, cancel_reason } = await readSubscription(
    service,
    one.merchant,
    one.id,
  );
  assert.deepEqual(
    [status, cancel_at_period_end, cancel_reason],
    ["ACTIVE", true, "cancelled by the customer"],
  );
  assert.match(await words(one.path), /Ends on 4 April 2026/);
  assert.ok(!(await service.get(one.path)).text.includes("/cancel/"));
  assert.deepEqual(await eventsOf(one), [
    { kind: "subscription_cancelled", lead_id: one.leadId, subscription_id: one.id },
  ]);
  assert.deepEqual(await audited(one), [`subscriptions ${one.id}`]);
  await moveTo(one, "2026-04-07");
  assert.deepEqual(
    [(await readSubscription(service, one.merchant, one.id))["status"], await cycles(one)],
    ["CANCELLED", []],
  );
  assert.match(await words(one.path), /Ended on 7 April 2026/);
  assert.equal((await cancel(one)).status, 303);
  assert.equal((await eventsOf(one)).length, 1);
});

test("a failed payment is paid from the new account", async () => {
  const one = await customer();
  await switchAccount(service, one.id, IBAN.insufficientFunds);
  await moveTo(one, "2026-04-07");
  assert.deepEqual(await cycles(one), ["1:retry"]);
  await change(one, IBAN.approved);
  const page = await service.get(one.path);
  const [cycle] = (await readSubscription(service, one.merchant, one.id))["cycles"];
  const retried = inWords(cycle.next_attempt_at.slice(0, 10));
  assert.match(await words(one.path), new RegExp(`Next payment ${retried} `), "not the cycle after it");
  const link = must(/\/pay\/failed\/pf_[A-Za-z0-9_-]{44}\//.exec(page.text), "a link to what failed")[0];
  assert.equal((await send(link)).status, 303);
  assert.deepEqual(await cycles(one), ["1:paid"]);
  const after = await words(one.path);
  assert.ok(!after.includes(`Next payment ${retried}`), after);
  assert.ok(!(await service.get(one.path)).text.includes("/pay/failed/"));
  await assertBooksAgree(service.db);
});

test("an overdue retry is shown for today, and one after the next renewal is not shown as the next payment, whether that is announced or not", async () => {
  const one = await customer();
  await switchAccount(service, one.id, IBAN.insufficientFunds);
  await moveTo(one, "2026-04-07");
  assert.deepEqual(await cycles(one), ["1:retry"]);
  const triedAt = async (at: string, shown: string) => {
    await service.rows("update billing_cycles set next_attempt_at = $2 where subscription_id = $1", [
      one.id,
      at,
    ]);
    assert.match(await words(one.path), new RegExp(`Next payment ${shown} `));
  };
  await triedAt("2026-04-01T08:00:00Z", "7 April 2026");
  const { next_billing_date: next } = await readSubscription(service, one.merchant, one.id);
  await triedAt("2026-06-30T08:00:00Z", inWords(next));

  await moveTo(one, "2026-04-20");
  const [announced] = await service.rows(
    "select announced_date = next_billing_date as is_next from subscriptions where id = $1",
    [one.id],
  );
  assert.deepEqual(announced, { is_next: true });
  await triedAt("2026-04-24T08:00:00Z", "24 April 2026");
  await triedAt("2026-06-30T08:00:00Z", inWords(next));
});

test("the accepted text is stored in the language in which it was shown", async () => {
  const one = await customer();
  const path = `${one.path}mandates/${one.mandateId}/?lang=de`;
  const text = textShown(await openPage(service, path));
  const sent = await send(path, { iban: IBAN.approvedDutch, accepted: "yes", text });
  assert.equal(sent.status, 303, sent.text);
  assert.equal((await mandateOf(one))["amendments"][0].text_version, "2026-11-3/de");
});

/** Runs between showing and sending the form. */
const OTHER_TEXTS: readonly (readonly [name: string, change: (one: Customer) => Promise<unknown>])[] = [
  [
    "the merchant's creditor name",
    ({ merchant: { key }, mandateId }) =>
      service.post(`management/mandates/${mandateId}/amend/`, { creditor_name: "Other GmbH" }, { key }),
  ],
  [
    "the merchant's own text",
    async ({ merchant: { key }, mandateId }) => {
      const page = await createRecord(service, key, "hosted-pages", { name: "Late" });
      await service.rows(
        "update sessions set hosted_page_id = $1 where id = (select session_id from mandates where id = $2)",
        [page["id"], mandateId],
      );
      const body = { language: "en", text: "Other words: {creditor} {identifier} {reference} {type}" };
      return service.post(`management/hosted-pages/${page["id"]}/mandate-texts/`, body, { key });
    },
  ],
];
for (const [name, otherwise] of OTHER_TEXTS) {
  test(`a customer whose form showed another text than the present one (${name}) sees the present one, and has accepted nothing`, async () => {
    const one = await customer();
    const path = `${one.path}mandates/${one.mandateId}/`;
    const text = textShown(await openPage(service, path));
    await otherwise(one);
    const sent = await send(path, { iban: IBAN.approvedDutch, accepted: "yes", text });
    assert.equal(sent.status, 422, sent.text);
    assert.match(textOf(sent.text), /Other .*Tick the box to agree to the mandate|Tick the box.*Other /);
    assert.doesNotMatch(sent.text, /name="accepted"[^>]* checked/);
    assert.deepEqual([(await mandateOf(one))["iban_last4"], await eventsOf(one)], ["3000", []]);
    assert.equal(
      (await send(path, { iban: IBAN.approvedDutch, accepted: "yes" })).status,
      422,
      "of a former release",
    );
    assert.equal((await change(one, IBAN.approvedDutch)).status, 303);
    assert.equal((await mandateOf(one))["iban_last4"], "4300");
  });
}

test("the form's text has a different fingerprint for each version of the scheme's text, language and creditor", () => {
  const creditor = {
    name: "Shop",
    identifier: null,
    address: null,
    postal_code: null,
    city: null,
    country: null,
  };
  const row = (scheme: "CORE" | "B2B", name = "Shop") => ({
    creditor: { ...creditor, name, scheme, pre_notification_days: 14 },
    mandate_texts: null,
  });
  const shown = [
    textOnForm(row("CORE"), "en"),
    textOnForm(row("CORE"), "de"),
    textOnForm(row("B2B"), "en"),
    textOnForm(row("CORE", "Other"), "en"),
    textOnForm(row("CORE"), "en", "2026-11-2/en"),
  ];
  assert.equal(new Set(shown).size, shown.length);
  assert.equal(textOnForm(row("CORE"), "en"), shown[0]);
});

test("a B2B mandate shows its own text, and waits for the new account's bank", async () => {
  const one = await customer({}, { settings: { scheme: "B2B" } });
  const form = await openPage(service, `${one.path}mandates/${one.mandateId}/`);
  assert.match(form.words, /not entitled to a refund/);
  assert.ok(!form.words.includes("within 8 weeks"));
  const { merchant, mandateId } = one;
  await service.post(
    `management/mandates/${mandateId}/confirm/`,
    { confirmed_on: "2026-03-04" },
    { key: merchant.key },
  );
  await change(one, IBAN.approvedDutch);
  const mandate = await mandateOf(one);
  assert.deepEqual(
    [mandate["bank_confirmed_on"], mandate["amendments"][0].text_version],
    [null, "2026-11-3-b2b/en"],
  );
});

test("a mandate that ends before the change is not amended", async () => {
  const one = await customer();
  await service.post(`management/mandates/${one.mandateId}/cancel/`, {}, { key: one.merchant.key });
  assert.equal((await change(one, IBAN.approvedDutch)).status, 404);
  assert.deepEqual(await eventsOf(one), []);
});

for (const isChangeFirst of [true, false])
  test(`if the account is changed ${isChangeFirst ? "just before" : "just after"} its renewal is claimed, one of the two accounts is debited, once`, async () => {
    const one = await customer();
    await service.rows("update subscriptions set next_billing_date = '2026-03-04' where id = $1", [one.id]);
    await service.rows("update subscriptions set billing_anchor_date = '2026-02-04' where id = $1", [one.id]);
    const other = () => change(one, IBAN.approvedDutch);
    const renew = () => renewDue(service.app.deps, 50);
    await (isChangeFirst ? race.atOnce(service, other, renew, AMENDS) : race.atOnce(service, renew, other));
    await renew();
    assert.deepEqual(await cycles(one), ["1:paid"]);
    assert.equal((await mandateOf(one))["iban_last4"], "4300");
  });

test("if two devices change the account at the same moment, both are amendments and the last one is valid", async () => {
  const one = await customer();
  await race.atOnce(
    service,
    () => change(one, IBAN.approvedDutch),
    () => change(one, IBAN.pending),
    AMENDS,
  );
  const { amendments, iban_last4 } = await mandateOf(one);
  assert.deepEqual(
    amendments.map((made: Json) => made["original_iban_last4"]),
    [iban_last4 === "3003" ? "4300" : "3003", "3000"],
  );
  assert.equal((await eventsOf(one)).length, 2);
});

for (const isCancelFirst of [true, false])
  test(`a customer can cancel ${isCancelFirst ? "just before" : "just after"} the renewal is claimed`, async () => {
    const one = await customer();
    await service.rows(
      "update subscriptions set next_billing_date = '2026-03-04', billing_anchor_date = '2026-02-04' where id = $1",
      [one.id],
    );
    const renew = () => renewDue(service.app.deps, 50);
    await (isCancelFirst
      ? race.atOnce(service, () => cancel(one), renew)
      : race.atOnce(service, renew, () => cancel(one)));
    await renew();
    const { status, cancel_at_period_end } = await readSubscription(service, one.merchant, one.id);
    assert.deepEqual(
      [await cycles(one), status, cancel_at_period_end],
      isCancelFirst ? [[], "CANCELLED", false] : [["1:paid"], "ACTIVE", true],
    );
  });
