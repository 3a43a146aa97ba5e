create table tenants (
  tenant                         integer      not null generated always as identity primary key,
  id                             uuid         not null,
  name                           text         not null,
  country                        text,
  address                        text,
  postal_code                    text,
  city                           text,
  creditor_identifier            text,
  session_lifetime_seconds       integer      not null,
  default_locale                 text,
  pre_notification_days          integer      not null default 14,
  subscription_after_chargeback  text         not null default 'cancel',
  subscription_after_refund      text         not null default 'keep',
  iban_payments_max              integer,
  lead_payments_max              integer,
  address_payments_max           integer,
  invalid_ibans_max              integer,
  token_detail_days              integer      not null default 30,
  created_at                     timestamptz  not null,
  updated_at                     timestamptz  not null,
  archived_at                    timestamptz,
  constraint tenants_one_per_id unique (id),
  constraint name_length check (char_length(name) between 1 and 255),
  constraint country_has_two_letters check (country ~ '^[A-Z]{2}$'),
  constraint address_length check (char_length(address) between 1 and 500),
  constraint postal_code_length check (char_length(postal_code) between 1 and 20),
  constraint city_length check (char_length(city) between 1 and 255),
  constraint creditor_identifier_length check (char_length(creditor_identifier) <= 35),
  constraint session_lifetime_is_30_minutes_to_30_days check (session_lifetime_seconds between 1800 and 2592000),
  constraint pre_notification_is_1_to_30_days check (pre_notification_days between 1 and 30),
  constraint subscription_after_chargeback_known check (subscription_after_chargeback in ('cancel', 'past_due', 'keep')),
  constraint subscription_after_refund_known check (subscription_after_refund in ('cancel', 'keep')),
  constraint iban_payments_max_positive check (iban_payments_max >= 1),
  constraint lead_payments_max_positive check (lead_payments_max >= 1),
  constraint address_payments_max_positive check (address_payments_max >= 1),
  constraint invalid_ibans_max_positive check (invalid_ibans_max >= 1),
  constraint token_detail_is_at_most_ten_years check (token_detail_days between 0 and 3650)
);
comment on table tenants is 'Merchants. No tenant sees a record of another one.';
comment on column tenants.tenant is 'Number of the tenant in this database, the first column of every key. Callers know the tenant by its id.';
comment on column tenants.country is 'ISO 3166, two letters.';
comment on column tenants.address is 'Street and number, as mandates name the creditor.';
comment on column tenants.creditor_identifier is 'Identifies the creditor in the SDD scheme, where the gateway''s settings name none.';
comment on column tenants.session_lifetime_seconds is 'How long a new session can be paid.';
comment on column tenants.default_locale is 'Language of the payment page where nothing else says it.';
comment on column tenants.pre_notification_days is
  'Customers are told before they are debited (SDD rulebook, pre-notification): receivers hear of a renewal so many days before.';
comment on column tenants.subscription_after_chargeback is 'What a chargeback of one of its payments does to a subscription.';
comment on column tenants.subscription_after_refund is 'What the full refund of one of its payments does to a subscription.';
comment on column tenants.iban_payments_max is 'How many payments a day may be tried with one account; null: the default of src/sessions/limit-store.ts.';
comment on column tenants.lead_payments_max is 'The same for one customer.';
comment on column tenants.address_payments_max is 'The same for one network address.';
comment on column tenants.invalid_ibans_max is 'How many IBANs that cannot be debited a session takes in a day; null: the default.';
comment on column tenants.token_detail_days is 'How long an ended session''s token shows more than its state.';
comment on column tenants.archived_at is 'Null: in use. Here as in every table that has it: nothing new is made with an archived record.';

create table tenant_clocks (
  tenant      integer      not null primary key,
  ahead_ms    bigint       not null,
  updated_at  timestamptz  not null,
  constraint ahead_is_forward check (ahead_ms > 0),
  constraint tenant_exists foreign key (tenant) references tenants
);
comment on table tenant_clocks is 'Tenants of a staging environment that have moved their time forward, and by how much.';
comment on column tenant_clocks.ahead_ms is 'Milliseconds. Time goes forward only.';

create table api_keys (
  tenant               integer      not null,
  id                   uuid         not null,
  name                 text         not null,
  scopes               text[]       not null,
  prefix               text         not null,
  hash                 bytea        not null,
  previous_hash        bytea,
  previous_expires_at  timestamptz,
  expires_at           timestamptz,
  revoked_at           timestamptz,
  last_used_at         timestamptz,
  created_at           timestamptz  not null,
  updated_at           timestamptz  not null,
  archived_at          timestamptz,
  primary key (tenant, id),
  constraint name_length check (char_length(name) between 1 and 255),
  constraint scopes_known check (
    cardinality(scopes) > 0
    and scopes <@ array['payments', 'reconciliation', 'management', 'read', 'refunds', 'billing', 'settings', 'keys', 'bank', 'whole_ibans']
  ),
  constraint hash_has_32_bytes check (octet_length(hash) = 32),
  constraint previous_hash_has_32_bytes check (octet_length(previous_hash) = 32),
  constraint previous_key_expires check ((previous_hash is null) = (previous_expires_at is null)),
  constraint tenant_exists foreign key (tenant) references tenants
);
create unique index api_keys_one_per_hash on api_keys (tenant, hash);
create index api_keys_by_previous_hash on api_keys (tenant, previous_hash) where previous_hash is not null;
comment on table api_keys is 'Keys of the tenants'' own systems. A key is shown once; only its SHA-256 is kept.';
comment on column api_keys.scopes is '`management` is read, refunds, billing, settings, keys and bank together; whole IBANs are shown to `whole_ibans` only.';
comment on column api_keys.prefix is 'The beginning of the key, by which people tell keys apart.';
comment on column api_keys.hash is 'SHA-256 of the key.';
comment on column api_keys.previous_hash is 'SHA-256 of the key before a rotation, which works until previous_expires_at.';
comment on column api_keys.expires_at is 'Null: it does not expire.';
comment on column api_keys.revoked_at is 'From then on the key opens nothing.';
