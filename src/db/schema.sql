-- The sum of src/db/migrations, read from the catalogs. Generated: npm run generate.

create table schema_migrations (
  number      integer                   not null,
  name        text                      not null,
  applied_at  timestamp with time zone  not null default now(),
  constraint schema_migrations_pkey primary key (number)
);

create table tenants (
  tenant                         integer                   not null generated always as identity,
  id                             uuid                      not null,
  name                           text                      not null,
  country                        text,
  creditor_identifier            text,
  session_lifetime_seconds       integer                   not null,
  default_locale                 text,
  created_at                     timestamp with time zone  not null,
  updated_at                     timestamp with time zone  not null,
  archived_at                    timestamp with time zone,
  pre_notification_days          integer                   not null default 14,
  subscription_after_chargeback  text                      not null default 'cancel'::text,
  subscription_after_refund      text                      not null default 'keep'::text,
  address                        text,
  postal_code                    text,
  city                           text,
  iban_payments_max              integer,
  lead_payments_max              integer,
  address_payments_max           integer,
  invalid_ibans_max              integer,
  token_detail_days              integer                   not null default 30,
  constraint tenants_pkey primary key (tenant),
  constraint tenants_id_key unique (id),
  constraint tenants_address_check check (((char_length(address) >= 1) and (char_length(address) <= 500))),
  constraint tenants_address_payments_positive check ((address_payments_max >= 1)),
  constraint tenants_city_check check (((char_length(city) >= 1) and (char_length(city) <= 255))),
  constraint tenants_country_check check ((country ~ '^[A-Z]{2}$'::text)),
  constraint tenants_creditor_identifier_check check ((char_length(creditor_identifier) <= 35)),
  constraint tenants_iban_payments_positive check ((iban_payments_max >= 1)),
  constraint tenants_invalid_ibans_positive check ((invalid_ibans_max >= 1)),
  constraint tenants_lead_payments_positive check ((lead_payments_max >= 1)),
  constraint tenants_name_check check (((char_length(name) >= 1) and (char_length(name) <= 255))),
  constraint tenants_postal_code_check check (((char_length(postal_code) >= 1) and (char_length(postal_code) <= 20))),
  constraint tenants_pre_notification_days_check check (((pre_notification_days >= 1) and (pre_notification_days <= 30))),
  constraint tenants_session_lifetime_seconds_check check (((session_lifetime_seconds >= 1800) and (session_lifetime_seconds <= 2592000))),
  constraint tenants_subscription_after_chargeback_check check ((subscription_after_chargeback = any (array['cancel'::text, 'past_due'::text, 'keep'::text]))),
  constraint tenants_subscription_after_refund_check check ((subscription_after_refund = any (array['cancel'::text, 'keep'::text]))),
  constraint tenants_token_detail_days_range check (((token_detail_days >= 0) and (token_detail_days <= 3650)))
);

create table api_keys (
  tenant               integer                   not null,
  id                   uuid                      not null,
  name                 text                      not null,
  scopes               text[]                    not null,
  prefix               text                      not null,
  hash                 bytea                     not null,
  previous_hash        bytea,
  previous_expires_at  timestamp with time zone,
  expires_at           timestamp with time zone,
  revoked_at           timestamp with time zone,
  last_used_at         timestamp with time zone,
  created_at           timestamp with time zone  not null,
  updated_at           timestamp with time zone  not null,
  archived_at          timestamp with time zone,
  constraint api_keys_pkey primary key (tenant, id),
  constraint api_keys_check check (((previous_hash is null) = (previous_expires_at is null))),
  constraint api_keys_hash_check check ((octet_length(hash) = 32)),
  constraint api_keys_name_check check (((char_length(name) >= 1) and (char_length(name) <= 255))),
  constraint api_keys_previous_hash_check check ((octet_length(previous_hash) = 32)),
  constraint api_keys_scopes_known check (((cardinality(scopes) > 0) and (scopes <@ array['payments'::text, 'reconciliation'::text, 'management'::text, 'read'::text, 'refunds'::text, 'billing'::text, 'settings'::text, 'keys'::text, 'bank'::text, 'whole_ibans'::text]))),
  constraint api_keys_tenant_fkey foreign key (tenant) references tenants(tenant)
);
create unique index api_keys_hash on api_keys (tenant, hash);
create index api_keys_previous_hash on api_keys (tenant, previous_hash) where (previous_hash is not null);

create table gateways (
  tenant              integer                   not null,
  id                  uuid                      not null,
  name                text                      not null,
  adapter             text                      not null,
  descriptor          text,
  test_mode           boolean                   not null,
  settings            jsonb                     not null,
  credentials         bytea,
  completed_event_at  text                      not null,
  active              boolean                   not null,
  created_at          timestamp with time zone  not null,
  updated_at          timestamp with time zone  not null,
  archived_at         timestamp with time zone,
  former_creditors    text[]                    not null default '{}'::text[],
  constraint gateways_pkey primary key (tenant, id),
  constraint gateways_completed_event_at_check check ((completed_event_at = any (array['acceptance'::text, 'settlement'::text]))),
  constraint gateways_descriptor_check check ((char_length(descriptor) <= 140)),
  constraint gateways_name_check check (((char_length(name) >= 1) and (char_length(name) <= 255))),
  constraint gateways_settings_check check ((jsonb_typeof(settings) = 'object'::text)),
  constraint gateways_tenant_fkey foreign key (tenant) references tenants(tenant)
);

create table webhook_profiles (
  tenant                         integer                   not null,
  id                             uuid                      not null,
  name                           text                      not null,
  url                            text                      not null,
  events                         text[]                    not null,
  payload_fields                 jsonb                     not null,
  ascii_escape                   boolean                   not null,
  signing_secret                 bytea                     not null,
  previous_signing_secret        bytea,
  previous_signing_secret_until  timestamp with time zone,
  active                         boolean                   not null,
  disabled_reason                text,
  created_at                     timestamp with time zone  not null,
  updated_at                     timestamp with time zone  not null,
  archived_at                    timestamp with time zone,
  constraint webhook_profiles_pkey primary key (tenant, id),
  constraint webhook_profiles_check check (((previous_signing_secret is null) = (previous_signing_secret_until is null))),
  constraint webhook_profiles_name_check check (((char_length(name) >= 1) and (char_length(name) <= 255))),
  constraint webhook_profiles_payload_fields_check check ((jsonb_typeof(payload_fields) = 'object'::text)),
  constraint webhook_profiles_url_check check ((char_length(url) <= 2000)),
  constraint webhook_profiles_tenant_fkey foreign key (tenant) references tenants(tenant)
);

create table hosted_pages (
  tenant                    integer                   not null,
  id                        uuid                      not null,
  name                      text                      not null,
  branding                  jsonb                     not null,
  content                   jsonb                     not null,
  show_product_name         boolean                   not null,
  show_product_price        boolean                   not null,
  show_product_description  boolean                   not null,
  offer_overrides           jsonb                     not null,
  success_redirect_url      text,
  failure_redirect_url      text,
  mandate_acceptance_mode   text                      not null,
  locale                    text,
  created_at                timestamp with time zone  not null,
  updated_at                timestamp with time zone  not null,
  archived_at               timestamp with time zone,
  frame_origins             text[]                    not null default '{}'::text[],
  constraint hosted_pages_pkey primary key (tenant, id),
  constraint hosted_pages_branding_check check ((jsonb_typeof(branding) = 'object'::text)),
  constraint hosted_pages_content_check check ((jsonb_typeof(content) = 'object'::text)),
  constraint hosted_pages_failure_redirect_url_check check ((char_length(failure_redirect_url) <= 2000)),
  constraint hosted_pages_mandate_acceptance_mode_check check ((mandate_acceptance_mode = any (array['checkbox'::text, 'IMPLICIT'::text]))),
  constraint hosted_pages_name_check check (((char_length(name) >= 1) and (char_length(name) <= 255))),
  constraint hosted_pages_offer_overrides_check check ((jsonb_typeof(offer_overrides) = 'object'::text)),
  constraint hosted_pages_success_redirect_url_check check ((char_length(success_redirect_url) <= 2000)),
  constraint hosted_pages_tenant_fkey foreign key (tenant) references tenants(tenant)
);

