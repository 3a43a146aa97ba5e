/** A merchant with a customer who has data in every possible table, for operations that have to cover all of them. */
import assert from "node:assert/strict";
import { contextOfPiece } from "../../src/gateways/sepa-batch/pack.ts";
import { sealRecipient } from "../../src/messages/recipient.ts";
import { totpContext } from "../../src/people/prove.ts";
import { clientSecretContext } from "../../src/people/oidc.ts";
import { createIntegration, processAll, type Integration } from "./integrations.ts";
import { createRecord } from "./merchant.ts";
import { openPage, pathOf, payOnPage } from "./page.ts";
import { contextOfKeys } from "../../src/gateways/sepa-batch/transports/ebics/session.ts";
import { bankMerchant, ebicsAccount, payAt, type BankMerchant } from "./sepa-bank.ts";
import type { Json, Service } from "./service.ts";
import { deskOf } from "./sepa-desk.ts";
import { uploadForm } from "./upload.ts";

export interface Everywhere {
  readonly merchant: BankMerchant;
  readonly partner: Integration;
  readonly lead: Json;
  /** The token of a paid session. */
  readonly token: string;
  /** A settled payment to the account at the bank. */
  readonly payment: Json;
  readonly profile: Json;
}

/** The customer's names, which appear nowhere else. */
export const PERSON = {
  first_name: "Qwendoline",
  last_name: "Zyxwarth",
  email: "Qwendoline.Zyxwarth@customer.example",
  phone: "+49 30 5550199",
  address: "Vexlerstrasse 17b",
  city: "Quorndorf",
  postal_code: "98765",
  country: "DE",
} as const;

/** The customer's accounts (documented test IBANs): the first, the later, and the one before the import. */
export const ACCOUNTS = {
  sandbox: "DE89370400440532013000",
  verified: "DE13370400440532013010",
  bank: "DE62370400440532013001",
  imported: "DE35370400440532013002",
  amended: "DE34370400440532013020",
  original: "DE78370400440532013004",
} as const;
/** The customer's network address. */
export const CUSTOMER_IP = "203.0.113.77";

/** @param service its clock is on Monday, 2026-11-23, before the cut-off. */
export async function customerEverywhere(service: Service): Promise<Everywhere> {
  const merchant = await bankMerchant(service);
  const { key } = merchant;
  const desk = deskOf(service);
  const lead = { ...PERSON };
  const token = await paidOnline(service, merchant, lead);
  const profile = await webhooks(service, key);
  const partner = await postback(service, merchant, token);
  await importedMandate(service, merchant);
  await createRecord(service, key, "gateways", {
    name: "With credentials",
    adapter: "sandbox",
    credentials: { token: "gateway-token-81" },
  });
  await ebicsKeys(service, merchant);
  const payment = await payAt(merchant, { lead, customer_ip: CUSTOMER_IP }, ACCOUNTS.bank);
  await desk.moveTo(merchant, "2026-11-23T12:00:00Z");
  await addPiece(service);
  await addMessage(service, payment);
  const notes = `management/transactions/${payment["transaction"].id}/notes/`;
  const noted = await service.post(notes, { text: "Qwendoline Zyxwarth called." }, { key });
  assert.equal(noted.status, 201, noted.text);
  await addPeople(service);
  return { merchant, partner, lead, token, payment, profile };
}

/** An account with former EBICS keys, and with a change of keys in progress. */
async function ebicsKeys(service: Service, merchant: BankMerchant): Promise<void> {
  const accountId = await ebicsAccount(service, merchant);
  const [row] = await service.rows("select tenant from ebics_users where gateway_id = $1", [accountId]);
  const next = service.app.deps.keys.seal(row?.["tenant"], contextOfKeys(accountId, "next_keys"), "{}");
  const former = service.app.deps.keys.seal(row?.["tenant"], contextOfKeys(accountId, "former"), "{}");
  await service.rows("update ebics_users set next_keys = $2, former = $3 where gateway_id = $1", [
    accountId,
    next,
    former,
  ]);
}

async function paidOnline(service: Service, merchant: BankMerchant, lead: Json): Promise<string> {
  const asked = await service.post(
    "payment-sessions/",
    {
      lead,
      gateway_id: merchant.gatewayId,
      amount: "19.90",
      currency: "EUR",
      billing_type: "ONE_OFF",
      customer_ip: CUSTOMER_IP,
    },
    { key: merchant.key, headers: { "idempotency-key": "everywhere-1" } },
  );
  assert.equal(asked.status, 201, asked.text);
  const token: string = asked.body["session_token"];
  await openPage(service, pathOf(token));
  await payOnPage(service, token, { iban: ACCOUNTS.sandbox, holder: "Qwendoline Zyxwarth" });
  const verified = await merchant.session({ lead, customer_ip: CUSTOMER_IP });
  await merchant.pay(verified, ACCOUNTS.verified, { iban_holder_name: "Qwendoline Zyxwarth" });
  await merchant.verify(verified);
  return token;
}

