/** Rules of the books check about events: each fact is emitted once, in order, with the values of that time. */
import { rule } from "./rule-store.ts";

/**
 * Since when a tenant's profiles have subscribed to a type without a change: events about transactions and chargebacks
 * are only written if one does. A tenant's time may be ahead of the clock that is used for changes of profiles.
 */
const ASKED = `
     select w.tenant, e.type, min(w.updated_at + interval '1 millisecond' * coalesce(k.ahead_ms, 0)) as since
       from webhook_profiles w
      cross join unnest(w.events) as e (type)
       left join tenant_clocks k on k.tenant = w.tenant
      where w.archived_at is null
      group by w.tenant, e.type`;

/** Once accepted, a transaction emits an event for each status: a chain that ends in its current one. */
export const STATUS_EVENTS = rule(
  "status_events",
  `with asked as (${ASKED}
   ), since as (
     select tenant, max(since) as since from asked where type in ('transaction.created', 'transaction.status_changed')
      group by tenant having count(*) = 2
   ), emitted as (
     select e.tenant, e.transaction_id, e.type, e.payload ->> 'previous_status' as before, e.payload -> 'transaction' as record,
            lag(e.payload -> 'transaction' ->> 'status') over w as last,
            row_number() over w as position, lead(e.number) over w is null as is_last
       from events e
      where e.type in ('transaction.created', 'transaction.status_changed')
     window w as (partition by e.tenant, e.transaction_id order by e.number)
   ), known as (
     select t.tenant, t.id, t.merchant_transaction_id, t.status, t.amount, t.currency,
            coalesce(t.created_at > s.since and t.source <> 'csv_import', false) as is_reported
       from transactions t left join since s on s.tenant = t.tenant
   ), chains as (
     select t.merchant_transaction_id as reference, t.status, t.amount, t.currency, t.is_reported, emitted.*
       from emitted left join known t on t.tenant = emitted.tenant and t.id = emitted.transaction_id
   )
   select tenant, 'EVENT-3' as invariant, format('%s has a transaction.created event, but no such payment exists.', transaction_id) as words
     from chains where reference is null
    union all
   select tenant, 'EVENT-3', format('transaction.created of %s was emitted %s times.', reference, count(*))
     from chains where type = 'transaction.created' group by tenant, reference having count(*) > 1
    union all
   select tenant, 'EVENT-7', format('transaction.created of %s comes after a status change.', reference)
     from chains where type = 'transaction.created' and position > 1 and is_reported
      and before is null and not exists (
        select from emitted x where x.tenant = chains.tenant and x.transaction_id = chains.transaction_id
           and x.type = 'transaction.created' and x.position < chains.position)
    union all
   select t.tenant, 'EVENT-3', format('%s is %s, but has no transaction.created event.', t.merchant_transaction_id, t.status)
     from known t
    where t.is_reported and t.status in ('pending', 'approved', 'refunded', 'charged_back')
      and not exists (select from emitted x where x.tenant = t.tenant and x.transaction_id = t.id and x.type = 'transaction.created')
    union all
   select tenant, 'EVENT-4', format('%s has an event from %s to %s, but the event before it says %s.', reference, before,
                                    record ->> 'status', coalesce(last, 'nothing'))
     from chains where type = 'transaction.status_changed' and is_reported and before is distinct from last
    union all
   select tenant, 'EVENT-4', format('%s is %s, but its last event says %s.', reference, status, record ->> 'status')
     from chains where is_last and is_reported and record ->> 'status' <> status
    union all
   select tenant, 'EVENT-6', format('%s is %s %s, but an event says %s %s of %s.', reference, amount, currency, record ->> 'amount',
                                    record ->> 'currency', record ->> 'merchant_transaction_id')
     from chains
    where (record ->> 'amount', record ->> 'currency', record ->> 'merchant_transaction_id')
          is distinct from (amount::text, currency, reference) and reference is not null`,
);

export const CHARGEBACK_EVENTS = rule(
  "chargeback_events",
  `with asked as (${ASKED}
   ), emitted as (
     select tenant, (payload -> 'chargeback' ->> 'id')::uuid as id, count(*) as times, min(payload -> 'chargeback' ->> 'amount') as amount
       from events where type = 'chargeback.created'
      group by tenant, (payload -> 'chargeback' ->> 'id')::uuid
   ), linked as (
     select c.*, coalesce(c.created_at > a.since, false) as is_reported
       from chargebacks c
       left join asked a on a.tenant = c.tenant and a.type = 'chargeback.created'
      where c.transaction_id is not null
   )
   select coalesce(c.tenant, emitted.tenant) as tenant, 'EVENT-5' as invariant,
          format('chargeback.created of %s was emitted %s times.', coalesce(c.merchant_transaction_id, 'an unknown transaction'),
                 coalesce(emitted.times, 0)) as words
     from linked c
     full join emitted on emitted.tenant = c.tenant and emitted.id = c.id
    where c.id is null or emitted.times > 1 or (emitted.id is null and c.is_reported)
    union all
   select c.tenant, 'EVENT-6', format('%s of %s was charged back, but an event says %s.', c.amount, c.merchant_transaction_id, emitted.amount)
     from linked c
     join emitted on emitted.tenant = c.tenant and emitted.id = c.id
    where emitted.amount <> c.amount::text`,
);

