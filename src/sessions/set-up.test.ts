import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { OPERATOR_KEY, startService, type Json, type Service } from "../../tests/support/service.ts";
import { findCampaignParts, findDirectParts } from "./set-up.ts";

let service: Service;
let ours: Owned;
let theirs: Owned;

interface Owned {
  readonly key: string;
  readonly tenant: number;
  readonly offerId: string;
  readonly gatewayId: string;
  readonly hostedPageId: string;
  readonly webhookProfileId: string;
  readonly campaignId: string;
}

before(async () => {
  service = await startService();
  ours = await merchant();
  theirs = await merchant();
});
after(() => service.close());

async function made(key: string, resource: string, body: unknown): Promise<Json> {
  const response = await service.post(`management/${resource}/`, body, { key });
  assert.equal(response.status, 201, response.text);
  return response.body;
}

async function merchant(): Promise<Owned> {
  const { id, api_key: key } = await made(OPERATOR_KEY, "tenants", { name: "Shop", country: "DE" });
  const [row] = await service.rows("select tenant from tenants where id = $1", [id]);
  const offer = {
    name: "Plan",
    price: 29.9,
    currency: "EUR",
    billing_type: "TRIAL_RECURRING",
    trial_interval_unit: "day",
    trial_period: 7,
  };
  const { id: offerId } = await made(key, "offers", { ...offer, trial_price: 0 });
  const { id: gatewayId } = await made(key, "gateways", { name: "G", adapter: "sandbox" });
  const { id: hostedPageId } = await made(key, "hosted-pages", {
    name: "P",
    offer_overrides: { product_name: "X" },
  });
  const { id: webhookProfileId } = await made(key, "webhook-profiles", {
    name: "W",
    url: "https://shop.example.com/",
  });
  const { id: campaignId } = await made(key, "campaigns", {
    name: "C",
    offer_id: offerId,
    gateway_id: gatewayId,
    hosted_page_id: hostedPageId,
    webhook_profile_id: webhookProfileId,
  });
  return { key, tenant: row?.["tenant"], offerId, gatewayId, hostedPageId, webhookProfileId, campaignId };
}

test("a campaign brings its offer, gateway, page and profile in one statement", async () => {
  const parts = await findCampaignParts(service.db, ours.tenant, { campaignId: ours.campaignId });
  assert.equal(parts.tenant.name, "Shop");
  assert.equal(parts.tenant.session_lifetime_seconds, 86_400);
  assert.deepEqual(parts.campaign, {
    id: ours.campaignId,
    name: "C",
    max_payment_attempts: 3,
    stopped: false,
  });
  assert.deepEqual(parts.offer, {
    id: ours.offerId,
    name: "Plan",
    price: "29.90",
    currency: "EUR",
    billing_type: "TRIAL_RECURRING",
    billing_frequency: null,
    trial_interval_unit: "day",
    billing_day: null,
    trial_period: 7,
    trial_price: "0.00",
    product_name: null,
    product_description: null,
  });
  assert.deepEqual([parts.gateway?.id, parts.gateway?.settings], [ours.gatewayId, {}]);
  assert.deepEqual(
    [parts.hostedPage?.id, parts.hostedPage?.offer_overrides],
    [ours.hostedPageId, { product_name: "X" }],
  );
  assert.deepEqual(parts.webhookProfile, { id: ours.webhookProfileId, name: "W", active: true });
});

test("what the request names replaces what the campaign has", async () => {
  const { id: gatewayId } = await made(ours.key, "gateways", { name: "Other", adapter: "sandbox" });
  const parts = await findCampaignParts(service.db, ours.tenant, { campaignId: ours.campaignId, gatewayId });
  assert.deepEqual([parts.gateway?.name, parts.hostedPage?.id], ["Other", ours.hostedPageId]);
});

test("direct mode has no campaign and no offer", async () => {
  const { gatewayId, hostedPageId } = ours;
  const parts = await findDirectParts(service.db, ours.tenant, { gatewayId, hostedPageId });
  assert.deepEqual(
    [parts.campaign, parts.offer, parts.gateway?.id, parts.hostedPage?.id, parts.webhookProfile],
    [null, null, gatewayId, hostedPageId, null],
  );
});

test("another tenant's parts are not found", async () => {
  const { tenant: _, ...parts } = await findCampaignParts(service.db, ours.tenant, theirs);
  const nothing = { campaign: null, offer: null, gateway: null, hostedPage: null, webhookProfile: null };
  assert.deepEqual(parts, nothing);
  const { tenant: __, ...direct } = await findDirectParts(service.db, ours.tenant, theirs);
  assert.deepEqual(direct, nothing);
});

test("archived parts, and a campaign or gateway that is switched off, are not found; a switched-off profile is", async () => {
  const merchantOff = await merchant();
  const { key, tenant, campaignId } = merchantOff;
  const find = () => findCampaignParts(service.db, tenant, { campaignId });
  const patch = (path: string, body: object) => service.call("PATCH", `management/${path}/`, body, { key });
  await patch(`gateways/${merchantOff.gatewayId}`, { active: false });
  await patch(`webhook-profiles/${merchantOff.webhookProfileId}`, { active: false });
  assert.deepEqual([(await find()).gateway, (await find()).webhookProfile?.active], [null, false]);
  await service.call("DELETE", `management/offers/${merchantOff.offerId}/`, undefined, { key });
  await service.call("DELETE", `management/hosted-pages/${merchantOff.hostedPageId}/`, undefined, { key });
  assert.deepEqual([(await find()).offer, (await find()).hostedPage], [null, null]);
  await patch(`campaigns/${campaignId}`, { active: false });
  assert.equal((await find()).campaign, null);
});
