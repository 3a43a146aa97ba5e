/** A second database, on which pgbench runs the statements of the endpoints. */
import pg from "pg";
import { createApp, type App } from "../src/app.ts";
import type { Config } from "../src/config.ts";
import { migrate } from "../src/db/migrate.ts";
import { silentLog } from "../src/lib/log.ts";
import { must } from "../src/lib/assert.ts";
import { listenTo, scripts, type Heard, type Steps } from "./statements.ts";

/** Only found by exact IBANs of the sandbox (docs/api.md). */
const APPROVED = "DE89370400440532013000";
const VERIFIED = "DE13370400440532013010";

export interface Limits {
  /** For pgbench, by the step's name. */
  readonly scripts: Readonly<Record<string, string>>;
  /** The recorded statements of each step. */
  readonly heard: Steps;
}

export async function createDatabase(databaseUrl: string, name: string): Promise<string> {
  await onServer(databaseUrl, `create database ${name}`);
  const url = new URL(databaseUrl);
  url.pathname = `/${name}`;
  await migrate(url.href);
  return url.href;
}

export async function onServer(databaseUrl: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(statement);
  await client.end();
}

/** Makes the measured calls for a separate merchant, and records their statements. */
export async function hearSteps(config: Config, databaseUrl: string): Promise<Limits> {
  const app = await createApp(config, databaseUrl, silentLog);
  try {
    const shop = await openShop(config, app);
    // The first call of a key records its use.
    await oneOfEach(app, shop);
    const first = await oneOfEach(app, shop);
    const second = await oneOfEach(app, shop);
    return { scripts: await scripts(databaseUrl, first, second), heard: first };
  } finally {
    await app.close();
  }
}

interface Inside {
  readonly key: string;
  readonly gatewayId: string;
  readonly profileId: string;
  readonly postbackPath: string;
}

async function openShop(config: Config, app: App): Promise<Inside> {
  const management = "/api/v1/management";
  const { api_key: key } = await call(app, `${management}/tenants/`, config.operatorKey, { name: "Limit" });
  const { id: gatewayId } = await call(app, `${management}/gateways/`, key, {
    name: "Sandbox",
    adapter: "sandbox",
    test_mode: true,
  });
  const { id: profileId } = await call(app, `${management}/webhook-profiles/`, key, {
    name: "Receiver",
    url: "http://127.0.0.1:9/",
  });
  const { postback_url: url } = await call(app, `${management}/integrations/`, key, { name: "Partner" });
  return {
    key: must(key, "the key"),
    gatewayId: must(gatewayId, "the gateway"),
    profileId: must(profileId, "the profile"),
    postbackPath: new URL(must(url, "the postback's URL")).pathname,
  };
}

async function oneOfEach(app: App, shop: Inside): Promise<Steps> {
  const heard: Record<string, readonly Heard[]> = {};
  const step = async (name: string, path: string, key?: string, body?: object) => {
    let answer: Answer = {};
    heard[name] = await listenTo(async () => {
      answer = await call(app, path, key, body);
    });
    return answer;
  };
  people += 1;
  const { session_token: token } = await step("create", SESSIONS, shop.key, session(shop, "ada"));
  await step("retrieve", `${SESSIONS}${token}/`);
  await step("pay", `${SESSIONS}${token}/pay/`, undefined, payment(APPROVED));
  heard["delivered"] = [delivered(must(heard["pay"], "the payment"), shop.profileId)];
  const { session_token: other } = await step("create_other", SESSIONS, shop.key, session(shop, "eve"));
  await step("ask_verification", `${SESSIONS}${other}/pay/`, undefined, payment(VERIFIED));
  await step("verify", `${SESSIONS}${other}/verify/`, undefined, {});
  await step("iban_validate", "/api/v1/iban-validate/", shop.key, { iban: APPROVED });
  const news = { event: "sale", transaction_id: `limit-${people}`, amount: "19.90", currency: "EUR" };
  await step("postback", shop.postbackPath, undefined, news);
  return heard;
}

/**
 * The minimal writes of a delivered webhook: its receiver, its delivery, and the response. The service writes the
 * first for many events at once; here it is part of one commit per payment.
 */
const DELIVERED = `with d as (
    insert into webhook_deliveries
      (tenant, id, event_id, event_number, event_type, profile_id, session_id, payload_fields, ascii_escape, status,
       attempts, tries, last_at, response_code, delivered_at, created_at)
    select $1, $2, e.id, e.number, e.type, $3, e.session_id, '{}', false, 'delivered', 1, 1, $4, 200, $4, $4
      from events e
     where e.tenant = $1 and e.id = $2
    returning id
  ), f as (
    update events set fanned_out_at = $4 where tenant = $1 and id = $2
  )
  insert into webhook_attempts (tenant, delivery_id, number, at, duration_ms, response_code)
  select $1, id, 1, $4, 1, 200 from d`;

function delivered(pay: readonly Heard[], profileId: string): Heard {
  for (const { values } of pay) {
    // Parameters of many calls are lists, here with one call each.
    const events = values
      .flat()
      .find((value) => typeof value === "string" && value.includes('"payment_session.completed"'));
    if (typeof events !== "string") continue;
    const [event] = JSON.parse(events) as [{ readonly id: string }];
    const tenant = values.find((value) => typeof value === "number");
    return { text: DELIVERED, values: [tenant, event.id, profileId, new Date()] };
  }
  throw new Error("The payment wrote no event");
}

const SESSIONS = "/api/v1/payment-sessions/";
let people = 0;

function session({ gatewayId, profileId }: Inside, name: string): object {
  return {
    gateway_id: gatewayId,
    webhook_profile_id: profileId,
    amount: "19.90",
    currency: "EUR",
    billing_type: "ONE_OFF",
    lead: { first_name: "Ada", last_name: "Example", email: `${name}${people}@example.com`, country: "DE" },
  };
}

function payment(iban: string): object {
  return { iban, iban_holder_name: "Ada Example" };
}

type Answer = Readonly<Record<string, string>>;
let addresses = 0;

async function call(app: App, path: string, key?: string, body?: object): Promise<Answer> {
  addresses += 1;
  const response = await app.server.app.inject({
    url: path,
    method: body === undefined ? "GET" : "POST",
    // Some limits count one call per second and address.
    remoteAddress: `10.0.${addresses >> 8}.${addresses & 255}`,
    headers: {
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    },
    ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
  });
  if (response.statusCode >= 300) throw new Error(`${path}: ${response.statusCode} ${response.body}`);
  return response.json<Answer>();
}
