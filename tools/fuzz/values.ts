/** Values for a schema: by the field's name if a real value passes more checks, else by the schema. */
import { IBAN } from "../../tests/support/merchant.ts";
import type { Document, Schema } from "./document.ts";
import type { Random } from "../random.ts";
import {
  daysAgo,
  POSTBACK_SECRET,
  READ_TOKEN,
  SIGNING_SECRET,
  type Pool,
  type Tenant,
  type World,
} from "./world.ts";

export interface Maker {
  readonly random: Random;
  readonly document: Document;
  readonly world: World;
  /** The owner of the referenced records. */
  readonly tenant: Tenant;
  /** A number that is unique to the case. */
  readonly index: number;
}

/** The records for ids in bodies and queries. */
const POOL_OF_FIELD: Readonly<Record<string, Pool>> = {
  campaign_id: "campaigns",
  gateway_id: "gateways",
  payment_gateway_id: "gateways",
  offer_id: "offers",
  hosted_page_id: "hosted-pages",
  payment_link_id: "payment-links",
  webhook_profile_id: "webhook-profiles",
  profile: "webhook-profiles",
  transaction_id: "transactions",
  resource_id: "gateways",
};
/** The account with three seconds of delay is slow by design. */
const IBANS = Object.entries(IBAN)
  .filter(([name]) => name !== "slow")
  .map(([, iban]) => iban);

type Make = (maker: Maker) => unknown;

const BY_NAME: Readonly<Record<string, Make>> = {
  iban: ({ random }) => spelled(random, random.chance(0.7) ? random.pick(IBANS) : germanIban(random)),
  iban_holder_name: ({ random }) =>
    random.pick(["Ada Example", "Jörg Müller-Lüdenscheidt", "Ελένη Παπαδοπούλου"]),
  holder: () => "Ada Example",
  tenant_reference_id: ({ random, index }) =>
    random.chance(0.8) ? `order-${index}-${random.integer(0, 9)}` : "order-shared",
  adapter: () => "sandbox",
  test_mode: () => true,
  settings: () => ({}),
  credentials: () => null,
  content: () => ({ title: "Pay", de: { title: "Zahlen" } }),
  offer_overrides: () => ({}),
  url: ({ world }) => world.receiverUrl,
  read_url: ({ random, world }) => random.pick([world.receiverUrl, "https://partner.invalid/list", null]),
  read_token: () => READ_TOKEN,
  postback_secret: () => POSTBACK_SECRET,
  signing_secret: () => SIGNING_SECRET,
  logo_url: () => "https://shop.example.com/logo.png",
  success_redirect_url: () => "https://shop.example.com/thanks?order=1",
  failure_redirect_url: () => "https://shop.example.com/sorry",
  frame_origins: () => ["https://shop.example.com"],
  locale: ({ random }) => random.pick(["de-AT", "en", "el", "ro", null]),
  default_locale: ({ random }) => random.pick(["de-AT", "en", null]),
  creditor_identifier: () => "DE98ZZZ09999999999",
  email: ({ index }) => `fuzz${index}@example.com`,
  country: ({ random }) => random.pick(["DE", "FR", "AT"]),
  currency: () => "EUR",
  customer_ip: ({ random }) => random.pick(["203.0.113.7", "2001:db8::1"]),
  primary_color: () => "#0a7",
  accent_color: () => "#00aa7788",
  payload_fields: () => ({ order: "order_number", paid: "amount" }),
  verification_id: ({ random, tenant }) =>
    tenant.verifications.length === 0 ? null : random.pick(tenant.verifications),
  start_date: ({ random }) => daysAgo(random.integer(0, 60)),
  end_date: () => daysAgo(0),
  from: ({ random }) => daysAgo(random.integer(0, 60)),
  to: () => daysAgo(-1),
  report_date: () => daysAgo(0),
  // A clock is moved by whole days, of a separate tenant.
  date: ({ random }) => daysAgo(-random.integer(1, 40)),
  expires_at: () => "2099-01-01T00:00:00Z",
  lang: ({ random }) => random.pick(["de", "en", "el", "ro", "xx"]),
  state: ({ random }) => random.pick(["pending", "declined", "completed", "expired", "verification"]),
  link: ({ tenant }) => tenant.previewLink,
  mapping: () => "{}",
  our_ref: ({ random, tenant }) => (tenant.tokens.length === 0 ? "x" : random.pick(tenant.tokens)),
  request_uuid: ({ index }) => `fuzz-${index}`,
  amount: ({ random }) => random.pick(["9.90", "0.01", "1", "19.90", "99999999.99"]),
  trial_price: ({ random }) => random.pick(["0.00", "1.00"]),
  interval: () => 1,
};

