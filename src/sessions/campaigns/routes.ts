/** Campaigns, and how one that has stopped collecting goes on. */
import type { Deps } from "../../deps.ts";
import { writeEntry } from "../../management/audit/audit.ts";
import { IdInPath, MANAGEMENT, recordRoutes, TAG } from "../../management/resource-routes.ts";
import { isUuid } from "../../lib/ids.ts";
import { must } from "../../lib/assert.ts";
import { Refusal } from "../../refusals.ts";
import { tenantOf, type Router } from "../../http/endpoint.ts";
import { campaignKind } from "./campaign.ts";
import { resumeCampaign } from "./stop-store.ts";

/** Declares the endpoints on the router. */
export function campaignRoutes(router: Router, deps: Deps): void {
  recordRoutes(router, deps, campaignKind);

  router.add("POST", `${MANAGEMENT}campaigns/{id}/resume/`, {
    summary: "Let a stopped campaign collect again",
    description:
      "Renewals that waited are collected. What was collected until now counts no more. Repeating the request returns the same answer.",
    tag: TAG,
    access: "settings",
    schema: { params: IdInPath, response: { 200: campaignKind.schemas.record } },
    async handle(call) {
      const tenant = tenantOf(call);
      const { id } = call.params;
      if (!isUuid(id)) throw new Refusal("not_found");
      const now = deps.time.now(tenant);
      const row = await deps.db.transaction(async (tx) => {
        const before = await campaignKind.store.lock(tx, tenant, id);
        if (before === null) throw new Refusal("not_found");
        if (!(await resumeCampaign(tx, tenant, id, now))) return before;
        const after = must(await campaignKind.store.find(tx, tenant, id), "the locked campaign");
        const change = { action: "update", resource: "campaigns", resourceId: id } as const;
        await writeEntry(tx, call, {
          ...change,
          tenant,
          id: call.operationId,
          at: deps.clock.now(),
          before: campaignKind.render(before),
          after: campaignKind.render(after),
        });
        return after;
      });
      return { status: 200, body: campaignKind.render(row) };
    },
  });
}
