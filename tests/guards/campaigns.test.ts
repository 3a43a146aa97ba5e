/** A campaign with too many chargebacks stops, reports it, and its renewals wait until a person resumes it. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Calls } from "../../src/db/database.ts";
import { DAY_MS, later } from "../../src/lib/clock.ts";
import { findCampaignsOverLimit, stopCampaign } from "../../src/sessions/campaigns/stop-store.ts";
import { stopCampaignsJob } from "../../src/sessions/campaigns/stop.ts";
import { renewDue } from "../../src/subscriptions/renew.ts";
import { readFigures } from "../../src/operator/figures.ts";
import { assertBooksAgree } from "../support/books.ts";
import { createMerchant, createRecord, IBAN, lead, type Merchant } from "../support/merchant.ts";
import { payOnPage } from "../support/page.ts";
import { OPERATOR_KEY, startService, type Json, type Response, type Service } from "../support/service.ts";

let service: Service;
let merchant: Merchant;
let shift = 0;
/** Runs while the due renewals are not locked yet. */
let whenFound = async (): Promise<void> => {};
const MONDAY = new Date("2026-11-23T09:00:00Z");

before(async () => {
  const started = Date.now();
  const now = () => later(MONDAY, shift + Date.now() - started);
  const between = (db: Calls): Calls => ({
    ...db,
    async query(statement, values) {
      const rows = await db.query(statement, values);
      if (statement.name === "billing.find_due") await whenFound();
      return rows;
    },
  });
  service = await startService({ clock: { now, monotonicMs: () => performance.now() }, between });
  merchant = await createMerchant(service);
  const url = "https://example.com/hook";
  await createRecord(service, merchant.key, "webhook-profiles", {
    name: "All",
    url,
    events: ["guard.triggered"],
  });
});
after(() => service.close());

const call = (method: string, path: string, body?: unknown): Promise<Response> =>
  service.call(method, `management/${path}`, body, { key: merchant.key });

/** A campaign with a limit of 40 % from five payments on. */
async function campaign(changes: Record<string, unknown> = {}): Promise<string> {
  const offer = await createRecord(service, merchant.key, "offers", {
    name: "Plan",
    price: "19.90",
    currency: "EUR",
    billing_type: "RECURRING",
    billing_frequency: "MONTHLY",
  });
  const made = await createRecord(service, merchant.key, "campaigns", {
    name: "Spring",
    offer_id: offer["id"],
    gateway_id: merchant.gatewayId,
    return_rate_max: 40,
    return_rate_min_payments: 5,
    ...changes,
  });
  return made["id"];
}

const open = (id: string) =>
  service.post("payment-sessions/", { campaign_id: id, lead: lead() }, { key: merchant.key });

async function pays(id: string, iban: string): Promise<Json> {
  const token = (await open(id)).body["session_token"];
  return (await merchant.pay(token, iban)).body;
}

/** The numbers of payments that remain and that are charged back. */
async function sell(id: string, stay: number, back: number): Promise<void> {
  for (let count = 0; count < stay; count += 1) await pays(id, IBAN.approved);
  for (let count = 0; count < back; count += 1) await pays(id, IBAN.chargedBack);
  await call("POST", "sandbox/tick/");
}

const pass = () => stopCampaignsJob(service.app.deps).runOnce(1);
const stoppedAt = async (id: string) => (await call("GET", `campaigns/${id}/`)).body["stopped_at"];

