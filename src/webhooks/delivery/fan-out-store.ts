/** The SQL of the fan-out: which profiles receive an event, one delivery for each. */
import { sql, type Database, type Reader } from "../../db/database.ts";

const TENANTS_TO_FAN_OUT = sql(
  "webhooks.tenants_to_fan_out",
  `-- every tenant: the job looks for the tenants that have something to do
   select tenant from events where fanned_out_at is null group by tenant order by min(number) limit :limit`,
).gives<{ tenant: number }>();

export async function tenantsToFanOut(db: Reader, limit: number): Promise<readonly number[]> {
  const rows = await db.query(TENANTS_TO_FAN_OUT, { limit });
  return rows.map(({ tenant }) => tenant);
}

// The rows are waited for, not skipped: of two events of a subject the later one must not get its delivery first. The
// subject is the session; for renewals and their refunds that of the payment's order, for announcements that of the
// subscription's order. Imported payments have no session: their subject is the payment itself, which their refunds
// name. Deliveries to a profile that a 410 has deactivated are also created; they wait until it is active again.
const FAN_OUT = sql(
  "webhooks.fan_out",
  `with due as (
     select id, number, type, session_id, transaction_id,
            case when type = 'subscription.upcoming' then (payload -> 'subscription' ->> 'id')::uuid end as subscription_id
       from events
      where tenant = :tenant and fanned_out_at is null
      order by number
      limit :limit
        for update
   ), routed as (
     select due.id as event_id, due.number, due.type, due.session_id,
            coalesce(due.session_id, o.session_id, t.original_id, due.transaction_id, due.id) as subject_id,
            p.id as profile_id, p.payload_fields, p.ascii_escape
       from due
       left join sessions s           on s.tenant = :tenant and s.id = due.session_id
       left join transactions t       on t.tenant = :tenant and t.id = due.transaction_id
       left join subscriptions u      on u.tenant = :tenant and u.id = due.subscription_id
       left join orders o             on o.tenant = :tenant and o.id = coalesce(t.order_id, u.order_id)
       left join webhook_profiles own on own.tenant = :tenant and own.id = s.webhook_profile_id
                                     and own.archived_at is null
       join webhook_profiles p        on p.tenant = :tenant and p.archived_at is null and due.type = any(p.events)
      where case when own.id is not null and starts_with(due.type, 'payment_session.') then p.id = own.id
                 else p.active or p.disabled_reason is not null end
   ), delivered as (
     insert into webhook_deliveries (
       tenant, id, event_id, event_number, event_type, profile_id, session_id, subject_id, payload_fields, ascii_escape,
       status, due_at, created_at
     )
     select :tenant, gen_random_uuid(), event_id, number, type, profile_id, session_id, subject_id, payload_fields, ascii_escape,
            'pending', :now, :now
       from routed
         on conflict (tenant, event_id, profile_id) do nothing
   ), receivers as (
     insert into webhook_receivers as r (tenant, profile_id, next_at)
     select distinct :tenant::integer, profile_id, :now::timestamptz
       from routed
      order by profile_id
         on conflict (tenant, profile_id)
         do update set next_at = least(r.next_at, excluded.next_at)
   )
   update events e
      set fanned_out_at = :now
     from due
    where e.tenant = :tenant and e.id = due.id
   returning e.id`,
);

/** Creates the deliveries of up to `limit` events; returns the number of events. Repeating it creates none twice. */
export async function fanOut(db: Database, tenant: number, now: Date, limit: number): Promise<number> {
  return (await db.commit(FAN_OUT, { tenant, now, limit })).length;
}