create table offers (
  tenant               integer                   not null,
  id                   uuid                      not null,
  name                 text                      not null,
  price                numeric(12,2)             not null,
  currency             text                      not null,
  billing_type         text                      not null,
  billing_frequency    text,
  trial_interval_unit  text,
  trial_period         integer,
  trial_price          numeric(12,2),
  product_name         text,
  product_description  text,
  created_at           timestamp with time zone  not null,
  updated_at           timestamp with time zone  not null,
  archived_at          timestamp with time zone,
  constraint offers_pkey primary key (tenant, id),
  constraint offers_billing_frequency_check check ((billing_frequency = any (array['WEEKLY'::text, 'BIWEEKLY'::text, 'MONTHLY'::text, 'QUARTERLY'::text, 'SEMIANNUALLY'::text, 'YEARLY'::text]))),
  constraint offers_billing_type_check check ((billing_type = any (array['ONE_OFF'::text, 'RECURRING'::text, 'TRIAL_RECURRING'::text]))),
  constraint offers_currency_check check ((currency ~ '^[A-Z]{3}$'::text)),
  constraint offers_name_check check (((char_length(name) >= 1) and (char_length(name) <= 255))),
  constraint offers_price_check check ((price > (0)::numeric)),
  constraint offers_product_description_check check ((char_length(product_description) <= 2000)),
  constraint offers_product_name_check check ((char_length(product_name) <= 255)),
  constraint offers_trial_interval_unit_check check ((trial_interval_unit = any (array['day'::text, 'week'::text, 'month'::text]))),
  constraint offers_trial_period_check check ((trial_period >= 1)),
  constraint offers_trial_price_check check ((trial_price >= (0)::numeric)),
  constraint offers_tenant_fkey foreign key (tenant) references tenants(tenant)
);

create table campaigns (
  tenant                integer                   not null,
  id                    uuid                      not null,
  name                  text                      not null,
  offer_id              uuid                      not null,
  gateway_id            uuid                      not null,
  hosted_page_id        uuid,
  webhook_profile_id    uuid,
  max_payment_attempts  integer                   not null,
  active                boolean                   not null,
  created_at            timestamp with time zone  not null,
  updated_at            timestamp with time zone  not null,
  archived_at           timestamp with time zone,
  constraint campaigns_pkey primary key (tenant, id),
  constraint campaigns_max_payment_attempts_check check (((max_payment_attempts >= 1) and (max_payment_attempts <= 10))),
  constraint campaigns_name_check check (((char_length(name) >= 1) and (char_length(name) <= 255))),
  constraint campaigns_tenant_fkey foreign key (tenant) references tenants(tenant),
  constraint campaigns_tenant_gateway_id_fkey foreign key (tenant, gateway_id) references gateways(tenant, id),
  constraint campaigns_tenant_hosted_page_id_fkey foreign key (tenant, hosted_page_id) references hosted_pages(tenant, id),
  constraint campaigns_tenant_offer_id_fkey foreign key (tenant, offer_id) references offers(tenant, id),
  constraint campaigns_tenant_webhook_profile_id_fkey foreign key (tenant, webhook_profile_id) references webhook_profiles(tenant, id)
);

create table leads (
  tenant       integer                   not null,
  id           uuid                      not null,
  email_key    text                      not null,
  email        text                      not null,
  first_name   text                      not null,
  last_name    text                      not null,
  country      text                      not null,
  address      text,
  city         text,
  postal_code  text,
  phone        text,
  created_at   timestamp with time zone  not null,
  updated_at   timestamp with time zone  not null,
  constraint leads_pkey primary key (tenant, id),
  constraint leads_address_check check ((char_length(address) <= 500)),
  constraint leads_city_check check ((char_length(city) <= 255)),
  constraint leads_country_check check ((country ~ '^[A-Z]{2}$'::text)),
  constraint leads_first_name_check check ((char_length(first_name) <= 255)),
  constraint leads_last_name_check check ((char_length(last_name) <= 255)),
  constraint leads_phone_check check ((char_length(phone) <= 50)),
  constraint leads_postal_code_check check ((char_length(postal_code) <= 20)),
  constraint leads_tenant_fkey foreign key (tenant) references tenants(tenant)
);
create unique index leads_email_key on leads (tenant, email_key);

create table sessions (
  tenant               integer                   not null,
  id                   uuid                      not null,
  token_key_id         smallint                  not null,
  status               text                      not null,
  lead_id              uuid                      not null,
  gateway_id           uuid                      not null,
  campaign_id          uuid,
  offer_id             uuid,
  hosted_page_id       uuid,
  webhook_profile_id   uuid,
  campaign_name        text                      not null,
  offer_name           text                      not null,
  product_name         text,
  product_description  text,
  amount               numeric(12,2)             not null,
  currency             text                      not null,
  billing_type         text                      not null,
  billing_frequency    text,
  trial_interval_unit  text,
  trial_period         integer,
  trial_price          numeric(12,2),
  attempts_max         integer                   not null,
  attempts_used        integer                   not null default 0,
  open_transaction_id  uuid,
  customer_ip          text,
  created_at           timestamp with time zone  not null,
  expires_at           timestamp with time zone  not null,
  closed_at            timestamp with time zone,
  constraint sessions_pkey primary key (tenant, id),
  constraint sessions_amount_check check ((amount > (0)::numeric)),
  constraint sessions_attempts_max_check check (((attempts_max >= 1) and (attempts_max <= 10))),
  constraint sessions_billing_frequency_check check ((billing_frequency = any (array['WEEKLY'::text, 'BIWEEKLY'::text, 'MONTHLY'::text, 'QUARTERLY'::text, 'SEMIANNUALLY'::text, 'YEARLY'::text]))),
  constraint sessions_billing_type_check check ((billing_type = any (array['ONE_OFF'::text, 'RECURRING'::text, 'TRIAL_RECURRING'::text]))),
  constraint sessions_check check (((attempts_used >= 0) and (attempts_used <= attempts_max))),
  constraint sessions_check1 check (((billing_type <> 'TRIAL_RECURRING'::text) or ((trial_interval_unit is not null) and (trial_period is not null)))),
  constraint sessions_check2 check (((status = any (array['COMPLETED'::text, 'EXPIRED'::text])) = (closed_at is not null))),
  constraint sessions_check3 check (((status <> 'AWAITING_VERIFICATION'::text) or (open_transaction_id is not null))),
  constraint sessions_check4 check (((closed_at is null) or (open_transaction_id is null))),
  constraint sessions_currency_check check ((currency ~ '^[A-Z]{3}$'::text)),
  constraint sessions_status_check check ((status = any (array['PENDING'::text, 'AWAITING_VERIFICATION'::text, 'COMPLETED'::text, 'EXPIRED'::text]))),
  constraint sessions_trial_interval_unit_check check ((trial_interval_unit = any (array['day'::text, 'week'::text, 'month'::text]))),
  constraint sessions_trial_period_check check ((trial_period >= 1)),
  constraint sessions_trial_price_check check ((trial_price >= (0)::numeric)),
  constraint sessions_tenant_campaign_id_fkey foreign key (tenant, campaign_id) references campaigns(tenant, id),
  constraint sessions_tenant_fkey foreign key (tenant) references tenants(tenant),
  constraint sessions_tenant_gateway_id_fkey foreign key (tenant, gateway_id) references gateways(tenant, id),
  constraint sessions_tenant_hosted_page_id_fkey foreign key (tenant, hosted_page_id) references hosted_pages(tenant, id),
  constraint sessions_tenant_lead_id_fkey foreign key (tenant, lead_id) references leads(tenant, id),
  constraint sessions_tenant_offer_id_fkey foreign key (tenant, offer_id) references offers(tenant, id),
  constraint sessions_tenant_webhook_profile_id_fkey foreign key (tenant, webhook_profile_id) references webhook_profiles(tenant, id)
);
create index sessions_lapsing on sessions (tenant, expires_at) where (closed_at is null);
create index sessions_newest_first on sessions (tenant, created_at desc, id desc);
create unique index sessions_one_active_per_lead on sessions (tenant, lead_id) where (closed_at is null);

create table session_moves (
  tenant          integer                   not null,
  session_id      uuid                      not null,
  number          integer                   not null generated always as identity,
  at              timestamp with time zone  not null,
  from_status     text,
  to_status       text                      not null,
  cause           text                      not null,
  transaction_id  uuid,
  constraint session_moves_pkey primary key (tenant, session_id, number),
  constraint session_moves_check check ((((from_status is null) and (to_status = 'PENDING'::text)) or ((from_status = 'PENDING'::text) and (to_status = any (array['PENDING'::text, 'AWAITING_VERIFICATION'::text, 'COMPLETED'::text, 'EXPIRED'::text]))) or ((from_status = 'AWAITING_VERIFICATION'::text) and (to_status = any (array['AWAITING_VERIFICATION'::text, 'PENDING'::text, 'COMPLETED'::text, 'EXPIRED'::text]))))),
  constraint session_moves_tenant_session_id_fkey foreign key (tenant, session_id) references sessions(tenant, id)
);

