/** The SQL of due cycles: finds them, locks their subscription, claims a cycle. */
import type { Scheme } from "../mandates/creditor.ts";
import { isBlockedAccount } from "../mandates/writes.ts";
import { attemptOpens } from "../payments/attempt/store.ts";
import { CLOSED_DAYS_MAX } from "../sepa/target.ts";
import { sql, type Reader, type Tx } from "../db/database.ts";
import { utcDate, type IsoDate } from "../lib/dates.ts";
import { currentTraceparent } from "../lib/trace.ts";
import { isNoticed } from "../messages/notice-conditions.ts";
import type { BillingCycleRow } from "../db/rows.ts";
import type { BillingDay, BillingFrequency } from "./billing-terms.ts";

const TENANTS = sql(
  "billing.tenants_due",
  `-- every tenant: the first of a job's two steps finds who has work
   select distinct tenant from (
     select u.tenant from subscriptions u join tenants n on n.tenant = u.tenant
      where u.next_billing_date <= (:now::timestamptz at time zone 'UTC')::date
                                   + case when n.closed_day = 'previous' then ${CLOSED_DAYS_MAX} else 0 end
        and u.status <> 'CANCELLED'
      union all
     select tenant from billing_cycles where next_attempt_at <= :now
   ) due
   limit :limit`,
).gives<{ tenant: number }>();

export async function tenantsWithDueCycles(db: Reader, now: Date, limit: number): Promise<readonly number[]> {
  const rows = await db.query(TENANTS, { now, limit });
  return rows.map(({ tenant }) => tenant);
}

/** Statuses of unfinished cycles. Cycles are independent: none waits for another. */
const IS_OPEN = "c.status in ('collecting', 'pending', 'retry')";

/** The same rule as `mayBeEarly` in schedule.ts. */
const MAY_BE_EARLY = `n.closed_day = 'previous' and u.billing_frequency is not null
             and not u.cancel_at_period_end and u.next_billing_date is distinct from u.trial_end_date`;

/** SQL: whether the campaign that sold the subscription was stopped (docs/guards.md): its renewals wait then. */
export const campaignStopped = <Subscription extends string>(u: Subscription) =>
  `exists (select from campaigns ck
            where ck.tenant = :tenant and ck.stopped_at is not null
              and ck.id = (select cs.campaign_id from sessions cs
                            where cs.tenant = :tenant
                              and cs.id = (select co.session_id from orders co
                                            where co.tenant = :tenant and co.id = ${u}.order_id)))` as const;

/** SQL: whether the subscription has lost its mandate or account; it ends, announced or not. */
const HAS_LOST_MANDATE = `(select m.status <> 'active' or ${isBlockedAccount("array[m.iban_fingerprint]")}
             from mandates m where m.tenant = :tenant and m.id = u.mandate_id)` as const;

/** A subscription ends at its period's end only after all earlier cycles have ended. */
const FIND_DUE = sql(
  "billing.find_due",
  `select id from (
     select u.id, u.next_billing_date, ${campaignStopped("u")} as is_stopped from subscriptions u
       join tenants n on n.tenant = :tenant
      where u.tenant = :tenant and u.next_billing_date <= :closedUntil::date and u.status <> 'CANCELLED'
        and (u.next_billing_date <= :today::date or ${MAY_BE_EARLY})
        and (u.cancel_at_period_end or ${HAS_LOST_MANDATE} or ${isNoticed("u.next_billing_date", "first")})
        and not (u.cancel_at_period_end and exists (
          select from billing_cycles c where c.tenant = :tenant and c.subscription_id = u.id and ${IS_OPEN}))
      union
     select u.id, u.next_billing_date, ${campaignStopped("u")} as is_stopped from billing_cycles c
       join subscriptions u on u.tenant = :tenant and u.id = c.subscription_id
      where c.tenant = :tenant and c.next_attempt_at <= :now::timestamptz and u.status <> 'CANCELLED'
   ) due
    where not is_stopped
    order by next_billing_date, id
    limit :limit`,
).gives<{ id: string }>();

export async function findDue(
  db: Reader,
  tenant: number,
  now: Date,
  days: { readonly today: string; readonly closedUntil: string },
  limit: number,
): Promise<readonly string[]> {
  const rows = await db.query(FIND_DUE, { tenant, now, ...days, limit });
  return rows.map(({ id }) => id);
}

