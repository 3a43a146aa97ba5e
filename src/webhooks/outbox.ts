/** The outbox: the part of a statement that writes events with the fact they report, in the same transaction. */
import { insertMessages } from "../messages/outbox.ts";

/**
 * SQL for the `with` branch `new_events`, and others, that insert a JSON list of `NewEvent`s once per row of another branch,
 * with their messages. Events about transactions and chargebacks are inserted only if a profile subscribes to them,
 * those of sessions always.
 * @param from the branch: its `id` is a transaction's and its `session_id` a session's, or they are null.
 * @param events what contains the list: a parameter such as `:events`, or a column of the branch `t`.
 * @param now when they happened, in the same form.
 */
export function insertEvents<Events extends string, Now extends string>({
  from,
  events,
  now,
}: {
  from: string;
  events: Events;
  now: Now;
}) {
  return `
     -- Apart from the insert: on Citus the coordinator then numbers all events, in the order in which they happen.
     select e.id, e.type, t.session_id, t.id as transaction_id, e.payload, ${now} as created_at
       from ${from} t
      cross join jsonb_to_recordset(${events}::jsonb) as e (id uuid, type text, payload jsonb)
      where e.type like 'payment_session.%'
         or exists (select 1 from webhook_profiles w
                     where w.tenant = :tenant and w.archived_at is null and e.type = any (w.events))
   ), emitted as (
     insert into events (tenant, id, type, session_id, transaction_id, payload, created_at)
     select :tenant, id, type, session_id, transaction_id, payload, created_at from new_events
   ), new_messages as materialized (${insertMessages({ from, events, now })}` as const;
}
