/** What becomes of a subscription whose payment went back: pieces for the statements that write a chargeback or a refund. */

/**
 * Assignments for `subscriptions s`: it ends, falls behind or stays, as the tenant has chosen. One that has ended stays ended.
 * @param choice a column of `tenants`. The statement's `$3` is now.
 */
export function subscriptionFollows(choice: string, reason: "chargeback" | "refund"): string {
  const ends = `s.status <> 'CANCELLED' and ${choice} = 'cancel'`;
  return `
            status = case when ${ends} then 'CANCELLED'
                          when s.status = 'ACTIVE' and ${choice} = 'past_due' then 'PAST_DUE' else s.status end,
            past_due_since = case when s.status <> 'CANCELLED' and ${choice} = 'past_due' then greatest(s.past_due_since, $3)
                                  else s.past_due_since end,
            cancelled_at = case when ${ends} then $3 else s.cancelled_at end,
            cancel_at_period_end = s.cancel_at_period_end and not (${ends}),
            cancel_reason = case when ${ends} then '${reason}' else s.cancel_reason end,
            next_billing_date = case when ${ends} then null else s.next_billing_date end`;
}

/** A cycle of a subscription `u` that has ended is not tried again. */
export const RETRIES_END = `
     update billing_cycles set status = 'failed', next_attempt_at = null, updated_at = $3
       from u
      where billing_cycles.tenant = $1 and billing_cycles.subscription_id = u.id and u.status = 'CANCELLED'
        and billing_cycles.status = 'retry'`;
