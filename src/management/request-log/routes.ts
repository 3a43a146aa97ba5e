/** The log of requests in the API. */
import { daysOf } from "../../db/days.ts";
import type { Deps } from "../../deps.ts";
import { tenantOf, type Router } from "../../http/endpoint.ts";
import { pageOf, pageSchema } from "../../http/paging.ts";
import { isUuid } from "../../lib/ids.ts";
import type { Static } from "../../lib/schema.ts";
import { Refusal } from "../../refusals.ts";
import { IdInPath, MANAGEMENT, TAG } from "../resource-routes.ts";
import { LoggedRequest, RequestQuery } from "./schemas.ts";
import { findRequest, listRequests, type LoggedRequestRow, type RequestFilters } from "./store.ts";

const PATH = `${MANAGEMENT}requests/`;

/** Declares the endpoints on the router. */
export function requestRoutes(router: Router, deps: Pick<Deps, "db" | "keys" | "publicUrl">): void {
  router.add("GET", PATH, {
    summary: "List the requests of the last days, newest first",
    description:
      "Calls with an API key or a session token, a second or two after they were answered, for `REQUEST_LOG_DAYS` (7). " +
      "Nothing that was sent is kept: no body, no query, no token, no address.",
    tag: TAG,
    access: "read",
    schema: { query: RequestQuery, response: { 200: pageSchema(LoggedRequest) } },
    async handle(call) {
      const tenant = tenantOf(call);
      const filters = requestFilters(call.query);
      const page = await pageOf(
        deps,
        { tenant, path: PATH, query: call.query },
        (window) => listRequests(deps.db, tenant, filters, window),
        ({ created_at: at, id }) => ({ at, id }),
      );
      return { status: 200, body: { ...page, results: page.results.map(requestRecord) } };
    },
  });

  router.add("GET", `${PATH}{id}/`, {
    summary: "Read a request",
    tag: TAG,
    access: "read",
    schema: { params: IdInPath, response: { 200: LoggedRequest } },
    async handle(call) {
      const { id } = call.params;
      const row = isUuid(id) ? await findRequest(deps.db, tenantOf(call), id) : null;
      if (row === null) throw new Refusal("not_found");
      return { status: 200, body: requestRecord(row) };
    },
  });
}

const STATUS_RANGES = {
  "2xx": [200, 300],
  "4xx": [400, 500],
  "5xx": [500, 600],
  refused: [400, 600],
} as const;

/** Filters; the days of a request are inclusive (contract: Times). */
export function requestFilters(query: Static<typeof RequestQuery>): RequestFilters {
  const { request_id, method, status, api_key_id, from, to } = query;
  const [statusFrom, statusBelow] = status === undefined ? [null, null] : STATUS_RANGES[status];
  return {
    requestId: request_id ?? null,
    method: method ?? null,
    apiKey: api_key_id ?? null,
    statusFrom,
    statusBelow,
    ...daysOf(from, to),
  };
}

function requestRecord(row: LoggedRequestRow): object {
  return { ...row, created_at: row.created_at.toISOString() };
}
