/** The SQL of renewal attempts: reads what collecting needs, claims for recovery, records the outcome. */
import { mandateAfterRenewal } from "../mandates/writes.ts";
import { sql, type Database, type Reader, type Tx } from "../db/database.ts";
import type { BillingCycleRow } from "../db/rows.ts";
import { endValues, type AttemptEnd } from "../payments/attempt/end.ts";
import { attemptEnds, claimDue, lockAttempt } from "../payments/attempt/store.ts";
import { TRANSACTION_COLUMNS } from "../payments/store.ts";
import type { ReturnEffects } from "../sepa/reasons.ts";
import type { StoredTransaction } from "../payments/transaction.ts";
import type { MessagesOnly, NewEvent } from "../webhooks/events.ts";
import { insertEvents } from "../webhooks/outbox.ts";
import { HAS_ENDED, paidByOtherAttempt } from "./writes.ts";

/** An attempt with everything needed to collect it and to build its events. */
export interface RenewalRow extends StoredTransaction {
  readonly cycle: number;
  readonly cycle_status: BillingCycleRow["status"];
  readonly attempts: number;
  readonly retry_days: readonly string[];
  readonly resolve_count: number;
  /** The number of the claim that may record the outcome. */
  readonly lease_no: string;
  readonly address: string | null;
  readonly postal_code: string | null;
  readonly city: string | null;
  readonly mandate_id: string;
  readonly mandate_reference: string;
  readonly mandate_accepted_at: Date;
  readonly iban_sealed: Buffer;
  readonly bic: string | null;
  readonly holder_name: string;
  readonly creditor_name: string;
  readonly creditor_identifier: string | null;
  readonly mandate_scheme: "CORE" | "B2B";
  readonly mandate_notice_days: number | null;
  readonly descriptor: string | null;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly credentials: Buffer | null;
  readonly error_code: string | null;
  readonly gateway_code: string | null;
}

const RENEWAL = `
  select ${TRANSACTION_COLUMNS},
         l.address, l.postal_code, l.city, t.resolve_count, t.lease_no, t.error_code, t.gateway_code,
         g.descriptor, g.settings, g.credentials, m.id as mandate_id, m.iban_sealed, m.bic,
         m.holder_name, m.creditor_name, m.creditor_identifier, m.reference as mandate_reference,
         m.accepted_at as mandate_accepted_at, m.scheme as mandate_scheme, m.pre_notification_days as mandate_notice_days,
         c.cycle, c.attempts, c.status as cycle_status, n.retry_days
    from t
    join tenants n on n.tenant = :tenant
    join billing_cycles c on c.tenant = :tenant and c.subscription_id = t.subscription_id and c.transaction_id = t.id
    join gateways g on g.tenant = :tenant and g.id = t.gateway_id
    join mandates m on m.tenant = :tenant and m.id = t.mandate_id
    join orders   o on o.tenant = :tenant and o.id = t.order_id
    join sessions s on s.tenant = :tenant and s.id = o.session_id
    join leads    l on l.tenant = :tenant and l.id = t.lead_id` as const;

const FIND_RENEWAL = sql(
  "billing.find_renewal",
  `with t as (select * from transactions where tenant = :tenant and id = :id) ${RENEWAL}`,
).gives<RenewalRow>();

export async function findRenewal(db: Reader, tenant: number, id: string): Promise<RenewalRow | null> {
  return (await db.query(FIND_RENEWAL, { tenant, id }))[0] ?? null;
}

export const CLAIM_DUE_RENEWALS = sql(
  "billing.claim_due",
  `with ${claimDue("type = 'sdd_rebill'")} ${RENEWAL}`,
).gives<RenewalRow>();

export interface RenewalWrite {
  readonly tenant: number;
  readonly transactionId: string;
  readonly now: Date;
  readonly end: AttemptEnd;
  readonly cycle: {
    readonly status: BillingCycleRow["status"];
    readonly nextAttemptAt: Date | null;
    /** 0, or -1 if the attempt does not count. */
    readonly attempts: number;
  };
  readonly subscription: {
    /** Null leaves it unchanged. */
    readonly status: "ACTIVE" | "PAST_DUE" | "CANCELLED" | null;
    readonly cancelReason: string | null;
    readonly succeeded: number;
    readonly failed: number;
    /** Whether the amount is revenue now; accepted money becomes revenue when it settles. */
    readonly earned: boolean;
  };
  /** The effect of a rejection on the mandate and its account, by the tenant's rules. */
  readonly effects: ReturnEffects;
  readonly events: readonly (NewEvent | MessagesOnly)[];
}

