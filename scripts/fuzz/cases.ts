/** A case: an endpoint, a request for it made well and then perhaps badly, after the records that it needs to get deep. */
import { IBAN, lead } from "../../tests/support/merchant.ts";
import type { Corpus } from "./corpus.ts";
import type { Document, Json, Operation } from "./document.ts";
import { formBody } from "./form.ts";
import { bytesOf, hostileText, mutated, textOf } from "./mutate.ts";
import type { Random } from "./random.ts";
import type { Incoming, Outgoing } from "./send.ts";
import { valueOf, type Maker } from "./values.ts";
import { POSTBACK_SECRET, type Pool, type Tenant, type World } from "./world.ts";

/** Sends as part of a case; every answer is judged. */
export type Judged = (operation: Operation, outgoing: Outgoing, as: Tenant | null) => Promise<Incoming>;

export interface CaseParts {
  readonly document: Document;
  readonly corpus: Corpus;
  readonly world: World;
  readonly send: Judged;
}

interface Case extends CaseParts, Maker {
  readonly operation: Operation;
  /** The key that the request carries. */
  readonly key: string;
}

/** Of these a request uses up the record, so it is given one of its own. */
const OWN_RECORD: ReadonlySet<string> = new Set([
  "api-keys",
  "campaigns",
  "gateways",
  "hosted-pages",
  "integrations",
  "offers",
  "tenants",
  "webhook-profiles",
]);
/** What is configured here would be called or told with each payment, so it belongs to the tenant without any. */
const IN_WORKSHOP = /management\/(webhook-profiles|integrations)\//;
const DEEP = /payment-sessions|reconciliation|\/refunds\/|chargebacks|webhooks\/integrations|\/pay\//;

export async function runCase(parts: CaseParts, random: Random, index: number): Promise<void> {
  const { document, world } = parts;
  const operation = pickOperation(random, document.operations);
  const ofWorkshop =
    IN_WORKSHOP.test(operation.path) &&
    operation.method !== "GET" &&
    !/activities|test\//.test(operation.path);
  const tenant = ofWorkshop ? world.workshop : random.chance(0.85) ? world.shops[0] : world.shops[1];
  const isOperator = operation.security.includes("operatorKey");
  const key = isOperator ? world.operatorKey : random.pick(tenant.keys);
  const made: Case = { ...parts, random, index, tenant, operation, key };
  const fresh = await prepared(made);
  const path = pathOf(made, fresh) + queryOf(made);
  const { headers, as } = credentials(made, fresh);
  const outgoing = withBody(made, fresh, {
    method: methodOf(made),
    path,
    headers: { ...extraHeaders(made), ...headers },
    body: null,
  });
  await parts.send(operation, outgoing, as);
}

function pickOperation(random: Random, operations: readonly Operation[]): Operation {
  const operation = random.pick(operations);
  return random.chance(0.3) && !DEEP.test(operation.path) ? random.pick(operations) : operation;
}

/** Whether a request leaves the record in its path other than it was. */
function usesUp({ method, path }: Operation): boolean {
  const resource = /management\/([\w-]+)\/\{id\}/.exec(path)?.[1] ?? "";
  return (
    method !== "GET" && OWN_RECORD.has(resource) && !path.endsWith("/test/") && !path.includes("activities")
  );
}

/** What a case has made for itself. */
interface Fresh {
  readonly id?: string;
  readonly token?: string;
  readonly key?: string;
  readonly verification?: string;
}

