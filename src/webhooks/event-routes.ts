/** The event feed: events with their payload and deliveries. */
import { daysOf } from "../db/days.ts";
import type { Deps } from "../deps.ts";
import { tenantOf, type Router } from "../http/endpoint.ts";
import { pageOf, pageSchema } from "../http/paging.ts";
import { isUuid } from "../lib/ids.ts";
import { IdInPath, MANAGEMENT } from "../management/resource-routes.ts";
import { Refusal } from "../refusals.ts";
import {
  deliveriesOfEvent,
  findEvent,
  listEvents,
  type EventFilters,
  type EventFacts,
} from "./management/event-store.ts";
import { deliveryRecord } from "./management/delivery-record.ts";
import { Event, EventDetail, EventQuery } from "./management/schemas.ts";

const PATH = `${MANAGEMENT}events/`;
const common = { tag: "Webhooks", access: "read" } as const;

/** Declares the endpoints on the router. */
export function eventRoutes(router: Router, deps: Pick<Deps, "db" | "keys" | "publicUrl">): void {
  router.add("GET", PATH, {
    ...common,
    summary: "List events, newest first",
    description:
      "Those of transactions, chargebacks and subscriptions exist once a webhook profile asks for their type.",
    schema: { query: EventQuery, response: { 200: pageSchema(Event) } },
    async handle(call) {
      const tenant = tenantOf(call);
      const filters = eventFilters(call.query);
      const page = await pageOf(
        deps,
        { tenant, path: PATH, query: call.query },
        (window) => listEvents(deps.db, tenant, filters, window),
        ({ created_at: at, id }) => ({ at, id }),
      );
      return { status: 200, body: { ...page, results: page.results.map(eventRecord) } };
    },
  });

  router.add("GET", `${PATH}{id}/`, {
    ...common,
    summary: "Read an event with its payload and deliveries",
    schema: { params: IdInPath, response: { 200: EventDetail } },
    async handle(call) {
      const tenant = tenantOf(call);
      const { id } = call.params;
      const event = isUuid(id) ? await findEvent(deps.db, tenant, id) : null;
      if (event === null) throw new Refusal("not_found");
      const deliveries = await deliveriesOfEvent(deps.db, tenant, event.id);
      const { payload } = event;
      return {
        status: 200,
        body: { ...eventRecord(event), payload, deliveries: deliveries.map(deliveryRecord) },
      };
    },
  });
}

interface FilterFields {
  readonly type?: string;
  readonly from?: string;
  readonly to?: string;
}

/** Filters; the days of a request are inclusive (contract: Times). */
export function eventFilters({ type, from, to }: FilterFields): EventFilters {
  return { type: type ?? null, ...daysOf(from, to) };
}

function eventRecord({ id, type, session_id, transaction_id, created_at }: EventFacts): object {
  return { id, type, session_id, transaction_id, created_at: created_at.toISOString() };
}
