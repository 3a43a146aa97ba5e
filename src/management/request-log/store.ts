/** The SQL of the log of requests. */
import { isOnDays, type Days } from "../../db/days.ts";
import { sql, type Database, type Reader } from "../../db/database.ts";
import { listed } from "../../db/lists.ts";
import type { ApiKeyRow, RequestRow } from "../../db/rows.ts";
import type { Window } from "../../lib/window.ts";

export type NewRequest = Omit<RequestRow, "tenant">;

const INSERT = sql(
  "requests.insert",
  `insert into requests (tenant, id, request_id, method, route, status, duration_ms, api_key_id, session_id, record_id,
                         problem, created_at)
   select :tenant, r.id, r.request_id, r.method, r.route, r.status, r.duration_ms, r.api_key_id, r.session_id,
          r.record_id, r.problem, r.created_at
     from jsonb_to_recordset(:requests::jsonb) as r
       (id uuid, request_id text, method text, route text, status integer, duration_ms integer, api_key_id uuid,
        session_id uuid, record_id uuid, problem text, created_at timestamptz)`,
);

export async function insertRequests(
  db: Database,
  tenant: number,
  requests: readonly NewRequest[],
): Promise<void> {
  await db.commit(INSERT, { tenant, requests: JSON.stringify(requests) });
}

export interface RequestFilters extends Days {
  readonly requestId: string | null;
  readonly method: string | null;
  readonly apiKey: string | null;
  /** Lower limit of the status, inclusive, and the upper one. */
  readonly statusFrom: number | null;
  readonly statusBelow: number | null;
}

export type LoggedRequestRow = NewRequest & { readonly api_key_name: ApiKeyRow["name"] | null };

const SHOWN = `r.id, r.request_id, r.method, r.route, r.status, r.duration_ms, r.api_key_id, r.session_id, r.record_id,
          r.problem, r.created_at, k.name as api_key_name`;

const LIST = listed(
  "requests.list",
  `select ${SHOWN}
     from requests r
     left join api_keys k on k.tenant = :tenant and k.id = r.api_key_id
    where r.tenant = :tenant
      and (:requestId::text is null or r.request_id = :requestId)
      and (:method::text is null or r.method = :method)
      and (:apiKey::uuid is null or r.api_key_id = :apiKey)
      and (:statusFrom::integer is null or r.status >= :statusFrom)
      and (:statusBelow::integer is null or r.status < :statusBelow)
      and ${isOnDays("r.created_at")}`,
  ["r.created_at", "r.id"],
  // By values: the indexes of request ids and of refused requests only serve these filters.
  { plannedByValues: true },
).gives<LoggedRequestRow>();

/** One page of the tenant's requests. */
export function listRequests(
  db: Reader,
  tenant: number,
  filters: RequestFilters,
  { towards, at, id, limit }: Window,
): Promise<readonly LoggedRequestRow[]> {
  return db.query(LIST[towards], { ...filters, tenant, at, id, limit });
}

const FIND = sql(
  "requests.find",
  `select ${SHOWN}
     from requests r
     left join api_keys k on k.tenant = :tenant and k.id = r.api_key_id
    where r.tenant = :tenant and r.id = :id`,
).gives<LoggedRequestRow>();

/** Null if the tenant has none with this id. */
export async function findRequest(db: Reader, tenant: number, id: string): Promise<LoggedRequestRow | null> {
  return (await db.query(FIND, { tenant, id }))[0] ?? null;
}

const TENANTS = sql(
  "requests.tenants_with_old",
  `-- every tenant: the clean-up finds who has something old
   select distinct tenant from requests where created_at < :before order by tenant`,
).gives<{ tenant: number }>();

export async function tenantsWithRequests(db: Reader, before: Date): Promise<readonly number[]> {
  return (await db.query(TENANTS, { before })).map(({ tenant }) => tenant);
}

const FORGET = sql(
  "requests.forget",
  `with old as (
     select id
       from requests
      where tenant = :tenant and created_at < :before
      order by created_at
      limit :limit
        for update skip locked
   )
   delete from requests r using old where r.tenant = :tenant and r.id = old.id
   returning r.id`,
);

export async function forgetRequests(
  db: Database,
  tenant: number,
  before: Date,
  limit: number,
): Promise<number> {
  return (await db.commit(FORGET, { tenant, before, limit })).length;
}
