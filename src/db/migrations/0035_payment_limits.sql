-- How many payments a day may be tried with one account, by one customer and from one address, how many IBANs that
-- cannot be debited a session takes, and how long an ended session's token shows more than its state.
alter table tenants
  add column iban_payments_max    integer constraint tenants_iban_payments_positive    check (iban_payments_max >= 1),
  add column lead_payments_max    integer constraint tenants_lead_payments_positive    check (lead_payments_max >= 1),
  add column address_payments_max integer constraint tenants_address_payments_positive check (address_payments_max >= 1),
  add column invalid_ibans_max    integer constraint tenants_invalid_ibans_positive    check (invalid_ibans_max >= 1),
  add column token_detail_days    integer not null default 30
    constraint tenants_token_detail_days_range check (token_detail_days between 0 and 3650);

-- What was tried since `started_at`, for a day. Its row is what payments at once wait for, so that none is one too many.
create table payment_counts (
  tenant     integer     not null references tenants (tenant),
  kind       text        not null check (kind in ('address', 'iban', 'invalid_iban', 'lead')),
  key        text        not null check (char_length(key) <= 64),
  started_at timestamptz not null,
  count      integer     not null check (count >= 1),
  most       integer     not null check (most >= 1),
  primary key (tenant, kind, key)
);
create index payment_counts_age on payment_counts (tenant, started_at);
