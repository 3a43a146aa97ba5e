/** The body of a case: made by the schema, then perhaps damaged. */
import { IBAN, lead } from "../../tests/support/merchant.ts";
import type { Case, Fresh } from "./case.ts";
import { formBody } from "./form.ts";
import { headerText } from "./headers.ts";
import { bytesOf, hostileText, mutated, textOf } from "./mutate.ts";
import { encoded } from "./path.ts";
import type { Random } from "../random.ts";
import type { Outgoing } from "./send.ts";
import { valueOf } from "./values.ts";
import { statement, type Tenant } from "./world.ts";

export function withBody(made: Case, fresh: Fresh, outgoing: Outgoing): Outgoing {
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

/** Creating a session has rules between fields that the schema does not contain. */
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
      billing_day: _d,
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
  if (operation.path.endsWith("payment-links/")) return { ...body, ...linkTerms(random, tenant) };
  if (operation.path.endsWith("offers/")) return { ...body, ...billing(random) };
  return body;
}

function pricing(random: Random, tenant: Tenant): object {
  if (random.chance(0.4) && tenant.ids.campaigns.length > 0)
    return { campaign_id: random.pick(tenant.ids.campaigns) };
  const { offer: _offer, ...rest } = { offer: 0, ...billing(random) };
  return { gateway_id: tenant.ids.gateways[0], amount: "19.90", currency: "EUR", ...rest };
}

function linkTerms(random: Random, tenant: Tenant): object {
  const none = {
    campaign_id: null,
    amount: null,
    amount_min: null,
    amount_max: null,
    amount_suggested: null,
  };
  const gateway_id = tenant.ids.gateways[0];
  return random.pick<object>([
    { ...none, gateway_id, amount: "5.00" },
    { ...none, gateway_id, amount_min: "1.00", amount_max: "9.00", amount_suggested: "5.00" },
    { ...none, gateway_id: null, campaign_id: random.pick(tenant.ids.campaigns) },
  ]);
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
  if (operation.path.endsWith("sepa-files/") && random.chance(0.9))
    fields["gateway_id"] = made.tenant.ids.gateways[1];
  const sent = random.chance(0.6) ? fields : (mutated(random, corpus, fields) as Record<string, unknown>);
  const entries = Object.entries(sent).map(([name, value]) => [headerText(name), textOf(value)]);
  const name = random.chance(0.9) ? "january.csv" : headerText(random.pick(corpus.strings)).slice(0, 300);
  const file = fileOf(made);
  const whole = formBody(
    Object.fromEntries(entries) as Record<string, string>,
    random.chance(0.96) ? file : null,
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

/** A body for the endpoint, valid in most cases. */
function fileOf(made: Case): Buffer {
  const { random, corpus, operation, index } = made;
  if (operation.path.endsWith("sepa-files/")) {
    const good = statement([`FUZZ-${index}`]);
    if (random.chance(0.7)) return good;
    const at = random.integer(0, good.length);
    return Buffer.concat([good.subarray(0, at), Buffer.from(random.pick(corpus.strings)), good.subarray(at)]);
  }
  if (operation.path.endsWith("mandates/import/") && random.chance(0.7)) {
    const row = `MND-FUZZ-${index},2026-01-05,Ada Example,${IBAN.approved},fuzz${index}@example.com`;
    return Buffer.from(`reference,signed_on,holder_name,iban,email\n${row}\n`);
  }
  return csvOf(made);
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
