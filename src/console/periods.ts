/** Periods such as last month. Pure. */
import { addDays, type IsoDate } from "../lib/dates.ts";

export const NAMED_PERIODS = [
  "today",
  "yesterday",
  "last_7_days",
  "last_30_days",
  "this_month",
  "last_month",
] as const;
export type Period = (typeof NAMED_PERIODS)[number];

/** Both days inclusive. */
export interface DaySpan {
  readonly from: IsoDate;
  readonly to: IsoDate;
}

/**
 * The days of a period.
 * @param today the person's.
 */
export function daysOfPeriod(period: Period, today: IsoDate): DaySpan {
  switch (period) {
    case "today":
      return { from: today, to: today };
    case "yesterday":
      return { from: addDays(today, -1), to: addDays(today, -1) };
    case "last_7_days":
      return { from: addDays(today, -6), to: today };
    case "last_30_days":
      return { from: addDays(today, -29), to: today };
    case "this_month":
      return { from: firstOfMonth(today), to: today };
    case "last_month": {
      const to = addDays(firstOfMonth(today), -1);
      return { from: firstOfMonth(to), to };
    }
  }
}

/** Whether the days are one whole month. */
export function isMonth({ from, to }: DaySpan): boolean {
  return firstOfMonth(from) === from && firstOfMonth(to) === from && firstOfMonth(addDays(to, 1)) !== from;
}

function firstOfMonth(day: IsoDate): IsoDate {
  return `${day.slice(0, -2)}01`;
}
