/** Until when a payment can be refunded by reversal, for the page on which a person chooses. */
import type { Deps } from "../../deps.ts";
import type { IsoDate } from "../../lib/dates.ts";
import type { LastDay } from "../../gateways/gateway.ts";
import { reversibleUntilOf } from "../../gateways/debits.ts";
import { heldUntil } from "./refund-record.ts";
import { findRefund, findUntouched } from "./store.ts";

/**
 * The last day; null when it cannot be reversed, or no longer.
 * @param id of a payment.
 */
export async function reversibleUntil(
  deps: Pick<Deps, "adapters" | "db" | "keys" | "log">,
  tenant: number,
  id: string,
): Promise<IsoDate | null> {
  const row = await findUntouched(deps.db, tenant, id);
  const last = row === null ? null : await reversibleUntilOf(deps, tenant, row, row.reference);
  return last === null || last.isOver ? null : last.day;
}

/**
 * For a held reversal the last day on which its debit can be reversed, even if it has passed; otherwise null.
 * @param id of a refund.
 */
export async function heldReversalUntil(
  deps: Pick<Deps, "adapters" | "db" | "keys" | "log">,
  tenant: number,
  id: string,
): Promise<LastDay | null> {
  const row = await findRefund(deps.db, tenant, id);
  if (row === null || row.refund_way !== "reversal" || heldUntil(row) === null) return null;
  return reversibleUntilOf(deps, tenant, row, row.original_merchant_transaction_id);
}
