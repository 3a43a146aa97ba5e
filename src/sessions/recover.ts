/** Recovery: asks the gateway about attempts without a recorded outcome until it is known (contract: Unknown outcomes). */
import type { Deps } from "../deps.ts";
import { CLAIM_MS } from "../gateways/resolve-backoff.ts";
import { later, SECOND_MS } from "../lib/clock.ts";
import type { Job } from "../lib/job.ts";
import { certain } from "../payments/attempt/ask.ts";
import type { OpenAttempt } from "./attempt.ts";
import { endAttempt } from "./close.ts";
import { verifyAtGateway } from "./gateway-calls.ts";
import { settle } from "./settle.ts";
import { claimDue, tenantsWithDue } from "./attempt-store.ts";
import { tenantsDue } from "../tenants/clock/time.ts";

export function recoverJob(deps: Deps): Job {
  return {
    name: "recover-payments",
    everyMs: 2 * SECOND_MS,
    batch: 50,
    runOnce: (batch) => recoverDue(deps, batch),
  };
}

/** One pass over every tenant with attempts that are due. Returns how many were asked about. */
export async function recoverDue(deps: Deps, batch: number): Promise<number> {
  let asked = 0;
  for (const tenant of await tenantsDue(deps, tenantsWithDue)) {
    const now = deps.time.now(tenant);
    const attempts = await claimDue(deps.db, tenant, now, later(now, CLAIM_MS), batch);
    await Promise.all(attempts.map((attempt) => recover(deps, tenant, attempt)));
    asked += attempts.length;
  }
  return asked;
}

async function recover(deps: Deps, tenant: number, attempt: OpenAttempt): Promise<void> {
  const verifying = attempt.session_status === "AWAITING_VERIFICATION";
  if (!verifying) await endAttempt(deps, tenant, attempt, null);
  else if (attempt.expires_at <= deps.time.now(tenant)) await endAttempt(deps, tenant, attempt, "lapsed");
  // The customer still has time: asking for the outcome again does not take the verification away.
  else await settle(deps, tenant, attempt, certain(await verifyAtGateway(deps, tenant, attempt)));
  deps.log.info("payment recovered", {
    merchant_transaction_id: attempt.merchant_transaction_id,
    asked: attempt.resolve_count,
  });
}
