-- compatible with: 0017
-- The debtor's bank debits a mandate between businesses only once its customer has confirmed it there.

alter table mandates
  add column bank_confirmed_on date,
  add constraint only_b2b_is_confirmed check (bank_confirmed_on is null or scheme = 'B2B') not valid;
comment on column mandates.bank_confirmed_on is
  'Of scheme B2B: the day on which the debtor''s bank had confirmed it, as a person has said; null: not yet.';
