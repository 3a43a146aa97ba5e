/** GET and HEAD of every endpoint, completed or aborted, do not change the database. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { after, before, test } from "node:test";
import { manualClock } from "../src/lib/clock.ts";
import type { DeclaredEndpoint } from "../src/http/openapi.ts";
import { createIntegration } from "./support/integrations.ts";
import { IBAN } from "./support/merchant.ts";
import {
  bankMerchant,
  camt,
  ebicsAccount,
  outgoing,
  payAt,
  uploadFile,
  type BankMerchant,
} from "./support/sepa-bank.ts";
import { OPERATOR_KEY, startService, type Service } from "./support/service.ts";
import { uploadForm } from "./support/upload.ts";

/** A Monday on which banks settle, before the cut-off. */
const MONDAY = new Date("2026-11-23T08:00:00Z");

let service: Service;
let merchant: BankMerchant;
let transactionId: string;
let tokens: readonly string[];
let preview: string;
let linkPage: string;
let accountPage: string;
/** The mandate of the customer whose account page is read. */
let mandateId: string;
let verification: string;
/** A file that waits to be carried to the bank, and a file from the bank. */
let files: readonly string[];
/** An account with EBICS keys. */
let withKeys: string;

before(async () => {
  service = await startService({ clock: manualClock(MONDAY), config: { trustedProxies: ["127.0.0.0/8"] } });
  merchant = await bankMerchant(service);
  const { key } = merchant;
  const send = async (path: string, body?: unknown): Promise<any> => {
    const { status, body: answer, text } = await service.post(`management/${path}`, body, { key });
    assert.ok(status < 300, text);
    return answer;
  };
  const pay = async (iban: string) => {
    const token = await merchant.session();
    const { body } = await merchant.pay(token, iban);
    return { token, transaction: body["transaction"], url: body["verification_url"] };
  };
  const profile = await send("webhook-profiles/", { name: "P", url: "http://127.0.0.1:9/" });
  const hooked = await merchant.session({ webhook_profile_id: profile.id });
  await merchant.pay(hooked, IBAN.approved);
  const paid = await pay(IBAN.approved);
  transactionId = paid.transaction.id;
  await send("chargebacks/", { transaction_id: (await pay(IBAN.approved)).transaction.id });
  const verifying = await pay(IBAN.verification);
  verification = new URL(verifying.url).pathname;
  const expired = await merchant.session();
  await service.rows(
    "update sessions set expires_at = $1 where id = (select id from sessions order by created_at desc, id desc limit 1)",
    [MONDAY],
  );
  tokens = [await merchant.session(), hooked, verifying.token, expired];
  await merchant.create({
    billing_type: "RECURRING",
    billing_frequency: "MONTHLY",
    trial_interval_unit: "DAY",
    trial_period: 3,
    trial_price: "0.00",
  });
  const subscribed = await merchant.session({ billing_type: "RECURRING", billing_frequency: "MONTHLY" });
  await merchant.pay(subscribed, IBAN.approved);
  const partner = await createIntegration(service, key);
  await partner.accepted({ request_uuid: "one" });
  const form = uploadForm("unique_id,status,amount,date\n1,approved,1.00,2026-01-31\n", {
    fields: { kind: "transactions", gateway_id: merchant.gatewayId },
  });
  await service.post("management/imports/", form.body, { key, headers: form.headers });
  await payAt(merchant);
  await send("clock/", { date: "2026-11-23T12:00:00Z" });
  assert.equal((await outgoing(service, merchant)).length, 1);
  await uploadFile(
    service,
    merchant,
    camt("camt.053", "2026-11-25", [["return", { amount: "1.00", endToEndId: "TXN-20261120-AAAAAAAA" }]]),
  );
  withKeys = await ebicsAccount(service, merchant);
  const { body: list } = await service.get("management/sepa-files/", { key });
  files = list["results"].map(({ id }: { readonly id: string }) => id);
  assert.equal(files.length, 2);
  const link = await send(`hosted-pages/${merchant.hostedPageId}/preview-link/`);
  const terms = { name: "L", gateway_id: merchant.gatewayId, amount: "1.00" };
  linkPage = new URL((await send("payment-links/", terms)).url).pathname;
  preview = new URL(link.url).pathname + new URL(link.url).search;
  const { body: mandates } = await service.get("management/mandates/?status=active", { key });
  const [mandate] = mandates["results"].filter((one: { readonly type: string }) => one.type === "recurrent");
  const account = await send(`customers/${mandate.lead.id}/account-link/`);
  accountPage = new URL(account.url).pathname;
  mandateId = mandate.id;
});
after(() => service.close());

