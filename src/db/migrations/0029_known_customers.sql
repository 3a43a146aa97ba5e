-- compatible with: 0017
-- Orders of customers whose debits have settled before need not wait for the next one to settle.
alter table gateways add column acceptance_after_debits integer;
comment on column gateways.acceptance_after_debits is
  'With completed_event_at `settlement`: customers with so many settled debits, and none that came back, have theirs completed at acceptance. Null: this is switched off.';
