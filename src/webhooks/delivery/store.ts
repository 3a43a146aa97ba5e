/** The SQL of delivery: which receivers and deliveries are due, their claims, and their results. */
import { sql, type Reader, type Tx, type Database } from "../../db/database.ts";
import { isFree, leaseEnd } from "../../db/lease.ts";
import { writesTogether } from "../../db/together.ts";
import type { Canonical } from "../../lib/canonical-json.ts";

/** A receiver with deliveries that may be due. */
export interface DueReceiver {
  readonly tenant: number;
  readonly profile_id: string;
}

const LIST_DUE_RECEIVERS = sql(
  "webhooks.list_due_receivers",
  `-- every tenant: the job looks for receivers that have something to do
   select r.tenant, r.profile_id
     from webhook_receivers r
     join webhook_profiles p on p.tenant = r.tenant and p.id = r.profile_id
    where r.next_at <= :now
      and (r.paused_until is null or r.paused_until <= :now)
      and (r.failures_in_a_row > 0) = :failing
      and p.active and p.archived_at is null
    order by r.next_at, r.profile_id
    limit :limit`,
).gives<DueReceiver>();

/**
 * Receivers with due deliveries.
 * @param failing whether to find those whose last request failed, or the healthy ones.
 */
export function listDueReceivers(
  db: Reader,
  now: Date,
  failing: boolean,
  limit: number,
): Promise<readonly DueReceiver[]> {
  return db.query(LIST_DUE_RECEIVERS, { now, failing, limit });
}

/** A receiver when its deliveries were claimed, with its profile. */
export interface ReceiverRow {
  readonly profile_id: string;
  readonly failures_in_a_row: number;
  readonly in_flight_limit: number;
  readonly max_in_flight: number;
  readonly url: string;
  readonly signing_secret: Buffer;
  readonly previous_signing_secret: Buffer | null;
  readonly previous_signing_secret_until: Date | null;
}

export interface ClaimedRow extends ReceiverRow {
  readonly id: string;
  readonly lease_no: string;
  readonly event_id: string;
  readonly event_type: string;
  readonly event_created_at: Date;
  readonly session_id: string | null;
  /** Of the event's payment. */
  readonly merchant_transaction_id: string | null;
  readonly traceparent: string | null;
  readonly token_key_id: number | null;
  readonly payload: Readonly<Record<string, Canonical>>;
  readonly payload_fields: Readonly<Record<string, string>>;
  readonly ascii_escape: boolean;
  readonly attempts: number;
  readonly tries: number;
  readonly due_at: Date;
}

/**
 * Nothing is sent while an earlier event of its subject is open, or any other is in progress, to the same receiver.
 * `offset 0` makes PostgreSQL check it for the few claimed rows instead of comparing all waiting ones.
 */
const IS_NEXT_OF_SUBJECT = `not exists (
        select from webhook_deliveries earlier
         where earlier.tenant = :tenant and earlier.profile_id = :profileId and earlier.subject_id = d.subject_id
           and earlier.status in ('pending', 'failing') and earlier.event_number < d.event_number
        offset 0
      ) and not exists (
        select from webhook_deliveries other
         where other.tenant = :tenant and other.profile_id = :profileId and other.subject_id = d.subject_id
           and other.locked_until > statement_timestamp()
        offset 0
      )` as const;

/** Deliveries that only wait for their time and a free request. */
const IS_CLAIMABLE = `d.tenant = :tenant and d.profile_id = :profileId and d.status in ('pending', 'failing')
        and ${isFree("d.locked_until")} and ${IS_NEXT_OF_SUBJECT}` as const;

