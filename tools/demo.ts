/** On an empty staging database: creates a demo tenant that can collect immediately, through the management API. */
import type { App } from "../src/app.ts";
import type { Config } from "../src/config.ts";
import { sql } from "../src/db/database.ts";
import { invitePerson } from "../src/people/commands.ts";
import { must } from "../src/lib/assert.ts";

const ANY_TENANT = sql(
  "demo.any_tenant",
  "-- every tenant: only whether there is one\n select 1 as one from tenants limit 1",
);

/** Creates the demo tenant unless a tenant exists. Returns what to print. */
export async function createDemo(config: Config, app: App): Promise<string> {
  const docs = `API reference: ${config.publicUrl}/docs`;
  const tenants = await app.deps.db.query(ANY_TENANT, {});
  if (tenants.length > 0)
    return `${docs}\nThe operator key that makes tenants is in ${config.dataDir}/operator.key\n`;
  const { tenantId, apiKey, campaignId, paymentUrl } = await fill(config, app);
  const whom = { company: tenantId, email: "owner@example.com" };
  const link = await invitePerson(app.deps, whom, { name: "Demo Owner", role: "owner" });
  return [
    "",
    "A demo tenant was made, with a sandbox gateway, an offer, a campaign and a hosted page.",
    "Its API key is shown this once:",
    "",
    `  ${apiKey}`,
    "",
    `${config.publicUrl}/console/ is where people work. ${link}`,
    "Create a payment session:",
    "",
    `  curl ${config.publicUrl}/api/v1/payment-sessions/ \\`,
    `    -H 'Authorization: Bearer ${apiKey}' -H 'Content-Type: application/json' \\`,
    `    -d '{"campaign_id": "${campaignId}", "lead": {"first_name": "Ada", "last_name": "Example",`,
    `         "email": "ada@example.com", "country": "DE"}}'`,
    "",
    `Its first payment page is open for a day: ${paymentUrl}`,
    docs,
    "",
  ].join("\n");
}

async function fill(
  config: Config,
  app: App,
): Promise<{
  readonly tenantId: string;
  readonly apiKey: string;
  readonly campaignId: string;
  readonly paymentUrl: string;
}> {
  const post = poster(app);
  const tenant = await post(config.operatorKey, "management/tenants", { name: "Demo Shop", country: "DE" });
  const apiKey = text(tenant, "api_key");
  const gateway = await post(apiKey, "management/gateways", {
    name: "Sandbox",
    adapter: "sandbox",
    test_mode: true,
    descriptor: "DEMO SHOP",
  });
  const page = await post(apiKey, "management/hosted-pages", {
    name: "Demo page",
    content: { headline: "Almost done" },
  });
  const offer = await post(apiKey, "management/offers", {
    name: "Monthly plan",
    price: "29.90",
    currency: "EUR",
    billing_type: "RECURRING",
    billing_frequency: "MONTHLY",
    product_name: "Monthly plan",
    product_description: "Everything, every month. Cancel when you like.",
  });
  const campaign = await post(apiKey, "management/campaigns", {
    name: "Demo campaign",
    offer_id: text(offer, "id"),
    gateway_id: text(gateway, "id"),
    hosted_page_id: text(page, "id"),
  });
  const campaignId = text(campaign, "id");
  const session = await post(apiKey, "payment-sessions", {
    campaign_id: campaignId,
    lead: { first_name: "Grace", last_name: "Example", email: "grace@example.com", country: "DE" },
  });
  return { tenantId: text(tenant, "id"), apiKey, campaignId, paymentUrl: text(session, "payment_url") };
}

type Json = Readonly<Record<string, unknown>>;

function poster(app: App) {
  return async (key: string, path: string, body: Json): Promise<Json> => {
    const response = await app.server.app.inject({
      method: "POST",
      url: `/api/v1/${path}/`,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      payload: JSON.stringify(body),
    });
    if (response.statusCode !== 201) throw new Error(`The demo's ${path} were refused: ${response.body}`);
    return response.json();
  };
}

function text(record: Json, field: string): string {
  const value = record[field];
  return must(typeof value === "string" ? value : null, field);
}
