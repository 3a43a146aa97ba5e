/** The days on which subscriptions are debited next, for their customers. */
import type { Deps } from "../deps.ts";
import { openedGateway } from "../gateways/calling.ts";
import { utcDate, type IsoDate } from "../lib/dates.ts";
import { debitOfNext, waitsForNotice } from "./debit-day.ts";
import { findNextRenewals } from "./next-debit-store.ts";

/**
 * By subscription: the day that was announced, unless it is past, else the one that will be. None of a subscription that has
 * ended, has no schedule, or waits as its campaign has stopped, nor where the gateway cannot be opened: no day is named that may
 * be wrong.
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
    const gateway = announced === null ? openedGateway(deps, tenant, row) : null;
    const dueDate = row.next_billing_date;
    const noSoonerThanDays = waitsForNotice(row);
    const next = { terms: row, dueDate, noticeDays: row.mandate_notice_days, now, noSoonerThanDays };
    const day = announced ?? (gateway === null ? null : debitOfNext(gateway, next).day);
    if (day !== null) days.set(row.id, day);
  }
  return days;
}
