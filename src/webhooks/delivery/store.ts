/** The SQL of the delivery: which profiles receive an event, which deliveries are due, and their results. */
import { sql, type Reader, type Tx, type Database } from "../../db/database.ts";
import { isFree, leaseEnd } from "../../db/lease.ts";
import type { Canonical } from "../../lib/canonical-json.ts";

const TENANTS_TO_FAN_OUT = sql(
  "webhooks.tenants_to_fan_out",
  `-- every tenant: the job looks for the tenants that have something to do
   select tenant from events where fanned_out_at is null group by tenant order by min(number) limit :limit`,
);

export async function tenantsToFanOut(db: Reader, limit: number): Promise<readonly number[]> {
  return tenantsOf(await db.query(TENANTS_TO_FAN_OUT, { limit }));
}

// The rows are waited for, not skipped: of two events of a purchase the later one must not get its delivery first.
// A profile that a 410 has switched off is still written for; its deliveries wait until it is switched on again.
const FAN_OUT = sql(
  "webhooks.fan_out",
  `with due as (
     select id, number, type, session_id, transaction_id
       from events
      where tenant = :tenant and fanned_out_at is null
      order by number
      limit :limit
        for update
   ), routed as (
     select due.id as event_id, due.number, due.type, due.session_id,
            coalesce(due.session_id, o.session_id, due.transaction_id) as stream_id,
            p.id as profile_id, p.payload_fields, p.ascii_escape
       from due
       left join sessions s           on s.tenant = :tenant and s.id = due.session_id
       left join transactions t       on t.tenant = :tenant and t.id = due.transaction_id
       left join orders o             on o.tenant = :tenant and o.id = t.order_id
       left join webhook_profiles own on own.tenant = :tenant and own.id = s.webhook_profile_id
                                     and own.archived_at is null
       join webhook_profiles p        on p.tenant = :tenant and p.archived_at is null and due.type = any(p.events)
      where case when own.id is not null and starts_with(due.type, 'payment_session.') then p.id = own.id
                 else p.active or p.disabled_reason is not null end
   ), delivered as (
     insert into webhook_deliveries (
       tenant, id, event_id, event_number, event_type, profile_id, session_id, stream_id, payload_fields, ascii_escape,
       status, due_at, created_at
     )
     select :tenant, gen_random_uuid(), event_id, number, type, profile_id, session_id, stream_id, payload_fields, ascii_escape,
            'pending', :now, :now
       from routed
         on conflict (tenant, event_id, profile_id) do nothing
   ), receivers as (
     insert into webhook_receivers as r (tenant, profile_id, next_at, news)
     select distinct :tenant::integer, profile_id, :now::timestamptz, 1
       from routed
      order by profile_id
         on conflict (tenant, profile_id)
         do update set next_at = least(r.next_at, excluded.next_at), news = r.news + 1
   )
   update events e
      set fanned_out_at = :now
     from due
    where e.tenant = :tenant and e.id = due.id
   returning e.id`,
);

/** Makes the deliveries of up to `limit` events; returns how many events that were. Again makes none twice. */
export async function fanOut(db: Database, tenant: number, now: Date, limit: number): Promise<number> {
  return (await db.commit(FAN_OUT, { tenant, now, limit })).length;
}

const DUE = `r.next_at <= :now
   and ${isFree("r.locked_until")}
   and (r.paused_until is null or r.paused_until <= :now)
   and (r.failures_in_a_row > 0) = :failing
   and p.active and p.archived_at is null` as const;

const TENANTS_WITH_DUE = sql(
  "webhooks.tenants_with_due",
  `-- every tenant: the job looks for the tenants that have something to do
   select r.tenant
     from webhook_receivers r
     join webhook_profiles p on p.tenant = r.tenant and p.id = r.profile_id
    where ${DUE}
    group by r.tenant
    order by min(r.next_at)
    limit :limit`,
);

/** @param failing whether those whose last request failed are looked for, or those that are well. */
export async function tenantsWithDueReceivers(
  db: Reader,
  now: Date,
  failing: boolean,
  limit: number,
): Promise<readonly number[]> {
  return tenantsOf(await db.query(TENANTS_WITH_DUE, { limit, now, failing }));
}