/**
 * Assignments for `subscriptions u` after an attempt, the row `t`. A subscription that was cancelled in the meantime
 * stays cancelled. A success ends PAST_DUE only when it was requested after the failure that caused it, and no other
 * cycle waits for a retry, so that the result does not depend on the order in which concurrent collections end.
 * @param status the status after the attempt, or null.
 * @param reason why it is cancelled.
 */
function subscriptionMoves<Status extends string, Reason extends string>(status: Status, reason: Reason) {
  const recovers = `${status} = 'ACTIVE' and coalesce(t.created_at > u.past_due_since, true) and not exists (
              select from billing_cycles o
               where o.tenant = :tenant and o.subscription_id = u.id and o.transaction_id <> t.id
                 and o.status = 'retry' and o.attempts > 0)` as const;
  return `
            status = case when u.status = 'CANCELLED' or ${status} = 'ACTIVE' and not (${recovers}) then u.status
                          else coalesce(${status}, u.status) end,
            past_due_since = case when ${status} = 'PAST_DUE' then greatest(u.past_due_since, :now)
                                  when ${recovers} then null else u.past_due_since end,
            cancelled_at = case when ${status} = 'CANCELLED' then coalesce(u.cancelled_at, :now) else u.cancelled_at end,
            cancel_at_period_end = u.cancel_at_period_end and (u.status = 'CANCELLED' or ${status} is distinct from 'CANCELLED'),
            cancel_reason = coalesce(u.cancel_reason, ${reason}),
            next_billing_date = case when ${status} = 'CANCELLED' then null else u.next_billing_date end` as const;
}

/** A `with` branch: the other attempt that has paid the cycle of `t`, which then brings no money. */
const PAID_OTHERWISE = `
     select p.id from t cross join lateral (${paidByOtherAttempt({ renewal: "t" })}) p
      where :cycleStatus in ('retry', 'failed', 'withdrawn')` as const;

/**
 * Assignments for `billing_cycles` after an attempt: a cycle that another attempt has paid belongs to that one and is
 * not retried.
 */
const CYCLE_MOVES = `
            status = case when p.id is null then :cycleStatus else 'paid' end, transaction_id = coalesce(p.id, t.id),
            next_attempt_at = case when p.id is null then :nextAttemptAt::timestamptz end,
            error_code = case when p.id is null then :errorCode::text end, updated_at = :now` as const;

/** The subscription's status after an attempt; a failed one has no effect if another has paid the cycle. */
const STATUS_AFTER =
  "case when p.id is null or :subscriptionStatus <> 'PAST_DUE' then :subscriptionStatus::text end";

const RECORD = sql(
  "billing.record_outcome",
  `with t as (${attemptEnds(":", ", return_action = :returnAction")}
   ), p as (${PAID_OTHERWISE}
   ), c as (
     update billing_cycles
        set attempts = attempts + :attempts, ${CYCLE_MOVES}
       from t left join p on true
      where billing_cycles.tenant = :tenant and billing_cycles.subscription_id = t.subscription_id
        and billing_cycles.transaction_id = t.id
   ), u as (
     update subscriptions u
        set ${subscriptionMoves(STATUS_AFTER, ":cancelReason")},
            successful_billing_count = successful_billing_count + :succeeded,
            failed_billing_count = failed_billing_count + :failed,
            total_revenue = total_revenue + case when :earned then t.amount else 0 end,
            last_billing_date = case when :earned then :now else last_billing_date end, updated_at = :now
       from t left join p on true
      where u.tenant = :tenant and u.id = t.subscription_id
   ), m as (${mandateAfterRenewal({ from: "t" })}
   ), new_events as materialized (${insertEvents({ from: "t", events: ":events", now: ":now" })}
   )
   select id from t`,
);

