/**
 * SQL fragments for statements of other folders that write a subscription or its cycles after payments and mandates
 * change. The file is below its folder in the arrow (scripts/house.ts), so that mandates and payments can use them.
 */
import { CANCELLED } from "../sepa/reasons.ts";

/**
 * SQL for a `with` branch that inserts the subscription in each `subscription` of `v`, if any.
 * @param session the branch with the session's row and its `n`.
 * @param payment the one with the transaction's.
 */
export function subscriptionStarts({ session, payment }: { session: string; payment: string }) {
  return `
     insert into subscriptions
       (tenant, id, status, billing_amount, currency, billing_frequency, billing_day, start_date, next_billing_date,
        last_billing_date, trial_end_date, billing_anchor_date, total_revenue,
        order_id, lead_id, offer_id, gateway_id, mandate_id, created_at, updated_at)
     select :tenant, new.id, 'ACTIVE', s.amount, s.currency, s.billing_frequency, s.billing_day, v.now, new.next_billing_date,
            new.last_billing_date, new.trial_end_date, new.billing_anchor_date, new.total_revenue,
            t.order_id, s.lead_id, s.offer_id, s.gateway_id, t.mandate_id, v.now, v.now
       from ${session} s join ${payment} t on t.n = s.n join v on v.n = s.n
      cross join jsonb_to_record(v.subscription) as new (
        id uuid, trial_end_date date, billing_anchor_date date, next_billing_date date,
        last_billing_date timestamptz, total_revenue numeric
      )
      where new.id is not null` as const;
}

/**
 * SQL for a `with` branch of an amendment: notices about the mandate's renewals are no longer valid, and they are
 * announced again. It updates every row, so that an announcement made at the same time is not written.
 */
export const ANNOUNCED_AGAIN = `
     update subscriptions u
        set announced_date = null, updated_at = :now
      where u.tenant = :tenant and u.mandate_id = :id and u.next_billing_date is not null
        and exists (select from mandates m
                     where m.tenant = :tenant and m.id = :id
                       and (m.reference, m.creditor_name, m.creditor_identifier, m.iban_last4)
                           is distinct from (:reference, :creditorName, :creditorIdentifier, :ibanLast4))` as const;

/**
 * SQL for a `with` branch: the money of an accepted payment has arrived.
 * @param payment the branch with its row.
 */
export function revenueOfSettled({ payment }: { payment: string }) {
  return `
     update subscriptions
        set total_revenue = total_revenue + t.amount, last_billing_date = :now, updated_at = :now
       from ${payment} t
      where subscriptions.tenant = :tenant and subscriptions.id = t.subscription_id` as const;
}

/**
 * SQL for a `with` branch: a subscription whose first payment was returned never began, also if it was to end with its
 * period: none of its renewals is wanted.
 * @param payment the branch with its row.
 */
export function cancelledByReturn({ payment }: { payment: string }) {
  return `
     update subscriptions
        set status = 'CANCELLED', cancelled_at = :now, cancel_at_period_end = false, next_billing_date = null, updated_at = :now
       from ${payment} t
      where subscriptions.tenant = :tenant and subscriptions.id = t.subscription_id and t.type <> 'sdd_rebill'
        and subscriptions.status <> 'CANCELLED'` as const;
}

/**
 * SQL for a `with` branch: the effect of a chargeback of `:amount`. The payment's former status, `:statusBefore`,
 * decides what is deducted from the revenue: money that had not arrived is not. A renewal that was charged back was no
 * success, whether or not it had settled before.
 * @param payment the branch with its row.
 * @returns a branch for `retriesEnd`.
 */
