-- compatible with: 0017
-- Payments that look like a second one are asked about, and different accounts that one customer tries are counted.

alter table tenants
  add column ask_about_duplicates boolean not null default false,
  add column lead_accounts_max integer,
  add column address_accounts_max integer,
  add constraint accounts_max_at_least_two check (least(lead_accounts_max, address_accounts_max) >= 2);
alter table payment_counts
  add column accounts bytea[],
  add column counted_at timestamptz,
  drop constraint kind_known,
  add constraint kind_known check (kind in (
    'address', 'address_accounts', 'iban', 'invalid_iban', 'lead', 'lead_accounts')) not valid;
comment on column tenants.ask_about_duplicates is
  'A customer who has paid the same amount within a day is asked before it is paid again.';
comment on column tenants.lead_accounts_max is
  'How many different accounts one customer may try within a day; null: any number.';
comment on column payment_counts.accounts is
  'Fingerprints of the different IBANs, where these are counted: as many as count says. Null: payments are counted.';
comment on column payment_counts.counted_at is 'When count was last raised.';
