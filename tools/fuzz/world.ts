/** The records behind the requests: tenants with keys, gateways, sessions in every state, payments, partners, deliveries. */
import { IBAN, lead } from "../../tests/support/merchant.ts";
import { OPERATOR_KEY } from "../../tests/support/service.ts";
import type { Json } from "./document.ts";
import type { Incoming, Outgoing } from "./send.ts";
import type { Secrets } from "./secrets.ts";
import { camt } from "../../tests/support/sepa-bank.ts";
import { formBody } from "./form.ts";
import { setTimeout as sleep } from "node:timers/promises";

/** The kind of an id: the word before `{id}` in a path. */
export type Pool =
  | "api-keys"
  | "audit-log"
  | "campaigns"
  | "chargebacks"
  | "events"
  | "gateways"
  | "hosted-pages"
  | "imports"
  | "integrations"
  | "customers"
  | "mandates"
  | "people"
  | "requests"
  | "activities"
  | "offers"
  | "payment-links"
  | "payment-sessions"
  | "sepa-files"
  | "subscriptions"
  | "tenants"
  | "transactions"
  | "unmatched"
  | "webhook-deliveries"
  | "webhook-profiles";

export interface Tenant {
  readonly name: string;
  /** With all scopes. */
  readonly keys: readonly string[];
  /** With one scope each. */
  readonly narrow: readonly string[];
  readonly ids: Readonly<Record<Pool, readonly string[]>>;
  /** Of sessions in every state. */
  readonly tokens: readonly string[];
  /** In the addresses of payment links. */
  readonly linkTokens: readonly string[];
  /** In the addresses of customers' account pages. */
  readonly accountTokens: readonly string[];
  readonly verifications: readonly string[];
  readonly postbackTokens: readonly string[];
  readonly previewLink: string;
  /** By the list's path. */
  readonly cursors: Readonly<Record<string, readonly string[]>>;
  /** Contained in the name of each of its first records, and in no request. */
  readonly mark: string;
}

export interface World {
  readonly shops: readonly [Tenant, Tenant];
  /** Has records and no payments, so nothing there makes outgoing calls. */
  readonly workshop: Tenant;
  readonly receiverUrl: string;
  readonly operatorKey: string;
}

type Send = (outgoing: Outgoing) => Promise<Incoming>;

/** Must not appear in a response. */
export const POSTBACK_SECRET = "canary-postback-41c9a7";
export const READ_TOKEN = "canary-read-token-77ab3";
export const SIGNING_SECRET = "canary-signing-5d20f1c8";
/** The merchant's own account, which its settings show; a published example. */
const CREDITOR_IBAN = "DE75512108001245126199";
const KEYS = 32;
const MANAGEMENT = "/api/v1/management/";
/** Jobs run meanwhile. */
const WAIT_MS_MAX = 15_000;

export async function createWorld(send: Send, secrets: Secrets, receiverUrl: string): Promise<World> {
  for (const secret of [POSTBACK_SECRET, READ_TOKEN, SIGNING_SECRET]) secrets.plant("planted secret", secret);
  for (const iban of Object.values(IBAN)) secrets.plant("IBAN", iban);
  secrets.plant("API key", OPERATOR_KEY);
  const parts = { send, receiverUrl };
  const first = await createTenant(parts, "quokka-one", true);
  const second = await createTenant(parts, "numbat-two", true);
  const workshop = await createTenant(parts, "bilby-three", false);
  return { shops: [first, second], workshop, receiverUrl, operatorKey: OPERATOR_KEY };
}

interface Parts {
  readonly send: Send;
  readonly receiverUrl: string;
}

type Caller = (method: string, path: string, body?: unknown) => Promise<Json>;

