/** The management of activities: list, read, process again. */
import { daysOf } from "../db/days.ts";
import type { Deps } from "../deps.ts";
import { tenantOf, type Router } from "../http/endpoint.ts";
import { pageOf, pageSchema } from "../http/paging.ts";
import { isUuid } from "../lib/ids.ts";
import { IdInPath, MANAGEMENT, targetOf } from "../management/resource-routes.ts";
import { Refusal } from "../refusals.ts";
import {
  findActivity,
  integrationExists,
  listActivities,
  type ActivityFilters,
  type ActivityStatus,
} from "./management-store.ts";
import { activityContent, activityRecord } from "./postback-record.ts";
import { replayPostback } from "./replay.ts";
import { Activity, ActivityDetail, ActivityInPath, ActivityQuery } from "./schemas.ts";

const PATH = `${MANAGEMENT}integrations/{id}/activities/`;
const tag = "Integrations";

/** Declares the endpoints on the router. */
export function activityRoutes(router: Router, deps: Deps): void {
  router.add("GET", PATH, {
    summary: "List the postbacks of an integration, newest first",
    tag,
    access: "read",
    schema: { params: IdInPath, query: ActivityQuery, response: { 200: pageSchema(Activity) } },
    async handle(call) {
      const tenant = tenantOf(call);
      const { id } = call.params;
      if (!isUuid(id) || !(await integrationExists(deps.db, tenant, id))) throw new Refusal("not_found");
      const filters = activityFilters(call.query);
      const page = await pageOf(
        deps,
        { tenant, path: PATH.replace("{id}", id.toLowerCase()), query: call.query },
        (window) => listActivities(deps.db, tenant, id, filters, window),
        (row) => ({ at: row.created_at, id: row.id }),
      );
      return { status: 200, body: { ...page, results: page.results.map(activityRecord) } };
    },
  });

  router.add("GET", `${PATH}{activity_id}/`, {
    summary: "Read a postback with its body",
    tag,
    access: "read",
    schema: { params: ActivityInPath, response: { 200: ActivityDetail } },
    async handle(call) {
      const tenant = tenantOf(call);
      const { id, activity_id: activityId } = uuidsOf(call.params);
      const row = await findActivity(deps.db, tenant, id, activityId);
      if (row === null) throw new Refusal("not_found");
      return { status: 200, body: { ...activityRecord(row), ...activityContent(deps, tenant, row) } };
    },
  });

  router.add("POST", `${PATH}{activity_id}/replay/`, {
    summary: "Process a postback again",
    description: "Uses the integration's current provider and keys. The body must still be stored.",
    tag,
    access: "settings",
    schema: { params: ActivityInPath, response: { 200: Activity } },
    async handle(call) {
      const { id, activity_id: activityId } = call.params;
      const target = targetOf(call, "settings", activityId);
      return { status: 200, body: activityRecord(await replayPostback(deps, id, target)) };
    },
  });
}

/**
 * The ids in a path.
 * @throws Refusal not_found for an invalid id.
 */
function uuidsOf(params: { readonly id: string; readonly activity_id: string }) {
  if (!isUuid(params.id) || !isUuid(params.activity_id)) throw new Refusal("not_found");
  return params;
}

interface FilterFields {
  readonly status?: ActivityStatus;
  readonly request_uuid?: string;
  readonly recovered?: boolean;
  readonly from?: string;
  readonly to?: string;
}

/** Filters; the days of a request are inclusive (contract: Times). */
export function activityFilters({
  status,
  request_uuid,
  recovered,
  from,
  to,
}: FilterFields): ActivityFilters {
  return {
    status: status ?? null,
    requestUuid: request_uuid ?? null,
    recovered: recovered ?? null,
    ...daysOf(from, to),
  };
}
