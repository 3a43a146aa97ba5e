/**
 * Operations that are repeated under their Idempotency-Key after their answer was lost in a crash, when others have
 * followed: they change nothing, leave no second audit entry, and are answered.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { HOUR_MS, manualClock } from "../../src/lib/clock.ts";
import { loseAnswer } from "../support/lost-answer.ts";
import { createMerchant, createRecord, IBAN, lead, type Merchant } from "../support/merchant.ts";
import { createCompany, member } from "../support/people.ts";
import { bankMerchant, payAt } from "../support/sepa-bank.ts";
import { OPERATOR_KEY, startService, type Json, type Service } from "../support/service.ts";

const clock = manualClock(new Date("2026-11-23T08:00:00Z"));
let service: Service;
let merchant: Merchant;

before(async () => {
  service = await startService({ clock });
  merchant = await createMerchant(service);
});
after(() => service.close());

interface Repeated {
  readonly path: string;
  readonly body?: object;
  /** Of another merchant. */
  readonly key?: string;
  /** What follows before the repetition: often the opposite. */
  readonly between?: () => Promise<unknown>;
  /** The records that the operation changes. */
  readonly watched: readonly [table: string, id: string];
  /** The answer is the first one, although others have followed. */
  readonly isAnsweredAlike: boolean;
}

const rows = (text: string, ...values: readonly unknown[]) => service.rows(text, values);
const post = (path: string, body?: object, key = merchant.key) =>
  service.post(`management/${path}`, body, { key });

async function campaign(): Promise<string> {
  const { offerId: offer_id, gatewayId: gateway_id, key } = merchant;
  return (await createRecord(service, key, "campaigns", { name: "C", offer_id, gateway_id }))["id"];
}

const stop = (id: string) => rows("update campaigns set stopped_at = now() where id = $1", id);

/** A held refund, and the path of its decisions. */
async function heldRefund() {
  await service.call("PATCH", "management/tenant/", { refund_hold_days: 10 }, { key: merchant.key });
  const paid = (await merchant.pay(await merchant.session(), IBAN.approved)).body["transaction"];
  const made = await post(`transactions/${paid.id}/refunds/`, {});
  assert.notEqual(made.body["held_until"], null, made.text);
  return { id: made.body["id"] as string, path: `transactions/${paid.id}/refunds/${made.body["id"]}/` };
}

/** A customer who has paid, with their mandate. */
async function customer(iban: string) {
  const paid = (await merchant.pay(await merchant.session(), iban)).body;
  const [row] = await rows(
    "select lead_id, mandate_id from transactions where id = $1",
    paid["transaction"].id,
  );
  return { leadId: row?.["lead_id"] as string, mandateId: row?.["mandate_id"] as string };
}

/** A person, and a key that may change people of the same company. */
async function person() {
  const company = await createCompany(service);
  const { id } = await member(service, company, "viewer");
  const scopes = ["management", "people", "reconciliation"];
  const made = await post(`tenants/${company.id}/api-keys/`, { name: "P", scopes }, OPERATOR_KEY);
  return { id, tenantId: company.id, key: made.body["api_key"] as string };
}