/** Sends with one key; a refusal is an error of the set-up. */
function callerOf(send: Send, key: string): Caller {
  return async (method, path, body) => {
    const bytes =
      body instanceof Uint8Array
        ? Buffer.from(body)
        : body === undefined
          ? null
          : Buffer.from(JSON.stringify(body));
    const multipart = body instanceof Uint8Array;
    const headers = {
      authorization: `Bearer ${key}`,
      ...(bytes === null ? {} : { "content-type": multipart ? formBody.type : "application/json" }),
    };
    for (;;) {
      const answer = await send({ method, path, headers, body: bytes });
      if (answer.status === 429) await sleep(200);
      else if (answer.status >= 200 && answer.status < 300)
        return answer.text === "" ? {} : (JSON.parse(answer.text) as Json);
      else
        throw new Error(
          `The set-up's ${method} ${path} was answered ${answer.status} ${answer.text} ${answer.trouble ?? ""}`,
        );
    }
  };
}

function text(record: Json, name: string): string {
  const value = record[name];
  if (typeof value !== "string") throw new Error(`${name} is missing in ${JSON.stringify(record)}`);
  return value;
}

async function createTenant({ send, receiverUrl }: Parts, mark: string, shop: boolean): Promise<Tenant> {
  const tenant = await callerOf(send, OPERATOR_KEY)("POST", `${MANAGEMENT}tenants/`, {
    name: `Shop ${mark}`,
    country: "DE",
  });
  // A tenant's first key has all scopes except those that have to be granted by name.
  const all = ["payments", "reconciliation", "management", "people"];
  const named = { name: `All ${mark}`, scopes: all };
  const path = `${MANAGEMENT}tenants/${text(tenant, "id")}/api-keys/`;
  const key = text(await callerOf(send, OPERATOR_KEY)("POST", path, named), "api_key");
  const call = callerOf(send, key);
  const made = async (resource: string, body: object) =>
    text(await call("POST", `${MANAGEMENT}${resource}/`, body), "id");
  const keyOf = async (scopes: readonly string[]) =>
    text(await call("POST", `${MANAGEMENT}api-keys/`, { name: mark, scopes }), "api_key");
  const keys = [key];
  while (keys.length < (shop ? KEYS : 4)) keys.push(await keyOf(all));
  const narrow: string[] = [];
  for (const scope of ["payments", "reconciliation", "management"]) narrow.push(await keyOf([scope]));

  const name = `Record ${mark}`;
  const gateway = await made("gateways", { name, adapter: "sandbox", test_mode: true });
  const bank = await made("gateways", {
    name,
    adapter: "sepa_batch",
    test_mode: true,
    settings: {
      creditor_name: "Shop",
      creditor_iban: CREDITOR_IBAN,
      creditor_identifier: "DE98ZZZ09999999999",
    },
  });
  const price = { price: "19.90", currency: "EUR" };
  const offers = [
    await made("offers", { name, ...price, billing_type: "ONE_OFF" }),
    await made("offers", { name, ...price, billing_type: "RECURRING", billing_frequency: "MONTHLY" }),
  ];
  const page = await made("hosted-pages", { name });
  const profile = await made("webhook-profiles", {
    name,
    url: receiverUrl,
    signing_secret: SIGNING_SECRET,
    events: [
      "payment_session.completed",
      "payment_session.expired",
      "transaction.created",
      "chargeback.created",
    ],
  });
  const campaigns: string[] = [];
  for (const offer of offers) {
    const links = { offer_id: offer, gateway_id: gateway, hosted_page_id: page, webhook_profile_id: profile };
    campaigns.push(await made("campaigns", { name, ...links }));
  }
  const linkIds: string[] = [];
  const linkTokens: string[] = [];
  for (const terms of [{ amount: "5.00" }, { amount_min: "1.00", uses_max: 3 }]) {
    const record = await call("POST", `${MANAGEMENT}payment-links/`, { name, gateway_id: gateway, ...terms });
    linkIds.push(text(record, "id"));
    linkTokens.push(text(record, "url").split("/").at(-2) ?? "");
  }
  const integrations: string[] = [];
  const postbackTokens: string[] = [];
  const partners = [{}, { provider: "campaign_trigger" }, { postback_secret: POSTBACK_SECRET }];
  for (const more of partners) {
    const record = await call("POST", `${MANAGEMENT}integrations/`, { name, ...more });
    integrations.push(text(record, "id"));
    postbackTokens.push(text(record, "postback_url").split("/").at(-2) ?? "");
  }
  const { url } = await call("POST", `${MANAGEMENT}hosted-pages/${page}/preview-link/`);
  const paid = shop ? await pay(call, campaigns, gateway, profile) : NOTHING_PAID;
  for (const postback of postbackTokens.slice(0, 2)) {
    for (const reference of paid.tokens.slice(0, 2)) {
      await call("POST", `/webhooks/integrations/${postback}/`, {
        our_ref: reference,
        status: "sold",
        lead_id: mark,
      });
    }
  }
  const more = shop ? await afterPayment(call, gateway, paid.transactions) : [];
  if (shop) {
    const unknown = statement(Array.from({ length: 5 }, (_, n) => `${mark.toUpperCase()}-${n}`));
    await call("POST", `${MANAGEMENT}sepa-files/`, formBody({ gateway_id: bank }, unknown, "statement.xml"));
  }
  const cursors: Record<string, readonly string[]> = {};
  const listed = async (resource: string, field = "id") => {
    const path = `${MANAGEMENT}${resource}/`;
    const pages = [await call("GET", `${path}?page_size=1`), await call("GET", `${path}?page_size=100`)];
    cursors[path] = pages.flatMap((one) => cursorsOf(one));
    return ((pages[1]?.["results"] ?? []) as readonly Json[]).map((record) => text(record, field));
  };
  if (shop) await arrived(() => listed("webhook-deliveries"));
  for (const list of ["transactions", "subscriptions", "chargebacks"]) {
    const path = `/api/v1/reconciliation/${list}/`;
    const since = `?start_date=${daysAgo(30)}&end_date=${daysAgo(-1)}&page_size=1`;
    cursors[path] = cursorsOf(await call("GET", `${path}${since}`));
  }
  const people: string[] = [];
  for (const role of shop ? ["viewer", "support", "support", "finance"] : []) {
    const email = `${role}-${people.length}@${mark.toLowerCase()}.example.com`;
    people.push(await made("people", { email, name, role }));
  }
  const customers = shop ? await listed("customers") : [];
  const accountTokens: string[] = [];
  for (const id of customers) {
    const record = await call("POST", `${MANAGEMENT}customers/${id}/account-link/`, {});
    accountTokens.push(text(record, "url").split("/").at(-2) ?? "");
  }
  const activities = shop ? await listed(`integrations/${integrations[0] ?? ""}/activities`) : [];
  return {
    name: mark,
    mark,
    keys,
    narrow,
    tokens: paid.tokens,
    linkTokens,
    accountTokens,
    verifications: paid.verifications,
    postbackTokens,
    previewLink: new URL(String(url)).searchParams.get("link") ?? "",
    cursors,
    ids: {
      "api-keys": await listed("api-keys"),
      "audit-log": await listed("audit-log"),
      campaigns,
      chargebacks: await listed("chargebacks"),
      events: await listed("events"),
      customers,
      gateways: [gateway, bank],
      "hosted-pages": [page],
      imports: more,
      integrations,
      mandates: shop ? await listed("mandates") : [],
      activities,
      offers,
      "payment-links": linkIds,
      "payment-sessions": await listed("payment-sessions"),
      people,
      requests: await listed("requests"),
      "sepa-files": await listed("sepa-files"),
      subscriptions: paid.subscriptions,
      tenants: [text(tenant, "id")],
      transactions: paid.transactions,
      unmatched: await listed("unmatched"),
      "webhook-deliveries": shop ? await listed("webhook-deliveries") : [],
      "webhook-profiles": [profile],
    },
  };
}

