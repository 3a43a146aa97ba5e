-- compatible with: 0017
-- What the charts of ten million payments add up is added up once, by day.
create table figure_days (
  tenant      integer     not null,
  day         date        not null,
  counted_at  timestamptz,
  due_at      timestamptz not null,
  constraint figure_days_pkey primary key (tenant, day),
  constraint tenant_exists foreign key (tenant) references tenants (tenant)
);
comment on table figure_days is
  'Days (UTC) with payments, whose figures a job adds up. A day that is not here, or not counted yet, is added up when it is asked for.';
comment on column figure_days.counted_at is 'Null: not yet.';
comment on column figure_days.due_at is 'When it is counted anew: payments of past days come back, and are refunded.';
create index figure_days_due on figure_days (tenant, due_at);

create table daily_figures (
  tenant       integer       not null,
  day          date          not null,
  number       integer       not null,
  gateway_id   uuid          not null,
  campaign_id  uuid,
  country      text,
  type         text          not null,
  state        text          not null,
  reason       text,
  currency     text          not null,
  count        integer       not null,
  amount       numeric(16,2) not null,
  constraint daily_figures_pkey primary key (tenant, day, number),
  constraint day_of_same_tenant foreign key (tenant, day) references figure_days (tenant, day),
  constraint count_positive check (count > 0)
);
comment on table daily_figures is
  'The payments that were opened on a day, by their state now. A day is added up anew as a whole.';
comment on column daily_figures.state is
  'As the API shows a payment: `pending`, `approved`, `declined`, `refunded` or `charged_back`.';
comment on column daily_figures.reason is
  'Of a declined payment our reason, of one that came back the bank''s code; null where none was given.';
