-- compatible with: 0017
-- A subscription that is collected on another day is counted from that day on.
alter table subscriptions add column billing_anchor_cycle integer not null default 0;
comment on column subscriptions.billing_anchor_cycle is 'The cycle that is due on billing_anchor_date: 0 unless its day was changed.';