interface Paid {
  readonly tokens: readonly string[];
  readonly transactions: readonly string[];
  readonly subscriptions: readonly string[];
  readonly verifications: readonly string[];
}

const NOTHING_PAID: Paid = { tokens: [], transactions: [], subscriptions: [], verifications: [] };

/** Sessions in every state, with each outcome of the sandbox. */
async function pay(
  call: Caller,
  campaigns: readonly string[],
  gateway: string,
  profile: string,
): Promise<Paid> {
  const tokens: string[] = [];
  const transactions: string[] = [];
  const subscriptions: string[] = [];
  const verifications: string[] = [];
  const session = async (changes: object) => {
    const token = text(
      await call("POST", "/api/v1/payment-sessions/", { lead: lead(), ...changes }),
      "session_token",
    );
    tokens.push(token);
    return token;
  };
  const direct = {
    gateway_id: gateway,
    webhook_profile_id: profile,
    amount: "9.90",
    currency: "EUR",
    billing_type: "ONE_OFF",
  };
  const recurring = { ...direct, billing_type: "RECURRING", billing_frequency: "WEEKLY" };
  for (let count = 0; count < 4; count += 1)
    await session({ campaign_id: campaigns[count % campaigns.length] });
  const { approved, approvedDutch, declined, pending, returned, chargedBack, verification } = IBAN;
  const payments = [
    approved,
    approvedDutch,
    approved,
    approved,
    declined,
    pending,
    returned,
    chargedBack,
    verification,
    verification,
  ];
  for (const [index, iban] of payments.entries()) {
    const token = await session(
      index % 3 === 0 ? recurring : index % 3 === 1 ? direct : { campaign_id: campaigns[index % 2] },
    );
    const answer = await call("POST", `/api/v1/payment-sessions/${token}/pay/`, {
      iban,
      iban_holder_name: "Ada Example",
    });
    const {
      transaction,
      subscription,
      verification_url: url,
    } = answer as Readonly<Record<string, Json | null>>;
    if (typeof url === "string") verifications.push(new URL(url).pathname.split("/").at(-1) ?? "");
    if (transaction) transactions.push(text(transaction, "id"));
    if (typeof subscription?.["id"] === "string") subscriptions.push(subscription["id"]);
  }
  await call("POST", `/api/v1/payment-sessions/${await session(direct)}/cancel/`);
  return { tokens, transactions, subscriptions, verifications };
}

