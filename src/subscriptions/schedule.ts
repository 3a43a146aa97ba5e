/** When a subscription is due: dates only, always counted from the anchor, never from the previous date (contract: Due dates). */
import { assert } from "../lib/assert.ts";
import type { IsoDate } from "../lib/dates.ts";
import type { BillingFrequency, TrialIntervalUnit } from "./billing-terms.ts";

const CYCLE: Readonly<Record<BillingFrequency, { readonly weeks?: number; readonly months?: number }>> = {
  WEEKLY: { weeks: 1 },
  BIWEEKLY: { weeks: 2 },
  MONTHLY: { months: 1 },
  QUARTERLY: { months: 3 },
  SEMIANNUALLY: { months: 6 },
  YEARLY: { months: 12 },
};

/**
 * The date of the n-th cycle; cycle 0 is the anchor itself. A month that is too short gives its last day:
 * from 31 January come 28 February and then 31 March.
 */
export function dueDate(anchor: IsoDate, frequency: BillingFrequency, cycle: number): IsoDate {
  assert(Number.isSafeInteger(cycle) && cycle >= 0, "a cycle is a whole number");
  const { weeks = 0, months = 0 } = CYCLE[frequency];
  return Temporal.PlainDate.from(anchor)
    .add({ weeks: weeks * cycle, months: months * cycle })
    .toString();
}

/** The day on which a trial that starts on `start` ends. */
export function trialEnd(start: IsoDate, unit: TrialIntervalUnit, period: number): IsoDate {
  const length = { day: { days: period }, week: { weeks: period }, month: { months: period } }[unit];
  return Temporal.PlainDate.from(start).add(length).toString();
}