/** A receiver in the hands of this worker, with its profile. */
export interface ReceiverRow {
  readonly profile_id: string;
  readonly lease_no: string;
  readonly news: string;
  readonly failures_in_a_row: number;
  readonly url: string;
  readonly signing_secret: Buffer;
  readonly previous_signing_secret: Buffer | null;
  readonly previous_signing_secret_until: Date | null;
}

const CLAIM = sql(
  "webhooks.claim_receivers",
  `update webhook_receivers r
      set locked_until = ${leaseEnd(":leaseMs")}, lease_no = r.lease_no + 1
     from (
       select r.profile_id, p.url, p.signing_secret, p.previous_signing_secret, p.previous_signing_secret_until
         from webhook_receivers r
         join webhook_profiles p on p.tenant = :tenant and p.id = r.profile_id
        where r.tenant = :tenant and ${DUE}
        order by r.next_at
        limit :limit
          for no key update of r skip locked
     ) due
    where r.tenant = :tenant and r.profile_id = due.profile_id
   returning r.profile_id, r.lease_no, r.news, r.failures_in_a_row,
             due.url, due.signing_secret, due.previous_signing_secret, due.previous_signing_secret_until`,
);

/** Takes due receivers for `leaseMs`; a worker that holds one past that can write nothing for it any more. */
export function claimReceivers(
  db: Database,
  tenant: number,
  { now, leaseMs, failing, limit }: { now: Date; leaseMs: number; failing: boolean; limit: number },
): Promise<readonly ReceiverRow[]> {
  return db.commit(CLAIM, { tenant, now, failing, leaseMs, limit });
}

export interface DueRow {
  readonly id: string;
  readonly event_id: string;
  readonly event_type: string;
  readonly event_created_at: Date;
  readonly session_id: string | null;
  readonly token_key_id: number | null;
  readonly payload: Readonly<Record<string, Canonical>>;
  readonly payload_fields: Readonly<Record<string, string>>;
  readonly ascii_escape: boolean;
  readonly attempts: number;
  readonly tries: number;
  readonly due_at: Date;
}

/** Nothing is sent while an earlier event of its purchase is on the way to the same receiver. */
const IS_FIRST_OF_STREAM = `not exists (
  select from webhook_deliveries earlier
   where earlier.tenant = :tenant and earlier.profile_id = :profileId and earlier.stream_id = d.stream_id
     and earlier.status in ('pending', 'failing') and earlier.event_number < d.event_number
)`;

const LIST_DUE = sql(
  "webhooks.list_due",
  `select d.id, d.event_id, d.event_type, e.created_at as event_created_at, d.session_id, s.token_key_id,
          e.payload, d.payload_fields, d.ascii_escape, d.attempts, d.tries, d.due_at
     from webhook_deliveries d
     join events e        on e.tenant = :tenant and e.id = d.event_id
     left join sessions s on s.tenant = :tenant and s.id = d.session_id
    where d.tenant = :tenant and d.profile_id = :profileId and d.status in ('pending', 'failing') and d.due_at <= :now
      and ${IS_FIRST_OF_STREAM}
    order by d.due_at, d.event_number
    limit :limit`,
);

/** What may go out to a receiver now, at most one event of each purchase. */
export function listDue(
  db: Reader,
  tenant: number,
  profileId: string,
  now: Date,
  limit: number,
): Promise<readonly DueRow[]> {
  return db.query(LIST_DUE, { tenant, profileId, now, limit });
}

/** One request and what follows from it. */
export interface AttemptRecord {
  readonly profileId: string;
  readonly leaseNo: string;
  readonly deliveryId: string;
  readonly number: number;
  readonly at: Date;
  readonly endedAt: Date;
  readonly durationMs: number;
  readonly responseCode: number | null;
  readonly error: string | null;
  readonly responseBody: string | null;
  readonly status: "delivered" | "failing" | "exhausted";
  readonly dueAt: Date | null;
  readonly tries: number;
  /** How the receiver is doing after it; null when it was well before and is now. */
  readonly health: { readonly failuresInARow: number; readonly pausedUntil: Date | null } | null;
}

