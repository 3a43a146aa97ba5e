/** All problems are reported at once, each on its field (contract: Field errors). */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createTenantKey } from "../../tests/support/merchant.ts";
import { OPERATOR_KEY, startService, type Service } from "../../tests/support/service.ts";

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

/** The resource, the invalid part of an otherwise valid body, and the reported fields. */
const REFUSED: readonly (readonly [resource: string, body: object, fields: readonly string[]])[] = [
  ["offers", {}, ["name", "price", "currency", "billing_type"]],
  [
    "offers",
    { ...OFFER, price: "0", currency: "eur", trial_period: 0 },
    ["price", "currency", "trial_period"],
  ],
  ["offers", { ...OFFER, price: 1.999 }, ["price"]],
  [
    "offers",
    { ...OFFER, name: "x".repeat(256), product_description: "x".repeat(2001) },
    ["name", "product_description"],
  ],
  [
    "offers",
    { ...OFFER, billing_type: "WEEKLY", billing_frequency: "DAILY" },
    ["billing_type", "billing_frequency"],
  ],
  ["gateways", { name: " ", adapter: "sandbox" }, ["name"]],
  ["gateways", { ...GATEWAY, adapter: "nobody" }, ["adapter"]],
  ["gateways", { ...GATEWAY, test_mode: false }, ["test_mode"]],
  ["gateways", { ...GATEWAY, settings: [], completed_event_at: "never" }, ["settings", "completed_event_at"]],
  ["gateways", { ...GATEWAY, settings: { big: "x".repeat(20_001) } }, ["settings"]],
  ["webhook-profiles", { ...PROFILE, url: "ftp://shop.example.com/" }, ["url"]],
  ["webhook-profiles", { ...PROFILE, url: "https://user:pass@shop.example.com/" }, ["url"]],
  ["webhook-profiles", { ...PROFILE, url: "https://shop.example.com/a b" }, ["url"]],
  ["webhook-profiles", { ...PROFILE, url: `https://shop.example.com/${"a".repeat(2000)}` }, ["url"]],
  ["webhook-profiles", { ...PROFILE, events: ["payment.done"] }, ["events"]],
  ["webhook-profiles", { ...PROFILE, payload_fields: { a: "iban" } }, ["payload_fields"]],
  ["webhook-profiles", { ...PROFILE, signing_secret: "short" }, ["signing_secret"]],
  ["hosted-pages", { name: "P", branding: { primary_color: "red", logo_url: "" } }, ["branding"]],
  ["hosted-pages", { name: "P", branding: { logo_url: "http://localhost/logo.png" } }, ["branding"]],
  ["hosted-pages", { name: "P", branding: { logo_url: "data:image/png;base64,AAAA" } }, ["branding"]],
  ["hosted-pages", { name: "P", success_redirect_url: "javascript:alert(1)" }, ["success_redirect_url"]],
  ["hosted-pages", { name: "P", failure_redirect_url: "http://shop.example.com/" }, ["failure_redirect_url"]],
  [
    "hosted-pages",
    { name: "P", failure_redirect_url: "https://shop.example.com/\tx" },
    ["failure_redirect_url"],
  ],
  [
    "hosted-pages",
    { name: "P", locale: "not_a_tag", content: { a: "x".repeat(20_001) } },
    ["content", "locale"],
  ],
  ["hosted-pages", { name: "P", mandate_acceptance_mode: "none" }, ["mandate_acceptance_mode"]],
  ["campaigns", { name: "C", offer_id: "1", gateway_id: null }, ["offer_id", "gateway_id"]],
  [
    "campaigns",
    { name: "C", offer_id: "urn:uuid:0195f0a0-0000-7000-8000-000000000000", gateway_id: "x" },
    ["offer_id", "gateway_id"],
  ],
  ["api-keys", { name: "K", scopes: [] }, ["scopes"]],
  ["api-keys", { name: "K", scopes: ["operator"] }, ["scopes"]],
  ["api-keys", { name: "K", expires_at: "2001-01-01T00:00:00Z" }, ["expires_at"]],
  ["api-keys", { name: "K", expires_at: "2099-12-31T23:59:60Z" }, ["expires_at"]],
  ["api-keys", { name: "K", expires_at: "tomorrow" }, ["expires_at"]],
];

for (const [resource, body, fields] of REFUSED) {
  test(`${resource}: 400 names ${fields.join(", ")}: ${JSON.stringify(body).slice(0, 70)}`, async () => {
    const refused = await service.post(`management/${resource}/`, body, { key });
    assert.deepEqual(
      [refused.status, Object.keys(refused.body)],
      [400, [...fields, "status_code"]],
      refused.text,
    );
  });
}

for (const [body, fields] of [
  [{ name: "T", session_lifetime_seconds: 1799 }, ["session_lifetime_seconds"]],
  [{ name: "T", session_lifetime_seconds: 2_592_001 }, ["session_lifetime_seconds"]],
  [{ country: "de", default_locale: "??" }, ["default_locale", "name", "country"]],
  [{ name: "T", default_locale: "??" }, ["default_locale"]],
  [{ name: "T", creditor_identifier: "x" }, ["creditor_identifier"]],
] as const) {
  test(`tenants: 400 names ${fields.join(", ")}: ${JSON.stringify(body)}`, async () => {
    const refused = await service.post("management/tenants/", body, { key: OPERATOR_KEY });
    assert.deepEqual(
      [refused.status, Object.keys(refused.body)],
      [400, [...fields, "status_code"]],
      refused.text,
    );
  });
}
