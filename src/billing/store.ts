/** The SQL of billing: what is due, taking a cycle up, and what became of it. */
import { sql, type Database, type Reader, type Tx } from "../db/database.ts";
import type { BillingCycleRow } from "../db/rows.ts";
import type { Window } from "../http/paging.ts";
import type { StoredTransaction } from "../payments/transaction.ts";
import type { BillingFrequency } from "../subscriptions/schedule.ts";
import type { NewEvent } from "../webhooks/events.ts";
import { insertEvents } from "../webhooks/outbox.ts";

const TENANTS = sql(
  "billing.tenants_due",
  `-- every tenant: the first of a job's two steps finds who has work
   select distinct tenant from (
     select tenant from subscriptions
      where next_billing_date <= ($1::timestamptz at time zone 'UTC')::date and status <> 'CANCELLED'
      union all
     select tenant from billing_cycles where next_attempt_at <= $1
   ) due
   limit $2`,
);

export async function tenantsWithDueCycles(db: Reader, now: Date, limit: number): Promise<readonly number[]> {
  const rows = await db.query<{ tenant: number }>(TENANTS, [now, limit]);
  return rows.map(({ tenant }) => tenant);
}

const IS_OPEN = "c.status in ('collecting', 'pending', 'retry')";
/** Due: a cycle to be tried again, or the next one with none open. `$2` is now, `$3` today. */
const IS_DUE = `
  u.status <> 'CANCELLED'
  and (   (c.status = 'retry' and c.next_attempt_at <= $2::timestamptz)
       or (c.cycle is null and u.next_billing_date <= $3::date))`;
const OPEN_CYCLE = `
  left join billing_cycles c on c.tenant = $1 and c.subscription_id = u.id and ${IS_OPEN}`;

const FIND_DUE = sql(
  "billing.find_due",
  `select id from (
     select u.id, u.next_billing_date from subscriptions u
      where u.tenant = $1 and u.next_billing_date <= $3::date and u.status <> 'CANCELLED'
        and not exists (select 1 from billing_cycles c where c.tenant = $1 and c.subscription_id = u.id and ${IS_OPEN})
      union all
     select u.id, u.next_billing_date from billing_cycles c
       join subscriptions u on u.tenant = $1 and u.id = c.subscription_id
      where c.tenant = $1 and c.next_attempt_at <= $2::timestamptz and u.status <> 'CANCELLED'
   ) due
    order by next_billing_date, id
    limit $4`,
);

export async function findDue(
  db: Reader,
  tenant: number,
  now: Date,
  today: string,
  limit: number,
): Promise<readonly string[]> {
  const rows = await db.query<{ id: string }>(FIND_DUE, [tenant, now, today, limit]);
  return rows.map(({ id }) => id);
}

/** A subscription with the cycle that is open, if one is, its mandate and its gateway. */
export interface BillingRow {
  readonly id: string;
  readonly status: "ACTIVE" | "PAST_DUE" | "CANCELLED";
  readonly billing_amount: string;
  readonly currency: string;
  readonly billing_frequency: BillingFrequency | null;
  readonly billing_anchor_date: string;
  readonly next_billing_date: string | null;
  readonly has_trial: boolean;
  readonly cancel_at_period_end: boolean;
  readonly last_cycle: number | null;
  readonly open_cycle: number | null;
  readonly open_status: BillingCycleRow["status"] | null;
  readonly open_due_date: string | null;
  readonly mandate_status: string;
  readonly mandate_last_used_at: Date;
}

const LOCK = `
  select u.id, u.status, u.billing_amount, u.currency, u.billing_frequency, u.billing_anchor_date, u.next_billing_date,
         u.trial_end_date is not null as has_trial, u.cancel_at_period_end,
         (select max(cycle) from billing_cycles k where k.tenant = $1 and k.subscription_id = u.id) as last_cycle,
         c.cycle as open_cycle, c.status as open_status, c.due_date as open_due_date,
         m.status as mandate_status, coalesce(m.last_used_at, m.accepted_at) as mandate_last_used_at
    from subscriptions u
    join mandates m on m.tenant = $1 and m.id = u.mandate_id
    ${OPEN_CYCLE}`;

