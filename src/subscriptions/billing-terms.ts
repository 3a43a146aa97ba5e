/** Billing terms of a subscription: one-off or recurring, frequency and trial (contract: Billing terms). */

export const BILLING_TYPES = ["ONE_OFF", "RECURRING", "TRIAL_RECURRING"] as const;
export const BILLING_FREQUENCIES = [
  "WEEKLY",
  "BIWEEKLY",
  "MONTHLY",
  "QUARTERLY",
  "SEMIANNUALLY",
  "YEARLY",
] as const;
export const TRIAL_INTERVAL_UNITS = ["day", "week", "month"] as const;
export type BillingType = (typeof BILLING_TYPES)[number];
export type BillingFrequency = (typeof BILLING_FREQUENCIES)[number];
export type TrialIntervalUnit = (typeof TRIAL_INTERVAL_UNITS)[number];