/** Settlement, a refund, a chargeback and an import. The ids of imports. */
async function afterPayment(
  call: Caller,
  gateway: string,
  transactions: readonly string[],
): Promise<readonly string[]> {
  await call("POST", `${MANAGEMENT}sandbox/tick/`);
  const [first = "", second = ""] = transactions;
  await call("POST", `${MANAGEMENT}transactions/${first}/refunds/`, { amount: "1.00" });
  await call("POST", `${MANAGEMENT}chargebacks/`, { transaction_id: second, reason_code: "MD06" });
  const file = "date,amount,currency,status,id\n2026-01-05,10.00,EUR,approved,old-1\n";
  const bytes = formBody(
    { kind: "transactions", gateway_id: gateway, dry_run: "true" },
    Buffer.from(file),
    "old.csv",
  );
  return [text(await call("POST", `${MANAGEMENT}imports/`, bytes), "id")];
}

async function arrived(listed: () => Promise<readonly string[]>): Promise<void> {
  const deadline = performance.now() + WAIT_MS_MAX;
  while ((await listed()).length === 0 && performance.now() < deadline) await sleep(100);
}

function cursorsOf(page: Json): readonly string[] {
  return ["next", "previous"].flatMap((name) => {
    const link = page[name];
    const cursor = typeof link === "string" ? new URL(link).searchParams.get("cursor") : null;
    return cursor === null ? [] : [cursor];
  });
}

/** A day in UTC. */
export function daysAgo(days: number): string {
  return new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
}

/** A bank's statement about unknown collections. */
export function statement(references: readonly string[]): Buffer {
  const entries = references.map((endToEndId) => ["collection", { amount: "9.90", endToEndId }] as const);
  return Buffer.from(camt("camt.053", "2026-01-05", entries, CREDITOR_IBAN));
}