create table orders (
  tenant        integer                   not null,
  id            uuid                      not null,
  session_id    uuid                      not null,
  lead_id       uuid                      not null,
  order_number  text                      not null,
  status        text                      not null,
  amount        numeric(12,2)             not null,
  currency      text                      not null,
  created_at    timestamp with time zone  not null,
  updated_at    timestamp with time zone  not null,
  constraint orders_pkey primary key (tenant, id),
  constraint orders_amount_check check ((amount >= (0)::numeric)),
  constraint orders_order_number_check check ((order_number ~ '^ORD-[0-9A-Z]{8}$'::text)),
  constraint orders_status_check check ((status = any (array['PENDING_PAYMENT_SUBMISSION'::text, 'PENDING'::text, 'COMPLETED'::text, 'FAILED'::text, 'REFUNDED'::text, 'CHARGEDBACK'::text]))),
  constraint orders_tenant_fkey foreign key (tenant) references tenants(tenant),
  constraint orders_tenant_lead_id_fkey foreign key (tenant, lead_id) references leads(tenant, id),
  constraint orders_tenant_session_id_fkey foreign key (tenant, session_id) references sessions(tenant, id)
);
create unique index orders_order_number on orders (tenant, order_number);
create unique index orders_session on orders (tenant, session_id);

create table mandates (
  tenant                 integer                   not null,
  id                     uuid                      not null,
  reference              text                      not null,
  lead_id                uuid                      not null,
  session_id             uuid,
  status                 text                      not null,
  acceptance_mode        text,
  accepted_at            timestamp with time zone  not null,
  accepted_ip            text,
  text_version           text,
  creditor_name          text                      not null,
  creditor_identifier    text,
  holder_name            text                      not null,
  iban_sealed            bytea                     not null,
  iban_fingerprint       bytea                     not null,
  iban_last4             text                      not null,
  iban_length            integer                   not null,
  iban_country           text                      not null,
  bic                    text,
  bank_name              text,
  last_used_at           timestamp with time zone,
  created_at             timestamp with time zone  not null,
  updated_at             timestamp with time zone  not null,
  scheme                 text                      not null default 'CORE'::text,
  type                   text                      not null default 'recurrent'::text,
  source                 text                      not null default 'payment'::text,
  language               text,
  pre_notification_days  integer,
  cancelled_at           timestamp with time zone,
  cancelled_by           text,
  status_reason          text,
  creditor_address       text,
  creditor_postal_code   text,
  creditor_city          text,
  creditor_country       text,
  used_elsewhere         boolean                   not null default false,
  constraint mandates_pkey primary key (tenant, id),
  constraint mandates_acceptance_mode_check check ((acceptance_mode = any (array['checkbox'::text, 'IMPLICIT'::text]))),
  constraint mandates_cancelled_by_check check ((cancelled_by = any (array['debtor'::text, 'creditor'::text, 'bank'::text]))),
  constraint mandates_creditor_country_check check ((creditor_country ~ '^[A-Z]{2}$'::text)),
  constraint mandates_holder_name_check check ((char_length(holder_name) <= 255)),
  constraint mandates_iban_country_check check ((iban_country ~ '^[A-Z]{2}$'::text)),
  constraint mandates_iban_last4_check check ((char_length(iban_last4) = 4)),
  constraint mandates_iban_length_check check (((iban_length >= 15) and (iban_length <= 34))),
  constraint mandates_language_check check ((language ~ '^[a-z]{2,3}(-[A-Za-z]{2,8})*$'::text)),
  constraint mandates_payment_has_evidence check (((source <> 'payment'::text) or ((session_id is not null) and (acceptance_mode is not null) and (text_version is not null)))),
  constraint mandates_pre_notification_days_check check (((pre_notification_days >= 0) and (pre_notification_days <= 31))),
  constraint mandates_reference_check check (((reference ~ '^[A-Za-z0-9+?/:().,''-]{1,35}$'::text) and (reference !~ '^/|/$|//'::text))),
  constraint mandates_scheme_check check ((scheme = any (array['CORE'::text, 'B2B'::text]))),
  constraint mandates_source_check check ((source = any (array['payment'::text, 'import'::text]))),
  constraint mandates_status_check check ((status = any (array['pending'::text, 'active'::text, 'rejected'::text, 'cancelled'::text, 'expired'::text]))),
  constraint mandates_status_reason_check check ((char_length(status_reason) <= 255)),
  constraint mandates_type_check check ((type = any (array['recurrent'::text, 'one_off'::text]))),
  constraint mandates_tenant_fkey foreign key (tenant) references tenants(tenant),
  constraint mandates_tenant_lead_id_fkey foreign key (tenant, lead_id) references leads(tenant, id),
  constraint mandates_tenant_session_id_fkey foreign key (tenant, session_id) references sessions(tenant, id)
);
create index mandates_iban_fingerprint on mandates (tenant, iban_fingerprint);
create index mandates_last_used on mandates (tenant, coalesce(last_used_at, accepted_at)) where (status = 'active'::text);
create index mandates_lead on mandates (tenant, lead_id);
create index mandates_newest_first on mandates (tenant, created_at desc, id desc);
create unique index mandates_reference on mandates (tenant, upper((reference collate "C")));

create table subscriptions (
  tenant                    integer                      not null,
  id                        uuid                         not null,
  status                    text                         not null,
  billing_amount            numeric(12,2)                not null,
  currency                  text                         not null,
  billing_frequency         text,
  start_date                timestamp with time zone     not null,
  next_billing_date         date,
  last_billing_date         timestamp with time zone,
  cancelled_at              timestamp with time zone,
  trial_end_date            date,
  billing_anchor_date       date,
  successful_billing_count  integer                      not null default 0,
  failed_billing_count      integer                      not null default 0,
  total_revenue             numeric(14,2)                not null default 0,
  order_id                  uuid                         not null,
  lead_id                   uuid                         not null,
  offer_id                  uuid,
  gateway_id                uuid                         not null,
  mandate_id                uuid                         not null,
  created_at                timestamp(3) with time zone  not null,
  updated_at                timestamp with time zone     not null,
  cancel_reason             text,
  cancel_at_period_end      boolean                      not null default false,
  announced_date            date,
  past_due_since            timestamp with time zone,
  constraint subscriptions_pkey primary key (tenant, id),
  constraint subscriptions_billing_amount_check check ((billing_amount > (0)::numeric)),
  constraint subscriptions_billing_frequency_check check ((billing_frequency = any (array['WEEKLY'::text, 'BIWEEKLY'::text, 'MONTHLY'::text, 'QUARTERLY'::text, 'SEMIANNUALLY'::text, 'YEARLY'::text]))),
  constraint subscriptions_cancel_reason_check check ((char_length(cancel_reason) <= 255)),
  constraint subscriptions_check check (((status = 'CANCELLED'::text) = (cancelled_at is not null))),
  constraint subscriptions_failed_billing_count_check check ((failed_billing_count >= 0)),
  constraint subscriptions_status_check check ((status = any (array['ACTIVE'::text, 'PAST_DUE'::text, 'CANCELLED'::text]))),
  constraint subscriptions_successful_billing_count_check check ((successful_billing_count >= 0)),
  constraint subscriptions_total_revenue_check check ((total_revenue >= (0)::numeric)),
  constraint subscriptions_tenant_fkey foreign key (tenant) references tenants(tenant),
  constraint subscriptions_tenant_gateway_id_fkey foreign key (tenant, gateway_id) references gateways(tenant, id),
  constraint subscriptions_tenant_lead_id_fkey foreign key (tenant, lead_id) references leads(tenant, id),
  constraint subscriptions_tenant_mandate_id_fkey foreign key (tenant, mandate_id) references mandates(tenant, id),
  constraint subscriptions_tenant_offer_id_fkey foreign key (tenant, offer_id) references offers(tenant, id),
  constraint subscriptions_tenant_order_id_fkey foreign key (tenant, order_id) references orders(tenant, id)
);
create index subscriptions_due on subscriptions (tenant, next_billing_date) where ((next_billing_date is not null) and (status <> 'CANCELLED'::text));
create index subscriptions_mandate on subscriptions (tenant, mandate_id);
create index subscriptions_newest_first on subscriptions (tenant, created_at desc, id desc);
create unique index subscriptions_order on subscriptions (tenant, order_id);