export function revenueAfterChargeback({ payment }: { payment: string }) {
  return `
     update subscriptions s
        set total_revenue = case when :statusBefore = 'pending' then s.total_revenue + t.amount - coalesce(:amount::numeric, t.amount)
                                 else greatest(s.total_revenue - least(coalesce(:amount::numeric, t.amount), t.amount - t.refunded), 0) end,
            successful_billing_count = s.successful_billing_count - (
              select count(*) from billing_cycles p
               where p.tenant = :tenant and p.subscription_id = s.id and p.transaction_id = t.id and p.status = 'paid')
              - ${isEarlierAttempt({ payment: "t" })}::integer,
            ${subscriptionFollows({ subscription: "s", choice: "n.subscription_after_chargeback", reason: "chargeback" })}, updated_at = :now
       from ${payment} t join tenants n on n.tenant = :tenant
      where s.tenant = :tenant and s.id = t.subscription_id
     returning s.id, s.status` as const;
}

/**
 * SQL for a subselect: the other attempt that has paid a renewal's cycle, as when a bank reinstates an earlier one
 * while the retry is in progress. A refunded attempt counts: its merchant refunded it, and the cycle is not owed again.
 * @param renewal the branch or alias with the renewal's row.
 * @param tenant `t.tenant` for statements over several tenants: on Citus only a parameter routes to a branch's worker.
 */
export function paidByOtherAttempt<Alias extends string, Tenant extends string = ":tenant">({
  renewal: t,
  tenant = ":tenant" as Tenant,
}: {
  renewal: Alias;
  tenant?: Tenant;
}) {
  return `
     select o.id from transactions o
      where o.tenant = ${tenant} and o.subscription_id = ${t}.subscription_id and o.cycle = ${t}.cycle and o.id <> ${t}.id
        and o.status in ('approved', 'refunded')
      order by o.created_at
      limit 1` as const;
}

/**
 * SQL: the subscription `u` has ended, and none of its renewals is wanted; what was due before a period's end is kept.
 */
export const HAS_ENDED = "u.status = 'CANCELLED' and not u.cancel_at_period_end";

/**
 * SQL for a `with` branch: the cycle of a charged-back payment; one that another attempt has paid belongs to that one.
 * @param payment the branch with its row.
 */
export function cycleChargedBack({ payment }: { payment: string }) {
  return `
     update billing_cycles
        set status = case when p.id is null then 'charged_back' else 'paid' end, transaction_id = coalesce(p.id, t.id), updated_at = :now
       from ${payment} t left join lateral (${paidByOtherAttempt({ renewal: "t" })}) p on true
      where billing_cycles.tenant = :tenant and billing_cycles.subscription_id = t.subscription_id
        and billing_cycles.transaction_id = t.id and billing_cycles.status in ('pending', 'paid')` as const;
}

/**
 * SQL for a `with` branch: an approved refund is deducted from the revenue, except for a payment that was charged back,
 * which was deducted already. The subscription changes once the payment is refunded in full.
 * @param refund the branch with its row.
 * @param original the one with the current row of the refunded payment.
 * @returns a branch for `retriesEnd`.
 */
export function revenueAfterRefund({ refund, original }: { refund: string; original: string }) {
  return `
     update subscriptions s
        set total_revenue = greatest(s.total_revenue - (
              greatest(p.amount - p.refunded + r.amount - back.amount, 0) - greatest(p.amount - p.refunded - back.amount, 0)), 0),
            ${subscriptionFollows({ subscription: "s", choice: "n.after", reason: "refund" })}, updated_at = :now
       from ${refund} r
       join ${original} p on true
      cross join lateral (
         select coalesce(sum(c.amount), 0) as amount from chargebacks c
          where c.tenant = :tenant and c.transaction_id = p.id and c.withdrawn_on is null
       ) back
       join lateral (
         select case when p.status = 'refunded' then subscription_after_refund else 'keep' end as after
           from tenants where tenant = :tenant
       ) n on true
      where s.tenant = :tenant and s.id = p.subscription_id and :toStatus = 'approved'
     returning s.id, s.status` as const;
}

