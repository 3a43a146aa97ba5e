-- compatible with: 0017
-- What came back by the bank's code was counted from each payment when it was asked for.
alter table daily_figures add column bank_code text;
comment on column daily_figures.bank_code is
  'The bank''s code of a debit that came back, or that it refused after it had been accepted. Null: neither, or it was counted before there was this column.';
-- allowed: lock-to-write: a row for each day and tenant
update figure_days set due_at = now();
