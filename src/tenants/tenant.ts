/** A tenant: a merchant with keys, gateways and sessions of its own, made by the operator. */
import { Type, type Static } from "../lib/schema.ts";
import type { TenantRow } from "../db/rows.ts";
import { amount, country, creditorIdentifier, email, nullable, oneOf, text } from "../http/fields.ts";
import { NullableText } from "../http/response-fields.ts";
import { MESSAGE_KINDS } from "../messages/outbox.ts";
import { writtenCreditorIdentifier } from "../sepa/creditor-identifier.ts";
import { RETURN_ACTIONS, rulesProblem } from "../sepa/reasons.ts";
import { canonicalLocale, localeProblem } from "../management/locale.ts";
import { withoutAbsent, shownRecord, type RecordKind } from "../management/resource.ts";
import { recordSchema } from "../management/resource-schema.ts";
import { RETRY_DAYS_DEFAULT, retryDaysOf, SALARY_DAY } from "./retry-days.ts";
import { SETTABLE, tenantStore } from "./store.ts";

/** (contract: Session lifetime) */
export const LIFETIME_SECONDS = { minimum: 30 * 60, maximum: 30 * 24 * 60 * 60 };
const LIFETIME_SECONDS_DEFAULT = 24 * 60 * 60;

/** The scheme's days where creditor and debtor have agreed on nothing else (SDD rulebook, pre-notification). */
const PRE_NOTIFICATION_DAYS_DEFAULT = 14;

const TOKEN_DETAIL_DAYS_DEFAULT = 30;
const STEP_UP_REFUNDS_ABOVE_DEFAULT = "200.00";

/** A limit on payments; null for the default. */
function most(what: string, otherwise: string) {
  const description = `Maximum number of ${what} within 24 hours; 429 beyond it. Default ${otherwise}.`;
  return Type.Optional(nullable(Type.Integer({ minimum: 1, maximum: 1_000_000, description })));
}

/** A limit on different accounts; null for none. */
function accountsMost(who: string) {
  const description = `Maximum number of different accounts that ${who} may try within 24 hours. From half of it on a further one is accepted a minute after the last; 429 before that and beyond it. Default null: no limit.`;
  return Type.Optional(nullable(Type.Integer({ minimum: 2, maximum: 1_000, description })));
}

const RetryDay = Type.Union([Type.Integer({ minimum: 1, maximum: 30 }), Type.Literal(SALARY_DAY)]);

