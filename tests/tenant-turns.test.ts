/** Each tenant's work is done, however many others are visited for whom there is nothing to do: real SQL, a manual clock. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { must } from "../src/lib/assert.ts";
import { DAY_MS, manualClock } from "../src/lib/clock.ts";
import { stopCampaignsJob } from "../src/sessions/campaigns/stop.ts";
import { announceJob } from "../src/subscriptions/announce.ts";
import { renewDue } from "../src/subscriptions/renew.ts";
import { cyclesOf, readSubscription } from "./support/billing.ts";
import { createMerchant, createRecord, IBAN, lead, type Merchant } from "./support/merchant.ts";
import { startService, type Json, type Service } from "./support/service.ts";

const clock = manualClock(new Date("2026-02-02T10:00:00Z"));
const IDLE_TENANTS = 200;
const WITH_A_SUBSCRIPTION = [
  "tenants",
  "gateways",
  "offers",
  "campaigns",
  "leads",
  "sessions",
  "orders",
  "mandates",
  "subscriptions",
];
let service: Service;
let merchant: Merchant;

before(async () => {
  service = await startService({ clock });
  const idle = await createMerchant(service);
  const stopped = await createCampaign(idle);
  await pay(idle, stopped, IBAN.approved);
  await service.rows("update campaigns set stopped_at = now() where id = $1", [stopped]);
  await createCampaign(idle);
  await copyTenant(idle);
  merchant = await createMerchant(service);
});
after(() => service.close());

/** More tenants with the same records. Their numbers follow on the first one's, so that they are found before later tenants. */
async function copyTenant({ tenantId }: Merchant): Promise<void> {
  const [row] = await service.rows("select tenant from tenants where id = $1", [tenantId]);
  for (const table of WITH_A_SUBSCRIPTION) {
    const columns = await service.rows(
      "select attname as name from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''",
      [table],
    );
    const names = columns.map(({ name }) => name as string);
    const values = names.map((name) => {
      if (name === "tenant") return "$1::integer + copy";
      return table === "tenants" && name === "id" ? "gen_random_uuid()" : name;
    });
    await service.rows(
      `insert into ${table} (${names.join(", ")}) overriding system value
       select ${values.join(", ")} from ${table}, generate_series(1, ${IDLE_TENANTS}) copy where tenant = $1`,
      [row?.["tenant"]],
    );
  }
  await service.rows("select setval(pg_get_serial_sequence('tenants', 'tenant'), max(tenant)) from tenants");
}

/** A campaign that sells subscriptions, and stops when more than 40 % of three or more payments come back. */
async function createCampaign({ key, gatewayId }: Merchant): Promise<string> {
  const offer = await createRecord(service, key, "offers", {
    name: "Plan",
    price: "19.90",
    currency: "EUR",
    billing_type: "RECURRING",
    billing_frequency: "MONTHLY",
  });
  const campaign = await createRecord(service, key, "campaigns", {
    name: "Spring",
    offer_id: offer["id"],
    gateway_id: gatewayId,
    return_rate_max: 40,
    return_rate_min_payments: 3,
  });
  return campaign["id"];
}

async function pay(whose: Merchant, campaign: string, iban: string): Promise<Json> {
  const body = { campaign_id: campaign, lead: lead() };
  const opened = await service.post("payment-sessions/", body, { key: whose.key });
  const paid = await whose.pay(opened.body["session_token"], iban);
  assert.equal(paid.body["status"], "completed", paid.text);
  return paid.body;
}

test("an hour's old records of every tenant are deleted in one pass, and all new entries of the audit log are chained", async () => {
  while ((await run("chain-audit-log")) > 0);
  // The rows need no others: the jobs look at nothing else of them.
  for (const table of ["webhook_attempts", "console_sessions", "integration_postback_keys"])
    await service.rows(`alter table ${table} disable trigger all`);
  const [counted] = await service.rows("select count(*)::integer as tenants from tenants");
  const id = "gen_random_uuid()";
  const hash = "sha256('x')";
  const old = "'2020-01-01'";
  for (const [job, table, columns, values] of [
    [
      "forget-idempotent-answers",
      "idempotency_keys",
      "caller, key, request_id, request_hash, created_at",
      `'x', 'x', ${id}, ${hash}, ${old}`,
    ],
    [
      "forget-webhook-answers",
      "webhook_attempts",
      "delivery_id, number, at, duration_ms, response_body",
      `${id}, 1, ${old}, 1, 'x'`,
    ],
    [
      "forget-postbacks",
      "integration_postback_keys",
      "integration_id, fingerprint, activity_id, expires_at",
      `${id}, ${hash}, ${id}, ${old}`,
    ],
    [
      "forget-console-sessions",
      "console_sessions",
      "id, person, hash, stage, method, proved_at, seen_at, expires_at, created_at",
      `${id}, ${id}, sha256(tenant::text::bytea), 'full', 'password', ${old}, ${old}, ${old}, ${old}`,
    ],
    [
      "chain-audit-log",
      "audit_log",
      "id, at, actor, actor_name, action, resource",
      `${id}, ${old}, 'service', 'x', 'update', 'x'`,
    ],
  ] as const) {
    await service.rows(`insert into ${table} (tenant, ${columns}) select tenant, ${values} from tenants`);
    assert.deepEqual([job, await run(job)], [job, counted?.["tenants"]]);
  }
});

async function run(name: string): Promise<number> {
  const job = must(
    service.app.jobs.find((one) => one.name === name),
    name,
  );
  return job.runOnce(job.batch);
}

test("a campaign stops, a renewal is announced and collected, however many tenants before it have nothing to do", async () => {
  const { deps } = service.app;
  const bad = await createCampaign(merchant);
  for (let count = 0; count < 3; count += 1) await pay(merchant, bad, IBAN.chargedBack);
  await service.post("management/sandbox/tick/", undefined, { key: merchant.key });
  assert.equal(await stopCampaignsJob(deps).runOnce(1), 1);

  const good = await createCampaign(merchant);
  const { subscription } = await pay(merchant, good, IBAN.approved);
  const read = () => readSubscription(service, merchant, subscription.id);
  clock.advance(18 * DAY_MS);
  assert.equal(await announceJob(deps).runOnce(200), 1);
  clock.advance(10 * DAY_MS);
  assert.equal(await renewDue(deps, 50), 1);
  assert.deepEqual(cyclesOf(await read()), ["1:paid"]);
});