const LOCK_DUE = sql(
  "billing.lock_due",
  `${LOCK} where u.tenant = $1 and u.id = $4 and ${IS_DUE} for update of u skip locked`,
);

/** The subscription, if it is still due and nobody else has it in hand. */
export async function lockDue(
  tx: Tx,
  tenant: number,
  now: Date,
  today: string,
  id: string,
): Promise<BillingRow | null> {
  return (await tx.query<BillingRow>(LOCK_DUE, [tenant, now, today, id]))[0] ?? null;
}

const LOCK_ROW = sql(
  "billing.lock_row",
  "select from subscriptions where tenant = $1 and id = $2 for update",
);
const READ_LOCKED = sql("billing.read_locked", `${LOCK} where u.tenant = $1 and u.id = $2`);

export async function lockSubscription(tx: Tx, tenant: number, id: string): Promise<BillingRow | null> {
  // Two statements: one that has waited for the row would still see the cycles as they were before.
  await tx.query(LOCK_ROW, [tenant, id]);
  return (await tx.query<BillingRow>(READ_LOCKED, [tenant, id]))[0] ?? null;
}

export interface TakeUp {
  readonly subscriptionId: string;
  readonly cycle: number;
  readonly dueDate: string;
  readonly skipped: readonly { readonly cycle: number; readonly dueDate: string }[];
  /** What the subscription shows next; undefined leaves it, as for another attempt of the same cycle. */
  readonly nextBillingDate: string | null;
  readonly isNew: boolean;
  readonly transactionId: string;
  readonly merchantTransactionId: string;
  readonly resolveAt: Date;
}

/** A cycle is taken up by its row; the primary key and the indexes on open ones refuse a second time. */
const TAKE_UP = sql(
  "billing.take_up",
  `with u as (
     update subscriptions
        set next_billing_date = case when $8 then $9::date else next_billing_date end, updated_at = $3
      where tenant = $1 and id = $2
     returning *
   ), missed as (
     insert into billing_cycles (tenant, subscription_id, cycle, due_date, status, created_at, updated_at)
     select $1, $2, (k ->> 'cycle')::integer, (k ->> 'dueDate')::date, 'skipped', $3, $3
       from jsonb_array_elements($10::jsonb) as k
   ), t as (
     insert into transactions
       (tenant, id, order_id, subscription_id, lead_id, mandate_id, gateway_id, merchant_transaction_id, status, type,
        source, sequence_type, amount, currency, resolve_at, created_at, updated_at)
     select $1, $5, u.order_id, u.id, u.lead_id, u.mandate_id, u.gateway_id, $6, 'submitted', 'sdd_rebill',
            coalesce(first.source, 'api_submission'), 'RCUR', u.billing_amount, u.currency, $7, $3, $3
       from u
       left join lateral (
         select source from transactions
          where transactions.tenant = $1 and transactions.order_id = u.order_id and transactions.session_id is not null
          order by created_at desc limit 1
       ) first on true
     returning id
   )
   insert into billing_cycles
     (tenant, subscription_id, cycle, due_date, status, attempts, transaction_id, created_at, updated_at)
   select $1, $2, $4, $11::date, 'collecting', 1, t.id, $3, $3 from t
       on conflict (tenant, subscription_id, cycle) do update
      set status = 'collecting', attempts = billing_cycles.attempts + 1, transaction_id = excluded.transaction_id,
          next_attempt_at = null, updated_at = excluded.updated_at
    where billing_cycles.status = 'retry'
   returning cycle`,
);

/** Opens an attempt at a cycle. @throws Error when the cycle is not one to be collected: our bug. */
export async function takeUp(tx: Tx, tenant: number, now: Date, given: TakeUp): Promise<void> {
  const rows = await tx.write(TAKE_UP, [
    tenant,
    given.subscriptionId,
    now,
    given.cycle,
    given.transactionId,
    given.merchantTransactionId,
    given.resolveAt,
    given.isNew,
    given.nextBillingDate,
    JSON.stringify(given.skipped),
    given.dueDate,
  ]);
  if (rows.length !== 1) throw new Error(`Cycle ${given.cycle} of a subscription is not open`);
}

