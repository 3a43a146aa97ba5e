/** The outbox: the part of a statement that writes events beside the fact they tell of, in the same transaction. */

/**
 * SQL for a `with` branch that inserts a JSON list of `NewEvent`s, once per row of the branch `t` (a transaction).
 * `$1` is the tenant and `$3` the time. Events about transactions and chargebacks are written only where a profile
 * asks for them; those of sessions always.
 * @param events what holds the list: a parameter such as `$4`, or a column of the branch.
 */
export function insertEvents(events: string): string {
  return `
     insert into events (tenant, id, type, session_id, transaction_id, payload, created_at)
     select $1, e.id, e.type, t.session_id, t.id, e.payload, $3
       from t
      cross join jsonb_to_recordset(${events}::jsonb) as e (id uuid, type text, payload jsonb)
      where e.type like 'payment_session.%'
         or exists (select 1 from webhook_profiles w
                     where w.tenant = $1 and w.archived_at is null and e.type = any (w.events))`;
}
