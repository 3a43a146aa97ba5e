/** The SQL of the management of activities. */
import { isOnDays, type Days } from "../db/days.ts";
import { sql, type Reader, type Tx } from "../db/database.ts";
import { listed } from "../db/lists.ts";
import type { IntegrationActivityRow, IntegrationRow } from "../db/rows.ts";
import type { Window } from "../lib/window.ts";

export type ActivityStatus = IntegrationActivityRow["status"];

export type ListedActivityRow = Pick<
  IntegrationActivityRow,
  | "id"
  | "integration_id"
  | "status"
  | "reason"
  | "recovered"
  | "request_uuid"
  | "lead_id"
  | "order_id"
  | "session_id"
  | "created_at"
  | "processed_at"
> & { readonly has_payload: boolean };

export type ActivityDetailRow = ListedActivityRow &
  Pick<IntegrationActivityRow, "payload"> &
  Pick<IntegrationRow, "provider" | "key_mapping">;

export interface ActivityFilters extends Days {
  readonly status: ActivityStatus | null;
  readonly requestUuid: string | null;
  readonly recovered: boolean | null;
}

const COLUMNS = `a.id, a.integration_id, a.status, a.reason, a.recovered, a.request_uuid, a.lead_id, a.order_id,
          a.session_id, a.created_at, a.processed_at, a.payload is not null as has_payload`;

const EXISTS = sql(
  "integrations.exists",
  "select 1 as one from integrations where tenant = :tenant and id = :id",
);

export async function integrationExists(db: Reader, tenant: number, id: string): Promise<boolean> {
  return (await db.query(EXISTS, { tenant, id })).length === 1;
}

const LIST = listed(
  "integrations.list_activities",
  `select ${COLUMNS}
     from integration_activities a
    where a.tenant = :tenant and a.integration_id = :integrationId
      and (:status::text is null or a.status = :status)
      and (:requestUuid::text is null or a.request_uuid = :requestUuid)
      and (:recovered::boolean is null or a.recovered = :recovered)
      and ${isOnDays("a.created_at")}`,
  ["a.created_at", "a.id"],
).gives<ListedActivityRow>();

/** One page of the record's activities. */
export function listActivities(
  db: Reader,
  tenant: number,
  integrationId: string,
  filters: ActivityFilters,
  { towards, at, id, limit }: Window,
): Promise<readonly ListedActivityRow[]> {
  return db.query(LIST[towards], { ...filters, tenant, integrationId, at, id, limit });
}

const FIND = sql(
  "integrations.find_activity",
  `select ${COLUMNS}, a.payload, i.provider, i.key_mapping
     from integration_activities a
     join integrations i on i.tenant = :tenant and i.id = a.integration_id
    where a.tenant = :tenant and a.integration_id = :integrationId and a.id = :id`,
).gives<ActivityDetailRow>();

export async function findActivity(
  db: Reader,
  tenant: number,
  integrationId: string,
  id: string,
): Promise<ActivityDetailRow | null> {
  const rows = await db.query(FIND, { tenant, integrationId, id });
  return rows[0] ?? null;
}

const LOCK = sql(
  "integrations.lock_activity",
  `select ${COLUMNS}, i.archived_at is not null as archived
     from integration_activities a
     join integrations i on i.tenant = :tenant and i.id = a.integration_id
    where a.tenant = :tenant and a.integration_id = :integrationId and a.id = :id
      for update of a`,
).gives<ListedActivityRow & { readonly archived: boolean }>();

/** Locks the activity until the transaction ends. */
export async function lockActivity(
  tx: Tx,
  tenant: number,
  integrationId: string,
  id: string,
): Promise<(ListedActivityRow & { readonly archived: boolean }) | null> {
  const rows = await tx.query(LOCK, { tenant, integrationId, id });
  return rows[0] ?? null;
}

// The attempt count continues, so that an earlier holder can no longer write.
const REPLAY = sql(
  "integrations.replay",
  `update integration_activities a
      set status = 'received', reason = null, due_at = statement_timestamp(), tries = 0, attempts = a.attempts + 1,
          lead_id = null, order_id = null, session_id = null, processed_at = null
    where a.tenant = :tenant and a.id = :id
   returning ${COLUMNS}`,
).gives<ListedActivityRow>();

/** Makes a locked activity due again. */
export async function replayActivity(tx: Tx, tenant: number, id: string): Promise<ListedActivityRow | null> {
  const rows = await tx.write(REPLAY, { tenant, id });
  return rows[0] ?? null;
}