/** An attempt with everything that collecting and telling of it needs. */
export interface RebillRow extends StoredTransaction {
  readonly cycle: number;
  readonly attempts: number;
  readonly resolve_count: number;
  readonly address: string | null;
  readonly postal_code: string | null;
  readonly city: string | null;
  readonly mandate_id: string;
  readonly iban_sealed: Buffer;
  readonly holder_name: string;
  readonly creditor_name: string;
  readonly creditor_identifier: string | null;
  readonly descriptor: string | null;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly credentials: Buffer | null;
  readonly error_code: string | null;
  readonly gateway_code: string | null;
}

const REBILL = `
  select t.id, t.status, t.type, t.amount, t.refunded, t.refund_claimed, t.currency, t.merchant_transaction_id,
         t.tenant_reference_id, t.gateway_reference, t.adapter_unique_id, t.created_at, t.processed_at, t.updated_at, t.order_id,
         t.session_id, t.subscription_id, t.lead_id, o.order_number, l.email, l.first_name, l.last_name, l.country,
         l.address, l.postal_code, l.city, t.source, t.gateway_id, t.resolve_count, t.error_code, t.gateway_code,
         g.adapter, g.test_mode, g.descriptor, g.settings, g.credentials,
         m.id as mandate_id, m.iban_sealed, m.iban_last4, m.iban_country, m.bic, m.holder_name, m.creditor_name,
         m.creditor_identifier, m.reference as mandate_reference, m.accepted_at as mandate_accepted_at,
         c.cycle, c.attempts
    from t
    join billing_cycles c on c.tenant = $1 and c.subscription_id = t.subscription_id and c.transaction_id = t.id
    join gateways g on g.tenant = $1 and g.id = t.gateway_id
    join mandates m on m.tenant = $1 and m.id = t.mandate_id
    join orders   o on o.tenant = $1 and o.id = t.order_id
    join leads    l on l.tenant = $1 and l.id = t.lead_id`;

const FIND_REBILL = sql(
  "billing.find_rebill",
  `with t as (select * from transactions where tenant = $1 and id = $2) ${REBILL}`,
);

export async function findRebill(db: Reader, tenant: number, id: string): Promise<RebillRow | null> {
  return (await db.query<RebillRow>(FIND_REBILL, [tenant, id]))[0] ?? null;
}

const CLAIM_UNSETTLED = sql(
  "billing.claim_unsettled",
  `with due as (
     select id from transactions
      where tenant = $1 and type = 'sdd_rebill' and resolve_at <= $2
      order by resolve_at
      limit $4
        for update skip locked
   ), t as (
     update transactions set resolve_count = resolve_count + 1, resolve_at = $3, updated_at = $2
       from due
      where transactions.tenant = $1 and transactions.id = due.id
     returning transactions.*
   ) ${REBILL}`,
);

/** Takes attempts whose end nobody has written down, until `leaseUntil`. */
export function claimUnsettled(
  db: Database,
  tenant: number,
  now: Date,
  leaseUntil: Date,
  limit: number,
): Promise<readonly RebillRow[]> {
  return db.commit<RebillRow>(CLAIM_UNSETTLED, [tenant, now, leaseUntil, limit]);
}

const TENANTS_UNSETTLED = sql(
  "billing.tenants_unsettled",
  `-- every tenant: the first of a job's two steps finds who has work
   select distinct tenant from transactions where type = 'sdd_rebill' and resolve_at <= $1 limit $2`,
);

export async function tenantsWithUnsettled(db: Reader, now: Date, limit: number): Promise<readonly number[]> {
  const rows = await db.query<{ tenant: number }>(TENANTS_UNSETTLED, [now, limit]);
  return rows.map(({ tenant }) => tenant);
}