/**
 * Records an attempt's outcome atomically. Returns false when it was already recorded.
 * @param isRetry whether an earlier attempt at its cycle may be reinstated at the same time: the outcome is then
 * written after it or before it.
 */
export async function writeRenewalOutcome(
  db: Database,
  input: RenewalWrite,
  isRetry: boolean,
): Promise<boolean> {
  const values = valuesOf(input);
  const rows = isRetry
    ? await db.transaction(async (tx) => {
        await holdAttempt(tx, input.tenant, input.transactionId);
        return tx.write(RECORD, values);
      })
    : await db.commit(RECORD, values);
  return rows.length === 1;
}

function valuesOf(input: RenewalWrite) {
  const { cycle, subscription } = input;
  return {
    tenant: input.tenant,
    id: input.transactionId,
    now: input.now,
    ...endValues(input.end),
    cycleStatus: cycle.status,
    nextAttemptAt: cycle.nextAttemptAt,
    attempts: cycle.attempts,
    subscriptionStatus: subscription.status,
    cancelReason: subscription.cancelReason,
    succeeded: subscription.succeeded,
    failed: subscription.failed,
    earned: subscription.earned,
    ...input.effects,
    events: JSON.stringify(input.events),
  };
}

const FIND_FOLLOWED = sql(
  "billing.find_followed",
  `with t as (
     select t.* from transactions t
       join billing_cycles c on c.tenant = :tenant and c.transaction_id = t.id and c.status = 'pending'
      where t.tenant = :tenant and t.status <> 'pending'
      limit :limit
   ) ${RENEWAL}`,
).gives<RenewalRow>();

/** Accepted attempts that have ended since. */
export function findFollowed(db: Reader, tenant: number, limit: number): Promise<readonly RenewalRow[]> {
  return db.query(FIND_FOLLOWED, { tenant, limit });
}

const HOLD_ITS_SUBSCRIPTION = sql(
  "billing.lock_subscription_of_transaction",
  `select from subscriptions
    where tenant = :tenant and id = (select subscription_id from transactions where tenant = :tenant and id = :id)
      for no key update`,
);

/** Locks the payment before its subscription, as reinstating one does; later reads see its result. */
async function holdAttempt(tx: Tx, tenant: number, id: string): Promise<void> {
  await lockAttempt(tx, tenant, id);
  await tx.query(HOLD_ITS_SUBSCRIPTION, { tenant, id });
}

/**
 * Locks the attempt, so that neither news nor a chargeback changes it or another attempt at its cycle in the meantime.
 */
export async function lockRenewal(tx: Tx, tenant: number, id: string): Promise<RenewalRow | null> {
  await holdAttempt(tx, tenant, id);
  return findRenewal(tx, tenant, id);
}

const FOLLOW = sql(
  "billing.follow",
  `with t as (
     select * from transactions where tenant = :tenant and id = :id
   ), p as (${PAID_OTHERWISE}
   ), c as (
     update billing_cycles
        set ${CYCLE_MOVES}
       from t left join p on true
      where billing_cycles.tenant = :tenant and billing_cycles.subscription_id = t.subscription_id
        and billing_cycles.transaction_id = t.id and billing_cycles.status = 'pending'
     returning billing_cycles.cycle
   )
   update subscriptions u
      set ${subscriptionMoves(STATUS_AFTER, ":cancelReason")},
          successful_billing_count = successful_billing_count + :succeeded,
          failed_billing_count = failed_billing_count + :failed, updated_at = :now
     from t join c on true left join p on true
    where u.tenant = :tenant and u.id = t.subscription_id
   returning u.id`,
);

/** Applies the end of an accepted attempt to its subscription; its money was counted with the news. */
export async function writeFollowed(
  tx: Tx,
  tenant: number,
  transactionId: string,
  now: Date,
  { cycle, subscription }: Pick<RenewalWrite, "cycle" | "subscription">,
  errorCode: string | null,
): Promise<boolean> {
  const rows = await tx.write(FOLLOW, {
    tenant,
    id: transactionId,
    now,
    cycleStatus: cycle.status,
    nextAttemptAt: cycle.nextAttemptAt,
    errorCode,
    subscriptionStatus: subscription.status,
    cancelReason: subscription.cancelReason,
    succeeded: subscription.succeeded,
    failed: subscription.failed,
  });
  return rows.length === 1;
}

