/** Recovery of refunds: asks the gateway about refunds without a recorded outcome until it is known (contract: Unknown outcomes). */
import type { Deps } from "../../deps.ts";
import { CLAIM_MS } from "../../gateways/resolve-backoff.ts";
import { later, SECOND_MS } from "../../lib/clock.ts";
import type { Job } from "../../lib/job.ts";
import { lastWordUnattended } from "../attempt/ask.ts";
import { settleRefund } from "./settle.ts";
import { claimDueRefunds, tenantsWithDueRefunds, type RefundRow } from "./store.ts";
import { tenantsDue } from "../../tenants/clock/time.ts";

export function recoverRefundsJob(deps: Deps): Job {
  return {
    name: "recover-refunds",
    everyMs: 2 * SECOND_MS,
    batch: 50,
    runOnce: (batch) => recoverDueRefunds(deps, batch),
  };
}

/** One pass over every tenant with refunds that are due. Returns how many were asked about. */
export async function recoverDueRefunds(deps: Deps, batch: number): Promise<number> {
  let asked = 0;
  for (const tenant of await tenantsDue(deps, tenantsWithDueRefunds)) {
    const now = deps.time.now(tenant);
    const refunds = await claimDueRefunds(deps.db, tenant, now, later(now, CLAIM_MS), batch);
    await Promise.all(refunds.map((refund) => recover(deps, tenant, refund)));
    asked += refunds.length;
  }
  return asked;
}

async function recover(deps: Deps, tenant: number, refund: RefundRow): Promise<void> {
  await settleRefund(deps, tenant, refund, await lastWordUnattended(deps, tenant, refund));
  deps.log.info("refund recovered", {
    merchant_transaction_id: refund.merchant_transaction_id,
    asked: refund.resolve_count,
  });
}
