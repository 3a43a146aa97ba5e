/** Recovery of refunds: records the gateway's final outcome of a refund that has none. */
import type { Deps } from "../../deps.ts";
import type { Job } from "../../lib/job.ts";
import { recoveryJob } from "../attempt/recover.ts";
import { recordRefundOutcome } from "./record-refund-outcome.ts";
import { CLAIM_DUE_REFUNDS } from "./store.ts";
import { finalOutcomeUnattended } from "../../gateways/calling.ts";

export function recoverRefundsJob(deps: Deps): Job {
  return recoveryJob(deps, {
    job: "recover-refunds",
    what: "refund",
    claimDue: CLAIM_DUE_REFUNDS,
    end: async (tenant, refund) =>
      recordRefundOutcome(deps, tenant, refund, await finalOutcomeUnattended(deps, tenant, refund)),
  });
}