create table transactions (
  tenant                   integer                      not null,
  id                       uuid                         not null,
  session_id               uuid,
  order_id                 uuid,
  subscription_id          uuid,
  lead_id                  uuid,
  mandate_id               uuid,
  gateway_id               uuid                         not null,
  merchant_transaction_id  text                         not null,
  tenant_reference_id      text,
  gateway_reference        text,
  adapter_unique_id        text,
  status                   text                         not null,
  type                     text                         not null,
  source                   text                         not null,
  sequence_type            text                         not null,
  amount                   numeric(12,2)                not null,
  currency                 text                         not null,
  customer_ip              text,
  error_code               text,
  error_message            text,
  gateway_code             text,
  gateway_message          text,
  verification_id          text,
  verification_url         text,
  resolve_at               timestamp with time zone,
  resolve_count            integer                      not null default 0,
  created_at               timestamp with time zone     not null,
  processed_at             timestamp(3) with time zone,
  updated_at               timestamp with time zone     not null,
  original_id              uuid,
  reason                   text,
  refund_claimed           numeric(12,2)                not null default 0,
  refunded                 numeric(12,2)                not null default 0,
  customer_email_csv       text,
  customer_name_csv        text,
  iban_last4               text,
  iban_length              integer,
  bic                      text,
  mandate_reference        text,
  mandate_date             timestamp with time zone,
  locked_until             timestamp with time zone,
  lease_no                 bigint                       not null default 0,
  completed_event_at       text,
  reinstatements           integer                      not null default 0,
  constraint transactions_pkey primary key (tenant, id),
  constraint transactions_amount_check check ((amount >= (0)::numeric)),
  constraint transactions_check check (((status = any (array['submitted'::text, 'unresolved'::text, 'awaiting_verification'::text, 'verifying'::text])) = (resolve_at is not null))),
  constraint transactions_check1 check (((status <> 'awaiting_verification'::text) or (verification_url is not null))),
  constraint transactions_check2 check (((original_id is null) or (type = 'sdd_refund'::text))),
  constraint transactions_check3 check (((source <> 'admin_refund'::text) or ((original_id is not null) and (amount > (0)::numeric)))),
  constraint transactions_completed_event_at_known check ((completed_event_at = any (array['acceptance'::text, 'settlement'::text]))),
  constraint transactions_error_code_check check ((error_code = any (array['insufficient_funds'::text, 'invalid_iban'::text, 'mandate_rejected'::text, 'account_closed'::text, 'do_not_honor'::text, 'gateway_unavailable'::text, 'unknown'::text]))),
  constraint transactions_iban_last4_check check ((char_length(iban_last4) = 4)),
  constraint transactions_iban_length_check check (((iban_length >= 4) and (iban_length <= 34))),
  constraint transactions_merchant_transaction_id_check check (((merchant_transaction_id ~ '^TXN-[0-9]{8}-[0-9A-Z]{8}$'::text) or ((source = 'csv_import'::text) and ((char_length(merchant_transaction_id) >= 1) and (char_length(merchant_transaction_id) <= 255))))),
  constraint transactions_only_open_are_leased check (((locked_until is null) or (resolve_at is not null))),
  constraint transactions_open_is_not_processed check (((processed_at is null) or (status <> all (array['submitted'::text, 'unresolved'::text, 'awaiting_verification'::text, 'verifying'::text])))),
  constraint transactions_reason_check check ((char_length(reason) <= 500)),
  constraint transactions_refunds_within_amount check (((refunded >= (0)::numeric) and (refunded <= refund_claimed) and (refund_claimed <= amount))),
  constraint transactions_reinstatements_check check ((reinstatements >= 0)),
  constraint transactions_sequence_type_check check ((sequence_type = any (array['FRST'::text, 'RCUR'::text]))),
  constraint transactions_source_check check ((source = any (array['csv_import'::text, 'api_submission'::text, 'admin_refund'::text, 'webhook'::text, 'hosted_page'::text]))),
  constraint transactions_status_check check ((status = any (array['submitted'::text, 'unresolved'::text, 'awaiting_verification'::text, 'verifying'::text, 'pending'::text, 'approved'::text, 'declined'::text, 'refunded'::text, 'charged_back'::text]))),
  constraint transactions_tenant_reference_id_check check (((char_length(tenant_reference_id) >= 1) and (char_length(tenant_reference_id) <= 255))),
  constraint transactions_type_check check ((type = any (array['sdd_sale'::text, 'sdd_rebill'::text, 'sdd_refund'::text, 'other_type'::text]))),
  constraint transactions_tenant_fkey foreign key (tenant) references tenants(tenant),
  constraint transactions_tenant_gateway_id_fkey foreign key (tenant, gateway_id) references gateways(tenant, id),
  constraint transactions_tenant_lead_id_fkey foreign key (tenant, lead_id) references leads(tenant, id),
  constraint transactions_tenant_mandate_id_fkey foreign key (tenant, mandate_id) references mandates(tenant, id),
  constraint transactions_tenant_order_id_fkey foreign key (tenant, order_id) references orders(tenant, id),
  constraint transactions_tenant_original_id_fkey foreign key (tenant, original_id) references transactions(tenant, id),
  constraint transactions_tenant_session_id_fkey foreign key (tenant, session_id) references sessions(tenant, id),
  constraint transactions_tenant_subscription_id_fkey foreign key (tenant, subscription_id) references subscriptions(tenant, id)
);
create unique index transactions_adapter_unique_id on transactions (tenant, gateway_id, adapter_unique_id) where (adapter_unique_id is not null);
create index transactions_due on transactions (tenant, resolve_at) where (resolve_at is not null);
create index transactions_gateway_reference on transactions (tenant, gateway_id, gateway_reference) where (gateway_reference is not null);
create unique index transactions_merchant_transaction_id on transactions (tenant, merchant_transaction_id);
create index transactions_newest_processed_first on transactions (tenant, processed_at desc, id desc) where (processed_at is not null);
create unique index transactions_one_open_per_session on transactions (tenant, session_id) where (not ((status = any (array['submitted'::text, 'unresolved'::text, 'awaiting_verification'::text, 'verifying'::text])) is distinct from true));
create unique index transactions_one_success_per_session on transactions (tenant, session_id) where (not (((status = any (array['pending'::text, 'approved'::text, 'refunded'::text, 'charged_back'::text])) and (type = any (array['sdd_sale'::text, 'other_type'::text]))) is distinct from true));
create index transactions_order on transactions (tenant, order_id) where (order_id is not null);
create index transactions_original on transactions (tenant, original_id) where (original_id is not null);
create index transactions_session on transactions (tenant, session_id, created_at);
create index transactions_subscription on transactions (tenant, subscription_id, created_at) where (subscription_id is not null);
create unique index transactions_tenant_reference on transactions (tenant, tenant_reference_id) where (tenant_reference_id is not null);

create table chargebacks (
  tenant                   integer                      not null,
  id                       uuid                         not null,
  merchant_transaction_id  text                         not null,
  transaction_id           uuid,
  lead_id                  uuid,
  gateway_id               uuid                         not null,
  adapter_unique_id        text,
  tenant_reference_id      text,
  status                   text                         not null default 'charged_back'::text,
  type                     text                         not null default 'chargeback'::text,
  amount                   numeric(12,2)                not null,
  currency                 text                         not null,
  report_date              timestamp(3) with time zone  not null,
  transaction_date         timestamp with time zone,
  reason_code              text,
  reason_message           text,
  report_type              text,
  report_message           text,
  report_info              text,
  arn                      text,
  iban_last4               text,
  iban_length              integer,
  bic                      text,
  email                    text,
  country                  text,
  source                   text                         not null,
  cb_bank_fee              numeric(12,2),
  created_at               timestamp with time zone     not null,
  updated_at               timestamp with time zone     not null,
  original_reference       text,
  original_end_to_end_id   text,
  original_transaction_id  text,
  withdrawn_on             date,
  constraint chargebacks_pkey primary key (tenant, id),
  constraint chargebacks_amount_check check ((amount > (0)::numeric)),
  constraint chargebacks_cb_bank_fee_check check ((cb_bank_fee >= (0)::numeric)),
  constraint chargebacks_source_check check ((source = any (array['csv_import'::text, 'webhook'::text, 'reconciliation'::text, 'manual'::text]))),
  constraint chargebacks_status_check check ((status = 'charged_back'::text)),
  constraint chargebacks_type_check check ((type = 'chargeback'::text)),
  constraint chargebacks_tenant_fkey foreign key (tenant) references tenants(tenant),
  constraint chargebacks_tenant_gateway_id_fkey foreign key (tenant, gateway_id) references gateways(tenant, id),
  constraint chargebacks_tenant_lead_id_fkey foreign key (tenant, lead_id) references leads(tenant, id),
  constraint chargebacks_tenant_transaction_id_fkey foreign key (tenant, transaction_id) references transactions(tenant, id)
);
create index chargebacks_by_reference on chargebacks (tenant, merchant_transaction_id);
create unique index chargebacks_merchant_transaction_id on chargebacks (tenant, merchant_transaction_id) where (withdrawn_on is null);
create index chargebacks_newest_first on chargebacks (tenant, created_at desc, id desc);
create index chargebacks_newest_reported_first on chargebacks (tenant, report_date desc, id desc);
create index chargebacks_transaction on chargebacks (tenant, transaction_id) where (transaction_id is not null);
create index chargebacks_unlinked_end_to_end_id on chargebacks (tenant, original_end_to_end_id) where (transaction_id is null);
create index chargebacks_unlinked_newest_first on chargebacks (tenant, created_at desc, id desc) where (transaction_id is null);
create index chargebacks_unlinked_reference on chargebacks (tenant, original_reference) where (transaction_id is null);
create index chargebacks_unlinked_transaction_id on chargebacks (tenant, gateway_id, original_transaction_id) where (transaction_id is null);

