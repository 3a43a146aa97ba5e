/** The SQL of the event feed. */
import { isOnDays, type Days } from "../../db/days.ts";
import { sql, type Reader } from "../../db/database.ts";
import { listed } from "../../db/lists.ts";
import type { EventRow } from "../../db/rows.ts";
import type { Canonical } from "../../lib/canonical-json.ts";
import type { Window } from "../../lib/window.ts";
import { DELIVERY_COLUMNS, type DeliveryRow } from "./store.ts";

export interface EventFilters extends Days {
  readonly type: string | null;
}

/** An event without its payload. */
export type EventFacts = Pick<EventRow, "id" | "type" | "session_id" | "transaction_id" | "created_at">;
/** With the amount of its payment. */
export type ListedEvent = EventFacts & { readonly amount: string | null; readonly currency: string | null };
export type FoundEvent = EventFacts & { readonly payload: Readonly<Record<string, Canonical>> };

const LIST = listed(
  "webhooks.list_events",
  `select e.id, e.type, e.session_id, e.transaction_id, e.created_at, t.amount, t.currency
     from events e
     left join transactions t on t.tenant = :tenant and t.id = e.transaction_id
    where e.tenant = :tenant
      and (:type::text is null or e.type = :type)
      and ${isOnDays("e.created_at")}`,
  ["e.created_at", "e.id"],
  { plannedByValues: true },
).gives<ListedEvent>();

/** One page of the tenant's events. */
export function listEvents(
  db: Reader,
  tenant: number,
  filters: EventFilters,
  { towards, at, id, limit }: Window,
): Promise<readonly ListedEvent[]> {
  return db.query(LIST[towards], { ...filters, tenant, at, id, limit });
}

const FIND = sql(
  "webhooks.find_event",
  `select id, type, session_id, transaction_id, created_at, payload
     from events
    where tenant = :tenant and id = :id`,
).gives<FoundEvent>();

/** Null if the tenant has none with this id. */
export async function findEvent(db: Reader, tenant: number, id: string): Promise<FoundEvent | null> {
  const rows = await db.query(FIND, { tenant, id });
  return rows[0] ?? null;
}

const DELIVERIES = sql(
  "webhooks.deliveries_of_event",
  `select ${DELIVERY_COLUMNS}
     from webhook_deliveries d
    where d.tenant = :tenant and d.event_id = :eventId
    order by d.created_at, d.id`,
).gives<DeliveryRow>();

/** The deliveries of an event, one for each profile. */
export function deliveriesOfEvent(
  db: Reader,
  tenant: number,
  eventId: string,
): Promise<readonly DeliveryRow[]> {
  return db.query(DELIVERIES, { tenant, eventId });
}
