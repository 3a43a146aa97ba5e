-- compatible with: 0017
-- What the first page of the console adds up beside millions of payments and subscriptions.
alter table daily_figures add column age_weeks integer;
comment on column daily_figures.age_weeks is
  'Of a payment that came back, after how many whole weeks; 8 takes in all later ones. Null: it did not, or it was counted before there was this column.';
-- allowed: lock-to-write: a row for each day and tenant
update figure_days set due_at = now();

create table expected_counts (
  tenant       integer     not null,
  counted_from date        not null,
  counted_to   date        not null,
  counted_at   timestamptz not null,
  due_at       timestamptz not null,
  constraint expected_counts_pkey primary key (tenant),
  constraint tenant_exists foreign key (tenant) references tenants (tenant)
);
comment on table expected_counts is
  'Merchants to whom so much comes that a job adds it up. For others it is added up when it is asked for.';
comment on column expected_counts.due_at is 'When it is added up anew.';

create table expected_figures (
  tenant   integer       not null,
  number   integer       not null,
  day      date          not null,
  currency text          not null,
  kind     text          not null,
  count    integer       not null,
  amount   numeric(16,2) not null,
  constraint expected_figures_pkey primary key (tenant, number),
  constraint tenant_exists foreign key (tenant) references tenants (tenant),
  constraint kind_known check (kind in ('settlement', 'renewal', 'retry')),
  constraint count_positive check (count > 0)
);
comment on table expected_figures is
  'What comes by day (UTC): collections that are with the bank, cycles that fall due, and those that are tried again.';
