/** What the page says of the debit: the day on the form, and what the receipt adds. */
import type { Deps } from "../deps.ts";
import { debitDayAt, debitOf } from "../gateways/debits.ts";
import type { Debit } from "../gateways/gateway.ts";
import type { IsoDate } from "../lib/dates.ts";
import type { PageRow } from "./store.ts";

/** Null where the gateway does not say: no date is better than one that may be wrong. */
export interface ShownDebit {
  /** Of a payment that is submitted now. */
  readonly ifPaidNow: IsoDate | null;
  /** Of the payment that was made. */
  readonly made: Debit | null;
}

/** What is under way or done; a declined payment has no debit. */
const IS_DEBITED: ReadonlySet<PageRow["transaction_status"]> = new Set([
  "pending",
  "approved",
  "refunded",
  "charged_back",
]);

export async function shownDebit(
  deps: Pick<Deps, "adapters" | "keys" | "log">,
  tenant: number,
  row: PageRow,
  now: Date,
): Promise<ShownDebit> {
  const { merchant_transaction_id: reference, creditor } = row;
  if (row.status === "PENDING")
    return {
      ifPaidNow: debitDayAt(deps, tenant, row, { at: now, notice: creditor.pre_notification_days }),
      made: null,
    };
  const debited = reference !== null && IS_DEBITED.has(row.transaction_status);
  return { ifPaidNow: null, made: debited ? await debitOf(deps, tenant, row, reference) : null };
}
