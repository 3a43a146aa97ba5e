/** A new subscription: its first dates are computed from the purchase (contract: Billing terms). */
import { centsFromDatabase, type Cents } from "../lib/money.ts";
import type { BillingDay, BillingType, BillingFrequency, TrialIntervalUnit } from "./billing-terms.ts";
import { dueDate, trialEnd } from "./schedule.ts";
import { utcDate, type IsoDate } from "../lib/dates.ts";

export type { BillingType };

/** The terms of a purchase and its renewals. */
export interface BillingTerms {
  readonly billingType: BillingType;
  /** Null: the merchant triggers each renewal. */
  readonly billingFrequency: BillingFrequency | null;
  readonly billingDay: BillingDay | null;
  readonly trialIntervalUnit: TrialIntervalUnit | null;
  readonly trialPeriod: number | null;
  readonly trialPrice: Cents | null;
  readonly amount: Cents;
}

/** The terms in a session's row. */
interface BillingColumns {
  readonly billing_type: BillingType;
  readonly billing_frequency: BillingFrequency | null;
  readonly billing_day: BillingDay | null;
  readonly trial_interval_unit: TrialIntervalUnit | null;
  readonly trial_period: number | null;
  readonly trial_price: string | null;
  readonly amount: string;
}

export function billingTermsOf(row: BillingColumns): BillingTerms {
  return {
    billingType: row.billing_type,
    billingFrequency: row.billing_frequency,
    billingDay: row.billing_day,
    trialIntervalUnit: row.trial_interval_unit,
    trialPeriod: row.trial_period,
    trialPrice: row.trial_price === null ? null : centsFromDatabase(row.trial_price),
    amount: centsFromDatabase(row.amount),
  };
}

interface FirstDates {
  readonly trialEndDate: IsoDate | null;
  readonly billingAnchorDate: IsoDate;
  readonly nextBillingDate: IsoDate | null;
}

/** What the customer pays today: the price, or the price of the trial (0 asks for the mandate only). */
export function firstAmount(terms: BillingTerms): Cents {
  return terms.billingType === "TRIAL_RECURRING" ? (terms.trialPrice ?? (0 as Cents)) : terms.amount;
}

/**
 * The dates of a subscription bought at `at`.
 * @param terms must not be one-off, which has none.
 */
export function firstDates(terms: BillingTerms, at: Date): FirstDates {
  const start = utcDate(at);
  if (
    terms.trialIntervalUnit !== null &&
    terms.trialPeriod !== null &&
    terms.billingType === "TRIAL_RECURRING"
  ) {
    const end = trialEnd(start, terms.trialIntervalUnit, terms.trialPeriod);
    return { trialEndDate: end, billingAnchorDate: end, nextBillingDate: end };
  }
  const { billingFrequency, billingDay } = terms;
  return {
    trialEndDate: null,
    billingAnchorDate: start,
    nextBillingDate: billingFrequency === null ? null : dueDate(start, billingFrequency, 1, billingDay),
  };
}