const Create = Type.Object(
  {
    name: text(255),
    country: Type.Optional(nullable(country())),
    address: Type.Optional(
      nullable(text(500, { description: "Street and number. Shown in mandates if the city is set." })),
    ),
    postal_code: Type.Optional(nullable(text(20))),
    city: Type.Optional(nullable(text(255))),
    creditor_identifier: Type.Optional(nullable(creditorIdentifier())),
    session_lifetime_seconds: Type.Optional(
      Type.Integer({ ...LIFETIME_SECONDS, description: `Default ${LIFETIME_SECONDS_DEFAULT}.` }),
    ),
    pre_notification_days: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 30,
        description: `How long before a debit it is announced: what mandates agree on where their gateway says nothing else, and when subscription.upcoming is sent. Default ${PRE_NOTIFICATION_DAYS_DEFAULT}.`,
      }),
    ),
    subscription_after_chargeback: Type.Optional(
      oneOf(["cancel", "past_due", "keep"], {
        description: "Effect of a chargeback on the payment's subscription. Default cancel.",
      }),
    ),
    subscription_after_refund: Type.Optional(
      oneOf(["cancel", "keep"], {
        description: "Effect of a full refund on the payment's subscription. Default keep.",
      }),
    ),
    closed_day: Type.Optional(
      oneOf(["next", "previous"], {
        description:
          "When a renewal is collected that is due on a day on which banks are closed: on the next open day, or on the previous one. The end of a trial is never collected earlier. Default next.",
      }),
    ),
    retry_days: Type.Optional(
      Type.Array(RetryDay, {
        maxItems: 2,
        description: `When a renewal that failed for lack of funds is tried again: so many days after the first attempt and after the second, or on the next ${SALARY_DAY} (the 1st, the 15th or the last day of a month on which banks are open). Empty: never. Default [3, 7].`,
      }),
    ),
    return_rules: Type.Optional(
      Type.Record(Type.String({ maxLength: 35 }), Type.Enum([...RETURN_ACTIONS]), {
        maxProperties: 100,
        description:
          "What follows a bank's reason code, by the code: retry, ask_customer, end_subscription, end_mandate or block_account. Codes that are left out have their default; management/statistics/return-rules/ shows it, and what may be chosen. Default {}.",
      }),
    ),
    iban_payments_max: most("payments with one account", "10, none in test mode"),
    lead_payments_max: most("payments of one customer (e-mail address)", "20, none in test mode"),
    address_payments_max: most("payments from one customer's address", "50, none in test mode"),
    invalid_ibans_max: most("IBANs that cannot be debited on one session", "30"),
    lead_accounts_max: accountsMost("one customer (e-mail address)"),
    address_accounts_max: accountsMost("customers from one address"),
    device_accounts_max: accountsMost("customers with one browser, on the service's own pages,"),
    ask_about_duplicates: Type.Optional(
      Type.Boolean({
        description:
          "Asks before a customer pays the same amount twice within 24 hours: 409 duplicate_payment, unless confirm_duplicate is sent; the payment page asks the customer. Default false.",
      }),
    ),
    token_detail_days: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 3_650,
        description: `Days after a session's end during which its token shows more than status, amount and currency. Default ${TOKEN_DETAIL_DAYS_DEFAULT}.`,
      }),
    ),
    step_up_refunds_above: Type.Optional(
      amount({
        allowZero: true,
        description: `A person who refunds more than this in the console shows the second factor again. Default ${STEP_UP_REFUNDS_ABOVE_DEFAULT}.`,
      }),
    ),
    refund_hold_days: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 400,
        description:
          "So many days after it was collected a payment may come back: until then a refund of it is held, unless a person releases it. 10 cover what the customer's bank may return, 57 what a consumer may reclaim. Default 0: refunds are never held.",
      }),
    ),
    redirect_hosts: Type.Optional(
      Type.Array(
        Type.String({
          pattern: "^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$",
          message: "Must be a host such as shop.example.com.",
        }),
        {
          maxItems: 50,
          description: "Hosts that a session's own redirect URLs may send its customer to.",
        },
      ),
    ),
    messages: Type.Optional(
      Type.Array(oneOf(MESSAGE_KINDS), {
        maxItems: MESSAGE_KINDS.length,
        uniqueItems: true,
        description: "What the service tells this tenant's customers by e-mail. Default: nothing.",
      }),
    ),
    message_sender: Type.Optional(
      nullable(text(100, { description: "The sender's name in messages. Default: the tenant's." })),
    ),
    message_address: Type.Optional(
      nullable(email({ description: "The sender's address in messages. Default: the service's own." })),
    ),
    message_reply_to: Type.Optional(
      nullable(email({ description: "Where answers to messages go. Default: to the sender." })),
    ),
    notice_check: Type.Optional(
      oneOf(["off", "report", "refuse"], {
        description:
          "What happens when a renewal is due and its customer was not notified in time: nothing, a line in the books check, or no collection until the customer has been notified. Default report.",
      }),
    ),
    default_locale: Type.Optional(nullable(text(35, { description: "BCP 47, such as de-AT." }))),
  },
  { $id: "TenantCreate" },
);
const Patch = Type.Partial(Create, { $id: "TenantPatch" });
const ReturnRulesRecord = Type.Record(Type.String(), Type.Enum([...RETURN_ACTIONS]));
const FIELDS = {
  name: Type.String(),
  country: NullableText,
  address: NullableText,
  postal_code: NullableText,
  city: NullableText,
  creditor_identifier: NullableText,
  session_lifetime_seconds: Type.Integer(),
  default_locale: NullableText,
  pre_notification_days: Type.Integer(),
  subscription_after_chargeback: Type.String(),
  subscription_after_refund: Type.String(),
  closed_day: Type.String(),
  retry_days: Type.Array(RetryDay),
  return_rules: ReturnRulesRecord,
  iban_payments_max: nullable(Type.Integer()),
  lead_payments_max: nullable(Type.Integer()),
  address_payments_max: nullable(Type.Integer()),
  invalid_ibans_max: nullable(Type.Integer()),
  lead_accounts_max: nullable(Type.Integer()),
  address_accounts_max: nullable(Type.Integer()),
  device_accounts_max: nullable(Type.Integer()),
  ask_about_duplicates: Type.Boolean(),
  token_detail_days: Type.Integer(),
  step_up_refunds_above: Type.String(),
  refund_hold_days: Type.Integer(),
  redirect_hosts: Type.Array(Type.String()),
  messages: Type.Array(Type.Enum([...MESSAGE_KINDS])),
  message_sender: NullableText,
  message_address: NullableText,
  message_reply_to: NullableText,
  notice_check: Type.String(),
};
const Tenant = recordSchema("Tenant", FIELDS);
export const TenantWithKey = recordSchema("TenantWithKey", {
  ...FIELDS,
  api_key: Type.String({ description: "The tenant's first API key, with all scopes. Shown only once." }),
});

