/** Lists from one day to another, both included; for programs a day is one in UTC (contract: Times). */
import { dayAfter, dayStart, type IsoDate } from "../lib/dates.ts";

/** Of a list's filters. */
export interface Days {
  readonly from: Date | null;
  /** The first moment after the period. */
  readonly before: Date | null;
}

/** @param zone in which the days begin: an IANA time zone. */
export function daysOf(from: IsoDate | null | undefined, to: IsoDate | null | undefined, zone = "UTC"): Days {
  const start = (day: IsoDate | null | undefined) =>
    day === undefined || day === null ? null : dayStart(day, zone);
  return { from: start(from), before: start(to === undefined || to === null ? null : dayAfter(to)) };
}

/** SQL: a time is on one of the days. @param at a column. */
export function isOnDays<At extends string>(at: At) {
  return `(:from::timestamptz is null or ${at} >= :from)
      and (:before::timestamptz is null or ${at} < :before)` as const;
}