/** A subscription with its mandate and the state of its cycles. */
export interface BillingRow {
  readonly id: string;
  readonly status: "ACTIVE" | "PAST_DUE" | "CANCELLED";
  readonly billing_frequency: BillingFrequency | null;
  readonly billing_day: BillingDay | null;
  readonly billing_anchor_date: string;
  readonly billing_anchor_cycle: number;
  /** The amount of each renewal, with two decimals. */
  readonly billing_amount: string;
  readonly currency: string;
  readonly gateway_id: string;
  /** The mandate's creditor. */
  readonly creditor_identifier: string | null;
  readonly mandate_scheme: Scheme;
  readonly mandate_id: string;
  readonly iban_sealed: Buffer;
  readonly iban_fingerprint: Buffer;
  readonly next_billing_date: string | null;
  readonly trial_end_date: string | null;
  readonly cancel_at_period_end: boolean;
  readonly closed_day: "next" | "previous";
  /** Whether its campaign was stopped. */
  readonly is_stopped: boolean;
  /** The newest cycle that was begun. */
  readonly last_cycle: number | null;
  readonly last_due_date: string | null;
  readonly last_status: BillingCycleRow["status"] | null;
  /** The oldest cycle that may be retried. */
  readonly retry_cycle: number | null;
  readonly retry_due_date: string | null;
  /** Whether a cycle's outcome is unknown. */
  readonly under_way: boolean;
  /** Whether a cycle has not ended. */
  readonly has_open: boolean;
  readonly mandate_status: string;
  readonly mandate_last_used_at: Date;
  /** Whether the customer was notified of the next cycle in time, if the tenant requires it. */
  readonly is_noticed: boolean;
  /** The same for the cycle that may be retried, otherwise for the newest. */
  readonly is_retry_noticed: boolean;
}

const HOLD_FREE = sql(
  "billing.lock_if_free",
  "select from subscriptions where tenant = :tenant and id = :id for update skip locked",
);
const HOLD = sql("billing.lock", "select from subscriptions where tenant = :tenant and id = :id for update");
const READ_HELD = sql(
  "billing.read_locked",
  `select u.id, u.status, u.billing_frequency, u.billing_day, u.billing_anchor_date, u.billing_anchor_cycle,
          u.billing_amount, u.currency, u.gateway_id, m.creditor_identifier, m.scheme as mandate_scheme,
          m.id as mandate_id, m.iban_sealed, m.iban_fingerprint, u.next_billing_date, u.trial_end_date, u.cancel_at_period_end, n.closed_day, ${campaignStopped("u")} as is_stopped,
          last.cycle as last_cycle, last.due_date as last_due_date, last.status as last_status,
          retry.cycle as retry_cycle, retry.due_date as retry_due_date,
          coalesce(open.under_way, false) as under_way, open.under_way is not null as has_open,
          case when ${isBlockedAccount("array[m.iban_fingerprint]")} then 'cancelled' else m.status end as mandate_status,
          coalesce(m.last_used_at, m.accepted_at) as mandate_last_used_at,
          ${isNoticed("u.next_billing_date", "first")} as is_noticed,
          ${isNoticed("coalesce(retry.due_date, last.due_date)", "again")} as is_retry_noticed
     from subscriptions u
     join tenants  n on n.tenant = :tenant
     join mandates m on m.tenant = :tenant and m.id = u.mandate_id
     left join lateral (
       select cycle, due_date, status from billing_cycles c
        where c.tenant = :tenant and c.subscription_id = u.id
        order by cycle desc limit 1
     ) last on true
     left join lateral (
       select cycle, due_date from billing_cycles c
        where c.tenant = :tenant and c.subscription_id = u.id and c.status = 'retry'
          and (:now::timestamptz is null or c.next_attempt_at <= :now)
        order by cycle limit 1
     ) retry on true
    cross join lateral (
       select bool_or(c.status <> 'retry') as under_way from billing_cycles c
        where c.tenant = :tenant and c.subscription_id = u.id and ${IS_OPEN}
     ) open
    where u.tenant = :tenant and u.id = :id`,
).gives<BillingRow>();

/** Locks the subscription, with a cycle whose retry is due; null when another worker has locked it. */
export async function lockIfFree(tx: Tx, tenant: number, id: string, now: Date): Promise<BillingRow | null> {
  if ((await tx.query(HOLD_FREE, { tenant, id })).length === 0) return null;
  return (await tx.query(READ_HELD, { tenant, id, now, today: utcDate(now) }))[0] ?? null;
}

/** Waits for the lock on the subscription; returns it with a cycle that waits for its retry, due or not. */
export async function hold(tx: Tx, tenant: number, id: string, today: IsoDate): Promise<BillingRow | null> {
  // Two statements: one that waited for the row would still see the cycles as they were before.
  await tx.query(HOLD, { tenant, id });
  return (await tx.query(READ_HELD, { tenant, id, now: null, today }))[0] ?? null;
}

