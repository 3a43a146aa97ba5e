/** Expires mandates unused for 36 months; renewals would not use them anyway. */
import type { Deps } from "../deps.ts";
import { HOUR_MS } from "../lib/clock.ts";
import type { Job } from "../lib/job.ts";
import { tenantTurns } from "../lib/turns.ts";
import { tenantsDue } from "../tenants/clock/time.ts";
import { expireUnused, tenantsWithUnused } from "./store.ts";

export function expireMandatesJob(deps: Deps): Job {
  const turns = tenantTurns(deps.clock);
  return {
    name: "expire-mandates",
    everyMs: HOUR_MS,
    batch: 500,
    async runOnce(batch, stop) {
      let expired = 0;
      for (const tenant of turns(await tenantsDue(deps, tenantsWithUnused), stop)) {
        expired += await expireUnused(deps.db, tenant, deps.time.now(tenant), batch);
      }
      return expired;
    },
  };
}
