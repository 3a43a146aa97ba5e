/** Campaigns, and restarting one that has stopped collecting. */
import type { Deps } from "../../deps.ts";
import { IdInPath, MANAGEMENT, recordRoutes, TAG } from "../../management/resource-routes.ts";
import { tenantOf, type Router } from "../../http/endpoint.ts";
import { campaignKind } from "./campaign.ts";
import { resumeCampaign } from "./resume.ts";

/** Declares the endpoints on the router. */
export function campaignRoutes(router: Router, deps: Deps): void {
  recordRoutes(router, deps, campaignKind);

  router.add("POST", `${MANAGEMENT}campaigns/{id}/resume/`, {
    summary: "Let a stopped campaign collect again",
    description:
      "Waiting renewals are collected, also those of an archived campaign. Earlier collections no longer count. Repeating the request returns the same answer.",
    tag: TAG,
    access: "settings",
    schema: { params: IdInPath, response: { 200: campaignKind.schemas.record } },
    async handle(call) {
      const { operationId } = call;
      const row = await resumeCampaign(deps, {
        tenant: tenantOf(call),
        id: call.params.id,
        author: call,
        operationId,
      });
      return { status: 200, body: campaignKind.render(row) };
    },
  });
}
