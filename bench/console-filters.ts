/** Every filter of the console's lists: with values that most records, few records and no record has. */
import type pg from "pg";
import { EVENT_TYPES } from "../src/webhooks/events.ts";
import { LOGGED_METHODS, LOGGED_STATUSES } from "../src/management/request-log/schemas.ts";
import { MANDATE_STATUSES, SCHEMES } from "../src/mandates/mandate.ts";
import { SHOWN_STATUSES, TRANSACTION_TYPES } from "../src/payments/transaction.ts";

const NOBODYS = "00000000-0000-4000-8000-000000000000";
const DAY_MS = 86_400_000;

/** The addresses of all filters, of combinations, and of the API's lists with the same filters. */
export async function filtersOf(client: pg.Client, tenant: number): Promise<readonly string[]> {
  const values = await valuesOf(client, tenant);
  const of = (path: string, filters: readonly string[]) => filters.map((filter) => `${path}?${filter}`);
  const each = (name: string, given: readonly string[]) => given.map((value) => `${name}=${value}`);
  const day = (daysAgo: number) => new Date(Date.now() - daysAgo * DAY_MS).toISOString().slice(0, 10);
  const old = `from=${day(89)}&to=${day(88)}`;
  return [
    ...of("/console/payments/", [
      ...each("status", [...SHOWN_STATUSES, "pending,declined"]),
      ...each("type", TRANSACTION_TYPES),
      ...each("reason", values.reasons),
      ...each("reason", values.reasons).flatMap((reason) => [
        `${reason}&status=approved`,
        `${reason}&status=declined,charged_back`,
        `${reason}&${old}`,
        `${reason}&country=DE`,
        `${reason}&gateway_id=${NOBODYS}`,
      ]),
      ...each("gateway_id", values.gateways),
      ...each("country", ["DE", "MT"]),
      ...each("iban_last4", ["3000", "0001"]),
      ...each("campaign_id", [NOBODYS]),
      ...each("payment_link_id", [NOBODYS]),
      ...each("email", [values.email, "nobody@example.com"]),
      ...each("lead_id", [values.lead, NOBODYS]),
      ...each("subscription_id", [values.subscription]),
      ...each("mandate_id", [values.mandate]),
      ...each("session_id", [values.session]),
      ...each("held", ["true", "false"]),
      "amount_min=9999",
      "amount_max=0.01",
      "amount_min=1&amount_max=99999",
      old,
      `${old}&status=pending`,
      `${old}&type=sdd_refund`,
      "to=2001-01-01",
    ]),
    ...of("/console/payments/export/", each("reason", values.reasons)),
    ...of("/console/customers/", [
      ...each("country", ["DE", "MT"]),
      ...each("name", ["a", "Ada", "xyzzy"]),
      ...each("email", [values.email, "nobody@example.com"]),
    ]),
    ...of("/console/subscriptions/", [
      ...each("status", ["ACTIVE", "PAST_DUE", "CANCELLED"]),
      ...each("email", [values.email, "nobody@example.com"]),
      `next_billing_date_from=${day(-1)}&next_billing_date_to=${day(-2)}`,
      "next_billing_date_to=2001-01-01",
      "next_billing_date_from=2099-01-01",
      ...each("campaign_stopped", ["true", "false"]),
      ...each("collected_twice", ["true", "false"]),
    ]),
    ...of("/console/mandates/", [
      ...each("status", MANDATE_STATUSES),
      ...each("scheme", SCHEMES),
      ...each("lapsing", ["true", "false"]),
      ...each("lapsing=true&scheme", SCHEMES),
      ...each("account_blocked", ["true", "false"]),
      ...each("reference", [values.reference, "NOBODYS"]),
      ...each("email", [values.email, "nobody@example.com"]),
      old,
    ]),
    ...of("/console/chargebacks/", [
      ...each("reason", ["MD06", "AM04"]),
      ...each("gateway_id", values.gateways),
      ...each("campaign_id", [NOBODYS]),
      ...each("bic", ["COBADEFF", "XXXXDE00"]),
      ...each("linked", ["true", "false"]),
      old,
    ]),
    ...of("/console/developers/deliveries/", [
      ...each("status", ["pending", "delivered", "failing", "exhausted"]),
      ...each("profile", values.receivers),
      ...each("event", EVENT_TYPES),
      old,
    ]),
    ...of("/console/developers/events/", [...each("type", EVENT_TYPES), old]),
    ...of("/console/developers/requests/", [
      ...each("status", LOGGED_STATUSES),
      ...each("method", LOGGED_METHODS),
      ...each("api_key_id", [values.key, NOBODYS]),
      "request_id=nobodys",
    ]),
    ...of("/console/setup/audit-log/", [...each("actor", ["service", "nobody"]), old]),
    ...of("/console/bank/", ["status=unclear", "direction=in", `gateway_id=${NOBODYS}`]),
    ...of("/console/bank/unmatched/", each("status", ["open", "applied"])),
    ...of("/console/bank/statements/", ["gap=true"]),
  ];
}

/** Values that records have, and ones that no record has. */
async function valuesOf(client: pg.Client, tenant: number) {
  const texts = async (text: string): Promise<readonly string[]> =>
    (await client.query<{ value: string }>(text, [tenant])).rows.map(({ value }) => value);
  const [lead = NOBODYS, email = "", session = "", mandate = "", reference = "", subscription = ""] =
    await texts(
      `select unnest(array[l.id::text, l.email, m.session_id::text, m.id::text, m.reference, u.id::text]) as value
         from (select * from subscriptions where tenant = $1 order by created_at limit 1) u
         join mandates m on m.tenant = $1 and m.id = u.mandate_id
         join leads l on l.tenant = $1 and l.id = u.lead_id`,
    );
  return {
    lead,
    email: encodeURIComponent(email),
    session,
    mandate,
    reference,
    subscription,
    key:
      (
        await texts("select id::text as value from api_keys where tenant = $1 order by created_at limit 1")
      )[0] ?? "",
    gateways: [...(await texts("select id::text as value from gateways where tenant = $1")), NOBODYS],
    receivers: [
      ...(await texts("select id::text as value from webhook_profiles where tenant = $1")),
      NOBODYS,
    ],
    reasons: ["insufficient_funds", "MD06", "AM04", "nobodys"],
  };
}
