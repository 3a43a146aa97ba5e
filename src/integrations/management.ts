/** The management of activities: list, read, process one again. */
import type { Deps } from "../deps.ts";
import { tenantOf, type Call, type EndpointSchema, type Router } from "../http/endpoint.ts";
import { pageOf, pageSchema } from "../http/paging.ts";
import { must } from "../lib/assert.ts";
import { dayAfter } from "../lib/dates.ts";
import { isUuid } from "../lib/ids.ts";
import { writeEntry } from "../management/audit/audit.ts";
import { findEntry } from "../management/audit/store.ts";
import { IdInPath, MANAGEMENT } from "../management/resource-routes.ts";
import { Refusal } from "../refusals.ts";
import {
  findActivity,
  integrationExists,
  listActivities,
  lockActivity,
  replayActivity,
  type ActivityFilters,
  type ActivityStatus,
  type ActivityDetailRow,
  type ListedActivityRow,
} from "./management-store.ts";
import { readPostback } from "./postback.ts";
import { openPayload } from "./receive.ts";
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
      const filters = filtersOf(call.query);
      const page = await pageOf(
        deps,
        { tenant, path: PATH.replace("{id}", id.toLowerCase()), query: call.query },
        (window) => listActivities(deps.db, tenant, id, filters, window),
        (row) => ({ at: row.created_at, id: row.id }),
      );
      return { status: 200, body: { ...page, results: page.results.map(listed) } };
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
      return { status: 200, body: detail(deps, tenant, row) };
    },
  });

  router.add("POST", `${PATH}{activity_id}/replay/`, {
    summary: "Process a postback again",
    description: "Uses the integration's current provider and keys. The body must still be stored.",
    tag,
    access: "settings",
    schema: { params: ActivityInPath, response: { 200: Activity } },
    handle: async (call) => ({ status: 200, body: listed(await replay(deps, call)) }),
  });
}

/** One transaction with its audit entry; run again by the same operation it changes nothing more. */
function replay(
  deps: Pick<Deps, "clock" | "db">,
  call: Call<EndpointSchema> & { readonly params: { readonly id: string; readonly activity_id: string } },
): Promise<ListedActivityRow> {
  const tenant = tenantOf(call);
  const { id, activity_id: activityId } = uuidsOf(call.params);
  return deps.db.transaction(async (tx) => {
    const before = await lockActivity(tx, tenant, id, activityId);
    if (before === null) throw new Refusal("not_found");
    if ((await findEntry(tx, tenant, call.operationId)) !== null) return before;
    if (before.archived) throw new Refusal("record_in_use", { detail: "This integration is archived." });
    if (!before.has_payload) {
      throw new Refusal("record_in_use", { detail: "The body of this postback is no longer stored." });
    }
    const now = deps.clock.now();
    const after = must(await replayActivity(tx, tenant, activityId), "the locked activity");
    await writeEntry(tx, call, {
      tenant,
      id: call.operationId,
      at: now,
      action: "replay",
      resource: "integration-activities",
      resourceId: activityId,
      before: listed(before),
      after: listed(after),
    });
    return after;
  });
}

/** @throws Refusal not_found for an invalid id. */
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

/** The days of a request are inclusive (contract: Times). */
function filtersOf({ status, request_uuid, recovered, from, to }: FilterFields): ActivityFilters {
  return {
    status: status ?? null,
    requestUuid: request_uuid ?? null,
    recovered: recovered ?? null,
    from: from ?? null,
    before: to === undefined ? null : dayAfter(to),
  };
}

function listed(row: ListedActivityRow): object {
  const { id, status, reason, recovered, request_uuid, lead_id, order_id, session_id, has_payload } = row;
  const created_at = row.created_at.toISOString();
  const processed_at = row.processed_at?.toISOString() ?? null;
  const outcome = { status, reason, recovered, request_uuid, lead_id, order_id, session_id };
  return { id, ...outcome, has_payload, created_at, processed_at };
}

function detail(deps: Pick<Deps, "keys">, tenant: number, row: ActivityDetailRow): object {
  const body = openPayload(deps, tenant, row);
  if (body === null) return { ...listed(row), values: null, payload: null };
  const payload = JSON.parse(body.toString()) as unknown;
  return { ...listed(row), values: readPostback(body, row).values, payload };
}
