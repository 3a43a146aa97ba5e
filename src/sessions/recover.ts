/** Recovery of payments: records the gateway's final outcome of an attempt that has none. */
import type { Deps } from "../deps.ts";
import type { Job } from "../lib/job.ts";
import { recoveryJob } from "../payments/attempt/recover.ts";
import { CLAIM_DUE_ATTEMPTS, type OpenAttempt } from "./attempt-store.ts";
import { endAttempt, type EndParts } from "./close.ts";
import { verifyAtGateway } from "./verify.ts";
import { recordOutcome } from "./record-outcome.ts";
import { withoutUnreachable } from "../gateways/calling.ts";

export function recoverJob(deps: Deps): Job {
  return recoveryJob(deps, {
    job: "recover-payments",
    what: "payment",
    claimDue: CLAIM_DUE_ATTEMPTS,
    end: (tenant, attempt) => end(deps, tenant, attempt),
  });
}

async function end(deps: EndParts, tenant: number, attempt: OpenAttempt): Promise<void> {
  const verifying = attempt.session_status === "AWAITING_VERIFICATION";
  if (!verifying) await endAttempt(deps, tenant, attempt, null);
  else if (attempt.expires_at <= deps.time.now(tenant)) await endAttempt(deps, tenant, attempt, "lapsed");
  // The customer still has time: asking for the outcome does not end the verification.
  else
    await recordOutcome(
      deps,
      tenant,
      attempt,
      withoutUnreachable(await verifyAtGateway(deps, tenant, attempt)),
    );
}