async function webhooks(service: Service, key: string): Promise<Json> {
  const profile = await createRecord(service, key, "webhook-profiles", {
    name: "Hook",
    url: "http://127.0.0.1:1/hook",
  });
  const path = `management/webhook-profiles/${profile["id"]}/rotate-secret/`;
  assert.equal((await service.post(path, { overlap_seconds: 86_400 }, { key })).status, 200);
  return profile;
}

async function postback(service: Service, merchant: BankMerchant, token: string): Promise<Integration> {
  const partner = await createIntegration(service, merchant.key, {
    postback_secret: "postback-secret-42",
    read_url: "http://127.0.0.1:1/read",
    read_token: "read-token-43",
  });
  const headers = { "x-service-secret": "postback-secret-42" };
  await partner.accepted({ our_ref: token, buyer_name: "Qwendoline Zyxwarth" }, { headers });
  await processAll(service);
  return partner;
}

async function importedMandate(service: Service, { key }: BankMerchant): Promise<void> {
  const file = `reference,signed_on,holder_name,iban,email,original_iban\nE-1,2026-01-01,Qwendoline Zyxwarth,${ACCOUNTS.imported},${PERSON.email},${ACCOUNTS.original}`;
  const { body, headers } = uploadForm(file);
  const imported = await service.post("management/mandates/import/", body, { key, headers });
  assert.equal(imported.body["created"], 1, imported.text);
  const [mandate] = (await service.get("management/mandates/?reference=E-1", { key })).body["results"];
  const amended = await service.post(
    `management/mandates/${mandate.id}/amend/`,
    { iban: ACCOUNTS.amended },
    { key, headers: { "idempotency-key": "everywhere-2" } },
  );
  assert.equal(amended.status, 200, amended.text);
  const presented = await service.post(
    `management/mandates/${mandate.id}/wallet-presentation/`,
    {
      format: "dc+sd-jwt",
      presentation: `eyJhbGciOiJFUzI1NiJ9.${Buffer.from(PERSON.email).toString("base64url")}.c2ln~`,
    },
    { key },
  );
  assert.equal(presented.status, 200, presented.text);
}

/** Adds a piece to a small file, because the service stores only large files in pieces. */
async function addPiece(service: Service): Promise<void> {
  const [file] = await service.rows("select tenant, id from sepa_files limit 1");
  assert.ok(file !== undefined, "a file was written");
  const { tenant, id } = file;
  const piece = service.app.deps.keys.seal(tenant, contextOfPiece(id, 1), "a piece");
  await service.rows("insert into sepa_file_pieces values ($1, $2, 1, $3)", [tenant, id, piece]);
}

/** A sent receipt. */
async function addMessage(service: Service, payment: Json): Promise<void> {
  const id = "0198f000-0000-7000-8000-000000000002";
  const [row] = await service.rows("select tenant from transactions where id = $1", [
    payment["transaction"].id,
  ]);
  const recipient = sealRecipient(service.app.deps, row?.["tenant"], id, PERSON.email);
  await service.rows(
    `insert into messages (tenant, id, kind, transaction_id, state, recipient, handed_over_at, sent_at, created_at)
     values ($1, $2, 'receipt', $3, 'sent', $4, now(), now(), now())`,
    [row?.["tenant"], id, payment["transaction"].id, recipient],
  );
}

/**
 * A person of the merchant, and an operator, who belongs to no tenant. Both have a second factor. Also adds an identity
 * provider.
 */
async function addPeople(service: Service): Promise<void> {
  const [row] = await service.rows("select tenant from sepa_files limit 1");
  const { keys } = service.app.deps;
  const id = "0198f000-0000-7000-8000-000000000001";
  for (const [tenant, role] of [
    [0, "operator"],
    [row?.["tenant"], "viewer"],
  ] as const)
    await service.rows(
      `insert into people (tenant, id, email, name, role, totp_secret, created_at, updated_at)
       values ($1, $2, 'person@shop.example', 'Person', $3, $4, now(), now())`,
      [tenant, id, role, keys.seal(tenant, totpContext(id), "a secret")],
    );
  await service.rows(
    `insert into oidc_providers (tenant, id, issuer, client_id, client_secret, email_domain, created_at, updated_at)
     values ($1, $2, 'https://id.example', 'shop', $3, 'shop.example', now(), now())`,
    [row?.["tenant"], id, keys.seal(row?.["tenant"], clientSecretContext(id), "a secret")],
  );
}
