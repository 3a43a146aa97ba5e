/** The SQL of sessions' orders, as fragments for statements that write a session together with its order. */

/**
 * SQL for a `with` branch that inserts the orders of the new sessions `v`.
 * @param sessions the branch with their rows.
 */
export function ordersOpen({ sessions }: { sessions: string }) {
  return `
     insert into orders
       (tenant, id, session_id, lead_id, order_number, status, amount, currency, created_at, updated_at)
     select :tenant, v.orderId, s.id, s.lead_id, v.orderNumber, 'PENDING_PAYMENT_SUBMISSION', v.firstAmount, v.currency, v.now, v.now
       from ${sessions} s join v on v.id = s.id` as const;
}

/**
 * SQL for a `with` branch that sets the status of a session's order.
 * @param session the branch with the session's row, `s`.
 * @param now a parameter, or a column of `s`.
 */
export function orderStatusSet<Status extends string, Now extends string>({
  session,
  status,
  now,
}: {
  session: string;
  status: Status;
  now: Now;
}) {
  return `
     update orders set status = ${status}, updated_at = ${now}
       from ${session} s
      where orders.tenant = :tenant and orders.session_id = s.id
     returning orders.*` as const;
}
