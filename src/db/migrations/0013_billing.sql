-- What subscriptions owe: one row per cycle, whose primary key makes each happen once.
create table billing_cycles (
  tenant           integer     not null,
  subscription_id  uuid        not null,
  cycle            integer     not null check (cycle >= 0), -- counted from the anchor, which is cycle 0
  due_date         date        not null,
  status           text        not null check (status in ('collecting', 'pending', 'retry', 'paid', 'failed', 'skipped')),
  attempts         integer     not null default 0 check (attempts >= 0),
  transaction_id   uuid,       -- of the newest attempt
  next_attempt_at  timestamptz,
  error_code       text,
  created_at       timestamptz not null,
  updated_at       timestamptz not null,
  primary key (tenant, subscription_id, cycle),
  foreign key (tenant, subscription_id) references subscriptions,
  foreign key (tenant, transaction_id) references transactions,
  check ((status = 'retry') = (next_attempt_at is not null))
);
create unique index billing_cycles_one_open on billing_cycles (tenant, subscription_id)
  where status in ('collecting', 'pending', 'retry');
create index billing_cycles_retry on billing_cycles (tenant, next_attempt_at) where status = 'retry';
create index billing_cycles_pending on billing_cycles (tenant, transaction_id) where status = 'pending';

alter table subscriptions
  add column cancel_reason         text check (char_length(cancel_reason) <= 255),
  add column cancel_at_period_end  boolean not null default false;
create index subscriptions_due on subscriptions (tenant, next_billing_date)
  where next_billing_date is not null and status <> 'CANCELLED';
create index transactions_subscription on transactions (tenant, subscription_id, created_at)
  where subscription_id is not null;
-- Never two debits of one subscription at a time, whoever asks for them.
create unique index transactions_one_open_per_subscription on transactions (tenant, subscription_id)
  where type = 'sdd_rebill' and status in ('submitted', 'unresolved');
