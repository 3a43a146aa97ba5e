/** The SQL of postbacks: finds the token's owner, stores, processes and deletes them. */
import { sql, type Database, type Reader } from "../db/database.ts";
import { brokenConstraint } from "../db/constraints.ts";
import { leaseEnd } from "../db/lease.ts";
import { readsTogether, writesTogether } from "../db/together.ts";
import type { IntegrationActivityRow, IntegrationRow } from "../db/rows.ts";

export type IntegrationReceiver = Pick<
  IntegrationRow,
  "tenant" | "id" | "provider" | "provider_active" | "active" | "key_mapping" | "postback_secret"
>;

const FIND_RECEIVER = readsTogether(
  "integrations.find_receiver",
  { tokenHash: "bytea" },
  `select tenant, id, provider, provider_active, active, key_mapping, postback_secret
     from integrations
    where tenant = :tenant and token_hash = v.tokenHash and archived_at is null`,
).gives<IntegrationReceiver>();

/** The integration of a postback URL; null for an invalid one. */
export async function findReceiver(
  db: Database,
  tenant: number,
  tokenHash: Buffer,
): Promise<IntegrationReceiver | null> {
  const rows = await db.together(FIND_RECEIVER, tenant, { tokenHash });
  return rows[0] ?? null;
}

const SKIP = sql(
  "integrations.skip",
  `insert into integration_activities (tenant, id, integration_id, status, reason, recovered, created_at, processed_at)
   values (:tenant, :id, :integrationId, 'skipped', :reason, false, :at, :at)`,
);

export async function insertSkipped(
  db: Database,
  { tenant, id: integrationId }: Pick<IntegrationReceiver, "tenant" | "id">,
  { id, reason, at }: { readonly id: string; readonly reason: string; readonly at: Date },
): Promise<void> {
  await db.commit(SKIP, { tenant, id, integrationId, reason, at });
}

// The rows of the keys are always written, so that of two concurrent copies the later one waits and then sees the first
// one's id. There is one row per available master key: during a rotation every two instances have one key in common. A
// postback that is fetched from the partner again is never new, however long ago it first arrived.
const RECEIVE = sql(
  "integrations.receive",
  `with known as (
     select activity_id, expires_at
       from integration_postback_keys
      where tenant = :tenant and integration_id = :integrationId and fingerprint = any(:fingerprints::bytea[]) and (expires_at > :at or :recovered)
      limit 1
   ), key as (
     insert into integration_postback_keys as k (tenant, integration_id, fingerprint, activity_id, expires_at)
     select :tenant, :integrationId, f, coalesce(known.activity_id, :id::uuid), coalesce(known.expires_at, :until::timestamptz)
       from unnest(:fingerprints::bytea[]) f
       left join known on true
      order by f
         on conflict (tenant, integration_id, fingerprint) do update
        set activity_id = case when k.expires_at > :at or :recovered then k.activity_id else excluded.activity_id end,
            expires_at  = case when k.expires_at > :at or :recovered then k.expires_at  else excluded.expires_at  end
     returning activity_id
   ), first as (
     select activity_id from key order by activity_id = :id limit 1
   ), stored as (
     insert into integration_activities (
       tenant, id, integration_id, status, recovered, request_uuid, payload, due_at, created_at
     )
     select :tenant, :id, :integrationId, 'received', :recovered, :requestUuid, :payload, statement_timestamp(), :at
       from first
      where activity_id = :id
   )
   select activity_id from first`,
).gives<{ activity_id: string }>();

interface NewActivity {
  readonly id: string;
  /** Fingerprints of its content, under each available master key. */
  readonly fingerprints: readonly [Buffer, ...Buffer[]];
  readonly recovered: boolean;
  readonly requestUuid: string | null;
  readonly payload: Buffer;
  readonly at: Date;
  /** Until when the same postback counts as a repetition. */
  readonly until: Date;
}

/** Stores a postback unless it exists. Returns the id of its activity. */
export async function insertActivity(
  db: Database,
  { tenant, id: integrationId }: Pick<IntegrationReceiver, "tenant" | "id">,
  { id, fingerprints, recovered, requestUuid, payload, at, until }: NewActivity,
): Promise<string> {
  const values = {
    tenant,
    integrationId,
    id,
    fingerprints,
    at,
    until,
    recovered,
    requestUuid,
    payload,
  };
  const rows = await db.commit(RECEIVE, values).catch((error: unknown) => {
    // An instance with fewer keys has stored a copy in the meantime, under one of them: it is found now.
    if (brokenConstraint(error) !== "activity_of_same_tenant") throw error;
    return db.commit(RECEIVE, values);
  });
  return rows[0]?.activity_id ?? id;
}

const TENANTS_WITH_DUE = sql(
  "integrations.tenants_with_due",
  `-- every tenant: the job looks for the tenants that have something to do
   select tenant
     from integration_activities
    where due_at <= statement_timestamp()
    group by tenant
    order by min(due_at)
    limit :limit`,
);

export async function tenantsWithDueActivities(db: Reader, limit: number): Promise<readonly number[]> {
  return tenantsOf(await db.query(TENANTS_WITH_DUE, { limit }));
}

