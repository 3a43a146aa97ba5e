/** Orders of sessions: pieces for the statements that write a session with its order. */

/** SQL for a `with` branch: the order of a new session. @param session the branch with the session's row. */
export function orderOpens({ session }: { session: string }) {
  return `
     insert into orders
       (tenant, id, session_id, lead_id, order_number, status, amount, currency, created_at, updated_at)
     select :tenant, :orderId, s.id, s.lead_id, :orderNumber, 'PENDING_PAYMENT_SUBMISSION', :firstAmount, :currency, :now, :now
       from ${session} s` as const;
}

/** SQL for a `with` branch: the order of a session becomes this. @param session the branch with the session's row. */
export function orderBecomes<Status extends string>({
  session,
  status,
}: {
  session: string;
  status: Status;
}) {
  return `
     update orders set status = ${status}, updated_at = :now
       from ${session} s
      where orders.tenant = :tenant and orders.session_id = s.id
     returning orders.*` as const;
}
