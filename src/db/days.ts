/** Lists that are asked for from one day to another: both are in it, and a day is one in UTC (contract: Times). */
import { dayAfter, type IsoDate } from "../lib/dates.ts";

/** Of a list's filters. */
export interface Days {
  readonly from: IsoDate | null;
  /** The first day that is not in it. */
  readonly before: IsoDate | null;
}

export function daysOf(from: IsoDate | null | undefined, to: IsoDate | null | undefined): Days {
  return { from: from ?? null, before: to === undefined || to === null ? null : dayAfter(to) };
}

/** SQL: a time is on one of the days, whatever the session's time zone. @param at a column. */
export function isOnDays<At extends string>(at: At) {
  return `(:from::date is null or ${at} >= :from::date::timestamp at time zone 'UTC')
      and (:before::date is null or ${at} < :before::date::timestamp at time zone 'UTC')` as const;
}
