-- What a person decides about a bank's entry: money that is there after all, sums that make up a block together, returns of a part.

-- Each time the money is there after all a new round begins, in which it can come back again.
alter table sepa_collections
  add column round         integer not null default 0 check (round >= 0),
  add column reinstated_on date; -- the bank's booking day of it

alter table sepa_news
  add column round  integer not null default 0 check (round >= 0),
  add column amount numeric(12,2) check (amount > 0), -- where it is not the collection's
  drop constraint sepa_news_kind_check,
  add constraint sepa_news_kind_check check (kind in ('settled', 'returned', 'charged_back', 'fee', 'reinstated'));
drop index sepa_news_once;
create unique index sepa_news_once on sepa_news (tenant, gateway_id, reference, kind, round);

alter table sepa_unmatched
  add column target jsonb, -- of a part: which collections it is a part of
  drop constraint sepa_unmatched_status_check,
  add constraint sepa_unmatched_status_check check (status in ('open', 'part', 'applied', 'dismissed')),
  drop constraint sepa_unmatched_check,
  add constraint sepa_unmatched_resolved_has_time check ((status in ('open', 'part')) = (resolved_at is null)),
  add constraint sepa_unmatched_part_has_target check (status <> 'part' or target is not null);
drop index sepa_unmatched_open;
create index sepa_unmatched_open on sepa_unmatched (tenant, created_at) where status in ('open', 'part');
create index sepa_unmatched_parts on sepa_unmatched (tenant, target) where status = 'part';

alter table transactions add column reinstatements integer not null default 0 check (reinstatements >= 0);

-- A chargeback that the bank took back stays as a record; the payment may be charged back again.
alter table chargebacks add column withdrawn_on date;
drop index chargebacks_merchant_transaction_id;
create unique index chargebacks_merchant_transaction_id on chargebacks (tenant, merchant_transaction_id) where withdrawn_on is null;
create index chargebacks_by_reference on chargebacks (tenant, merchant_transaction_id);

-- Of a chargeback of a part the rest has stayed: it is revenue.
update subscriptions s set total_revenue = s.total_revenue + kept.amount
  from (select t.tenant, t.subscription_id, sum(t.amount - t.refunded - c.amount) as amount
          from transactions t
          join chargebacks c on c.tenant = t.tenant and c.transaction_id = t.id
         where t.subscription_id is not null and t.status = 'charged_back' and c.amount < t.amount - t.refunded
         group by t.tenant, t.subscription_id) kept
 where s.tenant = kept.tenant and s.id = kept.subscription_id;

alter table gateway_news_set_aside
  drop constraint gateway_news_set_aside_kind_check,
  add constraint gateway_news_set_aside_kind_check check (kind in ('settled', 'returned', 'charged_back', 'fee', 'reinstated'));