create table events (
  tenant          integer                   not null,
  id              uuid                      not null,
  type            text                      not null,
  session_id      uuid,
  transaction_id  uuid,
  chargeback_id   uuid,
  payload         jsonb                     not null,
  created_at      timestamp with time zone  not null,
  number          bigint                    not null generated always as identity,
  fanned_out_at   timestamp with time zone,
  constraint events_pkey primary key (tenant, id),
  constraint events_type_check check ((type = any (array['payment_session.completed'::text, 'payment_session.expired'::text, 'transaction.created'::text, 'transaction.status_changed'::text, 'chargeback.created'::text, 'subscription.upcoming'::text]))),
  constraint events_tenant_fkey foreign key (tenant) references tenants(tenant),
  constraint events_tenant_session_id_fkey foreign key (tenant, session_id) references sessions(tenant, id)
);
create index events_newest_first on events (tenant, created_at desc, id desc);
create unique index events_one_completed_per_session on events (tenant, session_id) where (type = 'payment_session.completed'::text);
create index events_to_fan_out on events (tenant, number) where (fanned_out_at is null);

create table idempotency_keys (
  tenant        integer                   not null,
  caller        text                      not null,
  key           text                      not null,
  request_id    uuid                      not null,
  request_hash  bytea                     not null,
  locked_until  timestamp with time zone,
  status        integer,
  answer        bytea,
  created_at    timestamp with time zone  not null,
  constraint idempotency_keys_pkey primary key (tenant, caller, key),
  constraint idempotency_keys_check check (((status is null) = (answer is null))),
  constraint idempotency_keys_key_check check (((char_length(key) >= 1) and (char_length(key) <= 255))),
  constraint idempotency_keys_request_hash_check check ((octet_length(request_hash) = 32))
);
create index idempotency_keys_age on idempotency_keys (tenant, created_at);

create table audit_log (
  tenant       integer                   not null,
  id           uuid                      not null,
  at           timestamp with time zone  not null,
  actor        text                      not null,
  actor_name   text                      not null,
  action       text                      not null,
  resource     text                      not null,
  resource_id  uuid,
  before       jsonb,
  after        jsonb,
  ip           text,
  request_id   text,
  constraint audit_log_pkey primary key (tenant, id)
);
create index audit_log_newest_first on audit_log (tenant, at desc, id desc);
create index audit_log_resource on audit_log (tenant, resource, resource_id, at desc);

create table banks (
  country      text                      not null,
  bank_code    text                      not null,
  bic          text,
  name         text                      not null,
  source       text                      not null,
  imported_at  timestamp with time zone  not null,
  constraint banks_pkey primary key (country, bank_code),
  constraint banks_bank_code_check check ((bank_code ~ '^[A-Z0-9]{1,15}$'::text)),
  constraint banks_bic_check check ((bic ~ '^[A-Z]{6}[A-Z0-9]{2}([A-Z0-9]{3})?$'::text)),
  constraint banks_country_check check ((country ~ '^[A-Z]{2}$'::text)),
  constraint banks_name_check check (((char_length(name) >= 1) and (char_length(name) <= 255)))
);

create table sandbox_books (
  tenant             integer                   not null,
  gateway_id         uuid                      not null,
  reference          text                      not null,
  bank_reference     text                      not null,
  verification_id    uuid,
  scenario           text                      not null,
  state              text                      not null,
  amount             numeric(12,2)             not null,
  currency           text                      not null,
  mandate_reference  text                      not null,
  creditor_name      text                      not null,
  iban_last4         text                      not null,
  return_url         bytea,
  answer_code        text,
  answer_message     text,
  asked_count        integer                   not null default 1,
  charged_at         timestamp with time zone,
  reported_at        timestamp with time zone,
  created_at         timestamp with time zone  not null,
  refund_of          text,
  refunded           numeric(12,2)             not null default 0,
  constraint sandbox_books_pkey primary key (tenant, gateway_id, reference),
  constraint sandbox_books_amount_check check ((amount >= (0)::numeric)),
  constraint sandbox_books_refunds_within_amount check (((refunded >= (0)::numeric) and (refunded <= amount))),
  constraint sandbox_books_state_check check ((state = any (array['charged'::text, 'refused'::text, 'fenced'::text, 'awaiting_customer'::text, 'pending'::text, 'settled'::text, 'returned'::text, 'charged_back'::text, 'refunded'::text]))),
  constraint sandbox_books_tenant_fkey foreign key (tenant) references tenants(tenant),
  constraint sandbox_books_tenant_gateway_id_fkey foreign key (tenant, gateway_id) references gateways(tenant, id)
);
create index sandbox_books_news on sandbox_books (tenant, gateway_id, created_at, reference) where ((reported_at is null) and ((state = any (array['pending'::text, 'settled'::text, 'returned'::text, 'charged_back'::text])) or ((state = 'charged'::text) and (scenario = 'charge_back'::text) and (amount > (0)::numeric))));
create unique index sandbox_books_verification on sandbox_books (tenant, verification_id) where (verification_id is not null);

create table webhook_receivers (
  tenant             integer                   not null,
  profile_id         uuid                      not null,
  next_at            timestamp with time zone,
  news               bigint                    not null default 0,
  locked_until       timestamp with time zone,
  lease_no           bigint                    not null default 0,
  failures_in_a_row  integer                   not null default 0,
  paused_until       timestamp with time zone,
  constraint webhook_receivers_pkey primary key (tenant, profile_id),
  constraint webhook_receivers_failures_in_a_row_check check ((failures_in_a_row >= 0)),
  constraint webhook_receivers_tenant_profile_id_fkey foreign key (tenant, profile_id) references webhook_profiles(tenant, id)
);
create index webhook_receivers_due on webhook_receivers (next_at) where (next_at is not null);

create table webhook_deliveries (
  tenant          integer                   not null,
  id              uuid                      not null,
  event_id        uuid                      not null,
  event_number    bigint                    not null,
  event_type      text                      not null,
  profile_id      uuid                      not null,
  session_id      uuid,
  payload_fields  jsonb                     not null,
  ascii_escape    boolean                   not null,
  status          text                      not null,
  due_at          timestamp with time zone,
  attempts        integer                   not null default 0,
  tries           integer                   not null default 0,
  last_at         timestamp with time zone,
  response_code   integer,
  error           text,
  delivered_at    timestamp with time zone,
  created_at      timestamp with time zone  not null,
  stream_id       uuid,
  constraint webhook_deliveries_pkey primary key (tenant, id),
  constraint webhook_deliveries_attempts_check check ((attempts >= 0)),
  constraint webhook_deliveries_check check (((tries >= 0) and (tries <= attempts))),
  constraint webhook_deliveries_check1 check (((status = any (array['pending'::text, 'failing'::text])) = (due_at is not null))),
  constraint webhook_deliveries_check2 check (((status <> 'delivered'::text) or (delivered_at is not null))),
  constraint webhook_deliveries_payload_fields_check check ((jsonb_typeof(payload_fields) = 'object'::text)),
  constraint webhook_deliveries_status_check check ((status = any (array['pending'::text, 'delivered'::text, 'failing'::text, 'exhausted'::text]))),
  constraint webhook_deliveries_tenant_event_id_fkey foreign key (tenant, event_id) references events(tenant, id),
  constraint webhook_deliveries_tenant_profile_id_fkey foreign key (tenant, profile_id) references webhook_profiles(tenant, id)
);
create index webhook_deliveries_due on webhook_deliveries (tenant, profile_id, due_at, event_number) where (status = any (array['pending'::text, 'failing'::text]));
create unique index webhook_deliveries_event on webhook_deliveries (tenant, event_id, profile_id);
create index webhook_deliveries_newest_first on webhook_deliveries (tenant, created_at desc, id desc);
create index webhook_deliveries_stream on webhook_deliveries (tenant, profile_id, stream_id, event_number) where (status = any (array['pending'::text, 'failing'::text]));