test("a return rate above the limit stops the campaign once, with an event; the limit itself, or too few payments, do not", async () => {
  const [bad, good, few, free] = [
    await campaign(),
    await campaign(),
    await campaign(),
    await campaign({ return_rate_max: null }),
  ];
  await sell(bad, 3, 3);
  await sell(good, 3, 2);
  await sell(few, 1, 3);
  await sell(free, 1, 5);
  const token = (await open(bad)).body["session_token"];
  assert.equal(await pass(), 1);
  assert.equal(await pass(), 0);
  assert.notEqual(await stoppedAt(bad), null);
  for (const id of [good, few, free]) assert.equal(await stoppedAt(id), null);
  const told = await service.rows(
    "select payload -> 'guard' as guard from events where type = 'guard.triggered'",
  );
  assert.deepEqual(told, [
    {
      guard: {
        kind: "campaign_stopped",
        campaign_id: bad,
        campaign_name: "Spring",
        collected: "6",
        returned: "3",
      },
    },
  ]);
  const refused = await open(bad);
  assert.deepEqual([refused.status, refused.body["code"]], [409, "campaign_stopped"]);
  const late = await merchant.pay(token, IBAN.approved);
  assert.deepEqual([late.status, late.body["code"]], [409, "campaign_stopped"]);
  assert.equal((await merchant.retrieve(token)).body["attempts_remaining"], 3);
  const waiting = (await call("GET", "needs-attention/")).body["results"];
  assert.equal(waiting.find(({ kind }: Json) => kind === "stopped_campaigns").count, 1);
  assert.equal((await readFigures(service.db)).stoppedCampaigns, 1);
  await call("POST", `campaigns/${bad}/resume/`);
  assert.equal((await readFigures(service.db)).stoppedCampaigns, 0);
  assert.equal((await merchant.pay(token, IBAN.approved)).body["status"], "completed");
});

test("renewals of a stopped campaign wait, are listed, and are each collected once after it is resumed", async () => {
  const id = await campaign();
  const { subscription } = await pays(id, IBAN.approved);
  await sell(id, 2, 4);
  await pass();
  const list = async () =>
    (await call("GET", "subscriptions/?campaign_stopped=true")).body["results"] as Json[];
  assert.ok((await list()).some((one) => one["id"] === subscription.id));
  shift += 30 * DAY_MS;
  await renewDue(service.app.deps, 100);
  const cycles = async () =>
    (await call("GET", `subscriptions/${subscription.id}/`)).body["cycles"] as Json[];
  assert.deepEqual(await cycles(), []);
  const now = await call("POST", `subscriptions/${subscription.id}/collect/`);
  assert.deepEqual([now.status, now.body["code"]], [409, "not_collectable"]);
  assert.equal((await call("POST", `campaigns/${id}/resume/`)).body["stopped_at"], null);
  assert.equal((await call("POST", `campaigns/${id}/resume/`)).status, 200);
  assert.deepEqual(await list(), []);
  await Promise.all([renewDue(service.app.deps, 100), renewDue(service.app.deps, 100)]);
  assert.deepEqual(
    (await cycles()).map(({ cycle, status }) => [cycle, status]),
    [[1, "paid"]],
  );
  await pass();
  assert.equal(await stoppedAt(id), null, "what was collected before counts no more");
  const entries = await service.rows(
    "select before ->> 'stopped_at' is null as was, after ->> 'stopped_at' is null as is from audit_log where resource = 'campaigns' and resource_id = $1 and action = 'update' order by id",
    [id],
  );
  assert.deepEqual(entries, [
    { was: false, is: true },
    { was: true, is: true },
  ]);
});

test("a count does not stop a campaign whose limit was changed, or that was restarted or stopped, in the meantime", async () => {
  const id = await campaign();
  await sell(id, 3, 3);
  const { deps } = service.app;
  const [row] = await service.rows("select tenant from campaigns where id = $1", [id]);
  const tenant: number = row?.["tenant"];
  const found = await findCampaignsOverLimit(deps.db, tenant, deps.clock.now());
  const bad = found.find((one) => one.id === id);
  assert.ok(bad);
  const stops = () => deps.db.transaction((tx) => stopCampaign(tx, tenant, deps.clock.now(), bad));
  await call("PATCH", `campaigns/${id}/`, { return_rate_max: 60 });
  assert.equal(await stops(), false);
  await call("PATCH", `campaigns/${id}/`, { return_rate_max: null });
  assert.equal(await stops(), false);
  await call("PATCH", `campaigns/${id}/`, { return_rate_max: 40 });
  const twice = await Promise.all([stops(), stops()]);
  assert.deepEqual(twice.filter(Boolean), [true]);
  await call("POST", `campaigns/${id}/resume/`);
  assert.equal(await stops(), false, "counted before it went on");
  await call("DELETE", `campaigns/${id}/`);
});

