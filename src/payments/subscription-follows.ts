/** Effect of a returned or reinstated payment on its subscription: SQL fragments for the statements that write it. */

/**
 * Assignments for an update of `subscriptions`: it ends, falls behind or stays, as the tenant has chosen. One that has
 * ended stays ended.
 * @param subscription the alias of the updated table. @param choice a column of `tenants`.
 */
export function subscriptionFollows({
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

/** SQL for a `with` branch: a cycle of a subscription that has ended is not tried again. @param from the branch with its `id` and `status`. */
export function retriesEnd({ from }: { from: string }) {
  return `
     update billing_cycles set status = 'failed', next_attempt_at = null, updated_at = :now
       from ${from} u
      where billing_cycles.tenant = :tenant and billing_cycles.subscription_id = u.id and u.status = 'CANCELLED'
        and billing_cycles.status = 'retry'` as const;
}

/**
 * Since when the subscription of a payment that is there again would be behind all the same; null when nothing else has
 * made it so. A cycle that waits for another try does; so do a renewal that failed and a chargeback that stands, until one
 * succeeds that was asked for later.
 * @param payment the branch or alias with the payment's row.
 */
export function behindAllTheSame({ payment: t }: { payment: string }) {
  return `
     select max(cause.at) as since
       from (select o.updated_at as at, true as waits from billing_cycles o
              where o.tenant = :tenant and o.subscription_id = ${t}.subscription_id and o.transaction_id <> ${t}.id
                and o.status = 'retry' and o.attempts > 0
              union all
             select p.updated_at, false from transactions p
              where p.tenant = :tenant and p.order_id = ${t}.order_id and p.type = 'sdd_rebill' and p.id <> ${t}.id
                and p.status = 'declined' and p.error_code is not null
                and not (p.error_code = 'gateway_unavailable' and p.gateway_code is null)
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
 * Whether a renewal is an attempt at a cycle that was tried again since: the cycle names its newest attempt only, so the
 * counts of the subscription are all that can follow it.
 * @param payment the branch or alias with the payment's row.
 */
export function isEarlierAttempt({ payment: t }: { payment: string }) {
  return `(${t}.type = 'sdd_rebill' and ${t}.source <> 'csv_import' and not exists (
              select from billing_cycles w
               where w.tenant = :tenant and w.subscription_id = ${t}.subscription_id and w.transaction_id = ${t}.id))` as const;
}
