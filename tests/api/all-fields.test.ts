/** A 400 lists everything that is invalid in a request, whichever rule finds it. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createMerchant, lead, type Merchant } from "../support/merchant.ts";
import { OPERATOR_KEY, startService, type Service } from "../support/service.ts";

let service: Service;
let merchant: Merchant;

before(async () => {
  service = await startService({ config: { allowPrivateTargets: false } });
  merchant = await createMerchant(service);
});
after(() => service.close());

const BAD_URL = "ftp://x";

for (const [path, body, fields] of [
  ["payment-sessions/", {}, ["lead", "gateway_id", "amount", "currency", "billing_type"]],
  [
    "payment-sessions/",
    { campaign_id: null, amount: "x" },
    ["lead", "gateway_id", "amount", "currency", "billing_type"],
  ],
  ["payment-sessions/", { campaign_id: "x" }, ["lead", "campaign_id"]],
  [
    "payment-sessions/",
    { lead: lead({ email: "x" }), expires_in: 1 },
    ["lead", "expires_in", "gateway_id", "amount", "currency", "billing_type"],
  ],
  ["management/webhook-profiles/", { url: BAD_URL, events: ["nothing"] }, ["name", "url", "events"]],
  [
    "management/webhook-profiles/",
    { name: "P", url: "http://127.0.0.1/", payload_fields: 1 },
    ["url", "payload_fields"],
  ],
  [
    "management/hosted-pages/",
    { success_redirect_url: BAD_URL, frame_origins: ["https://*"], show_product_name: 1 },
    ["name", "success_redirect_url", "frame_origins", "show_product_name"],
  ],
  [
    "management/tenants/",
    { default_locale: "???", pre_notification_days: -1 },
    ["name", "default_locale", "pre_notification_days"],
  ],
] as const) {
  test(`${path} with ${JSON.stringify(body)} names ${fields.join(", ")}`, async () => {
    const key = path === "management/tenants/" ? OPERATOR_KEY : merchant.key;
    const answer = await service.post(path, body, { key });
    assert.equal(answer.status, 400, answer.text);
    const { status_code: _status, ...wrong } = answer.body;
    assert.deepEqual(Object.keys(wrong).toSorted(), [...fields].toSorted());
  });
}
