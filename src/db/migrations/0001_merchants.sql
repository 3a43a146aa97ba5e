-- Who collects money, with what keys, through which gateway, at what price and under which looks.
create table tenants (
  tenant                    integer generated always as identity primary key,
  id                        uuid not null unique,
  name                      text not null check (char_length(name) between 1 and 255),
  country                   text check (country ~ '^[A-Z]{2}$'),
  creditor_identifier       text check (char_length(creditor_identifier) <= 35),
  session_lifetime_seconds  integer not null check (session_lifetime_seconds between 1800 and 2592000),
  default_locale            text,
  created_at                timestamptz not null,
  updated_at                timestamptz not null,
  archived_at               timestamptz
);

-- Only the SHA-256 of a key is kept. After a rotation the old one works until previous_expires_at.
create table api_keys (
  tenant               integer not null references tenants,
  id                   uuid not null,
  name                 text not null check (char_length(name) between 1 and 255),
  scopes               text[] not null check (
    cardinality(scopes) > 0 and scopes <@ array['payments', 'reconciliation', 'management']
  ),
  prefix               text not null,
  hash                 bytea not null check (octet_length(hash) = 32),
  previous_hash        bytea check (octet_length(previous_hash) = 32),
  previous_expires_at  timestamptz,
  expires_at           timestamptz,
  revoked_at           timestamptz,
  last_used_at         timestamptz,
  created_at           timestamptz not null,
  updated_at           timestamptz not null,
  archived_at          timestamptz,
  primary key (tenant, id),
  check ((previous_hash is null) = (previous_expires_at is null))
);
create unique index api_keys_hash on api_keys (tenant, hash);
create index api_keys_previous_hash on api_keys (tenant, previous_hash) where previous_hash is not null;

create table gateways (
  tenant              integer not null references tenants,
  id                  uuid not null,
  name                text not null check (char_length(name) between 1 and 255),
  adapter             text not null,
  descriptor          text check (char_length(descriptor) <= 140),
  test_mode           boolean not null,
  settings            jsonb not null check (jsonb_typeof(settings) = 'object'),
  credentials         bytea, -- sealed JSON object
  completed_event_at  text not null check (completed_event_at in ('acceptance', 'settlement')),
  active              boolean not null,
  created_at          timestamptz not null,
  updated_at          timestamptz not null,
  archived_at         timestamptz,
  primary key (tenant, id)
);

create table webhook_profiles (
  tenant                          integer not null references tenants,
  id                              uuid not null,
  name                            text not null check (char_length(name) between 1 and 255),
  url                             text not null check (char_length(url) <= 2000),
  events                          text[] not null,
  payload_fields                  jsonb not null check (jsonb_typeof(payload_fields) = 'object'),
  ascii_escape                    boolean not null,
  signing_secret                  bytea not null, -- sealed
  previous_signing_secret         bytea,          -- sealed; signs too until the time beside it
  previous_signing_secret_until   timestamptz,
  active                          boolean not null,
  disabled_reason                 text,
  created_at                      timestamptz not null,
  updated_at                      timestamptz not null,
  archived_at                     timestamptz,
  primary key (tenant, id),
  check ((previous_signing_secret is null) = (previous_signing_secret_until is null))
);

create table hosted_pages (
  tenant                     integer not null references tenants,
  id                         uuid not null,
  name                       text not null check (char_length(name) between 1 and 255),
  branding                   jsonb not null check (jsonb_typeof(branding) = 'object'),
  content                    jsonb not null check (jsonb_typeof(content) = 'object'),
  show_product_name          boolean not null,
  show_product_price         boolean not null,
  show_product_description   boolean not null,
  offer_overrides            jsonb not null check (jsonb_typeof(offer_overrides) = 'object'),
  success_redirect_url       text check (char_length(success_redirect_url) <= 2000),
  failure_redirect_url       text check (char_length(failure_redirect_url) <= 2000),
  mandate_acceptance_mode    text not null check (mandate_acceptance_mode in ('checkbox', 'IMPLICIT')),
  locale                     text,
  created_at                 timestamptz not null,
  updated_at                 timestamptz not null,
  archived_at                timestamptz,
  primary key (tenant, id)
);

create table offers (
  tenant               integer not null references tenants,
  id                   uuid not null,
  name                 text not null check (char_length(name) between 1 and 255),
  price                numeric(12,2) not null check (price > 0),
  currency             text not null check (currency ~ '^[A-Z]{3}$'),
  billing_type         text not null check (billing_type in ('ONE_OFF', 'RECURRING', 'TRIAL_RECURRING')),
  billing_frequency    text check (
    billing_frequency in ('WEEKLY', 'BIWEEKLY', 'MONTHLY', 'QUARTERLY', 'SEMIANNUALLY', 'YEARLY')
  ),
  trial_interval_unit  text check (trial_interval_unit in ('day', 'week', 'month')),
  trial_period         integer check (trial_period >= 1),
  trial_price          numeric(12,2) check (trial_price >= 0),
  product_name         text check (char_length(product_name) <= 255),
  product_description  text check (char_length(product_description) <= 2000),
  created_at           timestamptz not null,
  updated_at           timestamptz not null,
  archived_at          timestamptz,
  primary key (tenant, id)
);

create table campaigns (
  tenant                integer not null references tenants,
  id                    uuid not null,
  name                  text not null check (char_length(name) between 1 and 255),
  offer_id              uuid not null,
  gateway_id            uuid not null,
  hosted_page_id        uuid,
  webhook_profile_id    uuid,
  max_payment_attempts  integer not null check (max_payment_attempts between 1 and 10),
  active                boolean not null,
  created_at            timestamptz not null,
  updated_at            timestamptz not null,
  archived_at           timestamptz,
  primary key (tenant, id),
  foreign key (tenant, offer_id) references offers,
  foreign key (tenant, gateway_id) references gateways,
  foreign key (tenant, hosted_page_id) references hosted_pages,
  foreign key (tenant, webhook_profile_id) references webhook_profiles
);