/**
 * SQL for a `with` branch: the cycle of a reinstated payment is paid and not retried. This includes one that was to be
 * retried, as the customer has paid it; and one that was charged back, or withdrawn although the bank had it, which was
 * no failed attempt. A newer attempt that has paid it or is in progress keeps it: this one is withdrawn if it has not
 * been sent (src/subscriptions/withdraw.ts).
 * @param payment the branch with the payment's row.
 * @returns a branch with the cycle's former `status`, and whether it was the payment's `own`.
 */
export function cycleReinstated({ payment }: { payment: string }) {
  return `
     update billing_cycles set status = 'paid', transaction_id = b.id, next_attempt_at = null, error_code = null, updated_at = :now
       from (
         select c.subscription_id, c.cycle, c.status, t.id, c.transaction_id = t.id as own
           from billing_cycles c join ${payment} t on c.transaction_id = t.id or c.cycle = t.cycle
          where c.tenant = :tenant and c.subscription_id = t.subscription_id
            and c.status in ('retry', 'failed', 'charged_back', 'withdrawn')
       ) b
      where billing_cycles.tenant = :tenant and billing_cycles.subscription_id = b.subscription_id and billing_cycles.cycle = b.cycle
     returning b.status, b.own` as const;
}

/**
 * SQL for a `with` branch: the revenue of a reinstated payment. A subscription that has ended stays ended, and one that
 * is PAST_DUE for another reason stays so; for a chargeback only the amount that it took is earned again. An attempt at
 * a cycle that was retried since counts as paid and no longer as failed.
 * @param payment the branch with the payment's row.
 * @param chargeback the one with the `amount` of the withdrawn chargeback, if any.
 * @param cycle the one of `cycleReinstated`.
 */
export function revenueOfReinstated({
  payment,
  chargeback,
  cycle,
}: {
  payment: string;
  chargeback: string;
  cycle: string;
}) {
  return `
     update subscriptions s
        set total_revenue = s.total_revenue + coalesce(least((select amount from ${chargeback}), t.amount - t.refunded), t.amount - t.refunded),
            last_billing_date = case when exists (select from ${chargeback}) then s.last_billing_date else :now end,
            successful_billing_count = s.successful_billing_count + (select count(*) from ${cycle} where own)::integer + earlier.attempt,
            failed_billing_count = greatest(s.failed_billing_count - (select count(*) from ${cycle} where own and status not in ('charged_back', 'withdrawn'))::integer
                                     - case when exists (select from ${chargeback}) then 0 else earlier.attempt end, 0),
            status = case when s.status = 'PAST_DUE' and behind.since is null then 'ACTIVE' else s.status end,
            past_due_since = case when s.status = 'PAST_DUE' then behind.since else s.past_due_since end,
            updated_at = :now
       from ${payment} t
      cross join lateral (${behindAllTheSame({ payment: "t" })}) behind
      cross join lateral (select ${isEarlierAttempt({ payment: "t" })}::integer as attempt) earlier
      where s.tenant = :tenant and s.id = t.subscription_id` as const;
}

/**
 * SQL for a `with` branch: subscriptions end with their mandate.
 * @param mandate the branch with its `id`.
 * @returns a branch for `retriesEnd`.
 */
export function subscriptionsAfterMandate({ mandate }: { mandate: string }) {
  return `
     update subscriptions
        set status = 'CANCELLED', cancelled_at = :now, cancel_at_period_end = false, cancel_reason = 'mandate_cancelled',
            next_billing_date = null, updated_at = :now
       from ${mandate} m
      where subscriptions.tenant = :tenant and subscriptions.mandate_id = m.id and subscriptions.status <> 'CANCELLED'
     returning subscriptions.id, subscriptions.status` as const;
}

/**
 * SQL for a `with` branch: a cycle of an ended subscription is not retried.
 * @param from the branch with its `id` and `status`.
 */
