/** A tenant: a merchant with keys, gateways and sessions of its own, made by the operator. */
import { Type, type Static } from "typebox";
import type { TenantRow } from "../../db/rows.ts";
import { country, nullable, oneOf, text } from "../../http/fields.ts";
import { canonicalLocale } from "../locale.ts";
import { refuseProblems } from "../problems.ts";
import { defined, shown, type RecordKind } from "../records/record.ts";
import { NullableText, recordSchema } from "../records/schema.ts";
import { tenantStore } from "./store.ts";

/** Decision S1. */
const LIFETIME_SECONDS = { minimum: 30 * 60, maximum: 30 * 24 * 60 * 60 };
const LIFETIME_SECONDS_DEFAULT = 24 * 60 * 60;

/** What the scheme asks for where creditor and debtor have agreed on nothing else (SDD rulebook, pre-notification). */
const PRE_NOTIFICATION_DAYS_DEFAULT = 14;

const Create = Type.Object(
  {
    name: text(255),
    country: Type.Optional(nullable(country())),
    creditor_identifier: Type.Optional(
      nullable(
        Type.String({
          pattern: "^[A-Z]{2}[0-9]{2}[A-Za-z0-9]{3}[A-Za-z0-9+?/:().,'-]{1,28}$",
          message: "Must be a SEPA creditor identifier, such as DE98ZZZ09999999999.",
        }),
      ),
    ),
    session_lifetime_seconds: Type.Optional(
      Type.Integer({ ...LIFETIME_SECONDS, description: `Default ${LIFETIME_SECONDS_DEFAULT}.` }),
    ),
    pre_notification_days: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 30,
        description: `How long before a renewal subscription.upcoming is told. Default ${PRE_NOTIFICATION_DAYS_DEFAULT}.`,
      }),
    ),
    subscription_after_chargeback: Type.Optional(
      oneOf(["cancel", "past_due", "keep"], {
        description: "What the chargeback of a payment does to its subscription. Default cancel.",
      }),
    ),
    subscription_after_refund: Type.Optional(
      oneOf(["cancel", "keep"], {
        description: "What the full refund of a payment does to its subscription. Default keep.",
      }),
    ),
    default_locale: Type.Optional(nullable(text(35, { description: "BCP 47, such as de-AT." }))),
  },
  { $id: "TenantCreate" },
);
const Patch = Type.Partial(Create, { $id: "TenantPatch" });
const FIELDS = {
  name: Type.String(),
  country: NullableText,
  creditor_identifier: NullableText,
  session_lifetime_seconds: Type.Integer(),
  default_locale: NullableText,
  pre_notification_days: Type.Integer(),
  subscription_after_chargeback: Type.String(),
  subscription_after_refund: Type.String(),
};
const Tenant = recordSchema("Tenant", FIELDS);
export const TenantWithKey = recordSchema("TenantWithKey", {
  ...FIELDS,
  api_key: Type.String({ description: "The tenant's first API key, with all scopes. Shown this once." }),
});

export type TenantFields = Static<typeof Patch>;

const COLUMNS = [
  "name",
  "country",
  "creditor_identifier",
  "session_lifetime_seconds",
  "default_locale",
  "pre_notification_days",
  "subscription_after_chargeback",
  "subscription_after_refund",
] as const;

export const tenantKind: RecordKind<TenantRow, TenantFields> = {
  resource: "tenants",
  noun: "a tenant",
  access: "operator",
  schemas: { create: Create, patch: Patch, record: Tenant, created: TenantWithKey },
  store: tenantStore,
  defaults: () => ({
    session_lifetime_seconds: LIFETIME_SECONDS_DEFAULT,
    pre_notification_days: PRE_NOTIFICATION_DAYS_DEFAULT,
    subscription_after_chargeback: "cancel",
    subscription_after_refund: "keep",
  }),
  // Field by field: a body may hold more than the schema knows, such as another tenant's number.
  change: (_write, given) =>
    defined({
      name: given.name,
      country: given.country,
      creditor_identifier: given.creditor_identifier,
      session_lifetime_seconds: given.session_lifetime_seconds,
      pre_notification_days: given.pre_notification_days,
      subscription_after_chargeback: given.subscription_after_chargeback,
      subscription_after_refund: given.subscription_after_refund,
      default_locale: localeOf(given.default_locale),
    }),
  check: (_write, { default_locale: locale }) =>
    refuseProblems({
      default_locale:
        locale && canonicalLocale(locale) === null ? "Enter a language tag such as de-AT." : null,
    }),
  render: (row) => shown(row, COLUMNS),
  secrets: () => ({}),
};

function localeOf(locale: string | null | undefined): string | null | undefined {
  return typeof locale === "string" ? (canonicalLocale(locale) ?? locale) : locale;
}