/** Exports with IBANs record who has read them. Nothing else changes. */
const WITHOUT_EXPORTS: Readonly<Record<string, string>> = {
  audit_log: "where action <> 'export'",
  audit_pending: "where false",
  audit_chain: "where false",
};

/** The rows of every table as text, without the time of a key's last use and the records of exports. */
async function dump(): Promise<Readonly<Record<string, string>>> {
  const tables = await service.rows(
    "select table_name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'",
  );
  const texts: Record<string, string> = {};
  for (const { table_name: name } of tables) {
    const where = WITHOUT_EXPORTS[name] ?? "";
    const [row] = await service.rows(
      `select coalesce(string_agg(text, E'\\n' order by text), '') as rows
         from (select (to_jsonb(t) - 'last_used_at')::text as text from ${name} t ${where}) as lines`,
    );
    texts[name] = row?.["rows"];
  }
  return texts;
}

const listed = new Map<string, string>();

/** The id of the first record in the list to which the path belongs. */
async function firstId(list: string, key: string): Promise<string> {
  const known = listed.get(list);
  if (known !== undefined) return known;
  const { body } = await service.get(list, { key });
  const id = body["results"]?.[0]?.id ?? "none";
  listed.set(list, id);
  return id;
}

async function pathsOf({ path }: DeclaredEndpoint, key: string): Promise<readonly string[]> {
  if (path.startsWith("/pay/link/")) return [linkPage];
  if (path.startsWith("/pay/account/"))
    return [path.replace("/pay/account/{token}/", accountPage).replace("{id}", mandateId)];
  if (path.includes("{token}")) return tokens.map((token) => path.replace("{token}", token));
  if (path.includes("sepa-files/{id}")) return files.map((id) => path.replace("{id}", id));
  if (path.includes("ebics/{id}")) return [path.replace("{id}", withKeys)];
  if (path.startsWith("/preview/")) return [preview];
  if (path.startsWith("/sandbox/verifications/")) return [verification];
  let filled = path.replace("transactions/{id}", `transactions/${transactionId}`);
  for (let at = filled.indexOf("{"); at >= 0; at = filled.indexOf("{")) {
    const list = filled.slice(0, at);
    filled = list + filled.slice(at).replace(/\{\w+\}/, await firstId(list, key));
  }
  return [path.includes("/reconciliation/") ? `${filled}?start_date=2026-11-01` : filled];
}

/** A GET that is aborted as soon as it is sent. */
async function abort(path: string, key: string): Promise<void> {
  const socket = connect(Number(new URL(service.url).port), "127.0.0.1");
  await once(socket, "connect");
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`, () =>
    socket.resetAndDestroy(),
  );
  await once(socket, "close");
}

test("GET, HEAD and an aborted GET change nothing at any endpoint", async () => {
  const routes = service.app.server.routes().filter(({ method }) => method === "GET");
  assert.ok(routes.length > 50);
  const missed: string[] = [];
  let earlier = await dump();
  for (const route of routes) {
    const key = route.endpoint.access === "operator" ? OPERATOR_KEY : merchant.key;
    for (const path of await pathsOf(route, key)) {
      await abort(path, key);
      const head = await service.call("HEAD", path, undefined, { key });
      const get = await service.call("GET", path, undefined, { key });
      // The expired session no longer exists.
      const missing = get.status === 404 && !route.path.includes("{token}");
      if (missing || get.status === 400) missed.push(`${path}: ${get.status}`);
      assert.deepEqual([head.status, head.text], [get.status, ""], path);
      const later = await dump();
      for (const [table, rows] of Object.entries(later)) {
        assert.ok(rows === earlier[table], `GET ${route.path} changes ${table}`);
      }
      earlier = later;
    }
  }
  // No job runs here that would make a delivery, and no company has an identity provider.
  assert.deepEqual(missed, [
    "/api/v1/management/requests/none/: 404",
    "/api/v1/management/webhook-deliveries/none/: 404",
    "/console/oidc/start/: 404",
  ]);
});
