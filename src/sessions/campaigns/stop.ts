/** Stops campaigns with too many returns, until a person restarts them (docs/guards.md). */
import type { Deps } from "../../deps.ts";
import { MINUTE_MS } from "../../lib/clock.ts";
import type { Job } from "../../lib/job.ts";
import { tenantTurns } from "../../lib/turns.ts";
import { livemode } from "../../payments/transaction.ts";
import { tenantsDue } from "../../tenants/clock/time.ts";
import { guardEvent } from "../../webhooks/events.ts";
import { recordEvent } from "../../webhooks/record-event-store.ts";
import {
  findCampaignsOverLimit,
  stopCampaign,
  tenantsWithLimits,
  type CampaignOverLimit,
} from "./stop-store.ts";

export function stopCampaignsJob(deps: Deps): Job {
  const turns = tenantTurns(deps.clock);
  return {
    name: "stop-campaigns",
    everyMs: 5 * MINUTE_MS,
    batch: 1,
    async runOnce(_batch, signal) {
      let stopped = 0;
      for (const tenant of turns(await tenantsDue(deps, tenantsWithLimits), signal))
        for (const campaign of await findCampaignsOverLimit(deps.db, tenant, deps.time.now(tenant)))
          if (await stop(deps, tenant, campaign)) stopped += 1;
      if (stopped > 0) deps.announce();
      return stopped;
    },
  };
}

/** Stops the campaign together with its event. */
function stop(
  deps: Pick<Deps, "db" | "environment" | "ids" | "log" | "time">,
  tenant: number,
  campaign: CampaignOverLimit,
): Promise<boolean> {
  const now = deps.time.now(tenant);
  return deps.db.transaction(async (tx) => {
    if (!(await stopCampaign(tx, tenant, now, campaign))) return false;
    const { id, name, collected, returned } = campaign;
    const facts = { tenantReferenceId: null, orderNumber: null, metadata: null };
    const event = guardEvent(
      deps.ids.uuid(),
      { ...facts, livemode: livemode(deps, campaign) },
      {
        kind: "campaign_stopped",
        campaign_id: id,
        campaign_name: name,
        collected: String(collected),
        returned: String(returned),
      },
    );
    await recordEvent(tx, tenant, now, { transactionId: null, sessionId: null }, event);
    deps.log.warn("a campaign has stopped collecting: too many of its payments came back", {
      campaign_id: id,
      collected,
      returned,
    });
    return true;
  });
}
