/** The management of deliveries: list, read, redeliver, and test a receiver. */
import { Type } from "../lib/schema.ts";
import type { Deps } from "../deps.ts";
import { tenantOf, type Router } from "../http/endpoint.ts";
import { pageOf, pageSchema } from "../http/paging.ts";
import type { Canonical } from "../lib/canonical-json.ts";
import { isUuid } from "../lib/ids.ts";
import { MANAGEMENT, targetOf } from "../management/resource-routes.ts";
import { Refusal } from "../refusals.ts";
import type { Webhooks } from "./delivery/dispatch.ts";
import { deliveryFilters, redeliverAll, redeliverOne } from "./management/redeliver.ts";
import {
  Delivery,
  DeliveryDetail,
  DeliveryQuery,
  Redelivered,
  RedeliverFilter,
  TestEvent,
  TestOutcome,
} from "./management/schemas.ts";
import {
  findDelivery,
  listAttempts,
  listDeliveries,
  type DeliveryAttempt,
  type DeliveryDetailRow,
} from "./management/store.ts";
import { deliveryRecord } from "./management/delivery-record.ts";
import { tryReceiver } from "./management/try.ts";
import { renderBody } from "./delivery/payload.ts";
import { eventRoutes } from "./event-routes.ts";

const PATH = `${MANAGEMENT}webhook-deliveries/`;
const tag = "Webhooks";
const IdInPath = Type.Object({ id: Type.String({ maxLength: 255 }) });

/** Declares the endpoints on the router. */
export function webhookRoutes(router: Router, deps: Deps, webhooks: Pick<Webhooks, "wake" | "sender">): void {
  listRoute(router, deps);
  readRoute(router, deps);
  redeliverRoutes(router, deps, webhooks);
  tryRoute(router, deps, webhooks);
  eventRoutes(router, deps);
}

function listRoute(router: Router, deps: Deps): void {
  router.add("GET", PATH, {
    summary: "List webhook deliveries, newest first",
    tag,
    access: "read",
    schema: { query: DeliveryQuery, response: { 200: pageSchema(Delivery) } },
    async handle(call) {
      const tenant = tenantOf(call);
      const filters = deliveryFilters(call.query);
      const page = await pageOf(
        deps,
        { tenant, path: PATH, query: call.query },
        (window) => listDeliveries(deps.db, tenant, filters, window),
        ({ created_at: at, id }) => ({ at, id }),
      );
      return { status: 200, body: { ...page, results: page.results.map(deliveryRecord) } };
    },
  });
}

function readRoute(router: Router, deps: Deps): void {
  router.add("GET", `${PATH}{id}/`, {
    summary: "Read a webhook delivery with every attempt",
    tag,
    access: "read",
    schema: { params: IdInPath, response: { 200: DeliveryDetail } },
    async handle(call) {
      const tenant = tenantOf(call);
      const row = isUuid(call.params.id) ? await findDelivery(deps.db, tenant, call.params.id) : null;
      if (row === null) throw new Refusal("not_found");
      return { status: 200, body: detail(row, await listAttempts(deps.db, tenant, row.id)) };
    },
  });
}

function redeliverRoutes(router: Router, deps: Deps, webhooks: Pick<Webhooks, "wake">): void {
  router.add("POST", `${PATH}{id}/redeliver/`, {
    summary: "Send a webhook delivery again",
    description: "With the same id and body; the retry schedule starts over.",
    tag,
    access: "settings",
    schema: { params: IdInPath, response: { 200: DeliveryDetail } },
    async handle(call) {
      const tenant = tenantOf(call);
      const row = await redeliverOne(deps, targetOf(call, "settings", call.params.id));
      webhooks.wake();
      return { status: 200, body: detail(row, await listAttempts(deps.db, tenant, row.id)) };
    },
  });

  router.add("POST", `${PATH}redeliver/`, {
    summary: "Send webhook deliveries again",
    description: "The deliveries that match the filter; without a status, those failing and those given up.",
    tag,
    access: "settings",
    schema: { body: RedeliverFilter, response: { 200: Redelivered } },
    async handle(call) {
      const redelivered = await redeliverAll(
        deps,
        { tenant: tenantOf(call), operationId: call.operationId, author: call },
        deliveryFilters(call.body),
      );
      webhooks.wake();
      return { status: 200, body: { redelivered } };
    },
  });
}

function tryRoute(router: Router, deps: Deps, { sender }: Pick<Webhooks, "sender">): void {
  router.add("POST", `${MANAGEMENT}webhook-profiles/{id}/test/`, {
    summary: "Send a sample event to a webhook profile",
    description: "Returns the receiver's response. The request has the header X-Service-Test: true.",
    tag,
    access: "settings",
    schema: { params: IdInPath, body: TestEvent, response: { 200: TestOutcome } },
    async handle(call) {
      const event = call.body.event ?? "payment_session.completed";
      const { eventId, sent } = await tryReceiver(deps, sender, tenantOf(call), call.params.id, event);
      const code = sent.responseCode;
      return {
        status: 200,
        body: {
          delivered: code !== null && code >= 200 && code < 300,
          event,
          event_id: eventId,
          response_code: code,
          duration_ms: sent.durationMs,
          error: sent.error,
          response_body: sent.responseBody,
        },
      };
    },
  });
}

function detail(row: DeliveryDetailRow, attempts: readonly DeliveryAttempt[]): object {
  return {
    ...deliveryRecord(row),
    payload: payloadOf(row),
    attempts: attempts.map(({ at, ...attempt }) => ({ ...attempt, at: at.toISOString() })),
  };
}

/** The body without the session token, which authorises payments. */
export function payloadOf(row: DeliveryDetailRow): Canonical {
  const { event_id: id, event_type: type, event_created_at: createdAt, payload } = row;
  const event = { id, type, createdAt, payload, sessionToken: null };
  const body = renderBody(event, { payloadFields: row.payload_fields, asciiEscape: row.ascii_escape });
  return JSON.parse(body) as Canonical;
}
