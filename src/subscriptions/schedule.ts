/**
 * When a subscription is due: dates only, always counted from the anchor, never from the previous date (contract: Due
 * dates).
 */
import { assert } from "../lib/assert.ts";
import { addDays, type IsoDate } from "../lib/dates.ts";
import { addTargetDays, targetDayFrom, targetDayUntil } from "../sepa/target.ts";
import type { BillingDay, BillingFrequency, TrialIntervalUnit } from "./billing-terms.ts";

const CYCLE: Readonly<Record<BillingFrequency, { readonly weeks?: number; readonly months?: number }>> = {
  WEEKLY: { weeks: 1 },
  BIWEEKLY: { weeks: 2 },
  MONTHLY: { months: 1 },
  QUARTERLY: { months: 3 },
  SEMIANNUALLY: { months: 6 },
  YEARLY: { months: 12 },
};

/**
 * The date of the n-th cycle; cycle 0 is the anchor itself. In a shorter month it is the last day: 31 January is
 * followed by 28 February and then 31 March.
 * @param day `last`: every cycle after the anchor is due on the last day of its month.
 */
export function dueDate(
  anchor: IsoDate,
  frequency: BillingFrequency,
  cycle: number,
  day: BillingDay | null = null,
): IsoDate {
  assert(Number.isSafeInteger(cycle) && cycle >= 0, "a cycle is a whole number");
  const { weeks = 0, months = 0 } = CYCLE[frequency];
  const due = Temporal.PlainDate.from(anchor).add({ weeks: weeks * cycle, months: months * cycle });
  return (day === "last" && cycle > 0 ? due.with({ day: due.daysInMonth }) : due).toString();
}

/** The day on which a trial starting on `start` ends. */
export function trialEnd(start: IsoDate, unit: TrialIntervalUnit, period: number): IsoDate {
  const length = { day: { days: period }, week: { weeks: period }, month: { months: period } }[unit];
  return Temporal.PlainDate.from(start).add(length).toString();
}

/** Decides whether a cycle on a closed day is collected before or after it. */
export interface ClosedDayTerms {
  readonly closed_day: "next" | "previous";
  readonly billing_frequency: BillingFrequency | null;
  readonly trial_end_date: IsoDate | null;
  readonly next_billing_date: IsoDate | null;
  readonly cancel_at_period_end: boolean;
}

/**
 * Whether a cycle may be collected early: never the end of a trial or of a subscription, which would shorten free time.
 */
function mayBeEarly(terms: ClosedDayTerms): boolean {
  const isFreeUntilThen = terms.cancel_at_period_end || terms.next_billing_date === terms.trial_end_date;
  return terms.closed_day === "previous" && terms.billing_frequency !== null && !isFreeUntilThen;
}

/**
 * The day on which a cycle is sent to its gateway; the cycle keeps its own date. A merchant's own bank debits some TARGET
 * days later, for which the file needs time (debit-day.ts).
 */
export function sendingDay(terms: ClosedDayTerms, due: IsoDate): IsoDate {
  return mayBeEarly(terms) ? targetDayUntil(due) : targetDayFrom(due);
}

/** The last due date that is collected today, a TARGET day. */
export function lastDueDate(terms: ClosedDayTerms, today: IsoDate): IsoDate {
  return mayBeEarly(terms) ? closedDaysUntil(today) : today;
}

/** The last of the closed days following today; today if banks are open tomorrow. */
export function closedDaysUntil(today: IsoDate): IsoDate {
  return addDays(addTargetDays(today, 1), -1);
}
