/** An offer: what is sold, at what price and how it is billed. */
import {
  BILLING_DAYS,
  billingDayProblem,
  BILLING_TYPES,
  BILLING_FREQUENCIES,
  TRIAL_INTERVAL_UNITS,
  missingOfTrial,
} from "../../subscriptions/billing-terms.ts";
import { Type, type Static } from "../../lib/schema.ts";
import type { OfferRow } from "../../db/rows.ts";
import { amount, currency, nullable, oneOf, optionalText, text } from "../../http/fields.ts";
import { NullableText } from "../../http/response-fields.ts";
import { must } from "../../lib/assert.ts";
import { formatAmount, parseAmount } from "../../lib/money.ts";
import { FieldErrors } from "../../refusals.ts";
import { withoutAbsent, shownRecord, type RecordKind } from "../../management/resource.ts";
import { refuseProblems } from "../../management/problems.ts";
import { recordSchema } from "../../management/resource-schema.ts";
import { recordStore, type Settable } from "../../management/resource-store.ts";

/** Longer trials are taken for typing errors. */
export const TRIAL_PERIOD_MAX = 1_000;

/** The field `billing_day` of offers and sessions. */
export function billingDay() {
  return nullable(
    oneOf(BILLING_DAYS, {
      anyCase: true,
      description:
        "last: renewals are due on the last day of their month, whatever the day of the purchase. Needs a billing_frequency of months.",
    }),
  );
}

const Create = Type.Object(
  {
    name: text(255),
    price: amount(),
    currency: currency(),
    billing_type: oneOf(BILLING_TYPES, { anyCase: true }),
    billing_frequency: Type.Optional(nullable(oneOf(BILLING_FREQUENCIES, { anyCase: true }))),
    billing_day: Type.Optional(billingDay()),
    trial_interval_unit: Type.Optional(nullable(oneOf(TRIAL_INTERVAL_UNITS, { anyCase: true }))),
    trial_period: Type.Optional(nullable(Type.Integer({ minimum: 1, maximum: TRIAL_PERIOD_MAX }))),
    trial_price: Type.Optional(nullable(amount({ allowZero: true }))),
    product_name: Type.Optional(nullable(optionalText(255))),
    product_description: Type.Optional(nullable(optionalText(2_000))),
  },
  { $id: "OfferCreate" },
);
const Patch = Type.Partial(Create, { $id: "OfferPatch" });
const Offer = recordSchema("Offer", {
  name: Type.String(),
  price: Type.String(),
  currency: Type.String(),
  billing_type: Type.Enum([...BILLING_TYPES]),
  billing_frequency: nullable(Type.Enum([...BILLING_FREQUENCIES])),
  billing_day: nullable(Type.Enum([...BILLING_DAYS])),
  trial_interval_unit: nullable(Type.Enum([...TRIAL_INTERVAL_UNITS])),
  trial_period: nullable(Type.Integer()),
  trial_price: NullableText,
  product_name: NullableText,
  product_description: NullableText,
});

type Fields = Static<typeof Patch>;

const COLUMNS = [
  "name",
  "price",
  "currency",
  "billing_type",
  "billing_frequency",
  "billing_day",
  "trial_interval_unit",
  "trial_period",
  "trial_price",
  "product_name",
  "product_description",
] as const;

export const offerKind: RecordKind<OfferRow, Fields> = {
  resource: "offers",
  noun: "an offer",
  access: "settings",
  schemas: { create: Create, patch: Patch, record: Offer, created: Offer },
  store: recordStore<OfferRow>("offers", COLUMNS),
  defaults: () => ({}),
  change: (_write, given) =>
    withoutAbsent({
      name: given.name,
      price: twoDecimals(given.price),
      currency: given.currency,
      billing_type: chosen(BILLING_TYPES, given.billing_type),
      billing_frequency: chosen(BILLING_FREQUENCIES, given.billing_frequency),
      billing_day: chosen(BILLING_DAYS, given.billing_day),
      trial_interval_unit: chosen(TRIAL_INTERVAL_UNITS, given.trial_interval_unit),
      trial_period: given.trial_period,
      trial_price: twoDecimals(given.trial_price),
      product_name: given.product_name,
      product_description: given.product_description,
    }),
  check(_write, _given, values) {
    checkTrial(values);
    checkBillingDay(values);
  },
  render: (row) => shownRecord(row, COLUMNS),
  secrets: () => ({}),
};

/** The price and length of a trial must be given together (contract: Billing terms). */
function checkTrial(offer: Settable<OfferRow>): void {
  refuseProblems(missingOfTrial(offer));
}

function checkBillingDay({ billing_day: day, billing_frequency: frequency }: Settable<OfferRow>): void {
  const problem = billingDayProblem(day ?? null, frequency ?? null);
  if (problem !== null) throw new FieldErrors({ billing_day: [problem] });
}

/** The listed spelling of a choice; the schema accepts any case (contract: What the customer is shown). */
function chosen<T extends string, Absent extends null | undefined>(
  choices: readonly T[],
  given: string | Absent,
): T | Absent {
  if (given === null || given === undefined) return given;
  return must(
    choices.find((choice) => choice.toLowerCase() === given.toLowerCase()),
    "a choice that the schema allows",
  );
}

function twoDecimals<Absent extends null | undefined>(given: string | number | Absent): string | Absent {
  if (given === null || given === undefined) return given;
  return formatAmount(must(parseAmount(String(given)), "an amount that the schema allows"));
}