// All reads are of one moment. If the receiver's row has changed since (`xmin`), because of another instance's claim, a
// new event or a requested redelivery, nothing is claimed: the instance that changed it looks as well. A delivery that
// waits for another one is claimed by the instance that records the other's response and finds `lookAgainAt`; the job
// looks then as well. `leaseEndsAt` is for an instance that dies.
const CLAIM_DELIVERIES = sql(
  "webhooks.claim_deliveries",
  `with seen as (
     select r.xmin as version, r.profile_id, r.failures_in_a_row,
            least(r.in_flight_limit + :growth::integer, p.max_in_flight) as in_flight_limit, p.max_in_flight,
            p.url, p.signing_secret, p.previous_signing_secret, p.previous_signing_secret_until
       from webhook_receivers r
       join webhook_profiles p on p.tenant = :tenant and p.id = r.profile_id
      where r.tenant = :tenant and r.profile_id = :profileId
        and (r.paused_until is null or r.paused_until <= :now)
        and p.active and p.archived_at is null
   ), busy as (
     select id, subject_id
       from webhook_deliveries
      where tenant = :tenant and profile_id = :profileId and locked_until > statement_timestamp()
   ), due as (
     select d.id, d.subject_id, d.due_at
       from webhook_deliveries d
      where ${IS_CLAIMABLE} and d.due_at <= :now
      order by d.due_at, d.event_number
      limit coalesce((
        select greatest(least(
                 case when failures_in_a_row > 0 then 1 else in_flight_limit end - (select count(*)::integer from busy),
                 :room::integer
               ), 0)
          from seen
      ), 0)
   ), under_way as (
     select id, subject_id from busy union all select id, subject_id from due
   ), next as (
     select (
       select d.due_at
         from webhook_deliveries d
        where ${IS_CLAIMABLE} and d.id not in (select id from due)
        order by d.due_at
        limit 1
     ) as at, exists (select from under_way) as is_busy, exists (
       select from under_way
         join webhook_deliveries later
           on later.tenant = :tenant and later.profile_id = :profileId and later.subject_id = under_way.subject_id
          and later.status in ('pending', 'failing') and later.id <> under_way.id
     ) as is_followed
   ), held as (
     update webhook_receivers r
        set in_flight_limit = seen.in_flight_limit,
            next_at = case when not next.is_busy then next.at
                           when next.at <= :now or next.is_followed then :lookAgainAt
                           else least(next.at, :leaseEndsAt) end
       from seen, next
      where r.tenant = :tenant and r.profile_id = :profileId and r.xmin = seen.version
     returning r.profile_id
   ), claimed as (
     update webhook_deliveries d
        set locked_until = ${leaseEnd(":leaseMs")}, lease_no = d.lease_no + 1
       from due, held
      where d.tenant = :tenant and d.id = due.id and d.status in ('pending', 'failing') and ${isFree("d.locked_until")}
     returning d.*, due.due_at as was_due_at
   )
   select seen.profile_id, seen.failures_in_a_row, seen.in_flight_limit, seen.max_in_flight,
          seen.url, seen.signing_secret, seen.previous_signing_secret, seen.previous_signing_secret_until,
          c.id, c.lease_no, c.event_id, c.event_type, e.created_at as event_created_at, c.session_id, s.token_key_id,
          t.merchant_transaction_id, t.traceparent, e.payload, c.payload_fields, c.ascii_escape, c.attempts, c.tries, c.was_due_at as due_at
     from claimed c
     join seen            on true
     join events e        on e.tenant = :tenant and e.id = c.event_id
     left join sessions s on s.tenant = :tenant and s.id = c.session_id
     left join transactions t on t.tenant = :tenant and t.id = e.transaction_id
    order by c.was_due_at, c.event_number`,
).gives<ClaimedRow>();

/**
 * Claims due deliveries, at most one of each subject and within the receiver's limit, and records when to look again.
 */
export function claimDeliveries(
  db: Database,
  tenant: number,
  claim: {
    readonly profileId: string;
    readonly now: Date;
    readonly leaseMs: number;
    /** How much the receiver's limit has grown. */
    readonly growth: number;
    readonly room: number;
    readonly lookAgainAt: Date;
    readonly leaseEndsAt: Date;
  },
): Promise<readonly ClaimedRow[]> {
  return db.commit(CLAIM_DELIVERIES, { ...claim, tenant });
}

/** One request and its response. */
interface SuccessRecord {
  readonly profileId: string;
  readonly leaseNo: string;
  readonly deliveryId: string;
  readonly number: number;
  readonly at: Date;
  readonly endedAt: Date;
  readonly durationMs: number;
  readonly responseCode: number | null;
  readonly responseBody: string | null;
  readonly tries: number;
  /** Deliveries due by then make another look worthwhile, now that a request has ended. */
  readonly lookAgainAt: Date;
}

/** One request, and what follows for its delivery and its receiver. */
export interface AttemptRecord extends SuccessRecord {
  readonly error: string | null;
  readonly status: "delivered" | "failing" | "exhausted";
  readonly dueAt: Date | null;
  /** When it was due as it was claimed. */
  readonly wasDueAt: Date;
  /** The receiver's state after it. */
  readonly health: Health;
}

export interface Health {
  /** The number of failures when the delivery was claimed. */
  readonly failuresSeen: number;
  readonly failuresInARow: number;
  readonly pausedUntil: Date | null;
  /** The new limit of concurrent requests; null leaves it unchanged. */
  readonly inFlightLimit: number | null;
}

// Of concurrent requests the first failure counts, and one that was begun before a failure does not undo it. An older
// claim's response changes nothing.
const IS_FRESH =
  "r.failures_in_a_row in (:failuresSeen::integer, greatest(:failuresSeen::integer, :failuresInARow::integer))" as const;
const HEALTH = `update webhook_receivers r
        set failures_in_a_row = case when ${IS_FRESH} then :failuresInARow else r.failures_in_a_row end,
            failing_since = case when not ${IS_FRESH} then r.failing_since
                                 when :failuresInARow = 0 then null
                                 else coalesce(r.failing_since, :at) end,
            in_flight_limit = case when ${IS_FRESH} then least(r.in_flight_limit, :inFlightLimit) else r.in_flight_limit end,
            paused_until = case when not ${IS_FRESH} then r.paused_until
                                when :failuresInARow = 0 then null
                                else greatest(r.paused_until, :pausedUntil) end,
            next_at = least(r.next_at, :dueAt)
      where r.tenant = :tenant and r.profile_id = :profileId
        and exists (select from webhook_deliveries d
                     where d.tenant = :tenant and d.id = :deliveryId and d.lease_no = :leaseNo)
     returning r.profile_id` as const;