export type DueRow = Pick<
  IntegrationActivityRow,
  "id" | "integration_id" | "payload" | "attempts" | "tries"
> &
  Pick<IntegrationRow, "provider" | "key_mapping">;

// A subquery in the update could run once for each row of `a`, and each time claim that many more.
const CLAIM = sql(
  "integrations.claim",
  `with due as (
     select id
       from integration_activities
      where tenant = :tenant and due_at <= statement_timestamp()
      order by due_at
      limit :limit
        for update skip locked
   )
   update integration_activities a
      set due_at = ${leaseEnd(":leaseMs")}, attempts = a.attempts + 1, tries = a.tries + 1
     from due, integrations i
    where a.tenant = :tenant and a.id = due.id and i.tenant = :tenant and i.id = a.integration_id
   returning a.id, a.integration_id, a.payload, a.attempts, a.tries, i.provider, i.key_mapping`,
).gives<DueRow>();

/**
 * Leases due activities for `leaseMs`; a worker that takes longer loses them. `due_at` is also the end of the lease.
 */
export function claimDueActivities(
  db: Database,
  tenant: number,
  leaseMs: number,
  limit: number,
): Promise<readonly DueRow[]> {
  return db.commit(CLAIM, { tenant, leaseMs, limit });
}

/** The references in a postback, by which its lead is found; null where it has none. */
export interface References {
  readonly leadId: string | null;
  /** The same text, interpreted as each kind of reference that our_ref may be. */
  readonly ourLeadId: string | null;
  readonly orderNumber: string;
  readonly sessionId: string | null;
  readonly tenantReferenceId: string | null;
}

interface Match {
  readonly matched_by: string;
  readonly lead_id: string;
  readonly order_id: string | null;
  readonly session_id: string | null;
}

const MATCH = readsTogether(
  "integrations.match",
  { leadId: "uuid", ourLeadId: "uuid", orderNumber: "text", sessionId: "uuid", tenantReferenceId: "text" },
  `select matched_by, lead_id, order_id, session_id
     from (
       select 1 as place, 'lead_id' as matched_by, id as lead_id, null::uuid as order_id, null::uuid as session_id
         from leads
        where tenant = :tenant and id = v.leadId
       union all
       select 2, 'our_ref_lead_id', id, null, null
         from leads
        where tenant = :tenant and id = v.ourLeadId
       union all
       select 3, 'our_ref_order_number', lead_id, id, session_id
         from orders
        where tenant = :tenant and order_number = v.orderNumber
       union all
       select 4, 'our_ref_session_token', s.lead_id, o.id, s.id
         from sessions s
         join orders o on o.tenant = :tenant and o.session_id = s.id
        where s.tenant = :tenant and s.id = v.sessionId
       union all
       select 5, 'our_ref_tenant_reference_id', lead_id, order_id, session_id
         from transactions
        where tenant = :tenant and tenant_reference_id = v.tenantReferenceId and lead_id is not null
     ) named
    order by place
    limit 1`,
).gives<Match>();

/** Finds the lead by each reference in turn; the first match counts (contract: Matching postbacks). */
export async function findMatch(db: Database, tenant: number, references: References): Promise<Match | null> {
  return (await db.together(MATCH, tenant, { ...references }))[0] ?? null;
}

const RECORD = writesTogether(
  "integrations.record",
  {
    id: "uuid",
    attempts: "integer",
    status: "text",
    reason: "text",
    leadId: "uuid",
    orderId: "uuid",
    sessionId: "uuid",
    at: "timestamptz",
  },
  `with lead as (
     -- An erasure that has begun is waited for, and then seen in the locked row.
     -- A branch of its own: Citus mistakes the rows of a locked join for another format.
     select id, erased_at from leads where tenant = :tenant and id = any (:leadId::uuid[]) order by id for key share
   ), recorded as (
     update integration_activities a
        set status = v.status, reason = v.reason, lead_id = v.leadId, order_id = v.orderId, session_id = v.sessionId,
            processed_at = v.at, due_at = null,
            payload = case when lead.erased_at is null then a.payload end
       from v
       left join lead on lead.id = v.leadId
      where a.tenant = :tenant and a.id = v.id and a.attempts = v.attempts and a.status = 'received'
     returning v.n, a.id
   )
   select n, id from recorded`,
  ({ id }) => [String(id)],
).gives<{ id: string }>();

export interface ActivityEnd {
  readonly status: "matched" | "unmatched" | "failed";
  readonly reason: string;
  readonly leadId: string | null;
  readonly orderId: string | null;
  readonly sessionId: string | null;
}

/**
 * Ends an activity; of an erased customer without its body, like `eraseActivities`.
 * @returns false when another worker has taken it over.
 */
export async function recordEnd(
  db: Database,
  tenant: number,
  { id, attempts }: Pick<DueRow, "id" | "attempts">,
  ended: ActivityEnd,
  at: Date,
): Promise<boolean> {
  return (await db.together(RECORD, tenant, { id, attempts, ...ended, at })).length === 1;
}

export function tenantsOf(rows: readonly object[]): readonly number[] {
  return (rows as readonly { readonly tenant: number }[]).map(({ tenant }) => tenant);
}
