-- compatible with: 0017
-- When a customer was erased.

alter table leads add column erased_at timestamptz;
comment on column leads.erased_at is 'When the person''s data was erased, here and wherever else it was; null: it was not.';
