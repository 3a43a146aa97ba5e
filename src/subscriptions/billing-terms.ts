/** Billing terms of a subscription: one-off or recurring, frequency and trial (contract: Billing terms). */
import type { FieldMessages } from "../refusals.ts";

export const BILLING_TYPES = ["ONE_OFF", "RECURRING", "TRIAL_RECURRING"] as const;
export const BILLING_FREQUENCIES = [
  "WEEKLY",
  "BIWEEKLY",
  "MONTHLY",
  "QUARTERLY",
  "SEMIANNUALLY",
  "YEARLY",
] as const;
/** For frequencies in months: due on each month's last day instead of the anchor's. */
export const BILLING_DAYS = ["last"] as const;
export const TRIAL_INTERVAL_UNITS = ["day", "week", "month"] as const;
export type BillingType = (typeof BILLING_TYPES)[number];
export type BillingFrequency = (typeof BILLING_FREQUENCIES)[number];
export type BillingDay = (typeof BILLING_DAYS)[number];
export type TrialIntervalUnit = (typeof TRIAL_INTERVAL_UNITS)[number];

/** The missing terms of a trial. */
export function missingOfTrial(terms: {
  readonly billing_type?: BillingType | null;
  readonly trial_interval_unit?: TrialIntervalUnit | null;
  readonly trial_period?: number | null;
}): FieldMessages {
  if (terms.billing_type !== "TRIAL_RECURRING") return {};
  const missing = (["trial_interval_unit", "trial_period"] as const).filter(
    (field) => (terms[field] ?? null) === null,
  );
  return Object.fromEntries(
    missing.map((field) => [field, ["This field is required with TRIAL_RECURRING."]]),
  );
}

/** Why a billing day is invalid; null if it is valid. */
export function billingDayProblem(day: BillingDay | null, frequency: BillingFrequency | null): string | null {
  const isOfMonths = frequency !== null && frequency !== "WEEKLY" && frequency !== "BIWEEKLY";
  return day === null || isOfMonths ? null : "Needs a billing_frequency of months.";
}
