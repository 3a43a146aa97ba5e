create table subscriptions (
  tenant                    integer         not null,
  id                        uuid            not null,
  order_id                  uuid            not null,
  lead_id                   uuid            not null,
  offer_id                  uuid,
  gateway_id                uuid            not null,
  mandate_id                uuid            not null,
  status                    text            not null,
  billing_amount            numeric(12,2)   not null,
  currency                  text            not null,
  billing_frequency         text,
  start_date                timestamptz     not null,
  trial_end_date            date,
  billing_anchor_date       date,
  next_billing_date         date,
  announced_date            date,
  last_billing_date         timestamptz,
  past_due_since            timestamptz,
  cancel_at_period_end      boolean         not null default false,
  cancelled_at              timestamptz,
  cancel_reason             text,
  successful_billing_count  integer         not null default 0,
  failed_billing_count      integer         not null default 0,
  total_revenue             numeric(14,2)   not null default 0,
  created_at                timestamptz(3)  not null,
  updated_at                timestamptz     not null,
  primary key (tenant, id),
  constraint status_known check (status in ('ACTIVE', 'PAST_DUE', 'CANCELLED')),
  constraint billing_amount_positive check (billing_amount > 0),
  constraint billing_frequency_known check (
    billing_frequency in ('WEEKLY', 'BIWEEKLY', 'MONTHLY', 'QUARTERLY', 'SEMIANNUALLY', 'YEARLY')
  ),
  constraint cancelled_has_time check ((status = 'CANCELLED') = (cancelled_at is not null)),
  constraint cancel_reason_length check (char_length(cancel_reason) <= 255),
  constraint successful_billing_count_not_negative check (successful_billing_count >= 0),
  constraint failed_billing_count_not_negative check (failed_billing_count >= 0),
  constraint total_revenue_not_negative check (total_revenue >= 0),
  constraint tenant_exists foreign key (tenant) references tenants,
  constraint order_of_same_tenant foreign key (tenant, order_id) references orders,
  constraint lead_of_same_tenant foreign key (tenant, lead_id) references leads,
  constraint offer_of_same_tenant foreign key (tenant, offer_id) references offers,
  constraint gateway_of_same_tenant foreign key (tenant, gateway_id) references gateways,
  constraint mandate_of_same_tenant foreign key (tenant, mandate_id) references mandates
);
create unique index subscriptions_one_per_order on subscriptions (tenant, order_id);
create index subscriptions_newest_first on subscriptions (tenant, created_at desc, id desc);
create index subscriptions_due on subscriptions (tenant, next_billing_date)
  where next_billing_date is not null and status <> 'CANCELLED';
create index subscriptions_of_mandate on subscriptions (tenant, mandate_id);
comment on table subscriptions is 'What collects again under one mandate (docs/states.md, Subscriptions).';
comment on column subscriptions.status is 'Stays CANCELLED once it is.';
comment on column subscriptions.billing_amount is 'Of each renewal.';
comment on column subscriptions.billing_frequency is 'Null: the merchant triggers each renewal.';
comment on column subscriptions.start_date is 'When it was bought.';
comment on column subscriptions.trial_end_date is 'Null: there was no trial.';
comment on column subscriptions.billing_anchor_date is 'The day from which all due dates are counted (contract: Due dates).';
comment on column subscriptions.next_billing_date is 'The due date of the next cycle; null: nothing more falls due without the merchant.';
comment on column subscriptions.announced_date is 'The next_billing_date that was announced last.';
comment on column subscriptions.past_due_since is
  'Since when it is PAST_DUE: only a collection that was asked for later makes it ACTIVE again.';
comment on column subscriptions.cancel_at_period_end is 'It ends on its next due date, and collects no more.';
comment on column subscriptions.cancel_reason is 'A word of ours (`chargeback`, `refund`, …) or the merchant''s.';
comment on column subscriptions.successful_billing_count is 'Cycles that are paid, the charged back ones not counted.';
comment on column subscriptions.failed_billing_count is 'Attempts that failed.';
comment on column subscriptions.total_revenue is
  'What arrived and stayed: approved payments less their refunds, nothing of what was charged back; of a chargeback of a part, the rest.';
comment on column subscriptions.created_at is 'To the millisecond, as cursors and callers have it.';

alter table transactions
  add constraint subscription_of_same_tenant foreign key (tenant, subscription_id) references subscriptions;

create table billing_cycles (
  tenant               integer      not null,
  subscription_id      uuid         not null,
  cycle                integer      not null,
  due_date             date         not null,
  status               text         not null,
  attempts             integer      not null default 0,
  transaction_id       uuid,
  next_attempt_at      timestamptz,
  withdrawal_asked_at  timestamptz,
  error_code           text,
  created_at           timestamptz  not null,
  updated_at           timestamptz  not null,
  primary key (tenant, subscription_id, cycle),
  constraint cycle_not_negative check (cycle >= 0),
  constraint status_known check (
    status in ('collecting', 'pending', 'retry', 'paid', 'failed', 'skipped', 'charged_back', 'withdrawn')
  ),
  constraint attempts_not_negative check (attempts >= 0),
  constraint retry_has_time check ((status = 'retry') = (next_attempt_at is not null)),
  constraint subscription_of_same_tenant foreign key (tenant, subscription_id) references subscriptions,
  constraint transaction_of_same_tenant foreign key (tenant, transaction_id) references transactions
);
create index billing_cycles_pending on billing_cycles (tenant, transaction_id) where status = 'pending';
create index billing_cycles_retry on billing_cycles (tenant, next_attempt_at) where next_attempt_at is not null;
comment on table billing_cycles is
  'What subscriptions owe: one row per due date, whose primary key makes each happen once. Cycles stand side by side: one whose settlement or next try is weeks away keeps no later one from its day.';
comment on column billing_cycles.cycle is 'Counted from the anchor, which is cycle 0.';
comment on column billing_cycles.status is
  '`collecting`: the gateway is being asked. `pending`: accepted, the money is to come. `retry`: tried again later. `skipped`: it was missed while nothing ran, and is never collected in a burst. `withdrawn`: its instruction was taken back before it left.';
comment on column billing_cycles.attempts is 'Failed and open attempts; an attempt that certainly did not reach the gateway does not count.';
comment on column billing_cycles.transaction_id is 'Of the newest attempt.';
comment on column billing_cycles.withdrawal_asked_at is 'When its gateway was asked to take the instruction back.';
comment on column billing_cycles.error_code is 'Why the newest attempt failed.';
