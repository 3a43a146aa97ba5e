/** The debit on the page: its day on the form, and the receipt's details. */
import type { Deps } from "../deps.ts";
import { debitDayAt, debitOf } from "../gateways/debits.ts";
import type { Debit } from "../gateways/gateway.ts";
import { openedGateway } from "../gateways/calling.ts";
import type { IsoDate } from "../lib/dates.ts";
import { debitOfNext } from "../subscriptions/debit-day.ts";
import { nextDebits } from "../subscriptions/next-debit.ts";
import { billingTermsOf, firstDates } from "../subscriptions/subscription.ts";
import type { PageRow } from "./store.ts";

/** The days of debits; null if the gateway does not give one: no date is better than a possibly wrong one. */
export interface ShownDebit {
  /** The debit day of a payment submitted now. */
  readonly ifPaidNow: IsoDate | null;
  /** The debit of the submitted payment. */
  readonly made: Debit | null;
  /** The debit day of the subscription's next renewal. */
  readonly next: IsoDate | null;
}

/** The statuses of payments with a debit; a declined one has none. */
const IS_DEBITED: ReadonlySet<PageRow["transaction_status"]> = new Set([
  "pending",
  "approved",
  "refunded",
  "charged_back",
]);

export async function shownDebit(
  deps: Pick<Deps, "adapters" | "db" | "keys" | "log">,
  tenant: number,
  row: PageRow,
  now: Date,
): Promise<ShownDebit> {
  const { merchant_transaction_id: reference, creditor } = row;
  if (row.status === "PENDING")
    return {
      ifPaidNow: debitDayAt(deps, tenant, row, { at: now, notice: creditor.pre_notification_days }),
      made: null,
      next: firstRenewalDay(deps, tenant, row, now),
    };
  const debited = reference !== null && IS_DEBITED.has(row.transaction_status);
  const { subscription_id: id } = row;
  return {
    ifPaidNow: null,
    made: debited ? await debitOf(deps, tenant, row, reference) : null,
    next: id === null ? null : ((await nextDebits(deps, tenant, [id], now)).get(id) ?? null),
  };
}

/** The debit day of the first renewal of a subscription that starts now. */
function firstRenewalDay(
  deps: Pick<Deps, "adapters" | "keys" | "log">,
  tenant: number,
  row: PageRow,
  now: Date,
): IsoDate | null {
  if (row.billing_type === "ONE_OFF") return null;
  const dates = firstDates(billingTermsOf(row), now);
  if (dates.nextBillingDate === null) return null;
  const gateway = openedGateway(deps, tenant, row);
  if (gateway === null) return null;
  const { nextBillingDate: dueDate, trialEndDate } = dates;
  const { closed_day, billing_frequency } = row;
  const terms = {
    closed_day,
    billing_frequency,
    trial_end_date: trialEndDate,
    next_billing_date: dueDate,
    cancel_at_period_end: false,
  };
  const noticeDays = row.creditor.pre_notification_days;
  const noSoonerThanDays = row.notice_check === "refuse" ? noticeDays : null;
  return debitOfNext(gateway, { terms, dueDate, noticeDays, now, noSoonerThanDays }).day;
}