create table webhook_attempts (
  tenant         integer                   not null,
  delivery_id    uuid                      not null,
  number         integer                   not null,
  at             timestamp with time zone  not null,
  duration_ms    integer                   not null,
  response_code  integer,
  error          text,
  response_body  text,
  constraint webhook_attempts_pkey primary key (tenant, delivery_id, number),
  constraint webhook_attempts_duration_ms_check check ((duration_ms >= 0)),
  constraint webhook_attempts_number_check check ((number > 0)),
  constraint webhook_attempts_response_body_check check ((octet_length(response_body) <= 65536)),
  constraint webhook_attempts_tenant_delivery_id_fkey foreign key (tenant, delivery_id) references webhook_deliveries(tenant, id)
);
create index webhook_attempts_answers_kept on webhook_attempts (at) where (response_body is not null);

create table tenant_clocks (
  tenant      integer                   not null,
  ahead_ms    bigint                    not null,
  updated_at  timestamp with time zone  not null,
  constraint tenant_clocks_pkey primary key (tenant),
  constraint tenant_clocks_ahead_ms_check check ((ahead_ms > 0)),
  constraint tenant_clocks_tenant_fkey foreign key (tenant) references tenants(tenant)
);

create table integrations (
  tenant                  integer                   not null,
  id                      uuid                      not null,
  name                    text                      not null,
  provider                text                      not null,
  provider_active         boolean                   not null,
  active                  boolean                   not null,
  key_mapping             jsonb                     not null,
  token_hash              bytea                     not null,
  token_sealed            bytea                     not null,
  postback_secret         bytea,
  read_url                text,
  read_token              bytea,
  read_paging             jsonb                     not null,
  read_due_at             timestamp with time zone,
  read_since              timestamp with time zone,
  last_read_at            timestamp with time zone,
  last_read_error         text,
  payload_retention_days  integer                   not null,
  created_at              timestamp with time zone  not null,
  updated_at              timestamp with time zone  not null,
  archived_at             timestamp with time zone,
  constraint integrations_pkey primary key (tenant, id),
  constraint integrations_key_mapping_check check ((jsonb_typeof(key_mapping) = 'object'::text)),
  constraint integrations_name_check check (((char_length(name) >= 1) and (char_length(name) <= 255))),
  constraint integrations_payload_retention_days_check check (((payload_retention_days >= 1) and (payload_retention_days <= 3650))),
  constraint integrations_read_paging_check check ((jsonb_typeof(read_paging) = 'object'::text)),
  constraint integrations_read_url_check check ((char_length(read_url) <= 2000)),
  constraint integrations_token_hash_check check ((octet_length(token_hash) = 32)),
  constraint integrations_tenant_fkey foreign key (tenant) references tenants(tenant)
);
create index integrations_to_read on integrations (tenant, read_due_at) where ((read_url is not null) and (read_token is not null));
create unique index integrations_token_hash on integrations (tenant, token_hash);

create table integration_activities (
  tenant          integer                   not null,
  id              uuid                      not null,
  integration_id  uuid                      not null,
  status          text                      not null,
  reason          text,
  recovered       boolean                   not null,
  request_uuid    text,
  payload         bytea,
  due_at          timestamp with time zone,
  attempts        integer                   not null default 0,
  tries           integer                   not null default 0,
  lead_id         uuid,
  order_id        uuid,
  session_id      uuid,
  created_at      timestamp with time zone  not null,
  processed_at    timestamp with time zone,
  constraint integration_activities_pkey primary key (tenant, id),
  constraint integration_activities_check check (((tries >= 0) and (tries <= attempts))),
  constraint integration_activities_check1 check (((status = 'received'::text) = (due_at is not null))),
  constraint integration_activities_check2 check (((status = 'matched'::text) = (lead_id is not null))),
  constraint integration_activities_request_uuid_check check (((char_length(request_uuid) >= 1) and (char_length(request_uuid) <= 255))),
  constraint integration_activities_status_check check ((status = any (array['received'::text, 'matched'::text, 'unmatched'::text, 'failed'::text, 'skipped'::text]))),
  constraint integration_activities_tenant_integration_id_fkey foreign key (tenant, integration_id) references integrations(tenant, id),
  constraint integration_activities_tenant_lead_id_fkey foreign key (tenant, lead_id) references leads(tenant, id),
  constraint integration_activities_tenant_order_id_fkey foreign key (tenant, order_id) references orders(tenant, id),
  constraint integration_activities_tenant_session_id_fkey foreign key (tenant, session_id) references sessions(tenant, id)
);
create index integration_activities_due on integration_activities (tenant, due_at) where (due_at is not null);
create index integration_activities_newest_first on integration_activities (tenant, integration_id, created_at desc, id desc);
create index integration_activities_payload on integration_activities (tenant, integration_id, created_at) where (payload is not null);
create index integration_activities_request_uuid on integration_activities (tenant, integration_id, request_uuid) where (request_uuid is not null);

create table integration_postback_keys (
  tenant          integer                   not null,
  integration_id  uuid                      not null,
  fingerprint     bytea                     not null,
  activity_id     uuid                      not null,
  expires_at      timestamp with time zone  not null,
  constraint integration_postback_keys_pkey primary key (tenant, integration_id, fingerprint),
  constraint integration_postback_keys_fingerprint_check check ((octet_length(fingerprint) = 32)),
  constraint integration_postback_keys_tenant_activity_id_fkey foreign key (tenant, activity_id) references integration_activities(tenant, id)
);
create index integration_postback_keys_age on integration_postback_keys (tenant, expires_at);

create table imports (
  tenant       integer                   not null,
  id           uuid                      not null,
  kind         text                      not null,
  gateway_id   uuid                      not null,
  file_name    text                      not null,
  file_sha256  text,
  dry_run      boolean                   not null,
  status       text                      not null,
  error        text,
  lines        integer                   not null default 0,
  created      integer                   not null default 0,
  duplicate    integer                   not null default 0,
  linked       integer                   not null default 0,
  rejected     integer                   not null default 0,
  rejections   jsonb                     not null default '[]'::jsonb,
  created_at   timestamp with time zone  not null,
  updated_at   timestamp with time zone  not null,
  constraint imports_pkey primary key (tenant, id),
  constraint imports_file_name_check check ((char_length(file_name) <= 255)),
  constraint imports_kind_check check ((kind = any (array['transactions'::text, 'chargebacks'::text]))),
  constraint imports_status_check check ((status = any (array['running'::text, 'done'::text, 'failed'::text]))),
  constraint imports_tenant_fkey foreign key (tenant) references tenants(tenant),
  constraint imports_tenant_gateway_id_fkey foreign key (tenant, gateway_id) references gateways(tenant, id)
);
create index imports_newest_first on imports (tenant, created_at desc, id desc);

create table billing_cycles (
  tenant               integer                   not null,
  subscription_id      uuid                      not null,
  cycle                integer                   not null,
  due_date             date                      not null,
  status               text                      not null,
  attempts             integer                   not null default 0,
  transaction_id       uuid,
  next_attempt_at      timestamp with time zone,
  error_code           text,
  created_at           timestamp with time zone  not null,
  updated_at           timestamp with time zone  not null,
  withdrawal_asked_at  timestamp with time zone,
  constraint billing_cycles_pkey primary key (tenant, subscription_id, cycle),
  constraint billing_cycles_attempts_check check ((attempts >= 0)),
  constraint billing_cycles_check check (((status = 'retry'::text) = (next_attempt_at is not null))),
  constraint billing_cycles_cycle_check check ((cycle >= 0)),
  constraint billing_cycles_status_is_known check ((status = any (array['collecting'::text, 'pending'::text, 'retry'::text, 'paid'::text, 'failed'::text, 'skipped'::text, 'charged_back'::text, 'withdrawn'::text]))),
  constraint billing_cycles_tenant_subscription_id_fkey foreign key (tenant, subscription_id) references subscriptions(tenant, id),
  constraint billing_cycles_tenant_transaction_id_fkey foreign key (tenant, transaction_id) references transactions(tenant, id)
);
create index billing_cycles_pending on billing_cycles (tenant, transaction_id) where (status = 'pending'::text);
create index billing_cycles_retry on billing_cycles (tenant, next_attempt_at) where (next_attempt_at is not null);

