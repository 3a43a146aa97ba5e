-- compatible with: 0017
-- On which day a renewal is collected when banks are closed, and when one without funds is tried again.

alter table tenants
  add column closed_day text not null default 'next',
  add column retry_days text[] not null default '{3,7}',
  add constraint closed_day_known check (closed_day in ('next', 'previous')),
  add constraint retry_days_at_most_two check (cardinality(retry_days) <= 2);
comment on column tenants.closed_day is
  'What is due on a day on which banks are closed is collected on the next open day, or on the previous one.';
comment on column tenants.retry_days is
  'Days after the first and after the second attempt at a cycle that failed for lack of funds: a number, or salary_day for the next day on which salaries come.';