/** A body, parameter or part of one. */
export function valueOf(maker: Maker, given: Schema, name = ""): unknown {
  const { random, document, tenant } = maker;
  const schema = document.resolve(given);
  const pool = POOL_OF_FIELD[name];
  if (pool !== undefined && tenant.ids[pool].length > 0) return random.pick(tenant.ids[pool]);
  const own = Object.hasOwn(BY_NAME, name) ? BY_NAME[name] : undefined;
  if (own !== undefined) return own(maker);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return random.pick(schema.enum);
  if (schema.anyOf !== undefined) return valueOf(maker, random.pick(schema.anyOf), name);
  const types = typeof schema.type === "string" ? [schema.type] : (schema.type ?? ["string"]);
  if (types.includes("null") && random.chance(0.2)) return null;
  return ofType(maker, schema, types.find((type) => type !== "null") ?? "null", name);
}

function ofType(maker: Maker, schema: Schema, type: string, name: string): unknown {
  const { random } = maker;
  if (type === "null") return null;
  if (type === "boolean") return random.chance(0.5);
  if (type === "integer" || type === "number") {
    const { minimum = 0, maximum = minimum + 1_000 } = schema;
    return random.chance(0.2) ? random.pick([minimum, maximum]) : random.integer(minimum, maximum);
  }
  if (type === "array") {
    const { items } = schema;
    if (items === undefined) return [];
    const made = Array.from({ length: random.integer(1, 3) }, () => valueOf(maker, items, name));
    return [...new Set(made)];
  }
  return type === "object" ? objectOf(maker, schema) : textOf(maker, schema, name);
}

function objectOf(maker: Maker, schema: Schema): Record<string, unknown> {
  const required = new Set(schema.required);
  const body: Record<string, unknown> = {};
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    if (required.has(name) || maker.random.chance(0.5)) body[name] = valueOf(maker, property, name);
  }
  return body;
}

function textOf(
  { random, index }: Maker,
  { format, pattern, description = "" }: Schema,
  name: string,
): string {
  if (format === "uuid") return "018f0000-0000-7000-8000-000000000000";
  if (format === "date") return daysAgo(random.integer(0, 30));
  if (format === "date-time" || format === "date-or-time") return `${daysAgo(-1)}T00:00:00Z`;
  if (format === "amount" || format === "amount-or-zero") return random.pick(["9.90", "100.00"]);
  const choices = /^One of ([^.]*?), in any case/.exec(description)?.[1]?.split(", ") ?? listed(pattern);
  if (choices !== null) return random.pick(choices);
  return random.pick([`${name} ${index}`, `Größe ${index}`, "x"]);
}

/** The alternatives of a pattern such as `^(a|b)(,(a|b))*$`. */
function listed(pattern: string | undefined): readonly string[] | null {
  const [, words] = /^\^\(([\w|]+)\)/.exec(pattern ?? "") ?? [];
  return words?.split("|") ?? null;
}

/** An account without an owner at an existing bank. */
function germanIban(random: Random): string {
  const account = `37040044${String(random.integer(1_000_000, 9_999_999)).padStart(10, "0")}`;
  const check = 98n - (BigInt(`${account}131400`) % 97n);
  return `DE${String(check).padStart(2, "0")}${account}`;
}

function spelled(random: Random, iban: string): string {
  if (random.chance(0.7)) return iban;
  return random.pick([
    iban.toLowerCase(),
    iban.replace(/(.{4})/g, "$1 ").trim(),
    iban.replace(/(.{4})/g, "$1-"),
  ]);
}
