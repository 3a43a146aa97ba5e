/** Filters from one day to another, both inclusive; API days are in UTC (contract: Times). */
import { dayAfter, dayStart, type IsoDate } from "../lib/dates.ts";

/** The limits of a list. */
export interface Days {
  readonly from: Date | null;
  /** The end of the period, exclusive. */
  readonly before: Date | null;
}

/**
 * The limits for two days.
 * @param zone an IANA time zone in which the days begin.
 */
export function daysOf(from: IsoDate | null | undefined, to: IsoDate | null | undefined, zone = "UTC"): Days {
  const start = (day: IsoDate | null | undefined) =>
    day === undefined || day === null ? null : dayStart(day, zone);
  return { from: start(from), before: start(to === undefined || to === null ? null : dayAfter(to)) };
}

/**
 * SQL: whether a time is within the days.
 * @param at a column.
 */
export function isOnDays<At extends string>(at: At) {
  return `(:from::timestamptz is null or ${at} >= :from)
      and (:before::timestamptz is null or ${at} < :before)` as const;
}