/** Makes the records without which the request would be refused at its door. */
async function prepared(made: Case): Promise<Fresh> {
  const { operation, random } = made;
  const { method, path } = operation;
  const resource = /management\/([\w-]+)\/\{id\}/.exec(path)?.[1];
  if (path.includes("/clock/") && method === "POST") {
    const { api_key: key } = await create(made, "POST /api/v1/management/tenants/", {
      name: `Clock ${made.index}`,
    });
    return typeof key === "string" ? { key } : {};
  }
  if (
    resource !== undefined &&
    method !== "GET" &&
    OWN_RECORD.has(resource) &&
    !path.endsWith("/test/") &&
    !path.includes("activities")
  ) {
    if (random.chance(0.1)) return {};
    const operation = made.document.operations.find(
      ({ name }) => name === `POST /api/v1/management/${resource}/`,
    );
    const body = operation?.body ? valueOf(made, operation.body) : {};
    const { id } = await create(made, `POST /api/v1/management/${resource}/`, body);
    return typeof id === "string" ? { id } : {};
  }
  const paysFor =
    /transactions\/\{id\}\/refunds|subscriptions\/\{id\}/.test(path) || path.includes("chargebacks/");
  if (paysFor && method === "POST" && random.chance(0.6)) {
    // What has a rhythm is collected by the service; without one, when it is asked to.
    const frequency = path.endsWith("/collect/") ? null : "MONTHLY";
    return await paid(made, path.includes("subscriptions") ? { billing_frequency: frequency } : null);
  }
  if (
    /\{token\}\/(pay|verify|cancel)\/$|^\/pay\/\{token\}\/(verify\/)?$/.test(path) &&
    method === "POST" &&
    random.chance(0.7)
  ) {
    const token = await session(made, random.chance(0.3) ? { billing_frequency: "MONTHLY" } : null);
    if (token !== null && path.endsWith("/verify/"))
      await payWith(made, token, random.pick([IBAN.verification, IBAN.verificationFails]));
    return token === null ? {} : { token };
  }
  if (path.includes("{verification}") && random.chance(0.5)) {
    const token = await session(made, null);
    const { verification_url: url } = token === null ? {} : await payWith(made, token, IBAN.verification);
    return typeof url === "string" ? { verification: new URL(url).pathname.split("/").at(-1) ?? "" } : {};
  }
  return {};
}

async function create(
  made: Case,
  name: string,
  body: unknown,
  more: Readonly<Record<string, string>> = {},
): Promise<Json> {
  const operation = made.document.operations.find((one) => one.name === name);
  if (operation === undefined) throw new Error(`${name} is not described`);
  const path = operation.path.replace(/\{(\w+)\}/g, (_, parameter: string) => more[parameter] ?? "");
  const key = operation.security.includes("operatorKey") ? made.world.operatorKey : made.key;
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const answer = await made.send(
    operation,
    { method: operation.method, path, headers, body: Buffer.from(JSON.stringify(body)) },
    made.tenant,
  );
  try {
    return answer.status < 300 ? (JSON.parse(answer.text) as Json) : {};
  } catch {
    return {};
  }
}

type Rhythm = { readonly billing_frequency: string | null };

/** A direct session; with a rhythm it makes a subscription. */
async function session(made: Case, rhythm: Rhythm | null): Promise<string | null> {
  const [gateway] = made.tenant.ids.gateways;
  const billing = rhythm === null ? { billing_type: "ONE_OFF" } : { billing_type: "RECURRING", ...rhythm };
  const body = { lead: lead(), gateway_id: gateway, amount: "9.90", currency: "EUR", ...billing };
  const { session_token: token } = await create(made, "POST /api/v1/payment-sessions/", body);
  return typeof token === "string" ? token : null;
}

function payWith(made: Case, token: string, iban: string): Promise<Json> {
  const body = { iban, iban_holder_name: "Ada Example" };
  return create(made, "POST /api/v1/payment-sessions/{token}/pay/", body, { token });
}

/** An approved payment: its transaction, or the subscription that began with it. */
async function paid(made: Case, rhythm: Rhythm | null): Promise<Fresh> {
  const token = await session(made, rhythm);
  if (token === null) return {};
  const { transaction, subscription } = (await payWith(made, token, IBAN.approved)) as Readonly<
    Record<string, Json | null>
  >;
  const id = (rhythm === null ? transaction : subscription)?.["id"];
  return typeof id === "string" ? { id, token } : { token };
}

function methodOf({ random, operation }: Case): string {
  if (!random.chance(0.03)) return operation.method;
  // The records that all cases share are not to be changed or archived.
  const changing = operation.path.includes("{id}") ? [] : ["PATCH", "DELETE"];
  return random.pick(["GET", "POST", "PUT", "HEAD", "OPTIONS", "TRACE", ...changing]);
}

function pathOf(made: Case, fresh: Fresh): string {
  return made.operation.path.replace(/\{(\w+)\}/g, (_, name: string) => parameterOf(made, fresh, name));
}

function parameterOf(made: Case, fresh: Fresh, name: string): string {
  const { random, corpus } = made;
  if (random.chance(0.05))
    return encoded(random.pick(corpus.strings)).slice(0, random.pick([100, 300, 4_000]));
  if (random.chance(0.02))
    return random.pick(["%ff", "%00", "%2e%2e", "..;", "%E0%A4%A", "x%2Fy", "*", "{id}", "%"]);
  const value = realParameter(made, fresh, name);
  if (random.chance(0.04))
    return random.pick([
      value.toUpperCase(),
      value.slice(0, -1),
      `${value}a`,
      value.replace(/[0-9a-f]/, "0"),
      `${value}%20`,
    ]);
  return encoded(value);
}

