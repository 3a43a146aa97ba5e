/** The query of a list: rules across parameters, and the resulting filters. Pure. */
import { DAY_MS } from "../lib/clock.ts";
import type { FieldMessages } from "../refusals.ts";
import type { ListFilters } from "./store.ts";

export const LIST_FORMATS = ["json", "xml", "csv"] as const;

/** The most days from start_date to end_date (contract: Sizes). */
export const RANGE_DAYS_MAX = 90;

/** The parameters after the schema has read them. */
export type RecordQuery = {
  readonly start_date: string;
  readonly end_date?: string;
  /** Comma-separated, as `type` is. */
  readonly status?: string;
  readonly type?: string;
  readonly payment_gateway_id?: string;
  readonly next_billing_date_from?: string;
  readonly next_billing_date_to?: string;
  readonly format?: (typeof LIST_FORMATS)[number];
  readonly page_size?: number;
  readonly cursor?: string;
};

/** Messages about contradicting days; invalid days are left to the schema. */
export function rangeProblems(query: Readonly<Record<string, unknown>>): FieldMessages {
  const days = daysBetween(query["start_date"], query["end_date"]);
  const due = daysBetween(query["next_billing_date_from"], query["next_billing_date_to"]);
  return {
    ...(days < 0 ? { end_date: ["Must not be before start_date."] } : {}),
    ...(days > RANGE_DAYS_MAX
      ? { end_date: [`Must be at most ${RANGE_DAYS_MAX} days after start_date.`] }
      : {}),
    ...(due < 0 ? { next_billing_date_to: ["Must not be before next_billing_date_from."] } : {}),
  };
}

/** NaN, which compares false with anything, if one of them is invalid. */
function daysBetween(from: unknown, to: unknown): number {
  return (dayStart(to) - dayStart(from)) / DAY_MS;
}

/** Days begin in UTC (contract: Times). */
function dayStart(day: unknown): number {
  return typeof day === "string" ? Date.parse(`${day}T00:00:00Z`) : Number.NaN;
}

/** The filters of a query that has passed the schema and `rangeProblems`. */
export function recordFilters(query: RecordQuery): ListFilters {
  const from = dayStart(query.start_date);
  const lastDay = query.end_date === undefined ? from + RANGE_DAYS_MAX * DAY_MS : dayStart(query.end_date);
  return {
    from: new Date(from),
    before: new Date(lastDay + DAY_MS),
    gatewayId: query.payment_gateway_id ?? null,
    statuses: query.status?.split(",") ?? null,
    types: query.type?.split(",") ?? null,
    nextBillingFrom: query.next_billing_date_from ?? null,
    nextBillingTo: query.next_billing_date_to ?? null,
  };
}
