/** A campaign's references and currency. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createRecord, createTenantKey } from "../../../tests/support/merchant.ts";
import { startService, type Json, type Service } from "../../../tests/support/service.ts";

const OFFER = { name: "Plan", price: "19.90", currency: "EUR", billing_type: "ONE_OFF" };
const GATEWAY = { name: "Sandbox", adapter: "sandbox" };
const PROFILE = { name: "Shop", url: "https://shop.example.com/hook" };

let service: Service;
let key: string;

before(async () => {
  service = await startService();
  key = await createTenantKey(service);
});
after(() => service.close());

function created(resource: string, body: unknown, as = key): Promise<Json> {
  return createRecord(service, as, resource, body);
}

async function campaignParts(as = key) {
  const [offer, gateway, page, profile] = [
    await created("offers", OFFER, as),
    await created("gateways", GATEWAY, as),
    await created("hosted-pages", { name: "Page" }, as),
    await created("webhook-profiles", PROFILE, as),
  ];
  return {
    offer_id: offer["id"],
    gateway_id: gateway["id"],
    hosted_page_id: page["id"],
    webhook_profile_id: profile["id"],
  };
}

test("created with defaults, and null clears what may be empty", async () => {
  const parts = await campaignParts();
  const made = await created("campaigns", { name: "Spring", ...parts });
  const { id, created_at: _, updated_at: __, ...fields } = made;
  assert.deepEqual(fields, {
    name: "Spring",
    ...parts,
    max_payment_attempts: 3,
    active: true,
    return_rate_max: null,
    return_rate_min_payments: 50,
    stopped_at: null,
    counted_from: null,
    archived_at: null,
  });
  const changed = await service.call(
    "PATCH",
    `management/campaigns/${id}/`,
    { hosted_page_id: null },
    { key },
  );
  assert.equal(changed.body["hosted_page_id"], null);
  assert.equal(changed.body["webhook_profile_id"], parts.webhook_profile_id);
});

test("unknown, foreign and archived references get the same words on their field", async () => {
  const parts = await campaignParts();
  const foreign = await campaignParts(await createTenantKey(service));
  const archived = await campaignParts();
  const random = "0195f0a0-0000-7000-8000-000000000000";
  const names = {
    offer_id: "offers",
    gateway_id: "gateways",
    hosted_page_id: "hosted-pages",
    webhook_profile_id: "webhook-profiles",
  };
  const words = {
    offer_id: "offer",
    gateway_id: "gateway",
    hosted_page_id: "hosted page",
    webhook_profile_id: "webhook profile",
  };
  for (const field of Object.keys(names) as (keyof typeof names)[]) {
    await service.call("DELETE", `management/${names[field]}/${archived[field]}/`, undefined, { key });
    for (const id of [random, foreign[field], archived[field]]) {
      const refused = await service.post(
        "management/campaigns/",
        { name: "C", ...parts, [field]: id },
        { key },
      );
      assert.deepEqual(refused.body, { [field]: [`No such ${words[field]}.`], status_code: 400 });
    }
  }
});

test("all invalid references are reported at once", async () => {
  const random = "0195f0a0-0000-7000-8000-000000000000";
  const refused = await service.post(
    "management/campaigns/",
    { name: "C", offer_id: random, gateway_id: random },
    { key },
  );
  assert.deepEqual(Object.keys(refused.body), ["offer_id", "gateway_id", "status_code"]);
});

test("the gateway has to collect the offer's currency, also after a change", async () => {
  const parts = await campaignParts();
  const dollars = await created("offers", { ...OFFER, currency: "USD" });
  const refused = await service.post(
    "management/campaigns/",
    { name: "C", ...parts, offer_id: dollars["id"] },
    { key },
  );
  assert.deepEqual([refused.status, Object.keys(refused.body)], [400, ["gateway_id", "status_code"]]);
  const { id } = await created("campaigns", { name: "C", ...parts });
  const later = await service.call(
    "PATCH",
    `management/campaigns/${id}/`,
    { offer_id: dollars["id"] },
    { key },
  );
  assert.deepEqual([later.status, Object.keys(later.body)], [400, ["gateway_id", "status_code"]]);
});

test("a new gateway has to collect the currency that the offer has now; without one the campaign can still be renamed", async () => {
  const parts = await campaignParts();
  const { id } = await created("campaigns", { name: "C", ...parts });
  const patch = (path: string, body: object) => service.call("PATCH", `management/${path}/`, body, { key });
  assert.equal((await patch(`offers/${parts.offer_id}`, { currency: "USD" })).status, 200);
  const { id: other } = await created("gateways", GATEWAY);
  const refused = await patch(`campaigns/${id}`, { gateway_id: other });
  assert.deepEqual(refused.body, {
    gateway_id: ["This gateway does not collect the offer's currency, USD."],
    status_code: 400,
  });
  assert.equal((await patch(`campaigns/${id}`, { name: "D" })).status, 200);
});

test("a campaign whose parts were archived since can still be renamed", async () => {
  const parts = await campaignParts();
  const { id } = await created("campaigns", { name: "C", ...parts });
  await service.call("DELETE", `management/offers/${parts.offer_id}/`, undefined, { key });
  assert.equal(
    (await service.call("PATCH", `management/campaigns/${id}/`, { name: "D" }, { key })).status,
    200,
  );
});
