-- compatible with: 0017
-- Different accounts are counted by the customer's browser as well.

alter table tenants
  add column device_accounts_max integer,
  add constraint device_accounts_max_at_least_two check (device_accounts_max >= 2) not valid;
alter table payment_counts
  drop constraint kind_known,
  add constraint kind_known check (kind in (
    'address', 'address_accounts', 'device_accounts', 'iban', 'invalid_iban', 'lead', 'lead_accounts')) not valid;
comment on column tenants.device_accounts_max is
  'How many different accounts may be tried with one browser within a day; null: any number, and no cookie is set.';