/** A worker whose lease was taken over finds no row to hold, and so writes nothing. */
const STILL_HELD = `select profile_id from webhook_receivers
      where tenant = :tenant and profile_id = :profileId and lease_no = :leaseNo
        for share`;
const STILL_HELD_WITH_HEALTH = `update webhook_receivers
        set failures_in_a_row = :failuresInARow, paused_until = :pausedUntil
      where tenant = :tenant and profile_id = :profileId and lease_no = :leaseNo
     returning profile_id`;

const recordWith = <Held extends string>(held: Held) =>
  `with held as (
     ${held}
   ), delivery as (
     update webhook_deliveries d
        set status = :status, due_at = :dueAt, attempts = :number, tries = :tries, last_at = :at, response_code = :responseCode, error = :error,
            delivered_at = case when :status = 'delivered' then :endedAt else d.delivered_at end
       from held
      where d.tenant = :tenant and d.id = :deliveryId and d.attempts = :number - 1
     returning d.id
   )
   insert into webhook_attempts (
     tenant, delivery_id, number, at, response_code, error, duration_ms, response_body
   )
   select :tenant, id, :number, :at, :responseCode, :error, :durationMs, :responseBody from delivery
   returning number` as const;

const RECORD = sql("webhooks.record_attempt", recordWith(STILL_HELD));
const RECORD_WITH_HEALTH = sql("webhooks.record_attempt_and_health", recordWith(STILL_HELD_WITH_HEALTH));

/** Writes an attempt down; false when the lease was lost. @param write of a transaction, or `commit` of the database. */
export async function recordAttempt(
  write: Tx["write"],
  tenant: number,
  record: AttemptRecord,
): Promise<boolean> {
  const { health, ...attempt } = record;
  const values = { ...attempt, tenant };
  const rows =
    health === null ? await write(RECORD, values) : await write(RECORD_WITH_HEALTH, { ...values, ...health });
  return rows.length === 1;
}

const DISABLE = sql(
  "webhooks.disable_profile",
  `update webhook_profiles
      set active = false, disabled_reason = :reason, updated_at = :now
    where tenant = :tenant and id = :profileId and url = :url and active`,
);

/** Switches a profile off, unless its URL is another one by now. */
export async function disableProfile(
  tx: Tx,
  tenant: number,
  profile: { readonly profile_id: string; readonly url: string },
  reason: string,
  now: Date,
): Promise<void> {
  await tx.write(DISABLE, { tenant, profileId: profile.profile_id, url: profile.url, reason, now });
}

// The list was read before this statement waits for the row; `news` says whether more has come since the claim.
const RELEASE = sql(
  "webhooks.release_receiver",
  `update webhook_receivers r
      set locked_until = null,
          next_at = case when r.news <> :news then :now else (
            select d.due_at
              from webhook_deliveries d
             where d.tenant = :tenant and d.profile_id = :profileId and d.status in ('pending', 'failing')
               and ${IS_FIRST_OF_STREAM}
             order by d.due_at
             limit 1
          ) end
    where r.tenant = :tenant and r.profile_id = :profileId and r.lease_no = :leaseNo
   returning coalesce(r.next_at <= :now, false) as due`,
).gives<{ due: boolean }>();

/** Gives a receiver back; true when there is more to send at once. */
export async function releaseReceiver(
  db: Database,
  tenant: number,
  receiver: Pick<ReceiverRow, "profile_id" | "lease_no" | "news">,
  now: Date,
): Promise<boolean> {
  const values = {
    tenant,
    profileId: receiver.profile_id,
    leaseNo: receiver.lease_no,
    news: receiver.news,
    now,
  };
  const rows = await db.commit(RELEASE, values);
  return rows[0]?.due ?? false;
}

function tenantsOf(rows: readonly object[]): readonly number[] {
  return (rows as readonly { readonly tenant: number }[]).map(({ tenant }) => tenant);
}