export interface SettleInput {
  readonly tenant: number;
  readonly transactionId: string;
  readonly now: Date;
  /** Statuses from which this may be written. */
  readonly from: readonly string[];
  readonly to: string;
  readonly gatewayReference: string | null;
  readonly processedAt: Date | null;
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly gatewayCode: string | null;
    readonly gatewayMessage: string | null;
  } | null;
  readonly resolveAt: Date | null;
  readonly cycle: {
    readonly status: BillingCycleRow["status"];
    readonly nextAttemptAt: Date | null;
    /** 0, or -1 to give an attempt back. */
    readonly attempts: number;
  };
  readonly subscription: {
    /** Null leaves it as it is. */
    readonly status: "ACTIVE" | "PAST_DUE" | "CANCELLED" | null;
    readonly cancelReason: string | null;
    readonly succeeded: number;
    readonly failed: number;
    /** Whether the amount is revenue now; accepted money is when it is settled. */
    readonly earned: boolean;
  };
  readonly events: readonly NewEvent[];
}

/** A subscription that was cancelled meanwhile stays so, whatever became of its last collection. */
const SETTLE = sql(
  "billing.settle",
  `with t as (
     update transactions
        set status = $5, gateway_reference = coalesce($6, gateway_reference), processed_at = coalesce($7, processed_at),
            error_code = $8, error_message = $9, gateway_code = $10, gateway_message = $11, resolve_at = $12,
            updated_at = $3
      where tenant = $1 and id = $2 and status = any ($4)
     returning *
   ), c as (
     update billing_cycles
        set status = $13, next_attempt_at = $14, attempts = attempts + $15, error_code = $8, updated_at = $3
       from t
      where billing_cycles.tenant = $1 and billing_cycles.subscription_id = t.subscription_id
        and billing_cycles.transaction_id = t.id
   ), u as (
     update subscriptions
        set status = case when subscriptions.status = 'CANCELLED' then subscriptions.status
                          else coalesce($16, subscriptions.status) end,
            cancelled_at = case when $16 = 'CANCELLED' then coalesce(cancelled_at, $3) else cancelled_at end,
            cancel_reason = coalesce(cancel_reason, $17),
            next_billing_date = case when $16 = 'CANCELLED' then null else next_billing_date end,
            successful_billing_count = successful_billing_count + $18,
            failed_billing_count = failed_billing_count + $19,
            total_revenue = total_revenue + case when $20 then t.amount else 0 end,
            last_billing_date = case when $20 then $3 else last_billing_date end, updated_at = $3
       from t
      where subscriptions.tenant = $1 and subscriptions.id = t.subscription_id
   ), m as (
     update mandates
        set last_used_at = case when $5 in ('approved', 'pending') then $3 else mandates.last_used_at end,
            status = case when $8 = 'mandate_rejected' then 'cancelled' else mandates.status end, updated_at = $3,
            cancelled_at = case when $8 = 'mandate_rejected' then $3 else cancelled_at end,
            cancelled_by = case when $8 = 'mandate_rejected' then 'bank' else cancelled_by end,
            status_reason = case when $8 = 'mandate_rejected' then left($10, 255) else status_reason end
       from t
      where mandates.tenant = $1 and mandates.id = t.mandate_id
   ), told as (${insertEvents("$21")}
   )
   select id from t`,
);

/** Writes what became of an attempt, all of it or nothing. False when somebody else has written it first. */
export async function writeRebill(db: Database, input: SettleInput): Promise<boolean> {
  const { error, cycle, subscription } = input;
  const rows = await db.commit(SETTLE, [
    input.tenant,
    input.transactionId,
    input.now,
    input.from,
    input.to,
    input.gatewayReference,
    input.processedAt,
    error?.code ?? null,
    error?.message ?? null,
    error?.gatewayCode ?? null,
    error?.gatewayMessage ?? null,
    input.resolveAt,
    cycle.status,
    cycle.nextAttemptAt,
    cycle.attempts,
    subscription.status,
    subscription.cancelReason,
    subscription.succeeded,
    subscription.failed,
    subscription.earned,
    JSON.stringify(input.events),
  ]);
  return rows.length === 1;
}