/** A person who requests a delivery again makes it due at that time and begins its tries anew. */
const IS_REQUESTED_AGAIN = "(d.tries, d.due_at) <> (:tries - 1, :wasDueAt)" as const;

// Locks the receiver's row first, like a claim. A delivery that a person has requested again in the meantime is sent
// again, unless it has just succeeded.
const RECORD_WITH_HEALTH = sql(
  "webhooks.record_attempt_and_health",
  `with before as materialized (
     select next_at from webhook_receivers where tenant = :tenant and profile_id = :profileId
   ), receiver as (
     ${HEALTH}
   ), delivery as (
     update webhook_deliveries d
        set attempts = :number, last_at = :at, response_code = :responseCode, error = :error, locked_until = null,
            status = case when :status <> 'delivered' and ${IS_REQUESTED_AGAIN} then d.status else :status end,
            due_at = case when :status <> 'delivered' and ${IS_REQUESTED_AGAIN} then d.due_at else :dueAt end,
            tries = case when ${IS_REQUESTED_AGAIN} then d.tries else :tries end,
            delivered_at = case when :status = 'delivered' then :endedAt else d.delivered_at end
       from (select count(*) from receiver) held
      where d.tenant = :tenant and d.id = :deliveryId and d.lease_no = :leaseNo and d.attempts = :number - 1
     returning d.id
   )
   , written as (
     insert into webhook_attempts (
       tenant, delivery_id, number, at, response_code, error, duration_ms, response_body
     )
     select :tenant, id, :number, :at, :responseCode, :error, :durationMs, :responseBody from delivery
   )
   select coalesce((select next_at <= :lookAgainAt from before), false) as more from delivery`,
).gives<Recorded>();

/** It changes only its delivery, so many are recorded together. */
const RECORD_SUCCESSES = writesTogether(
  "webhooks.record_successes",
  {
    deliveryId: "uuid",
    leaseNo: "bigint",
    profileId: "uuid",
    number: "integer",
    tries: "integer",
    at: "timestamptz",
    endedAt: "timestamptz",
    lookAgainAt: "timestamptz",
    durationMs: "integer",
    responseCode: "integer",
    responseBody: "text",
  },
  `with delivery as (
     update webhook_deliveries d
        set attempts = v.number, last_at = v.at, response_code = v.responseCode, error = null, locked_until = null,
            status = 'delivered', due_at = null, tries = case when d.tries <> v.tries - 1 then d.tries else v.tries end,
            delivered_at = v.endedAt
       from v
      where d.tenant = :tenant and d.id = v.deliveryId and d.lease_no = v.leaseNo and d.attempts = v.number - 1
     returning d.id, v.n
   ), written as (
     insert into webhook_attempts (tenant, delivery_id, number, at, response_code, error, duration_ms, response_body)
     select :tenant, d.id, v.number, v.at, v.responseCode, null, v.durationMs, v.responseBody
       from delivery d join v on v.n = d.n
   )
   select v.n, coalesce((select r.next_at <= v.lookAgainAt from webhook_receivers r
                          where r.tenant = :tenant and r.profile_id = v.profileId), false) as more
     from delivery d join v on v.n = d.n`,
  ({ deliveryId }) => [String(deliveryId)],
).gives<Recorded>();

export interface Recorded {
  /** Whether something else could be sent to the receiver now. */
  readonly more: boolean;
}

/** Records a success that leaves the receiver as healthy as before; null when the lease was lost. */
export async function recordSuccess(
  db: Pick<Database, "together">,
  tenant: number,
  record: SuccessRecord,
): Promise<Recorded | null> {
  return (await db.together(RECORD_SUCCESSES, tenant, { ...record }))[0] ?? null;
}

/**
 * Records an attempt and the receiver's new state; null when the lease was lost.
 * @param write on its own, or in a transaction that writes more.
 */
export async function recordAttempt(
  write: Tx["write"],
  tenant: number,
  { health, ...attempt }: AttemptRecord,
): Promise<Recorded | null> {
  return (await write(RECORD_WITH_HEALTH, { ...attempt, tenant, ...health }))[0] ?? null;
}

const LOCK_URL = sql(
  "webhooks.lock_url",
  `select url from webhook_profiles where tenant = :tenant and id = :profileId for no key update`,
).gives<Pick<ReceiverRow, "url">>();

/** The profile's URL, which stays as it is until the transaction ends. */
export async function lockUrl(tx: Tx, tenant: number, profileId: string): Promise<string | undefined> {
  return (await tx.query(LOCK_URL, { tenant, profileId }))[0]?.url;
}

const DISABLE = sql(
  "webhooks.disable_profile",
  `update webhook_profiles
      set active = false, disabled_reason = :reason, updated_at = :now
    where tenant = :tenant and id = :profileId and active`,
);

/** Deactivates a profile. */
export async function disableProfile(
  tx: Tx,
  tenant: number,
  profileId: string,
  reason: string,
  now: Date,
): Promise<void> {
  await tx.write(DISABLE, { tenant, profileId, reason, now });
}
