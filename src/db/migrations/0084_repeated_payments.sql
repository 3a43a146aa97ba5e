-- compatible with: 0017
alter table sessions add column repays_transaction_id uuid;
comment on column sessions.repays_transaction_id is
  'The first payment that came back and that it repeats: it is not paid once that one is reinstated. Null: none, or made by code that did not record it.';