export type TenantFields = Static<typeof Patch>;

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
    closed_day: "next",
    retry_days: RETRY_DAYS_DEFAULT,
    return_rules: {},
    token_detail_days: TOKEN_DETAIL_DAYS_DEFAULT,
    step_up_refunds_above: STEP_UP_REFUNDS_ABOVE_DEFAULT,
    refund_hold_days: 0,
    ask_about_duplicates: false,
    redirect_hosts: [],
    messages: [],
    notice_check: "report",
  }),
  // Field by field: a body may hold more than the schema knows, such as another tenant's number.
  change: (_write, given) =>
    withoutAbsent({
      name: given.name,
      country: given.country,
      address: given.address,
      postal_code: given.postal_code,
      city: given.city,
      creditor_identifier: given.creditor_identifier && writtenCreditorIdentifier(given.creditor_identifier),
      session_lifetime_seconds: given.session_lifetime_seconds,
      pre_notification_days: given.pre_notification_days,
      subscription_after_chargeback: given.subscription_after_chargeback,
      subscription_after_refund: given.subscription_after_refund,
      closed_day: given.closed_day,
      retry_days: given.retry_days?.map(String),
      return_rules: given.return_rules,
      iban_payments_max: given.iban_payments_max,
      lead_payments_max: given.lead_payments_max,
      address_payments_max: given.address_payments_max,
      invalid_ibans_max: given.invalid_ibans_max,
      lead_accounts_max: given.lead_accounts_max,
      address_accounts_max: given.address_accounts_max,
      device_accounts_max: given.device_accounts_max,
      ask_about_duplicates: given.ask_about_duplicates,
      token_detail_days: given.token_detail_days,
      step_up_refunds_above: given.step_up_refunds_above,
      refund_hold_days: given.refund_hold_days,
      redirect_hosts: given.redirect_hosts,
      messages: given.messages,
      message_sender: given.message_sender,
      message_address: given.message_address,
      message_reply_to: given.message_reply_to,
      notice_check: given.notice_check,
      default_locale: localeOf(given.default_locale),
    }),
  problems: ({ mail }, { default_locale: locale, messages, return_rules: rules }) => ({
    return_rules: rules === undefined ? null : rulesProblem(rules),
    default_locale: localeProblem(locale),
    messages:
      mail === null && (messages?.length ?? 0) > 0
        ? "This service sends no e-mail: its operator has set no SMTP_URL."
        : null,
  }),
  render: (row) => ({ ...shownRecord(row, SETTABLE), retry_days: retryDaysOf(row.retry_days) }),
  secrets: () => ({}),
};

function localeOf(locale: string | null | undefined): string | null | undefined {
  return typeof locale === "string" ? (canonicalLocale(locale) ?? locale) : locale;
}