export function retriesEnd({ from }: { from: string }) {
  return `
     update billing_cycles set status = 'failed', next_attempt_at = null, updated_at = :now
       from ${from} u
      where billing_cycles.tenant = :tenant and billing_cycles.subscription_id = u.id and u.status = 'CANCELLED'
        and billing_cycles.status = 'retry'` as const;
}

/**
 * Assignments for an update of `subscriptions`: it ends, becomes past due or stays, as the tenant has chosen. An ended
 * one stays ended.
 * @param subscription the alias of the updated table.
 * @param choice a column of `tenants`.
 */
function subscriptionFollows({
  subscription: s,
  choice,
  reason,
}: {
  subscription: string;
  choice: string;
  reason: "chargeback" | "refund";
}) {
  const ends = `${s}.status <> 'CANCELLED' and ${choice} = 'cancel'`;
  return `
            status = case when ${ends} then 'CANCELLED'
                          when ${s}.status = 'ACTIVE' and ${choice} = 'past_due' then 'PAST_DUE' else ${s}.status end,
            past_due_since = case when ${s}.status <> 'CANCELLED' and ${choice} = 'past_due' then greatest(${s}.past_due_since, :now)
                                  else ${s}.past_due_since end,
            cancelled_at = case when ${ends} then :now else ${s}.cancelled_at end,
            cancel_at_period_end = ${s}.cancel_at_period_end and not (${ends}),
            cancel_reason = case when ${ends} then '${reason}' else ${s}.cancel_reason end,
            next_billing_date = case when ${ends} then null else ${s}.next_billing_date end` as const;
}

/**
 * Since when the subscription of a reinstated payment would be past due for another reason; null when there is none.
 * Reasons are another cycle that waits for its retry, and a renewal of another cycle that failed or a chargeback in
 * force, until one succeeds that was requested later.
 * @param payment the branch or alias with the payment's row.
 */
function behindAllTheSame({ payment: t }: { payment: string }) {
  return `
     select max(cause.at) as since
       from (select o.updated_at as at, true as waits from billing_cycles o
              where o.tenant = :tenant and o.subscription_id = ${t}.subscription_id and o.transaction_id <> ${t}.id
                and o.cycle is distinct from ${t}.cycle and o.status = 'retry' and o.attempts > 0
              union all
             select p.updated_at, false from transactions p
              where p.tenant = :tenant and p.order_id = ${t}.order_id and p.type = 'sdd_rebill' and p.id <> ${t}.id
                and (p.cycle is null or p.cycle is distinct from ${t}.cycle)
                and p.status = 'declined' and p.error_code is not null
                and not (p.error_code = 'gateway_unavailable' and p.gateway_code is null)
                and p.gateway_code is distinct from '${CANCELLED}'
              union all
             select (select c.created_at from chargebacks c
                      where c.tenant = :tenant and c.merchant_transaction_id = p.merchant_transaction_id and c.withdrawn_on is null), false
               from transactions p
               join tenants n on n.tenant = :tenant and n.subscription_after_chargeback <> 'keep'
              where p.tenant = :tenant and p.order_id = ${t}.order_id and p.status = 'charged_back' and p.id <> ${t}.id) cause
      where cause.waits or not exists (
              select from transactions r
               where r.tenant = :tenant and r.order_id = ${t}.order_id and r.type = 'sdd_rebill'
                 and (r.id = ${t}.id or r.status in ('approved', 'refunded')) and r.created_at > cause.at)` as const;
}

/**
 * Whether a renewal is an attempt at a cycle that names another one, its newest or the one that has paid it: only the
 * counts of the subscription can change then.
 * @param payment the branch or alias with the payment's row.
 */
function isEarlierAttempt({ payment: t }: { payment: string }) {
  return `(${t}.type = 'sdd_rebill' and ${t}.source <> 'csv_import' and not exists (
              select from billing_cycles w
               where w.tenant = :tenant and w.subscription_id = ${t}.subscription_id and w.transaction_id = ${t}.id))` as const;
}