const FIND_FOLLOWED = sql(
  "billing.find_followed",
  `with t as (
     select t.* from transactions t
       join billing_cycles c on c.tenant = $1 and c.transaction_id = t.id and c.status = 'pending'
      where t.tenant = $1 and t.status <> 'pending'
      limit $2
   ) ${REBILL}`,
);

/** Attempts that a gateway had accepted and that have come to an end since. */
export function findFollowed(db: Reader, tenant: number, limit: number): Promise<readonly RebillRow[]> {
  return db.query<RebillRow>(FIND_FOLLOWED, [tenant, limit]);
}

const FOLLOW = sql(
  "billing.follow",
  `with c as (
     update billing_cycles
        set status = $4, next_attempt_at = $5, error_code = $6, updated_at = $3
      where tenant = $1 and transaction_id = $2 and status = 'pending'
     returning *
   )
   update subscriptions
      set status = case when subscriptions.status = 'CANCELLED' then subscriptions.status else coalesce($7, subscriptions.status) end,
          cancelled_at = case when $7 = 'CANCELLED' then coalesce(cancelled_at, $3) else cancelled_at end,
          cancel_reason = coalesce(cancel_reason, $8),
          next_billing_date = case when $7 = 'CANCELLED' then null else next_billing_date end,
          successful_billing_count = successful_billing_count + $9,
          failed_billing_count = failed_billing_count + $10, updated_at = $3
     from c
    where subscriptions.tenant = $1 and subscriptions.id = c.subscription_id
   returning subscriptions.id`,
);

/** Writes what the end of an accepted attempt means for its subscription; its money was counted with the news. */
export async function writeFollowed(
  db: Database,
  tenant: number,
  transactionId: string,
  now: Date,
  { cycle, subscription }: Pick<SettleInput, "cycle" | "subscription">,
  errorCode: string | null,
): Promise<boolean> {
  const { status, cancelReason, succeeded, failed } = subscription;
  const values = [cycle.status, cycle.nextAttemptAt, errorCode, status, cancelReason, succeeded, failed];
  return (await db.commit(FOLLOW, [tenant, transactionId, now, ...values])).length === 1;
}

const TENANTS_FOLLOWED = sql(
  "billing.tenants_followed",
  `-- every tenant: the first of a job's two steps finds who has work
   select distinct c.tenant from billing_cycles c
     join transactions t on t.tenant = c.tenant and t.id = c.transaction_id and t.status <> 'pending'
    where c.status = 'pending' and c.created_at <= $1
    union
   select distinct c.tenant from billing_cycles c
     join subscriptions u on u.tenant = c.tenant and u.id = c.subscription_id and u.status = 'CANCELLED'
    where c.status = 'retry'
    limit $2`,
);

export async function tenantsWithFollowed(db: Reader, now: Date, limit: number): Promise<readonly number[]> {
  const rows = await db.query<{ tenant: number }>(TENANTS_FOLLOWED, [now, limit]);
  return rows.map(({ tenant }) => tenant);
}

const END_RETRIES = sql(
  "billing.end_retries",
  `update billing_cycles c
      set status = 'failed', next_attempt_at = null, updated_at = $2
     from subscriptions u
    where c.tenant = $1 and c.status = 'retry' and u.tenant = $1 and u.id = c.subscription_id and u.status = 'CANCELLED'
   returning c.cycle`,
);

/** What ended a subscription may not have seen that its last collection was about to fail: nothing is tried again. */
export async function endRetries(db: Database, tenant: number, now: Date): Promise<number> {
  return (await db.commit(END_RETRIES, [tenant, now])).length;
}

