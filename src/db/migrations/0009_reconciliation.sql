-- What the accountant's lists need. A processor's file names the customer; nothing else does it here.
alter table transactions
  add column customer_email_csv text,
  add column customer_name_csv text;

-- The lists are ordered by these times, their cursors carry them and callers see them, all to the millisecond. A finer
-- time would be lost on the way, and with it the place of a row between two pages.
alter table transactions  alter column processed_at type timestamptz(3);
alter table chargebacks   alter column report_date  type timestamptz(3);
alter table subscriptions alter column created_at   type timestamptz(3);

-- A transaction is listed once it was processed, and then its end is known: the stored status is the one to show.
alter table transactions add constraint transactions_open_is_not_processed check (
  processed_at is null or status not in ('submitted', 'unresolved', 'awaiting_verification', 'verifying')
);

create index transactions_newest_processed_first on transactions (tenant, processed_at desc, id desc)
  where processed_at is not null;
create index chargebacks_newest_reported_first on chargebacks (tenant, report_date desc, id desc);
create index subscriptions_newest_first on subscriptions (tenant, created_at desc, id desc);
