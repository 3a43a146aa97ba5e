-- compatible with: 0017
-- A campaign of whose payments too many come back stops collecting.

alter table campaigns
  add column return_rate_max integer,
  add column return_rate_min_payments integer not null default 50,
  add column stopped_at timestamptz,
  add column counted_from timestamptz,
  add constraint return_rate_max_is_percent check (return_rate_max between 1 and 100),
  add constraint return_rate_min_payments_positive check (return_rate_min_payments >= 1);
comment on column campaigns.return_rate_max is
  'In percent of what was collected; with more that came back it stops collecting. Null: it never does.';
comment on column campaigns.return_rate_min_payments is 'With fewer payments it is not stopped.';
comment on column campaigns.stopped_at is 'When it stopped collecting, as too much had come back; null: it collects.';
comment on column campaigns.counted_from is 'A person let it go on then: what was collected before does not count.';
