/** The SQL fragment for the statement that starts a subscription with its first payment. */

/**
 * SQL for a `with` branch: the subscription in `:subscription`, if there is one.
 * @param session the branch with the session's row. @param payment the one with the transaction's.
 */
export function subscriptionStarts({ session, payment }: { session: string; payment: string }) {
  return `
     insert into subscriptions
       (tenant, id, status, billing_amount, currency, billing_frequency, start_date, next_billing_date,
        last_billing_date, trial_end_date, billing_anchor_date, total_revenue,
        order_id, lead_id, offer_id, gateway_id, mandate_id, created_at, updated_at)
     select :tenant, n.id, 'ACTIVE', s.amount, s.currency, s.billing_frequency, :now, n.next_billing_date,
            n.last_billing_date, n.trial_end_date, n.billing_anchor_date, n.total_revenue,
            t.order_id, s.lead_id, s.offer_id, s.gateway_id, t.mandate_id, :now, :now
       from ${session} s join ${payment} t on true
      cross join jsonb_to_record(:subscription::jsonb) as n (
        id uuid, trial_end_date date, billing_anchor_date date, next_billing_date date,
        last_billing_date timestamptz, total_revenue numeric
      )
      where n.id is not null
     returning id` as const;
}
