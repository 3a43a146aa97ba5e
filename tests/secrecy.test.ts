/** IBANs, session tokens and keys never appear in logs or in database errors. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { catchUpDue } from "../src/integrations/catch-up.ts";
import { systemClock } from "../src/lib/clock.ts";
import { createSender } from "../src/webhooks/delivery/send.ts";
import { createIntegration, processAll } from "./support/integrations.ts";
import { createMerchant, IBAN, type Merchant, withWholeIbans } from "./support/merchant.ts";
import { OPERATOR_KEY, startService, type Service } from "./support/service.ts";
import { uploadForm } from "./support/upload.ts";
import { startVendor } from "./support/vendor.ts";

let service: Service;
let merchant: Merchant;
const logged: string[] = [];

before(async () => {
  service = await startService({
    log: {
      info: (message, fields) => void logged.push(JSON.stringify([message, fields])),
      warn: (message, fields) => void logged.push(JSON.stringify([message, fields])),
      error: (message, error, fields) => void logged.push(JSON.stringify([message, String(error), fields])),
    },
  });
  merchant = await createMerchant(service);
});
after(() => service.close());

/** Every value of every table as text. */
async function dump(): Promise<string> {
  const tables = await service.rows(
    "select table_name as name from information_schema.tables where table_schema = 'public'",
  );
  const parts: string[] = [];
  for (const { name } of tables) {
    const [row] = await service.rows(
      `select coalesce(string_agg(t::text, e'\\n'), '') as all from ${name} t`,
    );
    parts.push(row?.["all"]);
  }
  return parts.join("\n");
}

/** The forms in which a secret may be written. */
function spellings(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  return [
    secret,
    secret.toLowerCase(),
    secret.replace(/(.{4})/g, "$1 ").trim(),
    bytes.toString("hex"),
    bytes.toString("base64"),
    encodeURIComponent(secret),
  ];
}

/** All secrets of an integration, after it was used in every way. */
async function postbackSecrets(): Promise<readonly string[]> {
  const vendor = await startVendor("next_url");
  const secret = "postback-secret-41c9";
  const token = await merchant.session();
  const partner = await createIntegration(service, merchant.key, {
    postback_secret: secret,
    read_url: vendor.url,
    read_token: vendor.token,
  });
  const headers = { "x-service-secret": secret };
  const body = { our_ref: token, holder: "canary-holder-77", iban: IBAN.approved };
  await partner.accepted(body, { headers });
  await partner.post("not json", { headers });
  await partner.post(body, { headers: { "x-service-secret": `${secret}x` } });
  await vendor.sends(service, partner.path, { buyer_name: "canary-buyer-78" }, new Date(), true);
  const sender = createSender({ clock: systemClock, allowPrivate: true });
  await catchUpDue({ deps: service.app.deps, sender, onActivity: () => {}, stopping: () => false }, 10);
  assert.equal((await partner.activities("?recovered=true")).length, 1);
  vendor.misbehave = (request, response) => void response.writeHead(500).end(request.headers.authorization);
  await service.rows("update integrations set read_due_at = null");
  await catchUpDue({ deps: service.app.deps, sender, onActivity: () => {}, stopping: () => false }, 10);
  await processAll(service);
  const paths = [partner.path, await partner.rotate()];
  await service.post(partner.path, body);
  await sender.close();
  await vendor.close();
  const tokens = paths.map((path) => path.split("/")[3] ?? "");
  return [secret, vendor.token, token, "canary-holder-77", "canary-buyer-78", ...tokens];
}

/** Accounts that are imported, amended and exported with mandates. Those without a payment are in no other record. */
async function mandateSecrets(): Promise<readonly string[]> {
  const accounts = [IBAN.chargedBack, IBAN.returned, IBAN.insufficientFunds];
  const [first = "", second = "", third = ""] = accounts;
  const { key } = merchant;
  const { body, headers } = uploadForm(
    `reference,signed_on,holder_name,iban,email,original_iban\nS-1,2026-01-01,A,${first},s@example.com,${second}\nS-2,2026-01-01,A,${third}0,s@example.com,`,
  );
  const imported = await service.post("management/mandates/import/", body, { key, headers });
  assert.equal(imported.body["created"], 1, imported.text);
  const [mandate] = (await service.get("management/mandates/?reference=s-1", { key })).body["results"];
  const path = `management/mandates/${mandate.id}/`;
  const keyed = (name: string) => ({ key, headers: { "idempotency-key": name } });
  assert.equal((await service.post(`${path}amend/`, { iban: third }, keyed("amend-1"))).status, 200);
  assert.equal((await service.post(`${path}amend/`, { iban: `${third}0` }, keyed("amend-2"))).status, 400);
  const whole = await withWholeIbans(service, merchant);
  assert.equal(
    (await service.get("management/mandates/export/?include_iban=true", { key: whole.key })).status,
    200,
  );
  for (const text of accounts) {
    const found = await service.post("management/search/", { text }, keyed(`search-${text.slice(-4)}`));
    assert.equal(found.status, 200, found.text);
  }
  for (const shown of [path, `${path}document/`, "management/mandates/export/", "management/audit-log/"]) {
    const { text } = await service.get(shown, { key });
    for (const account of accounts) assert.ok(!text.includes(account), shown);
  }
  return accounts;
}

test("after many operations neither logs nor database contain an IBAN, a session token or a key", async () => {
  const secrets = [
    merchant.key,
    OPERATOR_KEY,
    IBAN.approved,
    IBAN.declined,
    IBAN.verification,
    IBAN.answerLost,
  ];
  const options = { key: merchant.key, headers: { "idempotency-key": "secret-1" } };
  const body = {
    lead: { first_name: "A", last_name: "B", email: "c@example.com", country: "DE" },
    gateway_id: merchant.gatewayId,
    amount: "1.00",
    currency: "EUR",
    billing_type: "ONE_OFF",
  };
  const created = await service.post("payment-sessions/", body, options);
  secrets.push(created.body["session_token"]);
  for (const iban of [IBAN.approved, IBAN.declined, IBAN.verification, IBAN.answerLost]) {
    const token = await merchant.session();
    secrets.push(token);
    await merchant.pay(
      token,
      iban,
      { tenant_reference_id: `ref ${iban.slice(-4)}` },
      { headers: { "idempotency-key": "secret-2" } },
    );
    await merchant.verify(token);
    await merchant.retrieve(token);
    await merchant.cancel(token);
  }
  const profile = await service.post(
    "management/webhook-profiles/",
    { name: "Hook", url: "https://example.com/hook" },
    { key: merchant.key },
  );
  secrets.push(profile.body["signing_secret"]);
  secrets.push(...(await postbackSecrets()));
  secrets.push(...(await mandateSecrets()));
  await service.post("iban-validate/", { iban: IBAN.approved }, { key: merchant.key });
  await service.post("payment-sessions/", `{"iban":"${IBAN.approved}"`, { key: merchant.key });
  const everything = [await dump(), logged.join("\n")];
  for (const secret of secrets) {
    assert.ok(secret.length > 10);
    for (const spelling of spellings(secret)) {
      for (const text of everything)
        assert.ok(!text.includes(spelling), `found ${secret.slice(0, 6)}… as ${spelling.slice(0, 6)}…`);
    }
  }
  assert.ok(logged.length > 0, "requests were logged");
});