function realParameter(made: Case, fresh: Fresh, name: string): string {
  const { random, world, operation } = made;
  // Some of another tenant's, which must look as if they were not there.
  const tenant = random.chance(0.06) ? random.pick([...world.shops, world.workshop]) : made.tenant;
  const any = (choices: readonly string[]) =>
    choices.length === 0 || random.chance(0.03)
      ? "018f0000-0000-7000-8000-000000000000"
      : random.pick(choices);
  if (name === "token") {
    if (operation.path.startsWith("/webhooks/")) return any(tenant.postbackTokens);
    return fresh.token ?? any(tenant.tokens);
  }
  if (name === "verification") return fresh.verification ?? any(tenant.verifications);
  if (name === "activity_id") return any(tenant.ids.activities);
  if (fresh.id !== undefined && tenant === made.tenant) return fresh.id;
  const pool = /(?:management|preview)\/([\w-]+)\/\{id\}/.exec(operation.path)?.[1] as Pool | undefined;
  if (usesUp(operation)) {
    // The caller may not touch it; the operator may touch every tenant.
    const other = made.tenant === world.shops[0] ? world.shops[1] : world.shops[0];
    return any(pool === undefined || pool === "tenants" ? [] : other.ids[pool]);
  }
  if (operation.path.includes("activities/{activity_id}")) return tenant.ids.integrations[0] ?? any([]);
  return any(pool === undefined ? [] : (tenant.ids[pool] ?? []));
}

function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

function queryOf(made: Case): string {
  const { random, corpus, operation, tenant } = made;
  const pairs: (readonly [string, string])[] = [];
  for (const parameter of operation.parameters) {
    if (
      parameter.in !== "query" ||
      !random.chance(parameter.required === true || parameter.name === "link" ? 0.97 : 0.25)
    )
      continue;
    const { name } = parameter;
    const cursors = tenant.cursors[operation.path];
    const value =
      name !== "cursor"
        ? String(valueOf(made, parameter.schema, name))
        : cursors === undefined || cursors.length === 0
          ? "x"
          : random.pick(cursors);
    if (random.chance(0.12)) pairs.push([name, hostileText(random, corpus)]);
    else if (name === "cursor" && random.chance(0.4)) pairs.push([name, tampered(random, value)]);
    else pairs.push([name, value]);
    if (random.chance(0.03)) pairs.push([random.pick([name, `${name}[]`, `${name}[a]`]), value]);
  }
  if (random.chance(0.04))
    pairs.push([
      random.pick(["x", "__proto__", "constructor", "tenant", "limit", ""]),
      hostileText(random, corpus),
    ]);
  if (pairs.length === 0)
    return random.chance(0.02)
      ? random.pick(["?", "?%ff=%ff", "?&&&", "?=", `?${"a=1&".repeat(1_500)}`])
      : "";
  const query = pairs.map(([name, value]) => `${encoded(name)}=${encoded(value.slice(0, 2_000))}`).join("&");
  return `?${query}`;
}

function tampered(random: Random, cursor: string): string {
  const at = random.integer(0, cursor.length);
  return random.pick([
    cursor.slice(0, at),
    `${cursor}A`,
    cursor.slice(0, at) + random.pick(["A", "-", "_", "é", "="]) + cursor.slice(at + 1),
    cursor.repeat(3),
  ]);
}

/** The right credentials nearly always. */
function credentials(
  made: Case,
  fresh: Fresh,
): { readonly headers: Record<string, string | readonly string[]>; readonly as: Tenant | null } {
  const { random, world, operation, tenant, key } = made;
  const needsNone = operation.security.length === 0;
  if (needsNone && random.chance(0.9)) return { headers: {}, as: null };
  const session = fresh.token ?? (tenant.tokens.length === 0 ? "ps_x" : random.pick(tenant.tokens));
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
  const own = {
    headers: bearer(fresh.key ?? key),
    as: operation.security.includes("apiKey") ? tenant : null,
  };
  const pathSession = operation.path.includes("{token}") && operation.path.includes("payment-sessions");
  if (operation.security.includes("sessionToken") && random.chance(0.4))
    return { headers: bearer(session), as: null };
  if (pathSession && !operation.path.endsWith("/cancel/") && random.chance(0.5))
    return { headers: {}, as: null };
  if (random.chance(0.93)) return own;
  const [one, two] = world.shops;
  const other = tenant === one ? two : one;
  return random.pick([
    { headers: {}, as: null },
    { headers: bearer(random.pick(other.keys)), as: other },
    { headers: bearer(random.pick(tenant.narrow)), as: tenant },
    { headers: bearer(session), as: null },
    { headers: bearer(`${key}x`), as: null },
    { headers: bearer(""), as: null },
    { headers: bearer("x".repeat(5_000)), as: null },
    { headers: { authorization: `bearer   ${key}` }, as: tenant },
    { headers: { authorization: `Basic ${Buffer.from(`x:${key}`).toString("base64")}` }, as: null },
    { headers: { authorization: [`Bearer ${key}`, `Bearer ${key}`] }, as: tenant },
    { headers: bearer(world.operatorKey), as: null },
  ]);
}