const CANCEL = sql(
  "billing.cancel",
  `with u as (
     update subscriptions
        set status = case when $4 then status else 'CANCELLED' end,
            cancelled_at = case when $4 then null else $3::timestamptz end,
            cancel_at_period_end = $4,
            cancel_reason = coalesce(case when cancel_at_period_end then cancel_reason end, $5),
            next_billing_date = case when $4 then next_billing_date end, updated_at = $3
      where tenant = $1 and id = $2 and status <> 'CANCELLED'
     returning id
   ), c as (
     update billing_cycles set status = 'failed', next_attempt_at = null, updated_at = $3
       from u
      where billing_cycles.tenant = $1 and billing_cycles.subscription_id = u.id
        and billing_cycles.status = 'retry' and not $4
   ), m as (
     update mandates set status = $6, status_reason = $5, updated_at = $3
       from u join subscriptions s on s.tenant = $1 and s.id = u.id
      where mandates.tenant = $1 and mandates.id = s.mandate_id and $6::text is not null
   )
   select id from u`,
);

export interface CancelWrite {
  readonly atPeriodEnd: boolean;
  readonly reason: string;
  /** What becomes of the mandate; null leaves it. */
  readonly mandate: "expired" | null;
}

/** Ends a subscription, now or when its next cycle would be due; false when it has ended already. */
export async function writeCancel(
  tx: Tx,
  tenant: number,
  id: string,
  now: Date,
  { atPeriodEnd, reason, mandate }: CancelWrite,
): Promise<boolean> {
  return (await tx.write(CANCEL, [tenant, id, now, atPeriodEnd, reason, mandate])).length === 1;
}

/** A subscription as the management API shows it: the contract's record, why it ended, its cycles. */
export interface SubscriptionDetail {
  readonly id: string;
  readonly created_at: Date;
  readonly [field: string]: unknown;
}

const SHOWN = `
  u.id, u.status, u.billing_amount, u.currency, u.billing_frequency, u.start_date, u.next_billing_date,
  u.last_billing_date, u.cancelled_at, u.cancel_reason, u.cancel_at_period_end, u.trial_end_date,
  u.billing_anchor_date, u.successful_billing_count, u.failed_billing_count, u.total_revenue::text,
  u.order_id, u.lead_id, u.offer_id, u.gateway_id as payment_gateway_id, u.created_at, u.updated_at`;

const DETAIL = sql(
  "billing.detail",
  `select ${SHOWN},
          coalesce((
            select jsonb_agg(jsonb_build_object(
                     'cycle', c.cycle, 'due_date', c.due_date, 'status', c.status, 'attempts', c.attempts,
                     'transaction_id', c.transaction_id, 'next_attempt_at', c.next_attempt_at,
                     'error_code', c.error_code) order by c.cycle desc)
              from (select * from billing_cycles where tenant = $1 and subscription_id = $2
                     order by cycle desc limit 100) c
          ), '[]') as cycles
     from subscriptions u
    where u.tenant = $1 and u.id = $2`,
);

export async function findSubscription(
  db: Reader,
  tenant: number,
  id: string,
): Promise<SubscriptionDetail | null> {
  return (await db.query<SubscriptionDetail>(DETAIL, [tenant, id]))[0] ?? null;
}

const LISTED = `
  select ${SHOWN} from subscriptions u
   where u.tenant = $1 and ($5::text is null or u.status = $5)
     and ($6::text is null
          or u.lead_id = (select id from leads where tenant = $1 and email_key = $6))`;

const LIST = {
  older: sql(
    "billing.list_older",
    `${LISTED} and (u.created_at, u.id) < ($2, $3::uuid) order by u.created_at desc, u.id desc limit $4`,
  ),
  newer: sql(
    "billing.list_newer",
    `${LISTED} and (u.created_at, u.id) > ($2, $3::uuid) order by u.created_at, u.id limit $4`,
  ),
};

export function listSubscriptions(
  db: Reader,
  tenant: number,
  { status, emailKey }: { readonly status: string | null; readonly emailKey: string | null },
  { towards, at, id, limit }: Window,
): Promise<readonly SubscriptionDetail[]> {
  return db.query<SubscriptionDetail>(LIST[towards], [tenant, at, id, limit, status, emailKey]);
}
