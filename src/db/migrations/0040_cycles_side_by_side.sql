-- Cycles stand side by side: one whose settlement or next try is weeks away keeps no later one from its day. Each is taken
-- up once by its primary key, and again only when its own attempt has come to an end.
drop index billing_cycles_one_open;
drop index transactions_one_open_per_subscription;

-- A cycle that was charged back is not paid; one whose instruction was taken back before it left is withdrawn.
alter table billing_cycles
  drop constraint billing_cycles_status_check,
  add constraint billing_cycles_status_is_known check (status in
    ('collecting', 'pending', 'retry', 'paid', 'failed', 'skipped', 'charged_back', 'withdrawn')),
  add column withdrawal_asked_at timestamptz; -- when its gateway was asked to take the instruction back

-- Since when a subscription is PAST_DUE: only a collection that was asked for later makes it ACTIVE again.
alter table subscriptions add column past_due_since timestamptz;

update subscriptions u
   set successful_billing_count = u.successful_billing_count - back.cycles
  from (select c.tenant, c.subscription_id, count(*)::integer as cycles
          from billing_cycles c
          join transactions t on t.tenant = c.tenant and t.id = c.transaction_id and t.status = 'charged_back'
         where c.status = 'paid'
         group by c.tenant, c.subscription_id) back
 where u.tenant = back.tenant and u.id = back.subscription_id;
update billing_cycles c
   set status = 'charged_back'
  from transactions t
 where t.tenant = c.tenant and t.id = c.transaction_id and t.status = 'charged_back' and c.status in ('pending', 'paid');
