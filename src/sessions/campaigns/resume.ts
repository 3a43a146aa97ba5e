/** Lets a person restart a campaign that has stopped collecting. */
import type { Deps } from "../../deps.ts";
import type { CampaignRow } from "../../db/rows.ts";
import { must } from "../../lib/assert.ts";
import { isUuid } from "../../lib/ids.ts";
import { hasRun, writeEntry } from "../../management/audit/audit.ts";
import type { Target } from "../../management/resource-write.ts";
import { Refusal } from "../../refusals.ts";
import { campaignKind } from "./campaign.ts";
import { restartCampaign } from "./stop-store.ts";

/**
 * Restarts a campaign; one that was not stopped stays unchanged. Repeating the operation changes nothing, even if the
 * campaign was stopped again since.
 * @throws Refusal not_found.
 */
export async function resumeCampaign(
  deps: Pick<Deps, "clock" | "db" | "time">,
  { tenant, id, author, operationId }: Target,
): Promise<CampaignRow> {
  if (!isUuid(id)) throw new Refusal("not_found");
  const now = deps.time.now(tenant);
  return deps.db.transaction(async (tx) => {
    const before = await campaignKind.store.lock(tx, tenant, id);
    if (before === null) throw new Refusal("not_found");
    const operation = { tenant, id: operationId, resource: "campaigns", resourceId: id };
    if (await hasRun(tx, author, operation)) return before;
    const after = (await restartCampaign(tx, tenant, id, now))
      ? must(await campaignKind.store.find(tx, tenant, id), "the locked campaign")
      : before;
    // Recorded even without a change: the same operation must not lift a later stop.
    await writeEntry(tx, author, {
      ...operation,
      at: deps.clock.now(),
      action: "update",
      before: campaignKind.render(before),
      after: campaignKind.render(after),
    });
    return after;
  });
}