function extraHeaders(made: Case): Record<string, string> {
  const { random, corpus, operation, index, tenant } = made;
  const hostile = () =>
    headerText(hostileText(random, corpus)).slice(0, random.pick([40, 300, 3_000, 9_000]));
  const headers: Record<string, string> = {};
  const maybe = (chance: number, name: string, value: () => string) => {
    if (random.chance(chance)) headers[name] = random.chance(0.2) ? hostile() : value();
  };
  if (operation.path.startsWith("/webhooks/") && random.chance(0.8))
    headers["x-service-secret"] = POSTBACK_SECRET;
  if (operation.method === "POST")
    maybe(0.2, "idempotency-key", () =>
      random.chance(0.5) ? `fuzz-${index}` : `shared-${tenant.mark}-${random.integer(1, 40)}`,
    );
  maybe(0.05, "x-request-id", () => `fuzz-${index}`);
  maybe(0.05, "accept", () =>
    random.pick(["text/csv", "application/xml", "text/html", "*/*", "application/json;q=0", "image/png"]),
  );
  maybe(0.03, "accept-language", () => random.pick(["el", "de-AT,de;q=0.9", "xx", "*"]));
  maybe(0.03, "accept-encoding", () => "identity");
  maybe(0.03, "range", () => random.pick(["bytes=0-10", "bytes=-1", "bytes=5-1,9-"]));
  maybe(0.03, "x-forwarded-for", () =>
    random.pick(["203.0.113.1", "::1, 127.0.0.1", "unknown", "1.2.3.4:80"]),
  );
  maybe(0.02, "origin", () => "https://shop.example.com");
  maybe(0.02, "if-none-match", () => '"x"');
  maybe(0.01, "host", () => random.pick(["evil.invalid", "a b", "localhost:1"]));
  maybe(0.01, "content-encoding", () => random.pick(["gzip", "identity", "br"]));
  maybe(0.01, "x-http-method-override", () => "DELETE");
  maybe(0.01, "cookie", () => "session=1; a=b");
  if (headers["host"]?.trim() === "") delete headers["host"];
  return headers;
}

/** A client cannot send other characters in a header. */
function headerText(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return text.replace(/[^\t\u0020-\u007e\u0080-\u00ff]/g, "");
}

function withBody(made: Case, fresh: Fresh, outgoing: Outgoing): Outgoing {
  const { random, corpus, operation } = made;
  const bodiless = operation.body === null;
  if (bodiless && !random.chance(0.04)) return outgoing;
  if (operation.bodyType === "multipart/form-data") return { ...outgoing, ...uploadOf(made, outgoing) };
  const good = bodiless ? { a: 1 } : bodyOf(made, fresh);
  const body = random.chance(0.5) ? good : mutated(random, corpus, good);
  const form = operation.bodyType === "application/x-www-form-urlencoded";
  const bytes = form ? formBytes(made, body) : bytesOf(random, corpus, body);
  const type = random.chance(0.04)
    ? random.pick([
        "",
        "text/plain",
        "application/xml",
        "application/json; charset=utf-16",
        "application/json;;",
        "application/x-www-form-urlencoded",
        "multipart/form-data",
        "a/b/c",
        "application/JSON",
      ])
    : (operation.bodyType ?? "application/json");
  const absent = random.chance(0.02);
  return {
    ...outgoing,
    body: absent ? null : bytes,
    chunked: random.chance(0.05),
    headers: { ...outgoing.headers, ...(type === "" ? {} : { "content-type": type }) },
  };
}

function formBytes({ random }: Case, body: unknown): Buffer {
  const pairs = Object.entries((body ?? {}) as Record<string, unknown>).map(
    ([name, value]) => `${encoded(name)}=${encoded(textOf(value))}`,
  );
  if (random.chance(0.03)) pairs.push(...pairs, "%ff=%ff", "a[b]=c", "=");
  return Buffer.from(pairs.join("&"));
}

