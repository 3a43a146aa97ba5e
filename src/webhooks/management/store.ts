/** The SQL of delivery management. */
import { isOnDays, type Days } from "../../db/days.ts";
import { sql, type Reader, type Tx } from "../../db/database.ts";
import { listed } from "../../db/lists.ts";
import type { Window } from "../../lib/window.ts";
import type { Canonical } from "../../lib/canonical-json.ts";
import type { ReceiverRow } from "../delivery/store.ts";

export type DeliveryStatus = "pending" | "delivered" | "failing" | "exhausted";

export interface DeliveryFilters extends Days {
  readonly profile: string | null;
  readonly status: DeliveryStatus | null;
  readonly event: string | null;
}

export interface DeliveryRow {
  readonly id: string;
  readonly event_id: string;
  readonly event_type: string;
  readonly profile_id: string;
  readonly session_id: string | null;
  readonly status: DeliveryStatus;
  readonly attempts: number;
  readonly due_at: Date | null;
  readonly last_at: Date | null;
  readonly response_code: number | null;
  readonly error: string | null;
  readonly delivered_at: Date | null;
  readonly created_at: Date;
}

export interface DeliveryAttempt {
  readonly number: number;
  readonly at: Date;
  readonly duration_ms: number;
  readonly response_code: number | null;
  readonly error: string | null;
  readonly response_body: string | null;
}

export const DELIVERY_COLUMNS = `d.id, d.event_id, d.event_type, d.profile_id, d.session_id, d.status, d.attempts, d.due_at,
          d.last_at, d.response_code, d.error, d.delivered_at, d.created_at`;

const FILTERS = `(:profile::uuid is null or d.profile_id = :profile)
      and (:status::text is null or d.status = :status)
      and (:event::text is null or d.event_type = :event)
      and ${isOnDays("d.created_at")}` as const;

const LIST = listed(
  "webhooks.list_deliveries",
  `select ${DELIVERY_COLUMNS}
     from webhook_deliveries d
    where d.tenant = :tenant and ${FILTERS}`,
  ["d.created_at", "d.id"],
  { plannedByValues: true },
).gives<DeliveryRow>();

/** One page of the tenant's deliveries. */
export function listDeliveries(
  db: Reader,
  tenant: number,
  filters: DeliveryFilters,
  { towards, at, id, limit }: Window,
): Promise<readonly DeliveryRow[]> {
  return db.query(LIST[towards], { ...filters, tenant, at, id, limit });
}

const FIND = sql(
  "webhooks.find_delivery",
  `select ${DELIVERY_COLUMNS}, e.payload, e.created_at as event_created_at, d.payload_fields, d.ascii_escape
     from webhook_deliveries d
     join events e on e.tenant = :tenant and e.id = d.event_id
    where d.tenant = :tenant and d.id = :id`,
).gives<DeliveryDetailRow>();

export interface DeliveryDetailRow extends DeliveryRow {
  readonly payload: Readonly<Record<string, Canonical>>;
  readonly event_created_at: Date;
  readonly payload_fields: Readonly<Record<string, string>>;
  readonly ascii_escape: boolean;
}

/** One delivery with the data of its body; null if the tenant has none with this id. */
export async function findDelivery(
  db: Reader,
  tenant: number,
  id: string,
): Promise<DeliveryDetailRow | null> {
  const rows = await db.query(FIND, { tenant, id });
  return rows[0] ?? null;
}

const LIST_ATTEMPTS = sql(
  "webhooks.list_attempts",
  `select number, at, duration_ms, response_code, error, response_body
     from webhook_attempts
    where tenant = :tenant and delivery_id = :deliveryId
    order by number`,
).gives<DeliveryAttempt>();

/** Every request of a delivery, in order. */
export function listAttempts(
  db: Reader,
  tenant: number,
  deliveryId: string,
): Promise<readonly DeliveryAttempt[]> {
  return db.query(LIST_ATTEMPTS, { tenant, deliveryId });
}

/** A claim locks the receiver, then its deliveries; the same order here prevents deadlocks. */
const WAKE_RECEIVERS = sql(
  "webhooks.wake_receivers",
  `with held as (
     select profile_id
       from webhook_receivers
      where tenant = :tenant
        and (:profile::uuid is null or profile_id = :profile)
        and (:id::uuid is null or profile_id = (
          select profile_id from webhook_deliveries where tenant = :tenant and id = :id
        ))
      order by profile_id
        for no key update
   )
   update webhook_receivers r
      set next_at = least(r.next_at, :now), paused_until = null
     from held
    where r.tenant = :tenant and r.profile_id = held.profile_id`,
);

// The retries start again; the numbering of the attempts continues.
const REDELIVER = sql(
  "webhooks.redeliver",
  `update webhook_deliveries w
      set status = 'pending', due_at = :now, tries = 0
     from (
       select d.id
         from webhook_deliveries d
         join webhook_profiles p on p.tenant = :tenant and p.id = d.profile_id and p.archived_at is null
        where d.tenant = :tenant and ${FILTERS}
          and case when :id::uuid is null
                   then d.status = any(case when :status is null then '{failing,exhausted}' else array[:status] end)
                        and d.status <> 'pending'
                   else d.id = :id end
        order by d.created_at, d.id
        limit :limit
          for no key update of d
     ) d
    where w.tenant = :tenant and w.id = d.id
   returning w.id`,
);

/** Makes deliveries due again, oldest first: the one with this id, otherwise those of the filter. Returns how many. */
export async function redeliver(
  tx: Tx,
  tenant: number,
  chosen: { readonly id: string | null; readonly filters: DeliveryFilters; readonly limit: number },
  now: Date,
): Promise<number> {
  const { id, filters, limit } = chosen;
  await tx.write(WAKE_RECEIVERS, { tenant, profile: filters.profile, id, now });
  return (await tx.write(REDELIVER, { ...filters, tenant, id, limit, now })).length;
}

const FIND_PROFILE = sql(
  "webhooks.find_profile_to_test",
  `select id as profile_id, url, events, payload_fields, ascii_escape,
          signing_secret, previous_signing_secret, previous_signing_secret_until
     from webhook_profiles
    where tenant = :tenant and id = :id and archived_at is null`,
).gives<ProfileToTest>();

interface ProfileToTest extends Omit<ReceiverRow, "failures_in_a_row" | "in_flight_limit" | "max_in_flight"> {
  readonly events: readonly string[];
  readonly payload_fields: Readonly<Record<string, string>>;
  readonly ascii_escape: boolean;
}

/** Null if the tenant has no such profile in use; an inactive one may be tested. */
export async function findProfileToTest(
  db: Reader,
  tenant: number,
  id: string,
): Promise<ProfileToTest | null> {
  const rows = await db.query(FIND_PROFILE, { tenant, id });
  return rows[0] ?? null;
}