test("renewals found due before their campaign was stopped are not collected", async () => {
  const id = await campaign();
  const { subscription } = await pays(id, IBAN.approved);
  await sell(id, 2, 4);
  shift += 35 * DAY_MS;
  const cycles = async () =>
    (await call("GET", `subscriptions/${subscription.id}/`)).body["cycles"] as Json[];
  whenFound = async () => {
    whenFound = async () => {};
    await pass();
  };
  await renewDue(service.app.deps, 100);
  assert.notEqual(await stoppedAt(id), null);
  assert.deepEqual(await cycles(), []);
  await call("POST", `campaigns/${id}/resume/`);
  await renewDue(service.app.deps, 100);
  assert.deepEqual(
    (await cycles()).map(({ cycle, status }) => [cycle, status]),
    [[1, "paid"]],
  );
});

test("waiting renewals take no place in a batch from another campaign's", async () => {
  const [stopped, other] = [await campaign(), await campaign({ return_rate_max: null })];
  await sell(stopped, 2, 3);
  const { subscription } = await pays(other, IBAN.approved);
  await pass();
  shift += 35 * DAY_MS;
  while ((await renewDue(service.app.deps, 1)) > 0);
  assert.equal((await call("GET", `subscriptions/${subscription.id}/`)).body["cycles"][0]?.status, "paid");
});

test("payments count for 60 days: a rate that was passed once comes down again", async () => {
  const id = await campaign();
  await sell(id, 1, 5);
  shift += 59 * DAY_MS;
  const tenants = await service.rows("select tenant from campaigns where id = $1", [id]);
  const isBad = async () =>
    (await findCampaignsOverLimit(service.db, tenants[0]?.["tenant"], later(MONDAY, shift))).some(
      (one) => one.id === id,
    );
  assert.equal(await isBad(), true);
  shift += 2 * DAY_MS;
  await sell(id, 5, 0);
  assert.equal(await isBad(), false);
  assert.equal(await pass(), 0);
  assert.equal(await stoppedAt(id), null);
  await sell(id, 0, 4);
  assert.equal(await pass(), 1);
});

test("renewals and refunded payments count as collected", async () => {
  const [renewed, refunded] = [await campaign(), await campaign()];
  await sell(renewed, 1, 3);
  await sell(refunded, 4, 3);
  const { transaction } = await pays(refunded, IBAN.approved);
  await call("POST", `transactions/${transaction.id}/refunds/`, {});
  await pass();
  assert.deepEqual([await stoppedAt(renewed), await stoppedAt(refunded)], [null, null]);
  shift += 35 * DAY_MS;
  await renewDue(service.app.deps, 100);
  await pass();
  assert.notEqual(await stoppedAt(renewed), null, "three of five");
});

test("a stopped campaign's open sessions cannot be paid on their page, and another tenant cannot let it go on", async () => {
  const id = await campaign();
  await sell(id, 2, 3);
  const token = (await open(id)).body["session_token"];
  await pass();
  await assert.rejects(payOnPage(service, token, { iban: IBAN.approved }), /503|not available/);
  const other = await createMerchant(service);
  const theirs = await service.post(`management/campaigns/${id}/resume/`, {}, { key: other.key });
  assert.equal(theirs.status, 404);
  assert.notEqual(await stoppedAt(id), null);
});

test("a payment of a campaign that is not stopped is refused for its own reason", async () => {
  const id = await campaign();
  const limit = async (iban_payments_max: number | null) => {
    const path = `management/tenants/${merchant.tenantId}/`;
    const set = await service.call("PATCH", path, { iban_payments_max }, { key: OPERATOR_KEY });
    assert.equal(set.status, 200, set.text);
  };
  const pay = async () => merchant.pay((await open(id)).body["session_token"], IBAN.approvedDutch);
  await limit(1);
  assert.equal((await pay()).status, 200);
  const refused = await pay();
  await limit(null);
  assert.equal(refused.status, 429, refused.text);
});

test("after all of this the books agree", () => assertBooksAgree(service.app.deps.db));
