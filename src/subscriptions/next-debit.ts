/** The days of subscriptions' next debits, for their customers. */
import type { Deps } from "../deps.ts";
import { openedGateway } from "../gateways/calling.ts";
import { utcDate, type IsoDate } from "../lib/dates.ts";
import { debitHandedOver, debitOfNext, noticeDaysToWait } from "./debit-day.ts";
import { findNextRenewals } from "./next-debit-store.ts";

/**
 * The next debit by subscription: the announced day unless it has passed, otherwise the day that will be announced, or
 * an earlier retry of a failed cycle. None for a subscription that has ended, has no schedule, or waits because its
 * campaign was stopped, nor where the gateway cannot be opened: no wrong day is shown.
 */
export async function nextDebits(
  deps: Pick<Deps, "adapters" | "db" | "keys" | "log">,
  tenant: number,
  ids: readonly string[],
  now: Date,
): Promise<ReadonlyMap<string, IsoDate>> {
  const days = new Map<string, IsoDate>();
  if (ids.length === 0) return days;
  for (const row of await findNextRenewals(deps.db, tenant, ids)) {
    const { announced_day: told } = row;
    const announced = told !== null && told >= utcDate(now) ? told : null;
    const { retry_at: retryAt } = row;
    const gateway = announced === null || retryAt !== null ? openedGateway(deps, tenant, row) : null;
    const dueDate = row.next_billing_date;
    const noSoonerThanDays = noticeDaysToWait(row);
    const next = { terms: row, dueDate, noticeDays: row.mandate_notice_days, now, noSoonerThanDays };
    const renewal = announced ?? (gateway === null ? null : debitOfNext(gateway, next).day);
    const retry = gateway === null || retryAt === null ? null : retriedOn(gateway, retryAt, row, now);
    const [day] = [renewal, retry].filter((one) => one !== null).toSorted();
    if (day !== undefined) days.set(row.id, day);
  }
  return days;
}

/**
 * The day of a retry.
 * @param at when it is submitted, unless that has passed.
 */
function retriedOn(
  gateway: Parameters<typeof debitHandedOver>[0],
  at: Date,
  { mandate_notice_days: noticeDays }: { readonly mandate_notice_days: number | null },
  now: Date,
): IsoDate {
  return debitHandedOver(gateway, at < now ? now : at, noticeDays).day;
}
