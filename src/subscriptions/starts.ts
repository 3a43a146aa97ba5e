/** The SQL fragment for the statement that starts a subscription with its first payment. */

/**
 * SQL for a `with` branch: the subscription in each `subscription` of `v`, if there is one.
 * @param session the branch with the session's row and its `n`. @param payment the one with the transaction's.
 */
export function subscriptionStarts({ session, payment }: { session: string; payment: string }) {
  return `
     insert into subscriptions
       (tenant, id, status, billing_amount, currency, billing_frequency, start_date, next_billing_date,
        last_billing_date, trial_end_date, billing_anchor_date, total_revenue,
        order_id, lead_id, offer_id, gateway_id, mandate_id, created_at, updated_at)
     select :tenant, new.id, 'ACTIVE', s.amount, s.currency, s.billing_frequency, v.now, new.next_billing_date,
            new.last_billing_date, new.trial_end_date, new.billing_anchor_date, new.total_revenue,
            t.order_id, s.lead_id, s.offer_id, s.gateway_id, t.mandate_id, v.now, v.now
       from ${session} s join ${payment} t on t.n = s.n join v on v.n = s.n
      cross join jsonb_to_record(v.subscription) as new (
        id uuid, trial_end_date date, billing_anchor_date date, next_billing_date date,
        last_billing_date timestamptz, total_revenue numeric
      )
      where new.id is not null
     returning id` as const;
}