/** Creating a session has rules between its fields that a schema does not say. */
function bodyOf(made: Case, fresh: Fresh): unknown {
  const { random, operation, tenant, index } = made;
  if (operation.body === null) return {};
  const body = valueOf(made, operation.body) as Record<string, unknown>;
  if (operation.name.endsWith("POST /api/v1/payment-sessions/") && random.chance(0.8)) {
    const {
      gateway_id: _g,
      campaign_id: _c,
      billing_type: _b,
      billing_frequency: _f,
      trial_interval_unit: _u,
      trial_period: _p,
      trial_price: _t,
      amount: _a,
      currency: _y,
      ...rest
    } = body;
    return { ...rest, ...pricing(random, tenant), lead: lead({ email: `fuzz${index}@example.com` }) };
  }
  if (operation.path.endsWith("chargebacks/") && fresh.id !== undefined)
    return { ...body, transaction_id: fresh.id, amount: "9.90" };
  if (operation.path.endsWith("offers/")) return { ...body, ...billing(random) };
  return body;
}

function pricing(random: Random, tenant: Tenant): object {
  if (random.chance(0.4) && tenant.ids.campaigns.length > 0)
    return { campaign_id: random.pick(tenant.ids.campaigns) };
  const { offer: _offer, ...rest } = { offer: 0, ...billing(random) };
  return { gateway_id: tenant.ids.gateways[0], amount: "19.90", currency: "EUR", ...rest };
}

function billing(random: Random): object {
  const billing_frequency = random.pick(["WEEKLY", "monthly", "YEARLY"]);
  return random.pick<object>([
    {
      billing_type: "ONE_OFF",
      billing_frequency: null,
      trial_interval_unit: null,
      trial_period: null,
      trial_price: null,
    },
    {
      billing_type: "recurring",
      billing_frequency,
      trial_interval_unit: null,
      trial_period: null,
      trial_price: null,
    },
    {
      billing_type: "TRIAL_RECURRING",
      billing_frequency,
      trial_interval_unit: "day",
      trial_period: 7,
      trial_price: "1.00",
    },
  ]);
}

const COLUMNS = "unique_id,merchant_reference,status,type,amount,currency,date,iban,bic,email,name";

function uploadOf(made: Case, { headers }: Outgoing): Pick<Outgoing, "body" | "headers" | "chunked"> {
  const { random, corpus, operation } = made;
  const { file: _file, ...fields } = (operation.body === null ? {} : valueOf(made, operation.body)) as Record<
    string,
    unknown
  >;
  const sent = random.chance(0.6) ? fields : (mutated(random, corpus, fields) as Record<string, unknown>);
  const entries = Object.entries(sent).map(([name, value]) => [headerText(name), textOf(value)]);
  const name = random.chance(0.9) ? "january.csv" : headerText(random.pick(corpus.strings)).slice(0, 300);
  const csv = csvOf(made);
  const whole = formBody(
    Object.fromEntries(entries) as Record<string, string>,
    random.chance(0.96) ? csv : null,
    name,
  );
  const cut = random.chance(0.04) ? whole.subarray(0, random.integer(0, whole.length)) : whole;
  const type = random.chance(0.04)
    ? random.pick([
        "multipart/form-data",
        "multipart/form-data; boundary=",
        "multipart/mixed; boundary=x",
        "application/json",
      ])
    : formBody.type;
  return { body: cut, headers: { ...headers, "content-type": type }, chunked: random.chance(0.2) };
}

function csvOf({ random, corpus, index }: Case): Buffer {
  const lines = Array.from({ length: random.integer(0, 30) }, (_, line) => {
    const cells = [
      `u-${index}-${line}`,
      `r-${index}-${line}`,
      "approved",
      random.pick(["sdd_sale", "sale", "refund"]),
      "10.00",
      "EUR",
      "2026-01-05",
      "",
      "",
      "a@example.com",
      "Ada",
    ];
    if (random.chance(0.3)) cells[random.integer(0, cells.length - 1)] = quoted(hostileText(random, corpus));
    return cells.join(random.chance(0.97) ? "," : ";");
  });
  const text = [random.chance(0.9) ? COLUMNS : quoted(random.pick(corpus.strings)), ...lines].join(
    random.pick(["\n", "\r\n"]),
  );
  return Buffer.from(text, random.chance(0.95) ? "utf8" : "utf16le");
}

function quoted(text: string): string {
  return `"${text.slice(0, 3_000).replaceAll('"', '""')}"`;
}