create table sepa_files (
  tenant        integer                   not null,
  id            uuid                      not null,
  gateway_id    uuid                      not null,
  direction     text                      not null,
  kind          text                      not null,
  name          text                      not null,
  message_id    text,
  sha256        bytea                     not null,
  content       bytea                     not null,
  size          integer                   not null,
  transactions  integer                   not null default 0,
  amount        numeric(14,2)             not null default 0,
  due_date      date,
  status        text                      not null,
  error         text,
  report        jsonb                     not null default '{}'::jsonb,
  locked_until  timestamp with time zone,
  lease_no      bigint                    not null default 0,
  due_at        timestamp with time zone,
  attempts      integer                   not null default 0,
  sent_at       timestamp with time zone,
  created_at    timestamp with time zone  not null,
  updated_at    timestamp with time zone  not null,
  constraint sepa_files_pkey primary key (tenant, id),
  constraint sepa_files_attempts_check check ((attempts >= 0)),
  constraint sepa_files_check check (((due_at is not null) = (status = any (array['stored'::text, 'uploading'::text, 'renaming'::text])))),
  constraint sepa_files_direction_check check ((direction = any (array['out'::text, 'in'::text]))),
  constraint sepa_files_name_check check (((char_length(name) >= 1) and (char_length(name) <= 255))),
  constraint sepa_files_report_check check ((jsonb_typeof(report) = 'object'::text)),
  constraint sepa_files_sha256_check check ((octet_length(sha256) = 32)),
  constraint sepa_files_size_check check ((size >= 0)),
  constraint sepa_files_status_check check ((status = any (array['ready'::text, 'stored'::text, 'uploading'::text, 'renaming'::text, 'sent'::text, 'unclear'::text, 'withdrawn'::text, 'applied'::text, 'refused'::text]))),
  constraint sepa_files_tenant_fkey foreign key (tenant) references tenants(tenant),
  constraint sepa_files_tenant_gateway_id_fkey foreign key (tenant, gateway_id) references gateways(tenant, id)
);
create index sepa_files_due on sepa_files (tenant, due_at) where (due_at is not null);
create index sepa_files_for_people on sepa_files (tenant, status) where (status = any (array['ready'::text, 'unclear'::text]));
create index sepa_files_known on sepa_files (tenant, gateway_id, sha256) where (direction = 'in'::text);
create unique index sepa_files_message on sepa_files (tenant, gateway_id, message_id) where (direction = 'out'::text);
create index sepa_files_newest_first on sepa_files (tenant, created_at desc, id desc);
create unique index sepa_files_read_once on sepa_files (tenant, gateway_id, sha256) where ((direction = 'in'::text) and (status = 'applied'::text));

create table sepa_collections (
  tenant               integer                   not null,
  gateway_id           uuid                      not null,
  reference            text                      not null,
  refund_of            text,
  collected_on         date,
  state                text                      not null,
  amount               numeric(12,2)             not null,
  currency             text                      not null,
  recurring            boolean                   not null,
  mandate_reference    text                      not null,
  mandate_signed_on    date,
  debtor_name          text                      not null,
  debtor               bytea,
  remittance           text                      not null,
  not_before           date,
  sequence_type        text,
  file_id              uuid,
  block_id             text,
  due_date             date,
  settled_on           date,
  returned_on          date,
  reason_code          text,
  gateway_reference    text,
  assumed              boolean                   not null default false,
  asked_count          integer                   not null default 1,
  created_at           timestamp with time zone  not null,
  updated_at           timestamp with time zone  not null,
  scheme               text,
  creditor_name        text,
  creditor_identifier  text,
  mandate_id           uuid,
  amended_up_to        integer,
  round                integer                   not null default 0,
  reinstated_on        date,
  constraint sepa_collections_pkey primary key (tenant, gateway_id, reference),
  constraint sepa_collections_amount_check check ((amount >= (0)::numeric)),
  constraint sepa_collections_check1 check (((file_id is null) = (block_id is null))),
  constraint sepa_collections_remittance_check check ((char_length(remittance) <= 140)),
  constraint sepa_collections_round_check check ((round >= 0)),
  constraint sepa_collections_scheme_check check ((scheme = any (array['CORE'::text, 'B2B'::text]))),
  constraint sepa_collections_sequence_type_check check ((sequence_type = any (array['FRST'::text, 'RCUR'::text, 'OOFF'::text]))),
  constraint sepa_collections_state_check check ((state = any (array['mandate_only'::text, 'accepted'::text, 'batched'::text, 'settled'::text, 'rejected'::text, 'returned'::text, 'fenced'::text, 'refused'::text]))),
  constraint sepa_collections_tenant_file_id_fkey foreign key (tenant, file_id) references sepa_files(tenant, id),
  constraint sepa_collections_tenant_fkey foreign key (tenant) references tenants(tenant),
  constraint sepa_collections_tenant_gateway_id_fkey foreign key (tenant, gateway_id) references gateways(tenant, id)
);
create index sepa_collections_block on sepa_collections (tenant, gateway_id, block_id) where (block_id is not null);
create index sepa_collections_file on sepa_collections (tenant, file_id) where (file_id is not null);
create index sepa_collections_mandate on sepa_collections (tenant, gateway_id, upper(mandate_reference), created_at);
create index sepa_collections_on_mandate on sepa_collections (tenant, mandate_id) where (mandate_id is not null);
create index sepa_collections_refunds on sepa_collections (tenant, gateway_id, refund_of) where (refund_of is not null);
create index sepa_collections_unanswered on sepa_collections (tenant, file_id, due_date) where (state = 'batched'::text);
create index sepa_collections_waiting on sepa_collections (tenant, gateway_id, not_before) where (state = 'accepted'::text);

create table sepa_news (
  tenant             integer                   not null,
  gateway_id         uuid                      not null,
  number             bigint                    not null generated always as identity,
  reference          text                      not null,
  kind               text                      not null,
  at                 timestamp with time zone  not null,
  gateway_reference  text,
  reason_code        text,
  reason_message     text,
  report_type        text,
  bank_fee           numeric(12,2),
  file_id            uuid,
  acknowledged_at    timestamp with time zone,
  round              integer                   not null default 0,
  amount             numeric(12,2),
  written_at         timestamp with time zone  not null default now(),
  constraint sepa_news_pkey primary key (tenant, gateway_id, number),
  constraint sepa_news_amount_check check ((amount > (0)::numeric)),
  constraint sepa_news_kind_check check ((kind = any (array['settled'::text, 'returned'::text, 'charged_back'::text, 'fee'::text, 'reinstated'::text]))),
  constraint sepa_news_round_check check ((round >= 0)),
  constraint sepa_news_tenant_file_id_fkey foreign key (tenant, file_id) references sepa_files(tenant, id),
  constraint sepa_news_tenant_fkey foreign key (tenant) references tenants(tenant),
  constraint sepa_news_tenant_gateway_id_reference_fkey foreign key (tenant, gateway_id, reference) references sepa_collections(tenant, gateway_id, reference)
);
create index sepa_news_following on sepa_news (tenant, file_id) where (acknowledged_at is null);
create unique index sepa_news_once on sepa_news (tenant, gateway_id, reference, kind, round);
create index sepa_news_open on sepa_news (tenant, gateway_id, number) where (acknowledged_at is null);

create table sepa_entries (
  tenant       integer        not null,
  file_id      uuid           not null,
  number       integer        not null,
  result       text           not null,
  reference    text,
  amount       numeric(14,2),
  reason_code  text,
  detail       text           not null default ''::text,
  constraint sepa_entries_pkey primary key (tenant, file_id, number),
  constraint sepa_entries_result_check check ((result = any (array['settled'::text, 'rejected'::text, 'returned'::text, 'known'::text, 'ignored'::text, 'unmatched'::text]))),
  constraint sepa_entries_tenant_file_id_fkey foreign key (tenant, file_id) references sepa_files(tenant, id)
);

create table sepa_unmatched (
  tenant       integer                   not null,
  id           uuid                      not null,
  gateway_id   uuid                      not null,
  file_id      uuid                      not null,
  entry        integer                   not null,
  kind         text                      not null,
  why          text                      not null,
  amount       numeric(14,2),
  bank_fee     numeric(12,2),
  booked_on    date,
  facts        jsonb                     not null,
  status       text                      not null default 'open'::text,
  resolution   text,
  reference    text,
  resolved_at  timestamp with time zone,
  created_at   timestamp with time zone  not null,
  identity     text,
  target       jsonb,
  constraint sepa_unmatched_pkey primary key (tenant, id),
  constraint sepa_unmatched_facts_check check ((jsonb_typeof(facts) = 'object'::text)),
  constraint sepa_unmatched_kind_check check ((kind = any (array['collection'::text, 'block'::text, 'return'::text, 'reject'::text, 'withdrawn_return'::text, 'fee'::text, 'transfer'::text, 'unreadable'::text]))),
  constraint sepa_unmatched_part_has_target check (((status <> 'part'::text) or (target is not null))),
  constraint sepa_unmatched_resolution_check check ((char_length(resolution) <= 500)),
  constraint sepa_unmatched_resolved_has_time check (((status = any (array['open'::text, 'part'::text])) = (resolved_at is null))),
  constraint sepa_unmatched_status_check check ((status = any (array['open'::text, 'part'::text, 'applied'::text, 'dismissed'::text]))),
  constraint sepa_unmatched_tenant_file_id_fkey foreign key (tenant, file_id) references sepa_files(tenant, id),
  constraint sepa_unmatched_tenant_fkey foreign key (tenant) references tenants(tenant),
  constraint sepa_unmatched_tenant_gateway_id_fkey foreign key (tenant, gateway_id) references gateways(tenant, id)
);
create index sepa_unmatched_newest_first on sepa_unmatched (tenant, created_at desc, id desc);
create unique index sepa_unmatched_once on sepa_unmatched (tenant, identity);
create index sepa_unmatched_open on sepa_unmatched (tenant, created_at) where (status = any (array['open'::text, 'part'::text]));
create index sepa_unmatched_parts on sepa_unmatched (tenant, target) where (status = 'part'::text);

