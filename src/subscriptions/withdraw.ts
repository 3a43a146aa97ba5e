/** Withdraws instructions that still wait at a gateway when their subscription has ended, or another attempt has paid their cycle. */
import type { Deps } from "../deps.ts";
import { GATEWAY_DEADLINE_MS, gatewayOf } from "../gateways/calling.ts";
import { findToWithdraw, recordWithdrawalRequest, type RenewalRow } from "./renewal-store.ts";
import { recordWithdrawn } from "./record-renewal-outcome.ts";

/**
 * Asks gateways to withdraw accepted renewals that are no longer wanted, each at most once an hour. One that was sent
 * is not withdrawn. Returns how many were asked about.
 * @param subscriptionId of one; null for all of the tenant.
 */
export async function withdrawUnwanted(
  deps: Pick<Deps, "adapters" | "announce" | "db" | "environment" | "ids" | "keys" | "log" | "time">,
  tenant: number,
  subscriptionId: string | null,
  limit: number,
): Promise<number> {
  let asked = 0;
  for (const row of await findToWithdraw(deps.db, tenant, subscriptionId, deps.time.now(tenant), limit)) {
    if (await withdrawAlone(deps, tenant, row)) asked += 1;
  }
  return asked;
}

/** A gateway that cannot be asked now is asked with the next pass, and does not delay others. */
async function withdrawAlone(
  deps: Pick<Deps, "adapters" | "announce" | "db" | "environment" | "ids" | "keys" | "log" | "time">,
  tenant: number,
  row: RenewalRow,
): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(GATEWAY_DEADLINE_MS);
    const gateway = gatewayOf(deps, tenant, row);
    const withdrawn = (await gateway.withdraw?.(row.merchant_transaction_id, signal)) ?? false;
    if (withdrawn && (await recordWithdrawn(deps, tenant, row))) return true;
    await recordWithdrawalRequest(deps.db, tenant, row, deps.time.now(tenant));
    return true;
  } catch (error) {
    deps.log.error("a renewal could not be withdrawn", error, { transaction_id: row.id });
    return false;
  }
}