/**
 * Whether a payment completes at acceptance or at settlement is stored with it. With settlement, one that was returned
 * or charged back before has no event until its money arrives after all.
 */
export const COMPLETED_EVENTS = rule(
  "completed_events",
  `with payments as (
     select t.tenant, t.session_id, t.id, t.merchant_transaction_id as reference, t.status, t.amount, t.currency, t.completed_event_at,
            m.cause
       from transactions t
       left join session_moves m
         on m.tenant = t.tenant and m.session_id = t.session_id and m.transaction_id = t.id and m.to_status = 'COMPLETED'
      where t.session_id is not null and t.type in ('sdd_sale', 'other_type')
        and (m.cause is not null or t.status in ('pending', 'approved', 'refunded', 'charged_back'))
   ), emitted as (
     select tenant, session_id, payload from events where type = 'payment_session.completed'
   )
   select p.tenant, 'EVENT-1' as invariant, format('The payment %s is %s, but has no payment_session.completed event.', p.reference, p.status) as words
     from payments p
    where (p.status in ('approved', 'refunded') or p.cause = 'approved' or (p.completed_event_at = 'acceptance' and p.cause is not null))
      and not exists (select from emitted where emitted.tenant = p.tenant and emitted.session_id = p.session_id)
    union all
   select p.tenant, 'EVENT-1', format('The payment %s completes at settlement and is %s, but already has a payment_session.completed event.', p.reference, p.status)
     from payments p
     join emitted on emitted.tenant = p.tenant and emitted.session_id = p.session_id
    where p.completed_event_at = 'settlement' and p.status = 'pending'
    union all
   select emitted.tenant, 'EVENT-1', format('Order %s has a payment_session.completed event but no payment.', o.order_number)
     from emitted
     left join orders o on o.tenant = emitted.tenant and o.session_id = emitted.session_id
    where not exists (select from payments p where p.tenant = emitted.tenant and p.session_id = emitted.session_id)
    union all
   select p.tenant, 'EVENT-6', format('%s is %s %s, but its payment_session.completed says %s %s of %s.', p.reference, p.amount, p.currency,
                                      payload ->> 'amount', payload ->> 'currency', payload ->> 'merchant_transaction_id')
     from payments p
     join emitted on emitted.tenant = p.tenant and emitted.session_id = p.session_id
    where (payload ->> 'amount', payload ->> 'currency', payload ->> 'merchant_transaction_id', payload ->> 'transaction_id')
          is distinct from (p.amount::text, p.currency, p.reference, p.id::text)`,
);

/** A session that was cancelled, or has no attempts left, has no event. */
export const EXPIRED_EVENTS = rule(
  "expired_events",
  `with expired as (
     select tenant, session_id from session_moves where to_status = 'EXPIRED' and cause = 'lapsed'
   ), emitted as (
     select tenant, session_id, count(*) as times from events where type = 'payment_session.expired' group by tenant, session_id
   )
   select o.tenant, 'EVENT-2' as invariant,
          format('The session of order %s %s, but payment_session.expired was emitted %s times.', o.order_number,
                 case when l.session_id is null then 'was not ended by its time' else 'was ended by its time' end,
                 coalesce(emitted.times, 0)) as words
     from expired l
     full join emitted on emitted.tenant = l.tenant and emitted.session_id = l.session_id
     join orders o on o.tenant = coalesce(l.tenant, emitted.tenant) and o.session_id = coalesce(l.session_id, emitted.session_id)
    where (l.session_id is null) or coalesce(emitted.times, 0) <> 1`,
);

export const UPCOMING_EVENTS = rule(
  "upcoming_events",
  `with announced as (
     select tenant, payload -> 'subscription' ->> 'id' as id, payload -> 'subscription' ->> 'due_date' as due,
            payload -> 'subscription' as facts,
            lag(payload -> 'subscription')
              over (partition by tenant, payload -> 'subscription' ->> 'id', payload -> 'subscription' ->> 'due_date' order by number) as before
       from events
      where type = 'subscription.upcoming'
   )
   select tenant, 'CYCLE-9' as invariant, format('The renewal of subscription %s due on %s was announced again, with nothing new.', id, due) as words
     from announced
    where facts = before`,
);
