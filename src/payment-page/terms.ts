/** The billing terms on a session's page. Pure. */
import { centsFromDatabase } from "../lib/money.ts";
import type { BillingTerms } from "../subscriptions/subscription.ts";
import type { PageRow } from "./store.ts";

export function billingTermsOf(row: PageRow): BillingTerms {
  return {
    billingType: row.billing_type,
    billingFrequency: row.billing_frequency,
    trialIntervalUnit: row.trial_interval_unit,
    trialPeriod: row.trial_period,
    trialPrice: row.trial_price === null ? null : centsFromDatabase(row.trial_price),
    amount: centsFromDatabase(row.amount),
  };
}
