-- compatible with: 0017
-- A renewal names its cycle: the cycle itself names its newest attempt only.
alter table transactions add column cycle integer;
comment on column transactions.cycle is
  'Of a renewal: the billing cycle that it is an attempt at. Null: not a renewal of ours, or an attempt from before this was kept.';