const CASES: Readonly<Record<string, () => Promise<Repeated>>> = {
  "resuming a campaign that was stopped again since": async () => {
    const id = await campaign();
    await stop(id);
    const path = `campaigns/${id}/resume/`;
    return { path, between: () => stop(id), watched: ["campaigns", id], isAnsweredAlike: false };
  },
  "resuming a campaign that was not stopped, but is since": async () => {
    const id = await campaign();
    const path = `campaigns/${id}/resume/`;
    return { path, between: () => stop(id), watched: ["campaigns", id], isAnsweredAlike: false };
  },
  "replacing a postback URL that is in use": async () => {
    const { id } = await createRecord(service, merchant.key, "integrations", { name: "P" });
    return { path: `integrations/${id}/rotate-token/`, watched: ["integrations", id], isAnsweredAlike: true };
  },
  "replacing a postback URL that was replaced since": async () => {
    const { id } = await createRecord(service, merchant.key, "integrations", { name: "P" });
    const path = `integrations/${id}/rotate-token/`;
    return { path, between: () => post(path), watched: ["integrations", id], isAnsweredAlike: false };
  },
  "releasing a held refund": async () => {
    const { id, path } = await heldRefund();
    return { path: `${path}release/`, watched: ["transactions", id], isAnsweredAlike: true };
  },
  "ending a held refund unsent": async () => {
    const { id, path } = await heldRefund();
    return { path: `${path}cancel/`, watched: ["transactions", id], isAnsweredAlike: true };
  },
  "confirming a B2B mandate as it was, whose confirmation was removed since": async () => {
    const { key, ...bank } = await bankMerchant(service, { scheme: "B2B" });
    await payAt({ key, ...bank });
    const { id } = (await service.get("management/mandates/", { key })).body["results"][0];
    const path = `mandates/${id}/confirm/`;
    await post(path, { confirmed_on: "2026-11-20" }, key);
    const between = () => post(path, { confirmed_on: null }, key);
    return {
      path,
      body: { confirmed_on: "2026-11-20" },
      key,
      between,
      watched: ["mandates", id],
      isAnsweredAlike: false,
    };
  },
  "lifting the block of an account that was not blocked, but is since": async () => {
    const { mandateId: id } = await customer(IBAN.approvedDutch);
    const between = () => rows("update mandates set account_blocked_at = now() where id = $1", id);
    return {
      path: `mandates/${id}/unblock-account/`,
      between,
      watched: ["mandates", id],
      isAnsweredAlike: false,
    };
  },
  "erasing a customer of whom something was added since": async () => {
    const { leadId: id } = await customer(IBAN.approved);
    const between = () => rows("update leads set city = 'Bonn' where id = $1", id);
    const body = { give_up_evidence: true };
    return { path: `customers/${id}/erase/`, body, between, watched: ["leads", id], isAnsweredAlike: true };
  },
  "making a link to an account page, later": async () => {
    const { leadId: id } = await customer(IBAN.approved);
    const between = async () => clock.advance(HOUR_MS / 4);
    return { path: `customers/${id}/account-link/`, between, watched: ["leads", id], isAnsweredAlike: true };
  },
  "creating a campaign whose offer was archived since": async () => {
    const { gatewayId: gateway_id, key } = merchant;
    const offer = { name: "O", price: "1.00", currency: "EUR", billing_type: "ONE_OFF" };
    const { id: offer_id } = await createRecord(service, key, "offers", offer);
    const body = { name: "C", offer_id, gateway_id };
    const between = () => service.call("DELETE", `management/offers/${offer_id}/`, undefined, { key });
    return { path: "campaigns/", body, between, watched: ["offers", offer_id], isAnsweredAlike: true };
  },
  "creating a session of a campaign that was stopped since": async () => {
    const id = await campaign();
    const body = { campaign_id: id, lead: lead() };
    return {
      path: "../payment-sessions/",
      body,
      between: () => stop(id),
      watched: ["campaigns", id],
      isAnsweredAlike: true,
    };
  },
  "removing the second factors of a person who has others since": async () => {
    const { id, key } = await person();
    const between = () => rows("update people set totp_secret = '\\x01' where id = $1", id);
    return {
      path: `people/${id}/remove-factors/`,
      key,
      between,
      watched: ["people", id],
      isAnsweredAlike: true,
    };
  },
  "inviting a person who has got another link since": async () => {
    const { tenantId, key } = await person();
    const body = { email: "invited@example.com", name: "Ida", role: "viewer" };
    const between = async () => {
      const [made] = await rows("select id from people where email = $1", body.email);
      await post(`people/${made?.["id"]}/link/`, {}, key);
    };
    return { path: "people/", body, key, between, watched: ["tenants", tenantId], isAnsweredAlike: true };
  },
  "making a link for a person who has got another one since": async () => {
    const { id, key } = await person();
    const path = `people/${id}/link/`;
    const between = () => post(path, {}, key);
    return { path, key, between, watched: ["people", id], isAnsweredAlike: true };
  },
  "moving the clock, which was moved further since": async () => {
    const { key, tenantId: id } = await createMerchant(service);
    const body = { date: "2026-12-01T00:00:00Z" };
    const between = () => post("clock/", { date: "2026-12-05T00:00:00Z" }, key);
    return { path: "clock/", body, key, between, watched: ["tenants", id], isAnsweredAlike: false };
  },
};

for (const [what, prepared] of Object.entries(CASES))
  test(`${what}: the repetition changes nothing and is answered`, async () => {
    const { path, body, key = merchant.key, between, watched, isAnsweredAlike } = await prepared();
    const send = (): Promise<Json> =>
      service.post(new URL(`management/${path}`, "http://a/api/v1/").pathname, body, {
        key,
        headers: { "idempotency-key": what },
      });
    const state = async () => [
      await rows(`select * from ${watched[0]} where id = $1`, watched[1]),
      await rows("select * from audit_log order by id"),
      await rows("select * from person_links order by hash"),
    ];
    const first = await send();
    assert.ok(first["status"] < 300, first["text"]);
    await loseAnswer(service, what);
    await between?.();
    const then = await state();
    const again = await send();
    assert.equal(again["status"], first["status"], again["text"]);
    if (isAnsweredAlike) assert.equal(again["text"], first["text"]);
    assert.deepEqual(await state(), then);
  });