export interface CycleClaim {
  readonly subscriptionId: string;
  readonly cycle: number;
  readonly dueDate: string;
  readonly skipped: readonly { readonly cycle: number; readonly dueDate: string }[];
  /** The subscription's next date; undefined leaves it unchanged, as for a retry. */
  readonly nextBillingDate: string | null;
  readonly isNew: boolean;
  readonly transactionId: string;
  readonly merchantTransactionId: string;
  readonly resolveAt: Date;
}

/**
 * Inserts a cycle's row; the primary key prevents a second one. An existing cycle is begun again only when no attempt
 * of it is in progress. Further attempts have the amount of the first, whatever the subscription's is by then.
 */
const TAKE_UP = sql(
  "billing.claim_cycle",
  `with u as (
     update subscriptions
        set next_billing_date = case when :isNew then :nextBillingDate::date else next_billing_date end, updated_at = :now
      where tenant = :tenant and id = :subscriptionId
     returning *
   ), missed as (
     insert into billing_cycles (tenant, subscription_id, cycle, due_date, status, created_at, updated_at)
     select :tenant, :subscriptionId, (k ->> 'cycle')::integer, (k ->> 'dueDate')::date, 'skipped', :now, :now
       from jsonb_array_elements(:skipped::jsonb) as k
   ), t as (
     ${attemptOpens({
       by: ":",
       columns: `id, order_id, subscription_id, lead_id, mandate_id, gateway_id, type, source, sequence_type,
        amount, currency, cycle`,
       values: `:transactionId, u.order_id, u.id, u.lead_id, u.mandate_id, u.gateway_id, 'sdd_rebill',
            coalesce(first.source, 'api_submission'), 'RCUR', coalesce(before.amount, u.billing_amount), u.currency, :cycle::integer`,
       from: `from u
       left join lateral (
         select source from transactions
          where transactions.tenant = :tenant and transactions.order_id = u.order_id and transactions.session_id is not null
          order by created_at desc limit 1
       ) first on true
       left join lateral (
         select p.amount from billing_cycles k join transactions p on p.tenant = :tenant and p.id = k.transaction_id
          where k.tenant = :tenant and k.subscription_id = u.id and k.cycle = :cycle
          limit 1
       ) before on true`,
     })}
   ), taken_up as (
     insert into billing_cycles
       (tenant, subscription_id, cycle, due_date, status, attempts, transaction_id, created_at, updated_at)
     select :tenant, :subscriptionId, :cycle, :dueDate::date, 'collecting', 1, t.id, :now, :now from t
         on conflict (tenant, subscription_id, cycle) do update
        set status = 'collecting', attempts = billing_cycles.attempts + 1, transaction_id = excluded.transaction_id,
            next_attempt_at = null, updated_at = excluded.updated_at
      where billing_cycles.status in ('retry', 'failed')
     returning cycle
   )
   select cycle from taken_up`,
);

/** The claim number with which an attempt is opened. */
export const FIRST_CLAIM = "1";

/**
 * Opens an attempt at a cycle.
 * @throws Error when the cycle must not be collected, which is a bug.
 */
export async function claimCycle(tx: Tx, tenant: number, now: Date, given: CycleClaim): Promise<void> {
  const rows = await tx.write(TAKE_UP, {
    tenant,
    subscriptionId: given.subscriptionId,
    now,
    cycle: given.cycle,
    transactionId: given.transactionId,
    merchantTransactionId: given.merchantTransactionId,
    traceparent: currentTraceparent(),
    resolveAt: given.resolveAt,
    isNew: given.isNew,
    nextBillingDate: given.nextBillingDate,
    skipped: JSON.stringify(given.skipped),
    dueDate: given.dueDate,
  });
  if (rows.length !== 1) throw new Error(`Cycle ${given.cycle} of a subscription is not open`);
}

const END_RETRY = sql(
  "billing.end_retry",
  `with c as (
     update billing_cycles set status = 'failed', next_attempt_at = null, updated_at = :now
      where tenant = :tenant and subscription_id = :id and cycle = :cycle and status = 'retry'
     returning subscription_id
   )
   update subscriptions u set status = 'PAST_DUE', past_due_since = :now, updated_at = :now
     from c
    where u.tenant = :tenant and u.id = c.subscription_id and u.status = 'ACTIVE'`,
);

/** Ends the retries of a cycle, under its subscription's lock; it stays past due. */
export async function endRetry(tx: Tx, tenant: number, id: string, cycle: number, now: Date): Promise<void> {
  await tx.write(END_RETRY, { tenant, id, cycle, now });
}