create table sepa_accounts (
  tenant        integer                   not null,
  gateway_id    uuid                      not null,
  last_run_on   date,
  last_number   integer                   not null default 0,
  polled_at     timestamp with time zone,
  poll_error    text,
  locked_until  timestamp with time zone,
  lease_no      bigint                    not null default 0,
  last_run_at   timestamp with time zone,
  constraint sepa_accounts_pkey primary key (tenant, gateway_id),
  constraint sepa_accounts_tenant_gateway_id_fkey foreign key (tenant, gateway_id) references gateways(tenant, id)
);

create table mandate_amendments (
  tenant                        integer                   not null,
  mandate_id                    uuid                      not null,
  number                        integer                   not null,
  at                            timestamp with time zone  not null,
  kind                          text                      not null,
  original_reference            text,
  original_creditor_identifier  text,
  original_creditor_name        text,
  original_holder_name          text,
  original_iban_sealed          bytea,
  original_iban_country         text,
  original_iban_last4           text,
  same_bank                     boolean,
  sent_at                       timestamp with time zone,
  known_to_bank                 boolean                   not null default false,
  constraint mandate_amendments_pkey primary key (tenant, mandate_id, number),
  constraint mandate_amendments_check check (((kind = 'reference'::text) = (original_reference is not null))),
  constraint mandate_amendments_check1 check (((kind = 'account'::text) = (same_bank is not null))),
  constraint mandate_amendments_check2 check (((kind <> 'creditor'::text) or (original_creditor_identifier is not null) or (original_creditor_name is not null))),
  constraint mandate_amendments_check3 check (((kind = 'account'::text) or (original_iban_sealed is null))),
  constraint mandate_amendments_kind_check check ((kind = any (array['reference'::text, 'creditor'::text, 'account'::text, 'holder'::text]))),
  constraint mandate_amendments_number_check check ((number >= 1)),
  constraint mandate_amendments_original_reference_check check (((char_length(original_reference) >= 1) and (char_length(original_reference) <= 35))),
  constraint mandate_amendments_tenant_mandate_id_fkey foreign key (tenant, mandate_id) references mandates(tenant, id)
);
create unique index mandate_amendments_reference on mandate_amendments (tenant, upper((original_reference collate "C"))) where (original_reference is not null);

create table sepa_creditor_accounts (
  tenant         integer                   not null,
  gateway_id     uuid                      not null,
  iban           text                      not null,
  first_used_at  timestamp with time zone  not null,
  last_used_at   timestamp with time zone  not null,
  constraint sepa_creditor_accounts_pkey primary key (tenant, gateway_id, iban),
  constraint sepa_creditor_accounts_iban_check check ((iban ~ '^[A-Z0-9]{15,34}$'::text)),
  constraint sepa_creditor_accounts_used_in_order check ((first_used_at <= last_used_at)),
  constraint sepa_creditor_accounts_tenant_gateway_id_fkey foreign key (tenant, gateway_id) references gateways(tenant, id)
);

create table gateway_news_set_aside (
  tenant      integer                   not null,
  gateway_id  uuid                      not null,
  reference   text                      not null,
  kind        text                      not null,
  why         text                      not null,
  tries       integer                   not null default 1,
  since       timestamp with time zone  not null,
  due_at      timestamp with time zone  not null,
  constraint gateway_news_set_aside_pkey primary key (tenant, gateway_id, reference),
  constraint gateway_news_set_aside_kind_check check ((kind = any (array['settled'::text, 'returned'::text, 'charged_back'::text, 'fee'::text, 'reinstated'::text]))),
  constraint gateway_news_set_aside_tries_check check ((tries > 0)),
  constraint gateway_news_set_aside_why_check check ((char_length(why) <= 500)),
  constraint gateway_news_set_aside_tenant_fkey foreign key (tenant) references tenants(tenant),
  constraint gateway_news_set_aside_tenant_gateway_id_fkey foreign key (tenant, gateway_id) references gateways(tenant, id)
);

create table sepa_bookings (
  tenant          integer  not null,
  gateway_id      uuid     not null,
  reference       text     not null,
  movement        text     not null,
  booked_on       date     not null,
  bank_reference  text,
  file_id         uuid,
  constraint sepa_bookings_pkey primary key (tenant, gateway_id, reference, movement),
  constraint sepa_bookings_movement_check check ((movement = any (array['credit'::text, 'debit'::text, 'fee'::text]))),
  constraint sepa_bookings_tenant_file_id_fkey foreign key (tenant, file_id) references sepa_files(tenant, id),
  constraint sepa_bookings_tenant_gateway_id_reference_fkey foreign key (tenant, gateway_id, reference) references sepa_collections(tenant, gateway_id, reference)
);
create index sepa_bookings_bank_reference on sepa_bookings (tenant, gateway_id, bank_reference) where (bank_reference is not null);

create table sepa_file_pieces (
  tenant   integer  not null,
  file_id  uuid     not null,
  number   integer  not null,
  content  bytea    not null,
  constraint sepa_file_pieces_pkey primary key (tenant, file_id, number),
  constraint sepa_file_pieces_after_the_first check ((number >= 1)),
  constraint sepa_file_pieces_tenant_file_id_fkey foreign key (tenant, file_id) references sepa_files(tenant, id) on delete cascade
);

create table payment_counts (
  tenant      integer                   not null,
  kind        text                      not null,
  key         text                      not null,
  started_at  timestamp with time zone  not null,
  count       integer                   not null,
  most        integer                   not null,
  constraint payment_counts_pkey primary key (tenant, kind, key),
  constraint payment_counts_count_check check ((count >= 1)),
  constraint payment_counts_key_check check ((char_length(key) <= 64)),
  constraint payment_counts_kind_check check ((kind = any (array['address'::text, 'iban'::text, 'invalid_iban'::text, 'lead'::text]))),
  constraint payment_counts_most_check check ((most >= 1)),
  constraint payment_counts_tenant_fkey foreign key (tenant) references tenants(tenant)
);
create index payment_counts_age on payment_counts (tenant, started_at);

create table sepa_statements (
  tenant        integer                   not null,
  id            uuid                      not null,
  gateway_id    uuid                      not null,
  file_id       uuid                      not null,
  iban          text                      not null,
  ends_on       date                      not null,
  sequence      bigint,
  statement_id  text,
  opening       numeric(16,2),
  closing       numeric(16,2),
  gap           text,
  created_at    timestamp with time zone  not null,
  constraint sepa_statements_pkey primary key (tenant, id),
  constraint sepa_statements_iban_check check ((iban ~ '^[A-Z0-9]{15,34}$'::text)),
  constraint sepa_statements_tenant_file_id_fkey foreign key (tenant, file_id) references sepa_files(tenant, id),
  constraint sepa_statements_tenant_fkey foreign key (tenant) references tenants(tenant),
  constraint sepa_statements_tenant_gateway_id_fkey foreign key (tenant, gateway_id) references gateways(tenant, id)
);
create index sepa_statements_chain on sepa_statements (tenant, iban, ends_on);
create index sepa_statements_gaps on sepa_statements (tenant, created_at) where (gap is not null);
create index sepa_statements_newest_first on sepa_statements (tenant, created_at desc, id desc);

CREATE OR REPLACE FUNCTION public.refresh_statistics()
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  grown name;
  refreshed integer := 0;
begin
  for grown in
    select s.relname
      from pg_stat_user_tables s
      join pg_class c on c.oid = s.relid
     where s.schemaname = current_schema()
       and s.n_live_tup > greatest(50, 4 * c.reltuples)
  loop
    execute format('analyze (skip_locked) %I', grown);
    refreshed := refreshed + 1;
  end loop;
  return refreshed;
end
$function$;

CREATE OR REPLACE FUNCTION public.refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'rows of % are history and are not changed', tg_table_name using errcode = 'insufficient_privilege';
end
$function$;

CREATE TRIGGER audit_log_is_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.audit_log FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER session_moves_is_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.session_moves FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