/**
 * SQL: an instruction may wait in its gateway's books, and its withdrawal was not requested within the last hour. It is
 * requested again while the attempt is open: a file that was not sent can be taken back.
 */
const MAY_BE_WITHDRAWN =
  "c.status = 'pending' and coalesce(c.withdrawal_asked_at <= :now::timestamptz - interval '1 hour', true)";
/** SQL: another attempt than `t` has paid the cycle. */
const isPaid = <Tenant extends string>(tenant: Tenant) =>
  `c.attempts > 1 and exists (${paidByOtherAttempt({ renewal: "t", tenant })})` as const;

const TENANTS_FOLLOWED = sql(
  "billing.tenants_followed",
  `-- every tenant: the first of a job's two steps finds who has work
   select distinct c.tenant from billing_cycles c
     join transactions t on t.tenant = c.tenant and t.id = c.transaction_id and t.status <> 'pending'
    where c.status = 'pending' and c.created_at <= :now
    union
   select distinct c.tenant from billing_cycles c
     join subscriptions u on u.tenant = c.tenant and u.id = c.subscription_id and u.status = 'CANCELLED'
    where c.status = 'retry' or ${MAY_BE_WITHDRAWN} and ${HAS_ENDED}
    union
   select distinct c.tenant from billing_cycles c
     join transactions t on t.tenant = c.tenant and t.id = c.transaction_id
    where ${MAY_BE_WITHDRAWN} and ${isPaid("t.tenant")}
    limit :limit`,
).gives<{ tenant: number }>();

export async function tenantsWithFollowed(db: Reader, now: Date, limit: number): Promise<readonly number[]> {
  const rows = await db.query(TENANTS_FOLLOWED, { now, limit });
  return rows.map(({ tenant }) => tenant);
}

const END_RETRIES = sql(
  "billing.end_retries",
  `update billing_cycles c
      set status = 'failed', next_attempt_at = null, updated_at = :now
     from subscriptions u
    where c.tenant = :tenant and c.status = 'retry' and u.tenant = :tenant and u.id = c.subscription_id and u.status = 'CANCELLED'
   returning c.cycle`,
);

/** Ends retries of ended subscriptions: the statement that ended one may have missed a concurrent failure. */
export async function endRetries(db: Database, tenant: number, now: Date): Promise<number> {
  return (await db.commit(END_RETRIES, { tenant, now })).length;
}

const FIND_TO_WITHDRAW = sql(
  "billing.find_to_withdraw",
  `with t as (
     select t.* from billing_cycles c
       join subscriptions u on u.tenant = :tenant and u.id = c.subscription_id
       join transactions  t on t.tenant = :tenant and t.id = c.transaction_id and t.status = 'pending'
      where c.tenant = :tenant and ${MAY_BE_WITHDRAWN} and (${HAS_ENDED} or ${isPaid(":tenant")})
        and (:subscriptionId::uuid is null or u.id = :subscriptionId)
      order by c.created_at
      limit :limit
   ) ${RENEWAL}`,
).gives<RenewalRow>();

/** Accepted attempts that are no longer wanted, and whose withdrawal was not requested within the last hour. */
export function findToWithdraw(
  db: Reader,
  tenant: number,
  subscriptionId: string | null,
  now: Date,
  limit: number,
): Promise<readonly RenewalRow[]> {
  return db.query(FIND_TO_WITHDRAW, { tenant, subscriptionId, now, limit });
}

const NOTE_ASKED = sql(
  "billing.record_withdrawal_request",
  `update billing_cycles set withdrawal_asked_at = :now, updated_at = :now
    where tenant = :tenant and subscription_id = :subscriptionId and transaction_id = :id and status = 'pending'`,
);

/** Records that a withdrawal was requested, and that the instruction is on its way to the customer's bank. */
export async function recordWithdrawalRequest(
  db: Database,
  tenant: number,
  { id, subscription_id }: Pick<RenewalRow, "id" | "subscription_id">,
  now: Date,
): Promise<void> {
  await db.commit(NOTE_ASKED, { tenant, subscriptionId: subscription_id, id, now });
}
