-- The sum of src/db/migrations, read from the catalogs. Generated: npm run generate.

-- The migrations that this database has, each with its file and the hash of its text.
create table schema_migrations (
  number           integer                   not null,
  name             text                      not null,
  sha256           text                      not null,
  applied_at       timestamp with time zone  not null default now(),
  -- Code that knows this migration, or a later one, works with the schema after it; null: no earlier code than its
  -- own.
  compatible_with  integer,
  constraint schema_migrations_pkey primary key (number)
);

-- Merchants. No tenant sees a record of another one.
create table tenants (
  -- Number of the tenant in this database, the first column of every key. Callers know the tenant by its id.
  tenant                         integer                   not null generated always as identity,
  id                             uuid                      not null,
  name                           text                      not null,
  -- ISO 3166, two letters.
  country                        text,
  -- Street and number, as mandates name the creditor.
  address                        text,
  postal_code                    text,
  city                           text,
  -- Identifies the creditor in the SDD scheme, where the gateway's settings name none.
  creditor_identifier            text,
  -- How long a new session can be paid.
  session_lifetime_seconds       integer                   not null,
  -- Language of the payment page where nothing else says it.
  default_locale                 text,
  -- Customers are told before they are debited (SDD rulebook, pre-notification): receivers hear of a renewal so
  -- many days before.
  pre_notification_days          integer                   not null default 14,
  -- What a chargeback of one of its payments does to a subscription.
  subscription_after_chargeback  text                      not null default 'cancel'::text,
  -- What the full refund of one of its payments does to a subscription.
  subscription_after_refund      text                      not null default 'keep'::text,
  -- How many payments a day may be tried with one account; null: the default of src/sessions/limit-store.ts.
  iban_payments_max              integer,
  -- The same for one customer.
  lead_payments_max              integer,
  -- The same for one network address.
  address_payments_max           integer,
  -- How many IBANs that cannot be debited a session takes in a day; null: the default.
  invalid_ibans_max              integer,
  -- How long an ended session's token shows more than its state.
  token_detail_days              integer                   not null default 30,
  created_at                     timestamp with time zone  not null,
  updated_at                     timestamp with time zone  not null,
  -- Null: in use. Here as in every table that has it: nothing new is made with an archived record.
  archived_at                    timestamp with time zone,
  -- A person who refunds more than this shows the second factor again.
  step_up_refunds_above          numeric(12,2)             not null default 200.00,
  -- What is due on a day on which banks are closed is collected on the next open day, or on the previous one.
  closed_day                     text                      not null default 'next'::text,
  -- Days after the first and after the second attempt at a cycle that failed for lack of funds: a number, or
  -- salary_day for the next day on which salaries come.
  retry_days                     text[]                    not null default '{3,7}'::text[],
  -- Hosts that a session may send its customer to by an address of its own.
  redirect_hosts                 text[]                    not null default '{}'::text[],
  -- For so many days after it was collected a payment is not refunded without a person's word, as it may come
  -- back. 0: never held.
  refund_hold_days               integer                   not null default 0,
  -- A customer who has paid the same amount within a day is asked before it is paid again.
  ask_about_duplicates           boolean                   not null default false,
  -- How many different accounts one customer may try within a day; null: any number.
  lead_accounts_max              integer,
  address_accounts_max           integer,
  -- The kinds of messages that this tenant's customers get.
  messages                       text[]                    not null default '{}'::text[],
  -- The name in front of the sender's address; null: the tenant's.
  message_sender                 text,
  -- The sender's address; null: the one that the service is set up with.
  message_address                text,
  message_reply_to               text,
  -- What follows when a renewal is due of which its customer was not told in time.
  notice_check                   text                      not null default 'report'::text,
  -- By the tenant's clock: of what was collected before nothing is reported.
  notice_check_since             timestamp with time zone  not null default now(),
  -- What follows a bank's reason code, by the code, where the tenant has chosen something else than the default.
  return_rules                   jsonb                     not null default '{}'::jsonb,
  -- How many different accounts may be tried with one browser within a day; null: any number, and no cookie is
  -- set.
  device_accounts_max            integer,
  constraint tenants_pkey primary key (tenant),
  constraint tenants_one_per_id unique (id),
  constraint accounts_max_at_least_two check ((least(lead_accounts_max, address_accounts_max) >= 2)),
  constraint address_length check (((char_length(address) >= 1) and (char_length(address) <= 500))),
  constraint address_payments_max_positive check ((address_payments_max >= 1)),
  constraint city_length check (((char_length(city) >= 1) and (char_length(city) <= 255))),
  constraint closed_day_known check ((closed_day = any (array['next'::text, 'previous'::text]))),
  constraint country_has_two_letters check ((country ~ '^[A-Z]{2}$'::text)),
  constraint creditor_identifier_length check ((char_length(creditor_identifier) <= 35)),
  constraint device_accounts_max_at_least_two check ((device_accounts_max >= 2)) not valid,
  constraint iban_payments_max_positive check ((iban_payments_max >= 1)),
  constraint invalid_ibans_max_positive check ((invalid_ibans_max >= 1)),
  constraint lead_payments_max_positive check ((lead_payments_max >= 1)),
  constraint name_length check (((char_length(name) >= 1) and (char_length(name) <= 255))),
  constraint notice_check_known check ((notice_check = any (array['off'::text, 'report'::text, 'refuse'::text]))),
  constraint postal_code_length check (((char_length(postal_code) >= 1) and (char_length(postal_code) <= 20))),
  constraint pre_notification_is_1_to_30_days check (((pre_notification_days >= 1) and (pre_notification_days <= 30))),
  constraint refund_hold_days_within_400 check (((refund_hold_days >= 0) and (refund_hold_days <= 400))),
  constraint retry_days_at_most_two check ((cardinality(retry_days) <= 2)),
  constraint return_rules_is_object check ((jsonb_typeof(return_rules) = 'object'::text)) not valid,
  constraint session_lifetime_is_30_minutes_to_30_days check (((session_lifetime_seconds >= 1800) and (session_lifetime_seconds <= 2592000))),
  constraint step_up_refunds_above_not_negative check ((step_up_refunds_above >= (0)::numeric)),
  constraint subscription_after_chargeback_known check ((subscription_after_chargeback = any (array['cancel'::text, 'past_due'::text, 'keep'::text]))),
  constraint subscription_after_refund_known check ((subscription_after_refund = any (array['cancel'::text, 'keep'::text]))),
  constraint token_detail_is_at_most_ten_years check (((token_detail_days >= 0) and (token_detail_days <= 3650)))
);

-- Tenants of a staging environment that have moved their time forward, and by how much.
create table tenant_clocks (
  tenant      integer                   not null,
  -- Milliseconds. Time goes forward only.
  ahead_ms    bigint                    not null,
  updated_at  timestamp with time zone  not null,
  constraint tenant_clocks_pkey primary key (tenant),
  constraint ahead_is_forward check ((ahead_ms > 0)),
  constraint tenant_exists foreign key (tenant) references tenants(tenant)
);

-- Keys of the tenants' own systems. A key is shown once; only its SHA-256 is kept.
create table api_keys (
  tenant               integer                   not null,
  id                   uuid                      not null,
  name                 text                      not null,
  -- `management` is read, refunds, billing, settings, keys, bank and exports together; `people` and `whole_ibans`
  -- are had by name only.
  scopes               text[]                    not null,
  -- The beginning of the key, by which people tell keys apart.
  prefix               text                      not null,
  -- SHA-256 of the key.
  hash                 bytea                     not null,
  -- SHA-256 of the key before a rotation, which works until previous_expires_at.
  previous_hash        bytea,
  previous_expires_at  timestamp with time zone,
  -- Null: it does not expire.
  expires_at           timestamp with time zone,
  -- From then on the key opens nothing.
  revoked_at           timestamp with time zone,
  last_used_at         timestamp with time zone,
  created_at           timestamp with time zone  not null,
  updated_at           timestamp with time zone  not null,
  archived_at          timestamp with time zone,
  constraint api_keys_pkey primary key (tenant, id),
  constraint hash_has_32_bytes check ((octet_length(hash) = 32)),
  constraint name_length check (((char_length(name) >= 1) and (char_length(name) <= 255))),
  constraint previous_hash_has_32_bytes check ((octet_length(previous_hash) = 32)),
  constraint previous_key_expires check (((previous_hash is null) = (previous_expires_at is null))),
  constraint scopes_known check (((cardinality(scopes) > 0) and (scopes <@ array['payments'::text, 'reconciliation'::text, 'management'::text, 'read'::text, 'refunds'::text, 'billing'::text, 'settings'::text, 'keys'::text, 'bank'::text, 'exports'::text, 'people'::text, 'whole_ibans'::text]))),
  constraint tenant_exists foreign key (tenant) references tenants(tenant)
);
create index api_keys_by_previous_hash on api_keys (tenant, previous_hash) where (previous_hash is not null);
create unique index api_keys_one_per_hash on api_keys (tenant, hash);

-- Who changed what. Rows are added, never changed or deleted.
create table audit_log (
  tenant       integer                   not null,
  id           uuid                      not null,
  at           timestamp with time zone  not null,
  -- `key:<id>`, `operator`, `customer` or `service`.
  actor        text                      not null,
  -- The name that the key had then.
  actor_name   text                      not null,
  action       text                      not null,
  -- Kind of the record: `gateway`, `session`, …
  resource     text                      not null,
  resource_id  uuid,
  -- The record as it was, without secrets; null when it is new.
  before       jsonb,
  -- The record as it is since; null when nothing of it is left.
  after        jsonb,
  ip           text,
  request_id   text,
  constraint audit_log_pkey primary key (tenant, id)
);
create index audit_log_by_actor on audit_log (tenant, actor, at desc, id desc);
create index audit_log_by_resource on audit_log (tenant, resource, at desc, id desc);
create index audit_log_newest_first on audit_log (tenant, at desc, id desc);
create index audit_log_of_resource on audit_log (tenant, resource, resource_id, at desc);

-- Receivers of webhooks: where events are sent, which ones, and what they are signed with.
create table webhook_profiles (
  tenant                         integer                   not null,
  id                             uuid                      not null,
  name                           text                      not null,
  url                            text                      not null,
  -- Types of events that are sent.
  events                         text[]                    not null,
  -- What a body holds: the receiver's key to our field.
  payload_fields                 jsonb                     not null,
  -- Whether bodies are written in ASCII, everything else as \uXXXX.
  ascii_escape                   boolean                   not null,
  -- Sealed.
  signing_secret                 bytea                     not null,
  -- Sealed. Also signs until previous_signing_secret_until.
  previous_signing_secret        bytea,
  previous_signing_secret_until  timestamp with time zone,
  active                         boolean                   not null,
  -- Why the service itself has switched the profile off: its events wait for the receiver. Null: a person switched
  -- it, if it is off.
  disabled_reason                text,
  created_at                     timestamp with time zone  not null,
  updated_at                     timestamp with time zone  not null,
  archived_at                    timestamp with time zone,
  -- Requests that may be under way to the receiver at once; 1: one after the other.
  max_in_flight                  integer                   not null default 10,
  constraint webhook_profiles_pkey primary key (tenant, id),
  constraint max_in_flight_is_1_to_100 check (((max_in_flight >= 1) and (max_in_flight <= 100))),
  constraint name_length check (((char_length(name) >= 1) and (char_length(name) <= 255))),
  constraint payload_fields_are_object check ((jsonb_typeof(payload_fields) = 'object'::text)),
  constraint previous_secret_expires check (((previous_signing_secret is null) = (previous_signing_secret_until is null))),
  constraint url_length check ((char_length(url) <= 2000)),
  constraint tenant_exists foreign key (tenant) references tenants(tenant)
);

-- The outbox: facts that receivers must hear of, each written in the transaction that makes the fact.
create table events (
  tenant          integer                   not null,
  id              uuid                      not null,
  -- The order in which events happened; those of one session are written one after the other.
  number          bigint                    not null generated always as identity,
  type            text                      not null,
  -- The session that it is about; null: an event of a transaction that has none.
  session_id      uuid,
  transaction_id  uuid,
  chargeback_id   uuid,
  -- Without the session token, which is put in when the event is sent.
  payload         jsonb                     not null,
  created_at      timestamp with time zone  not null,
  -- When its deliveries were made.
  fanned_out_at   timestamp with time zone,
  constraint events_pkey primary key (tenant, id),
  constraint type_known check ((type = any (array['payment_session.completed'::text, 'payment_session.expired'::text, 'transaction.created'::text, 'transaction.status_changed'::text, 'chargeback.created'::text, 'subscription.upcoming'::text, 'guard.triggered'::text, 'customer.acted'::text]))),
  constraint session_of_same_tenant foreign key (tenant, session_id) references sessions(tenant, id),
  constraint tenant_exists foreign key (tenant) references tenants(tenant)
);
create index events_by_type on events (tenant, type, created_at desc, id desc);
create index events_newest_first on events (tenant, created_at desc, id desc);
create unique index events_one_completed_per_session on events (tenant, session_id) where (type = 'payment_session.completed'::text);
create index events_to_fan_out on events (tenant, number) where (fanned_out_at is null);

-- Profiles that were sent something, and how each is doing. Who claims deliveries of a receiver, or makes one
-- due again, holds its row meanwhile.
create table webhook_receivers (
  tenant             integer                   not null,
  profile_id         uuid                      not null,
  -- When to look for deliveries that can be claimed; null: there are none.
  next_at            timestamp with time zone,
  failures_in_a_row  integer                   not null default 0,
  -- The circuit is open, or the receiver asked for a pause.
  paused_until       timestamp with time zone,
  -- How many requests it has shown to bear at once; the profile's max_in_flight is the most. After a failure one,
  -- until one succeeds.
  in_flight_limit    integer                   not null default 1,
  -- The first failure since the last success; null: it does not fail.
  failing_since      timestamp with time zone,
  constraint webhook_receivers_pkey primary key (tenant, profile_id),
  constraint failures_not_negative check ((failures_in_a_row >= 0)),
  constraint in_flight_limit_is_1_to_100 check (((in_flight_limit >= 1) and (in_flight_limit <= 100))),
  constraint profile_of_same_tenant foreign key (tenant, profile_id) references webhook_profiles(tenant, id)
);
create index webhook_receivers_due on webhook_receivers (next_at) where (next_at is not null);

-- One row per event and profile: the event on its way to the receiver.
create table webhook_deliveries (
  tenant          integer                   not null,
  id              uuid                      not null,
  event_id        uuid                      not null,
  -- The event's place in the order of events.
  event_number    bigint                    not null,
  event_type      text                      not null,
  profile_id      uuid                      not null,
  session_id      uuid,
  -- Events of one subject are delivered in order, one at a time: those of a session with its refunds, its
  -- subscription and their renewals; without a session, those of a transaction with its refunds.
  subject_id      uuid,
  -- The profile's when the event was fanned out, so that each attempt sends the same bytes. The session token is
  -- in none of them.
  payload_fields  jsonb                     not null,
  ascii_escape    boolean                   not null,
  -- `exhausted`: it was tried for as long as it may be.
  status          text                      not null,
  -- When it is sent next; null: nothing more is sent.
  due_at          timestamp with time zone,
  -- Requests that were made, ever.
  attempts        integer                   not null default 0,
  -- Requests since it was last asked for: a person may ask for it anew.
  tries           integer                   not null default 0,
  last_at         timestamp with time zone,
  -- HTTP status of the newest answer; null when there was none.
  response_code   integer,
  error           text,
  delivered_at    timestamp with time zone,
  created_at      timestamp with time zone  not null,
  -- A request is under way until then, or its instance is dead.
  locked_until    timestamp with time zone,
  lease_no        bigint                    not null default 0,
  constraint webhook_deliveries_pkey primary key (tenant, id),
  constraint attempts_not_negative check ((attempts >= 0)),
  constraint delivered_has_time check (((status <> 'delivered'::text) or (delivered_at is not null))),
  constraint open_has_due_time check (((status = any (array['pending'::text, 'failing'::text])) = (due_at is not null))),
  constraint payload_fields_are_object check ((jsonb_typeof(payload_fields) = 'object'::text)),
  constraint status_known check ((status = any (array['pending'::text, 'delivered'::text, 'failing'::text, 'exhausted'::text]))),
  constraint tries_within_attempts check (((tries >= 0) and (tries <= attempts))),
  constraint event_of_same_tenant foreign key (tenant, event_id) references events(tenant, id),
  constraint profile_of_same_tenant foreign key (tenant, profile_id) references webhook_profiles(tenant, id)
);
create index webhook_deliveries_about_subject on webhook_deliveries (tenant, subject_id, event_number) where (subject_id is not null);
create index webhook_deliveries_by_event on webhook_deliveries (tenant, event_type, created_at desc, id desc);
create index webhook_deliveries_by_receiver on webhook_deliveries (tenant, profile_id, created_at desc, id desc);
create index webhook_deliveries_due on webhook_deliveries (tenant, profile_id, due_at, event_number) where (status = any (array['pending'::text, 'failing'::text]));
create index webhook_deliveries_exhausted on webhook_deliveries (tenant, created_at desc, id desc) where (status = 'exhausted'::text);
create index webhook_deliveries_in_flight on webhook_deliveries (tenant, profile_id, subject_id) where (locked_until is not null);
create index webhook_deliveries_newest_first on webhook_deliveries (tenant, created_at desc, id desc);
create index webhook_deliveries_of_subject on webhook_deliveries (tenant, profile_id, subject_id, event_number) where (status = any (array['pending'::text, 'failing'::text]));
create unique index webhook_deliveries_one_per_event_and_profile on webhook_deliveries (tenant, event_id, profile_id);

-- Every request that was sent, to find out why a delivery failed.
create table webhook_attempts (
  tenant         integer                   not null,
  delivery_id    uuid                      not null,
  number         integer                   not null,
  at             timestamp with time zone  not null,
  duration_ms    integer                   not null,
  response_code  integer,
  error          text,
  -- The beginning of the answer. A job forgets it after a month.
  response_body  text,
  constraint webhook_attempts_pkey primary key (tenant, delivery_id, number),
  constraint duration_not_negative check ((duration_ms >= 0)),
  constraint number_positive check ((number > 0)),
  constraint response_body_is_at_most_64_kib check ((octet_length(response_body) <= 65536)),
  constraint delivery_of_same_tenant foreign key (tenant, delivery_id) references webhook_deliveries(tenant, id)
);
create index webhook_attempts_with_answer on webhook_attempts (at) where (response_body is not null);

-- Accounts at providers and banks through which a tenant collects.
create table gateways (
  tenant                   integer                   not null,
  id                       uuid                      not null,
  name                     text                      not null,
  -- Which code talks to it: `sandbox`, `sepa_batch`, …
  adapter                  text                      not null,
  -- What the customer reads on the bank statement.
  descriptor               text,
  test_mode                boolean                   not null,
  -- What the adapter asks for, by its own schema.
  settings                 jsonb                     not null,
  -- Sealed JSON object.
  credentials              bytea,
  -- When receivers hear that a session is completed: as soon as the gateway has accepted the payment, or when the
  -- money is there.
  completed_event_at       text                      not null,
  -- Identifier and name, with a space between, that the account had before: mandates that say one of them are
  -- amended with their next collection.
  former_creditors         text[]                    not null default '{}'::text[],
  active                   boolean                   not null,
  created_at               timestamp with time zone  not null,
  updated_at               timestamp with time zone  not null,
  archived_at              timestamp with time zone,
  -- With completed_event_at `settlement`: customers with so many settled debits, and none that came back, have
  -- theirs completed at acceptance. Null: this is switched off.
  acceptance_after_debits  integer,
  constraint gateways_pkey primary key (tenant, id),
  constraint completed_event_at_known check ((completed_event_at = any (array['acceptance'::text, 'settlement'::text]))),
  constraint descriptor_length check ((char_length(descriptor) <= 140)),
  constraint name_length check (((char_length(name) >= 1) and (char_length(name) <= 255))),
  constraint settings_are_object check ((jsonb_typeof(settings) = 'object'::text)),
  constraint tenant_exists foreign key (tenant) references tenants(tenant)
);

-- The sandbox bank's own books: what it was asked, what it charged and gave back. The service reads them through
-- the gateway port only.
create table sandbox_books (
  tenant             integer                   not null,
  gateway_id         uuid                      not null,
  -- The merchant_transaction_id, which is also the idempotency key.
  reference          text                      not null,
  -- Of a refund: the reference of the collection that it gives back.
  refund_of          text,
  bank_reference     text                      not null,
  -- Names the page on which the customer confirms at the bank.
  verification_id    uuid,
  -- What the test IBAN asks for: src/gateways/sandbox/scenarios.ts.
  scenario           text                      not null,
  -- `fenced`: asked about before it was collected, and never to be.
  state              text                      not null,
  amount             numeric(12,2)             not null,
  currency           text                      not null,
  -- Of a collection: what was given back of it.
  refunded           numeric(12,2)             not null default 0,
  mandate_reference  text                      not null,
  creditor_name      text                      not null,
  iban_last4         text                      not null,
  -- Sealed: it leads to a page whose address is a credential.
  return_url         bytea,
  answer_code        text,
  answer_message     text,
  -- How often this reference was collected.
  asked_count        integer                   not null default 1,
  charged_at         timestamp with time zone,
  -- When a settlement tick last told the service of it.
  reported_at        timestamp with time zone,
  created_at         timestamp with time zone  not null,
  constraint sandbox_books_pkey primary key (tenant, gateway_id, reference),
  constraint amount_not_negative check ((amount >= (0)::numeric)),
  constraint refunds_within_amount check (((refunded >= (0)::numeric) and (refunded <= amount))),
  constraint state_known check ((state = any (array['charged'::text, 'refused'::text, 'fenced'::text, 'awaiting_customer'::text, 'pending'::text, 'settled'::text, 'returned'::text, 'charged_back'::text, 'refunded'::text]))),
  constraint gateway_of_same_tenant foreign key (tenant, gateway_id) references gateways(tenant, id),
  constraint tenant_exists foreign key (tenant) references tenants(tenant)
);
-- Read by the settlement tick, per account of a tenant: only charges that have not been reported yet.
create index sandbox_books_news on sandbox_books (tenant, gateway_id, created_at, reference) where ((reported_at is null) and ((state = any (array['pending'::text, 'settled'::text, 'returned'::text, 'charged_back'::text])) or ((state = 'charged'::text) and (scenario = 'charge_back'::text) and (amount > (0)::numeric))));
create unique index sandbox_books_one_per_verification on sandbox_books (tenant, verification_id) where (verification_id is not null);

-- Looks and texts of payment pages.
create table hosted_pages (
  tenant                    integer                   not null,
  id                        uuid                      not null,
  name                      text                      not null,
  -- logo_url, primary_color, accent_color; what is missing keeps the page's own.
  branding                  jsonb                     not null,
  -- Texts around the form: `headline`; every other one is a paragraph.
  content                   jsonb                     not null,
  show_product_name         boolean                   not null,
  show_product_price        boolean                   not null,
  show_product_description  boolean                   not null,
  -- `product_name` and `product_description` in place of the offer's. A price cannot be overridden.
  offer_overrides           jsonb                     not null,
  success_redirect_url      text,
  failure_redirect_url      text,
  -- Whether the customer accepts the mandate by a checkbox or by paying.
  mandate_acceptance_mode   text                      not null,
  -- BCP 47. The language when the browser's is not among the page's.
  locale                    text,
  -- Origins (https://shop.example.com) whose pages may show the payment page in a frame; none unless the merchant
  -- lists them.
  frame_origins             text[]                    not null default '{}'::text[],
  created_at                timestamp with time zone  not null,
  updated_at                timestamp with time zone  not null,
  archived_at               timestamp with time zone,
  -- Where the form's way back leads; null: it has none.
  cancel_redirect_url       text,
  -- `imprint_url`, `privacy_url`, `terms_url`, `support_url`, `support_email`: shown at the foot of the page.
  links                     jsonb                     not null default '{}'::jsonb,
  -- How long the way back to the shop waits for the receiver of the completed event to acknowledge it; 0: it does
  -- not wait.
  redirect_wait_seconds     integer                   not null default 10,
  constraint hosted_pages_pkey primary key (tenant, id),
  constraint branding_is_object check ((jsonb_typeof(branding) = 'object'::text)),
  constraint content_is_object check ((jsonb_typeof(content) = 'object'::text)),
  constraint failure_redirect_url_length check ((char_length(failure_redirect_url) <= 2000)),
  constraint mandate_acceptance_mode_known check ((mandate_acceptance_mode = any (array['checkbox'::text, 'IMPLICIT'::text]))),
  constraint name_length check (((char_length(name) >= 1) and (char_length(name) <= 255))),
  constraint offer_overrides_are_object check ((jsonb_typeof(offer_overrides) = 'object'::text)),
  constraint redirect_wait_is_0_to_30_seconds check (((redirect_wait_seconds >= 0) and (redirect_wait_seconds <= 30))),
  constraint success_redirect_url_length check ((char_length(success_redirect_url) <= 2000)),
  constraint tenant_exists foreign key (tenant) references tenants(tenant)
);

-- What is sold, at what price, and how it is collected again.
create table offers (
  tenant               integer                   not null,
  id                   uuid                      not null,
  name                 text                      not null,
  -- Money is in units of its currency with two decimals, in every table.
  price                numeric(12,2)             not null,
  currency             text                      not null,
  billing_type         text                      not null,
  -- Null: once, or whenever the merchant triggers a renewal.
  billing_frequency    text,
  trial_interval_unit  text,
  -- Length of the trial in trial_interval_unit.
  trial_period         integer,
  -- What is paid for the trial; null or 0: only the mandate is asked for.
  trial_price          numeric(12,2),
  product_name         text,
  product_description  text,
  created_at           timestamp with time zone  not null,
  updated_at           timestamp with time zone  not null,
  archived_at          timestamp with time zone,
  billing_day          text,
  constraint offers_pkey primary key (tenant, id),
  constraint billing_day_known check ((billing_day = 'last'::text)),
  constraint billing_frequency_known check ((billing_frequency = any (array['WEEKLY'::text, 'BIWEEKLY'::text, 'MONTHLY'::text, 'QUARTERLY'::text, 'SEMIANNUALLY'::text, 'YEARLY'::text]))),
  constraint billing_type_known check ((billing_type = any (array['ONE_OFF'::text, 'RECURRING'::text, 'TRIAL_RECURRING'::text]))),
  constraint currency_has_three_letters check ((currency ~ '^[A-Z]{3}$'::text)),
  constraint name_length check (((char_length(name) >= 1) and (char_length(name) <= 255))),
  constraint price_positive check ((price > (0)::numeric)),
  constraint product_description_length check ((char_length(product_description) <= 2000)),
  constraint product_name_length check ((char_length(product_name) <= 255)),
  constraint trial_interval_unit_known check ((trial_interval_unit = any (array['day'::text, 'week'::text, 'month'::text]))),
  constraint trial_period_positive check ((trial_period >= 1)),
  constraint trial_price_not_negative check ((trial_price >= (0)::numeric)),
  constraint tenant_exists foreign key (tenant) references tenants(tenant)
);

-- An offer with the gateway, the payment page and the webhooks that its sessions use.
create table campaigns (
  tenant                    integer                   not null,
  id                        uuid                      not null,
  name                      text                      not null,
  offer_id                  uuid                      not null,
  gateway_id                uuid                      not null,
  hosted_page_id            uuid,
  webhook_profile_id        uuid,
  -- How often a session of it may be tried to pay.
  max_payment_attempts      integer                   not null,
  active                    boolean                   not null,
  created_at                timestamp with time zone  not null,
  updated_at                timestamp with time zone  not null,
  archived_at               timestamp with time zone,
  -- In percent of what was collected; with more that came back it stops collecting. Null: it never does.
  return_rate_max           integer,
  -- With fewer payments it is not stopped.
  return_rate_min_payments  integer                   not null default 50,
  -- When it stopped collecting, as too much had come back; null: it collects.
  stopped_at                timestamp with time zone,
  -- A person let it go on then: what was collected before does not count.
  counted_from              timestamp with time zone,
  constraint campaigns_pkey primary key (tenant, id),
  constraint max_payment_attempts_is_1_to_10 check (((max_payment_attempts >= 1) and (max_payment_attempts <= 10))),
  constraint name_length check (((char_length(name) >= 1) and (char_length(name) <= 255))),
  constraint return_rate_max_is_percent check (((return_rate_max >= 1) and (return_rate_max <= 100))),
  constraint return_rate_min_payments_positive check ((return_rate_min_payments >= 1)),
  constraint gateway_of_same_tenant foreign key (tenant, gateway_id) references gateways(tenant, id),
  constraint hosted_page_of_same_tenant foreign key (tenant, hosted_page_id) references hosted_pages(tenant, id),
  constraint offer_of_same_tenant foreign key (tenant, offer_id) references offers(tenant, id),
  constraint tenant_exists foreign key (tenant) references tenants(tenant),
  constraint webhook_profile_of_same_tenant foreign key (tenant, webhook_profile_id) references webhook_profiles(tenant, id)
);

-- Customers of a tenant.
create table leads (
  tenant       integer                   not null,
  id           uuid                      not null,
  -- lower(trim(email)), computed by the service: what makes two leads the same (contract: One active session per
  -- lead).
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
  -- When the person's data was erased, here and wherever else it was; null: it was not.
  erased_at    timestamp with time zone,
  constraint leads_pkey primary key (tenant, id),
  constraint address_length check ((char_length(address) <= 500)),
  constraint city_length check ((char_length(city) <= 255)),
  constraint country_has_two_letters check ((country ~ '^[A-Z]{2}$'::text)),
  constraint first_name_length check ((char_length(first_name) <= 255)),
  constraint last_name_length check ((char_length(last_name) <= 255)),
  constraint phone_length check ((char_length(phone) <= 50)),
  constraint postal_code_length check ((char_length(postal_code) <= 20)),
  constraint tenant_exists foreign key (tenant) references tenants(tenant)
);
create index leads_by_country on leads (tenant, country, created_at desc, id desc);
create index leads_by_email_start on leads (tenant, email_key text_pattern_ops);
create index leads_by_first_name on leads (tenant, lower(first_name) text_pattern_ops);
create index leads_by_last_name on leads (tenant, lower(last_name) text_pattern_ops);
create index leads_newest_first on leads (tenant, created_at desc, id desc);
create unique index leads_one_per_email on leads (tenant, email_key);

-- One purchase to be paid: created by the merchant, paid by the customer, at most one payment (docs/states.md,
-- Sessions).
create table sessions (
  tenant                 integer                   not null,
  id                     uuid                      not null,
  -- Number of the key that authenticates the token; the token itself is not kept.
  token_key_id           smallint                  not null,
  -- COMPLETED and EXPIRED are final. A session that was cancelled is EXPIRED too.
  status                 text                      not null,
  lead_id                uuid                      not null,
  gateway_id             uuid                      not null,
  campaign_id            uuid,
  offer_id               uuid,
  hosted_page_id         uuid,
  webhook_profile_id     uuid,
  -- This one, price, terms and the other names are copied when the session is created, so that later edits change
  -- no open session.
  campaign_name          text                      not null,
  offer_name             text                      not null,
  product_name           text,
  product_description    text,
  -- The price of the offer. What is paid today is trial_price where there is a trial.
  amount                 numeric(12,2)             not null,
  currency               text                      not null,
  billing_type           text                      not null,
  billing_frequency      text,
  trial_interval_unit    text,
  trial_period           integer,
  trial_price            numeric(12,2),
  attempts_max           integer                   not null,
  -- Tries that ended in a decline or a payment, and the open one; a gateway that was certainly not reached gives
  -- its try back.
  attempts_used          integer                   not null default 0,
  -- The one attempt whose end is not known yet. Meanwhile the session is neither paid again, cancelled nor
  -- expired.
  open_transaction_id    uuid,
  -- As the merchant told it.
  customer_ip            text,
  created_at             timestamp with time zone  not null,
  -- The end of its time. What callers see of an open session is computed from it, and does not wait for the job
  -- that ends it.
  expires_at             timestamp with time zone  not null,
  -- When it became COMPLETED or EXPIRED; null: it is open.
  closed_at              timestamp with time zone,
  billing_day            text,
  -- Of the payment to come: reserved for this session, and used by its attempts that name none.
  tenant_reference_id    text,
  -- Names and texts of the merchant's own; null: none.
  metadata               jsonb,
  -- BCP 47: the page's language unless its customer chooses another; null: as the browser asks.
  locale                 text,
  -- In place of the hosted page's, as the two that follow.
  success_redirect_url   text,
  failure_redirect_url   text,
  cancel_redirect_url    text,
  -- The link at which its customer has begun it; null: the merchant has.
  payment_link_id        uuid,
  -- It has one of its link's uses, for an attempt or for good; another session takes it over unless that is under
  -- way or paid.
  holds_link_use         boolean                   not null default false,
  -- When a browser first showed its payment page, as the page's script says; null: never, or scripts do not run.
  opened_at              timestamp with time zone,
  -- The first payment that came back and that it repeats: it is not paid once that one is reinstated. Null: none,
  -- or made by code that did not record it.
  repays_transaction_id  uuid,
  constraint sessions_pkey primary key (tenant, id),
  constraint amount_positive check ((amount > (0)::numeric)),
  constraint attempts_max_is_1_to_10 check (((attempts_max >= 1) and (attempts_max <= 10))),
  constraint attempts_used_within_max check (((attempts_used >= 0) and (attempts_used <= attempts_max))),
  constraint billing_day_known check ((billing_day = 'last'::text)),
  constraint billing_frequency_known check ((billing_frequency = any (array['WEEKLY'::text, 'BIWEEKLY'::text, 'MONTHLY'::text, 'QUARTERLY'::text, 'SEMIANNUALLY'::text, 'YEARLY'::text]))),
  constraint billing_type_known check ((billing_type = any (array['ONE_OFF'::text, 'RECURRING'::text, 'TRIAL_RECURRING'::text]))),
  constraint currency_has_three_letters check ((currency ~ '^[A-Z]{3}$'::text)),
  constraint ended_has_no_open_transaction check (((closed_at is null) or (open_transaction_id is null))),
  constraint ended_has_time check (((status = any (array['COMPLETED'::text, 'EXPIRED'::text])) = (closed_at is not null))),
  constraint status_known check ((status = any (array['PENDING'::text, 'AWAITING_VERIFICATION'::text, 'COMPLETED'::text, 'EXPIRED'::text]))),
  constraint trial_has_length check (((billing_type <> 'TRIAL_RECURRING'::text) or ((trial_interval_unit is not null) and (trial_period is not null)))),
  constraint trial_interval_unit_known check ((trial_interval_unit = any (array['day'::text, 'week'::text, 'month'::text]))),
  constraint trial_period_positive check ((trial_period >= 1)),
  constraint trial_price_not_negative check ((trial_price >= (0)::numeric)),
  constraint verification_is_of_open_transaction check (((status <> 'AWAITING_VERIFICATION'::text) or (open_transaction_id is not null))),
  constraint campaign_of_same_tenant foreign key (tenant, campaign_id) references campaigns(tenant, id),
  constraint gateway_of_same_tenant foreign key (tenant, gateway_id) references gateways(tenant, id),
  constraint hosted_page_of_same_tenant foreign key (tenant, hosted_page_id) references hosted_pages(tenant, id),
  constraint lead_of_same_tenant foreign key (tenant, lead_id) references leads(tenant, id),
  constraint offer_of_same_tenant foreign key (tenant, offer_id) references offers(tenant, id),
  constraint payment_link_of_same_tenant foreign key (tenant, payment_link_id) references payment_links(tenant, id),
  constraint tenant_exists foreign key (tenant) references tenants(tenant),
  constraint webhook_profile_of_same_tenant foreign key (tenant, webhook_profile_id) references webhook_profiles(tenant, id)
);
-- Of the sessions that a job ends when their time is over. An index that is there to find rows names them by a
-- column that only the statements name that want it (docs/decisions/0012-plans.md).
create index sessions_lapsing on sessions (tenant, expires_at) where (closed_at is null);
create index sessions_newest_first on sessions (tenant, created_at desc, id desc);
create index sessions_of_campaign on sessions (tenant, campaign_id, created_at desc, id desc) where (campaign_id is not null);
create index sessions_of_lead on sessions (tenant, lead_id, created_at desc, id desc);
create index sessions_of_payment_link on sessions (tenant, payment_link_id, created_at desc, id desc) where (payment_link_id is not null);
create unique index sessions_one_active_per_lead on sessions (tenant, lead_id) where (closed_at is null);
create unique index sessions_one_per_tenant_reference on sessions (tenant, tenant_reference_id) where (tenant_reference_id is not null);
create index sessions_repaying on sessions (tenant, repays_transaction_id) where (repays_transaction_id is not null);

-- What happened to a session, in order; never changed, never deleted.
create table session_moves (
  tenant          integer                   not null,
  session_id      uuid                      not null,
  number          integer                   not null generated always as identity,
  at              timestamp with time zone  not null,
  -- Null: the session was created.
  from_status     text,
  to_status       text                      not null,
  -- In a word: `approved`, `lapsed`, `gateway_unreachable`, …
  cause           text                      not null,
  -- The attempt that moved it, if one did.
  transaction_id  uuid,
  constraint session_moves_pkey primary key (tenant, session_id, number),
  -- The table of docs/states.md, Sessions.
  constraint moves_are_legal check ((((from_status is null) and (to_status = 'PENDING'::text)) or ((from_status = 'PENDING'::text) and (to_status = any (array['PENDING'::text, 'AWAITING_VERIFICATION'::text, 'COMPLETED'::text, 'EXPIRED'::text]))) or ((from_status = 'AWAITING_VERIFICATION'::text) and (to_status = any (array['AWAITING_VERIFICATION'::text, 'PENDING'::text, 'COMPLETED'::text, 'EXPIRED'::text]))))),
  constraint session_of_same_tenant foreign key (tenant, session_id) references sessions(tenant, id)
);

-- What was tried since started_at, for a day. Its row is what payments at once wait for, so that none is one too
-- many.
create table payment_counts (
  tenant      integer                   not null,
  kind        text                      not null,
  -- A network address (IPv6 by /64), the fingerprint of an IBAN, or the id of the session or the lead.
  key         text                      not null,
  started_at  timestamp with time zone  not null,
  count       integer                   not null,
  -- The limit that held for the newest try.
  most        integer                   not null,
  -- Fingerprints of the different IBANs, where these are counted: as many as count says. Null: payments are
  -- counted.
  accounts    bytea[],
  -- When count was last raised.
  counted_at  timestamp with time zone,
  constraint payment_counts_pkey primary key (tenant, kind, key),
  constraint count_positive check ((count >= 1)),
  constraint key_length check ((char_length(key) <= 64)),
  constraint kind_known check ((kind = any (array['address'::text, 'address_accounts'::text, 'device_accounts'::text, 'iban'::text, 'invalid_iban'::text, 'lead'::text, 'lead_accounts'::text]))) not valid,
  constraint most_positive check ((most >= 1)),
  constraint tenant_exists foreign key (tenant) references tenants(tenant)
);
create index payment_counts_oldest_first on payment_counts (tenant, started_at);

-- Debtors' permissions to collect, with the evidence of their acceptance; the IBAN is kept only here and in bank
-- files, sealed.
create table mandates (
  tenant                      integer                   not null,
  id                          uuid                      not null,
  -- Those that the service draws are MND-…; those that come in may have any of the scheme's characters.
  reference                   text                      not null,
  lead_id                     uuid                      not null,
  -- The session in whose payment it was signed; null where it came in from elsewhere.
  session_id                  uuid,
  -- `import`: signed elsewhere.
  source                      text                      not null default 'payment'::text,
  scheme                      text                      not null default 'CORE'::text,
  type                        text                      not null default 'recurrent'::text,
  -- `pending` until its first payment is accepted, `expired` when it was not used for 36 months.
  status                      text                      not null,
  -- An ISO code, or words.
  status_reason               text,
  -- By a checkbox or by paying; null where it was signed elsewhere.
  acceptance_mode             text,
  -- When it was signed.
  accepted_at                 timestamp with time zone  not null,
  accepted_ip                 text,
  -- Version and language of the text that was signed; null where it was signed elsewhere.
  text_version                text,
  -- In which it was signed.
  language                    text,
  -- As agreed when it was signed.
  pre_notification_days       integer,
  -- Whom it is given. This and the rest of the creditor are fixed when it is accepted, as page, document and file
  -- show them.
  creditor_name               text                      not null,
  creditor_identifier         text,
  creditor_address            text,
  creditor_postal_code        text,
  creditor_city               text,
  creditor_country            text,
  holder_name                 text                      not null,
  -- Sealed.
  iban_sealed                 bytea                     not null,
  -- Keyed hash by which mandates of the same account are found.
  iban_fingerprint            bytea                     not null,
  iban_last4                  text                      not null,
  -- For showing it masked.
  iban_length                 integer                   not null,
  iban_country                text                      not null,
  bic                         text,
  bank_name                   text,
  -- It came in with debits behind it, and goes on with their series.
  used_elsewhere              boolean                   not null default false,
  -- When it was collected with last; null: never.
  last_used_at                timestamp with time zone,
  cancelled_at                timestamp with time zone,
  cancelled_by                text,
  created_at                  timestamp with time zone  not null,
  updated_at                  timestamp with time zone  not null,
  -- Of scheme B2B: the day on which the debtor's bank had confirmed it, as a person has said; null: not yet.
  bank_confirmed_on           date,
  -- As the program named itself that sent the acceptance; null where none did, or it was signed before this was
  -- kept.
  accepted_user_agent         text,
  -- Since when the tenant's rules keep the account of the mandate from being debited with any mandate; null: it is
  -- not blocked.
  account_blocked_at          timestamp with time zone,
  -- Sealed: the signed presentation from the debtor's wallet, as the merchant has given it; null: none, or erased.
  wallet_presentation         bytea,
  wallet_presentation_format  text,
  -- Of its bytes, hexadecimal; it stays when the presentation is erased.
  wallet_presentation_sha256  text,
  -- When the merchant gave it.
  wallet_presentation_at      timestamp with time zone,
  constraint mandates_pkey primary key (tenant, id),
  constraint acceptance_mode_known check ((acceptance_mode = any (array['checkbox'::text, 'IMPLICIT'::text]))),
  constraint cancelled_by_known check ((cancelled_by = any (array['debtor'::text, 'creditor'::text, 'bank'::text]))),
  constraint creditor_country_has_two_letters check ((creditor_country ~ '^[A-Z]{2}$'::text)),
  constraint holder_name_length check ((char_length(holder_name) <= 255)),
  constraint iban_country_has_two_letters check ((iban_country ~ '^[A-Z]{2}$'::text)),
  constraint iban_last4_has_four_characters check ((char_length(iban_last4) = 4)),
  constraint iban_length_is_15_to_34 check (((iban_length >= 15) and (iban_length <= 34))),
  constraint language_is_a_tag check ((language ~ '^[a-z]{2,3}(-[A-Za-z]{2,8})*$'::text)),
  constraint only_b2b_is_confirmed check (((bank_confirmed_on is null) or (scheme = 'B2B'::text))),
  constraint payment_has_evidence check (((source <> 'payment'::text) or ((session_id is not null) and (acceptance_mode is not null) and (text_version is not null)))),
  constraint pre_notification_is_at_most_31_days check (((pre_notification_days >= 0) and (pre_notification_days <= 31))),
  constraint reference_has_characters_of_the_scheme check (((reference ~ '^[A-Za-z0-9+?/:().,''-]{1,35}$'::text) and (reference !~ '^/|/$|//'::text))),
  constraint scheme_known check ((scheme = any (array['CORE'::text, 'B2B'::text]))),
  constraint source_known check ((source = any (array['payment'::text, 'import'::text]))),
  constraint status_known check ((status = any (array['pending'::text, 'active'::text, 'rejected'::text, 'cancelled'::text, 'expired'::text]))),
  constraint status_reason_length check ((char_length(status_reason) <= 255)),
  constraint type_known check ((type = any (array['recurrent'::text, 'one_off'::text]))),
  constraint lead_of_same_tenant foreign key (tenant, lead_id) references leads(tenant, id),
  constraint session_of_same_tenant foreign key (tenant, session_id) references sessions(tenant, id),
  constraint tenant_exists foreign key (tenant) references tenants(tenant)
);
create index mandates_by_account_end on mandates (tenant, iban_last4, created_at desc);
create index mandates_by_blocked_account on mandates (tenant, iban_fingerprint) where (account_blocked_at is not null);
create index mandates_by_holder on mandates (tenant, lower(holder_name));
create index mandates_by_iban on mandates (tenant, iban_fingerprint);
create index mandates_by_scheme on mandates (tenant, scheme, created_at desc, id desc) where (scheme <> 'CORE'::text);
-- What the job that ends unused mandates looks through, and the list of those that are about to end.
create index mandates_lapsing on mandates (tenant, coalesce(last_used_at, accepted_at), created_at desc, id desc) include (last_used_at, accepted_at) where (status = 'active'::text);
create index mandates_newest_first on mandates (tenant, created_at desc, id desc);
create index mandates_not_active on mandates (tenant, status, created_at desc, id desc) where (status <> 'active'::text);
create index mandates_of_lead on mandates (tenant, lead_id);
-- References are the same in upper and lower case (SDD rulebook), and a tenant is one creditor.
create unique index mandates_one_per_reference on mandates (tenant, upper((reference collate "C")));

-- What a mandate was before each change, for the bank that is to be told with the next collection. Rows are
-- added; only sent_at is ever set.
create table mandate_amendments (
  tenant                        integer                   not null,
  mandate_id                    uuid                      not null,
  -- Counted in each mandate.
  number                        integer                   not null,
  at                            timestamp with time zone  not null,
  kind                          text                      not null,
  original_reference            text,
  original_creditor_identifier  text,
  original_creditor_name        text,
  original_holder_name          text,
  -- Sealed. Not known where a mandate came in with only "another bank" said of it.
  original_iban_sealed          bytea,
  original_iban_country         text,
  original_iban_last4           text,
  -- Whether the old account is at the bank of the new one.
  same_bank                     boolean,
  -- When a file announced it to the bank. A change of the holder's name is not announced.
  sent_at                       timestamp with time zone,
  -- From where the customer has agreed to another account on a page of the service; null: the merchant has amended
  -- it.
  accepted_ip                   text,
  -- Version and language of the mandate's text that the customer was shown then.
  text_version                  text,
  constraint mandate_amendments_pkey primary key (tenant, mandate_id, number),
  constraint account_says_whether_same_bank check (((kind = 'account'::text) = (same_bank is not null))),
  constraint creditor_keeps_the_old_one check (((kind <> 'creditor'::text) or (original_creditor_identifier is not null) or (original_creditor_name is not null))),
  constraint kind_known check ((kind = any (array['reference'::text, 'creditor'::text, 'account'::text, 'holder'::text]))),
  constraint number_positive check ((number >= 1)),
  constraint only_account_keeps_an_iban check (((kind = 'account'::text) or (original_iban_sealed is null))),
  constraint original_reference_length check (((char_length(original_reference) >= 1) and (char_length(original_reference) <= 35))),
  constraint reference_keeps_the_old_one check (((kind = 'reference'::text) = (original_reference is not null))),
  constraint mandate_of_same_tenant foreign key (tenant, mandate_id) references mandates(tenant, id)
);
-- A reference is never used again, given up ones included.
create unique index mandate_amendments_one_per_reference on mandate_amendments (tenant, upper((original_reference collate "C"))) where (original_reference is not null);

-- What a session sells; one per session. Renewals belong to the order that began the subscription.
create table orders (
  tenant        integer                   not null,
  id            uuid                      not null,
  session_id    uuid                      not null,
  lead_id       uuid                      not null,
  order_number  text                      not null,
  -- Follows from its payments (docs/states.md, Orders).
  status        text                      not null,
  -- What the session's payment takes: 0 for a free trial.
  amount        numeric(12,2)             not null,
  currency      text                      not null,
  created_at    timestamp with time zone  not null,
  updated_at    timestamp with time zone  not null,
  constraint orders_pkey primary key (tenant, id),
  constraint amount_not_negative check ((amount >= (0)::numeric)),
  constraint order_number_format check ((order_number ~ '^ORD-[0-9A-Z]{8}$'::text)),
  constraint status_known check ((status = any (array['PENDING_PAYMENT_SUBMISSION'::text, 'PENDING'::text, 'COMPLETED'::text, 'FAILED'::text, 'REFUNDED'::text, 'CHARGEDBACK'::text]))),
  constraint lead_of_same_tenant foreign key (tenant, lead_id) references leads(tenant, id),
  constraint session_of_same_tenant foreign key (tenant, session_id) references sessions(tenant, id),
  constraint tenant_exists foreign key (tenant) references tenants(tenant)
);
create unique index orders_one_per_number on orders (tenant, order_number);
create unique index orders_one_per_session on orders (tenant, session_id);

-- One row per instruction to a gateway: a sale, a renewal or a refund; and what a processor's file told of.
create table transactions (
  tenant                   integer                      not null,
  id                       uuid                         not null,
  session_id               uuid,
  order_id                 uuid,
  subscription_id          uuid,
  lead_id                  uuid,
  mandate_id               uuid,
  gateway_id               uuid                         not null,
  -- Our reference at the gateway, which is also the end-to-end id.
  merchant_transaction_id  text                         not null,
  -- The merchant's own reference, used once.
  tenant_reference_id      text,
  -- The gateway's reference.
  gateway_reference        text,
  -- A second reference of the gateway's; null: the same as gateway_reference.
  adapter_unique_id        text,
  -- Up to `verifying` its end is open. `submitted`: sent, answer not yet recorded. `unresolved`: no certain
  -- answer, the gateway is asked again. `awaiting_verification`: the customer is at the bank. `verifying`: the
  -- outcome of that is being fetched. `pending`: accepted, the money is to come.
  status                   text                         not null,
  type                     text                         not null,
  source                   text                         not null,
  sequence_type            text                         not null,
  -- Of a refund: what is given back.
  amount                   numeric(12,2)                not null,
  currency                 text                         not null,
  customer_ip              text,
  -- When receivers hear of the session, settled with the payment's acceptance: the gateway's setting may change
  -- before the money is there. Null: not a session's payment.
  completed_event_at       text,
  -- Why it was declined, in our words; gateway_code has the gateway's.
  error_code               text,
  error_message            text,
  gateway_code             text,
  gateway_message          text,
  verification_id          text,
  verification_url         text,
  -- When the gateway is asked for its outcome.
  resolve_at               timestamp with time zone,
  -- How often it was asked.
  resolve_count            integer                      not null default 0,
  -- Until when, by the database's clock, a claim keeps others away.
  locked_until             timestamp with time zone,
  -- A write names its claim's number, and finds no row when another claim has been taken since
  -- (docs/architecture.md, Leases).
  lease_no                 bigint                       not null default 0,
  -- Of a refund: the transaction that it gives back, in full or in part.
  original_id              uuid,
  -- Of a refund: why, in the merchant's words.
  reason                   text,
  -- Given back or about to be: its refunds that are not declined.
  refund_claimed           numeric(12,2)                not null default 0,
  -- Given back for certain: its refunds that are approved.
  refunded                 numeric(12,2)                not null default 0,
  -- How often it was found to be there after all.
  reinstatements           integer                      not null default 0,
  -- As a processor's file names the customer; nothing else does it here.
  customer_email_csv       text,
  customer_name_csv        text,
  -- This and the next four are what a processor's file tells of account and mandate: our own transactions have a
  -- mandate that does.
  iban_last4               text,
  iban_length              integer,
  bic                      text,
  mandate_reference        text,
  mandate_date             timestamp with time zone,
  created_at               timestamp with time zone     not null,
  -- When the gateway processed it, later when it settled; to the millisecond, as cursors and callers have it.
  -- Null: its end is open, or no gateway had it. Reconciliation does not list it then.
  processed_at             timestamp(3) with time zone,
  updated_at               timestamp with time zone     not null,
  -- Of a renewal: the billing cycle that it is an attempt at. Null: not a renewal of ours, or an attempt from
  -- before this was kept.
  cycle                    integer,
  -- W3C Trace Context of the request or job that has opened the attempt; null when no collector was named then.
  traceparent              text,
  -- Of a refund that a guard held back: when it was to be sent, unless its payment comes back or a person decides.
  held_until               timestamp with time zone,
  -- When a refund with held_until was no longer held, and sent; null: it never was.
  released_at              timestamp with time zone,
  -- Of a refund: `reversal` where the debit is reversed (pain.007); null: the money goes back as the gateway does
  -- it otherwise.
  refund_way               text,
  -- What has followed its return or refusal, where the tenant's rules have decided and not the default.
  return_action            text,
  constraint transactions_pkey primary key (tenant, id),
  constraint amount_not_negative check ((amount >= (0)::numeric)),
  constraint completed_event_at_known check ((completed_event_at = any (array['acceptance'::text, 'settlement'::text]))),
  constraint error_code_known check ((error_code = any (array['insufficient_funds'::text, 'invalid_iban'::text, 'mandate_rejected'::text, 'account_closed'::text, 'do_not_honor'::text, 'gateway_unavailable'::text, 'unknown'::text]))),
  constraint iban_last4_has_four_characters check ((char_length(iban_last4) = 4)),
  constraint iban_length_is_4_to_34 check (((iban_length >= 4) and (iban_length <= 34))),
  constraint merchant_transaction_id_is_ours_or_imported check (((merchant_transaction_id ~ '^TXN-[0-9]{8}-[0-9A-Z]{8}$'::text) or ((source = 'csv_import'::text) and ((char_length(merchant_transaction_id) >= 1) and (char_length(merchant_transaction_id) <= 255))))),
  constraint only_open_are_leased check (((locked_until is null) or (resolve_at is not null))),
  constraint only_refund_has_original check (((original_id is null) or (type = 'sdd_refund'::text))),
  constraint open_is_asked_about check (((status = any (array['submitted'::text, 'unresolved'::text, 'awaiting_verification'::text, 'verifying'::text])) = (resolve_at is not null))),
  constraint open_is_not_processed check (((processed_at is null) or (status <> all (array['submitted'::text, 'unresolved'::text, 'awaiting_verification'::text, 'verifying'::text])))),
  constraint reason_length check ((char_length(reason) <= 500)),
  constraint refund_has_original_and_amount check (((source <> 'admin_refund'::text) or ((original_id is not null) and (amount > (0)::numeric)))),
  constraint refund_way_known check ((refund_way = 'reversal'::text)),
  -- However many refunds are asked for at once, never a cent more than was collected.
  constraint refunds_within_amount check (((refunded >= (0)::numeric) and (refunded <= refund_claimed) and (refund_claimed <= amount))),
  constraint reinstatements_not_negative check ((reinstatements >= 0)),
  constraint sequence_type_known check ((sequence_type = any (array['FRST'::text, 'RCUR'::text]))),
  constraint source_known check ((source = any (array['csv_import'::text, 'api_submission'::text, 'admin_refund'::text, 'webhook'::text, 'hosted_page'::text]))),
  constraint status_known check ((status = any (array['submitted'::text, 'unresolved'::text, 'awaiting_verification'::text, 'verifying'::text, 'pending'::text, 'approved'::text, 'declined'::text, 'refunded'::text, 'charged_back'::text]))),
  constraint tenant_reference_length check (((char_length(tenant_reference_id) >= 1) and (char_length(tenant_reference_id) <= 255))),
  constraint type_known check ((type = any (array['sdd_sale'::text, 'sdd_rebill'::text, 'sdd_refund'::text, 'other_type'::text]))),
  constraint verification_has_url check (((status <> 'awaiting_verification'::text) or (verification_url is not null))),
  constraint gateway_of_same_tenant foreign key (tenant, gateway_id) references gateways(tenant, id),
  constraint lead_of_same_tenant foreign key (tenant, lead_id) references leads(tenant, id),
  constraint mandate_of_same_tenant foreign key (tenant, mandate_id) references mandates(tenant, id),
  constraint order_of_same_tenant foreign key (tenant, order_id) references orders(tenant, id),
  constraint original_of_same_tenant foreign key (tenant, original_id) references transactions(tenant, id),
  constraint session_of_same_tenant foreign key (tenant, session_id) references sessions(tenant, id),
  constraint subscription_of_same_tenant foreign key (tenant, subscription_id) references subscriptions(tenant, id) deferrable initially deferred,
  constraint tenant_exists foreign key (tenant) references tenants(tenant)
);
create index transactions_approved_newest_first on transactions (tenant, created_at desc, id desc) where (status = 'approved'::text);
create index transactions_by_amount on transactions (tenant, amount, created_at desc, id desc);
create index transactions_by_end_newest_first on transactions (tenant, status, created_at desc, id desc) where (status = any (array['declined'::text, 'refunded'::text, 'charged_back'::text]));
create index transactions_by_error_code on transactions (tenant, error_code, created_at desc, id desc, status) where (error_code is not null);
create index transactions_by_gateway on transactions (tenant, gateway_id, created_at desc, id desc);
create index transactions_by_gateway_code on transactions (tenant, gateway_code, created_at desc, id desc, status) where (gateway_code is not null);
create index transactions_by_gateway_reference on transactions (tenant, gateway_id, gateway_reference) where (gateway_reference is not null);
create index transactions_by_imported_account on transactions (tenant, iban_last4, created_at desc) where (iban_last4 is not null);
create index transactions_by_imported_email on transactions (tenant, lower(trim(both from customer_email_csv))) where (customer_email_csv is not null);
create index transactions_by_type on transactions (tenant, type, created_at desc, id desc);
create index transactions_due on transactions (tenant, resolve_at) where (resolve_at is not null);
create index transactions_held on transactions (tenant, held_until) where ((held_until is not null) and (released_at is null) and (status = 'submitted'::text));
create index transactions_newest_first on transactions (tenant, created_at desc, id desc);
create index transactions_newest_processed_first on transactions (tenant, processed_at desc, id desc) where (processed_at is not null);
create index transactions_not_approved on transactions (tenant, status, processed_at desc, id desc) where ((processed_at is not null) and (status <> 'approved'::text));
create index transactions_not_declined_by_error_code on transactions (tenant, error_code, created_at desc, id desc) where ((error_code is not null) and (status <> 'declined'::text));
create index transactions_not_declined_by_gateway_code on transactions (tenant, gateway_code, created_at desc, id desc) where ((gateway_code is not null) and (status <> 'declined'::text));
create index transactions_of_lead on transactions (tenant, lead_id, created_at desc, id desc) where (lead_id is not null);
create index transactions_of_order on transactions (tenant, order_id) where (order_id is not null);
create index transactions_of_original on transactions (tenant, original_id) where (original_id is not null);
create index transactions_of_session on transactions (tenant, session_id, created_at);
create index transactions_of_subscription on transactions (tenant, subscription_id, created_at) where (subscription_id is not null);
-- This and transactions_one_success_per_session are there to refuse a second row, and not to find one: they say
-- it in words that nothing is concluded from, so that no statement that has a row's id reads all that is open
-- instead (docs/decisions/0012-plans.md).
create unique index transactions_one_open_per_session on transactions (tenant, session_id) where (not ((status = any (array['submitted'::text, 'unresolved'::text, 'awaiting_verification'::text, 'verifying'::text])) is distinct from true));
create unique index transactions_one_per_adapter_unique_id on transactions (tenant, gateway_id, adapter_unique_id) where (adapter_unique_id is not null);
create unique index transactions_one_per_merchant_transaction_id on transactions (tenant, merchant_transaction_id);
create unique index transactions_one_per_tenant_reference on transactions (tenant, tenant_reference_id) where (tenant_reference_id is not null);
create unique index transactions_one_success_per_session on transactions (tenant, session_id) where (not (((status = any (array['pending'::text, 'approved'::text, 'refunded'::text, 'charged_back'::text])) and (type = any (array['sdd_sale'::text, 'other_type'::text]))) is distinct from true));
create index transactions_open_newest_first on transactions (tenant, created_at desc, id desc) where (status = any (array['pending'::text, 'submitted'::text, 'unresolved'::text, 'awaiting_verification'::text, 'verifying'::text]));
create index transactions_reinstated on transactions (tenant, subscription_id, cycle) where ((reinstatements > 0) and (cycle is not null));
create index transactions_reinstated_first on transactions (tenant, id) where ((reinstatements > 0) and (cycle is null));

-- Payments that the customer's bank took back, wherever it was heard of. One that the bank took back itself
-- stays as a record.
create table chargebacks (
  tenant                   integer                      not null,
  id                       uuid                         not null,
  -- Of the payment.
  merchant_transaction_id  text                         not null,
  -- Null: imported, and the payment has not arrived yet.
  transaction_id           uuid,
  lead_id                  uuid,
  gateway_id               uuid                         not null,
  adapter_unique_id        text,
  tenant_reference_id      text,
  -- The merchant's id. By this and the next two the transaction of an imported chargeback is known until it
  -- arrives; then the two are linked.
  original_reference       text,
  original_end_to_end_id   text,
  -- The processor's id.
  original_transaction_id  text,
  status                   text                         not null default 'charged_back'::text,
  type                     text                         not null default 'chargeback'::text,
  -- What was taken back: all of the payment, or a part.
  amount                   numeric(12,2)                not null,
  currency                 text                         not null,
  -- To the millisecond, as cursors and callers have it.
  report_date              timestamp(3) with time zone  not null,
  transaction_date         timestamp with time zone,
  -- ISO 20022 code, such as AM04.
  reason_code              text,
  reason_message           text,
  report_type              text,
  report_message           text,
  report_info              text,
  -- Acquirer reference number, where a processor gives one.
  arn                      text,
  -- This, length, BIC, e-mail and country are as a processor's file tells them.
  iban_last4               text,
  iban_length              integer,
  bic                      text,
  email                    text,
  country                  text,
  source                   text                         not null,
  -- What the bank took for it.
  cb_bank_fee              numeric(12,2),
  -- When the bank took it back: the payment may be charged back again.
  withdrawn_on             date,
  created_at               timestamp with time zone     not null,
  updated_at               timestamp with time zone     not null,
  -- Of the session that the transaction paid: a list of one campaign's would look up the payment of every
  -- chargeback.
  campaign_id              uuid,
  -- Whether campaign_id was looked up; false: by code that did not know it, or without a transaction.
  campaign_known           boolean                      not null default false,
  constraint chargebacks_pkey primary key (tenant, id),
  constraint amount_positive check ((amount > (0)::numeric)),
  constraint bank_fee_not_negative check ((cb_bank_fee >= (0)::numeric)),
  constraint source_known check ((source = any (array['csv_import'::text, 'webhook'::text, 'reconciliation'::text, 'manual'::text]))),
  constraint status_known check ((status = 'charged_back'::text)),
  constraint type_known check ((type = 'chargeback'::text)),
  constraint gateway_of_same_tenant foreign key (tenant, gateway_id) references gateways(tenant, id),
  constraint lead_of_same_tenant foreign key (tenant, lead_id) references leads(tenant, id),
  constraint tenant_exists foreign key (tenant) references tenants(tenant),
  constraint transaction_of_same_tenant foreign key (tenant, transaction_id) references transactions(tenant, id)
);
create index chargebacks_by_bank on chargebacks (tenant, "left"(bic, 8), created_at desc, id desc) where (bic is not null);
create index chargebacks_by_merchant_transaction_id on chargebacks (tenant, merchant_transaction_id);
create index chargebacks_by_reason on chargebacks (tenant, reason_code, created_at desc, id desc) where (reason_code is not null);
create index chargebacks_newest_first on chargebacks (tenant, created_at desc, id desc);
create index chargebacks_newest_reported_first on chargebacks (tenant, report_date desc, id desc);
create index chargebacks_of_campaign on chargebacks (tenant, campaign_id, created_at desc, id desc) where (campaign_id is not null);
create index chargebacks_of_gateway on chargebacks (tenant, gateway_id, created_at desc, id desc);
create index chargebacks_of_transaction on chargebacks (tenant, transaction_id) where (transaction_id is not null);
create index chargebacks_of_unknown_campaign on chargebacks (tenant, created_at desc, id desc) where ((not campaign_known) and (transaction_id is not null));
create unique index chargebacks_one_standing_per_transaction on chargebacks (tenant, merchant_transaction_id) where (withdrawn_on is null);
create index chargebacks_unlinked_by_end_to_end_id on chargebacks (tenant, original_end_to_end_id) where (transaction_id is null);
create index chargebacks_unlinked_by_reference on chargebacks (tenant, original_reference) where (transaction_id is null);
create index chargebacks_unlinked_by_transaction_id on chargebacks (tenant, gateway_id, original_transaction_id) where (transaction_id is null);
create index chargebacks_unlinked_newest_first on chargebacks (tenant, created_at desc, id desc) where (transaction_id is null);
create index chargebacks_withdrawn_by_reason on chargebacks (tenant, reason_code) where (withdrawn_on is not null);

-- Files of a processor that were imported, and how far.
create table imports (
  tenant       integer                   not null,
  id           uuid                      not null,
  kind         text                      not null,
  gateway_id   uuid                      not null,
  file_name    text                      not null,
  -- Known once the file was read to its end.
  file_sha256  text,
  -- Whether the file was only checked.
  dry_run      boolean                   not null,
  status       text                      not null,
  -- Why it has failed; what was written before stays.
  error        text,
  -- Lines read; the next four count them by result.
  lines        integer                   not null default 0,
  created      integer                   not null default 0,
  duplicate    integer                   not null default 0,
  linked       integer                   not null default 0,
  rejected     integer                   not null default 0,
  -- The first of them: {line, reasons}.
  rejections   jsonb                     not null default '[]'::jsonb,
  created_at   timestamp with time zone  not null,
  updated_at   timestamp with time zone  not null,
  constraint imports_pkey primary key (tenant, id),
  constraint file_name_length check ((char_length(file_name) <= 255)),
  constraint kind_known check ((kind = any (array['transactions'::text, 'chargebacks'::text]))),
  constraint status_known check ((status = any (array['running'::text, 'done'::text, 'failed'::text]))),
  constraint gateway_of_same_tenant foreign key (tenant, gateway_id) references gateways(tenant, id),
  constraint tenant_exists foreign key (tenant) references tenants(tenant)
);
create index imports_newest_first on imports (tenant, created_at desc, id desc);
create index imports_running on imports (updated_at) where (status = 'running'::text);

-- References whose notices could not be recorded. The gateway keeps the notices; they are tried again at due_at.
create table gateway_news_set_aside (
  tenant      integer                   not null,
  gateway_id  uuid                      not null,
  reference   text                      not null,
  -- Of the notice that failed.
  kind        text                      not null,
  why         text                      not null,
  tries       integer                   not null default 1,
  since       timestamp with time zone  not null,
  due_at      timestamp with time zone  not null,
  constraint gateway_news_set_aside_pkey primary key (tenant, gateway_id, reference),
  constraint kind_known check ((kind = any (array['settled'::text, 'returned'::text, 'charged_back'::text, 'fee'::text, 'reinstated'::text]))),
  constraint tries_positive check ((tries > 0)),
  constraint why_length check ((char_length(why) <= 500)),
  constraint gateway_of_same_tenant foreign key (tenant, gateway_id) references gateways(tenant, id),
  constraint tenant_exists foreign key (tenant) references tenants(tenant)
);

-- What collects again under one mandate (docs/states.md, Subscriptions).
create table subscriptions (
  tenant                    integer                      not null,
  id                        uuid                         not null,
  order_id                  uuid                         not null,
  lead_id                   uuid                         not null,
  offer_id                  uuid,
  gateway_id                uuid                         not null,
  mandate_id                uuid                         not null,
  -- Stays CANCELLED once it is.
  status                    text                         not null,
  -- Of each renewal.
  billing_amount            numeric(12,2)                not null,
  currency                  text                         not null,
  -- Null: the merchant triggers each renewal.
  billing_frequency         text,
  -- When it was bought.
  start_date                timestamp with time zone     not null,
  -- Null: there was no trial.
  trial_end_date            date,
  -- The day from which all due dates are counted (contract: Due dates).
  billing_anchor_date       date,
  -- The due date of the next cycle; null: nothing more falls due without the merchant.
  next_billing_date         date,
  -- The next_billing_date that was announced last.
  announced_date            date,
  last_billing_date         timestamp with time zone,
  -- Since when it is PAST_DUE: only a collection that was asked for later makes it ACTIVE again.
  past_due_since            timestamp with time zone,
  -- It ends on its next due date, and collects no more.
  cancel_at_period_end      boolean                      not null default false,
  cancelled_at              timestamp with time zone,
  -- A word of ours (`chargeback`, `refund`, …) or the merchant's.
  cancel_reason             text,
  -- Cycles that are paid, the charged back ones not counted.
  successful_billing_count  integer                      not null default 0,
  -- Attempts that failed.
  failed_billing_count      integer                      not null default 0,
  -- What arrived and stayed: approved payments less their refunds, nothing of what was charged back; of a
  -- chargeback of a part, the rest.
  total_revenue             numeric(14,2)                not null default 0,
  -- To the millisecond, as cursors and callers have it.
  created_at                timestamp(3) with time zone  not null,
  updated_at                timestamp with time zone     not null,
  -- last: cycles after the anchor are due on the last day of their month. Null: on the anchor's day.
  billing_day               text,
  -- The cycle that is due on billing_anchor_date: 0 unless its day was changed.
  billing_anchor_cycle      integer                      not null default 0,
  constraint subscriptions_pkey primary key (tenant, id),
  constraint billing_amount_positive check ((billing_amount > (0)::numeric)),
  constraint billing_day_known check ((billing_day = 'last'::text)),
  constraint billing_frequency_known check ((billing_frequency = any (array['WEEKLY'::text, 'BIWEEKLY'::text, 'MONTHLY'::text, 'QUARTERLY'::text, 'SEMIANNUALLY'::text, 'YEARLY'::text]))),
  constraint cancel_reason_length check ((char_length(cancel_reason) <= 255)),
  constraint cancelled_has_time check (((status = 'CANCELLED'::text) = (cancelled_at is not null))),
  constraint failed_billing_count_not_negative check ((failed_billing_count >= 0)),
  constraint status_known check ((status = any (array['ACTIVE'::text, 'PAST_DUE'::text, 'CANCELLED'::text]))),
  constraint successful_billing_count_not_negative check ((successful_billing_count >= 0)),
  constraint total_revenue_not_negative check ((total_revenue >= (0)::numeric)),
  constraint gateway_of_same_tenant foreign key (tenant, gateway_id) references gateways(tenant, id),
  constraint lead_of_same_tenant foreign key (tenant, lead_id) references leads(tenant, id),
  constraint mandate_of_same_tenant foreign key (tenant, mandate_id) references mandates(tenant, id),
  constraint offer_of_same_tenant foreign key (tenant, offer_id) references offers(tenant, id),
  constraint order_of_same_tenant foreign key (tenant, order_id) references orders(tenant, id),
  constraint tenant_exists foreign key (tenant) references tenants(tenant)
);
create index subscriptions_due on subscriptions (tenant, next_billing_date) where ((next_billing_date is not null) and (status <> 'CANCELLED'::text));
create index subscriptions_newest_first on subscriptions (tenant, created_at desc, id desc);
create index subscriptions_not_active on subscriptions (tenant, status, created_at desc, id desc) where (status <> 'ACTIVE'::text);
create index subscriptions_of_lead on subscriptions (tenant, lead_id, created_at desc, id desc);
create index subscriptions_of_mandate on subscriptions (tenant, mandate_id);
create unique index subscriptions_one_per_order on subscriptions (tenant, order_id);

-- What subscriptions owe: one row per due date, whose primary key makes each happen once. Cycles stand side by
-- side: one whose settlement or next try is weeks away keeps no later one from its day.
create table billing_cycles (
  tenant               integer                   not null,
  subscription_id      uuid                      not null,
  -- Counted from the anchor, which is cycle 0.
  cycle                integer                   not null,
  due_date             date                      not null,
  -- `collecting`: the gateway is being asked. `pending`: accepted, the money is to come. `retry`: tried again
  -- later. `skipped`: it was missed while nothing ran, and is never collected in a burst. `withdrawn`: its
  -- instruction was taken back before it left.
  status               text                      not null,
  -- Failed and open attempts; an attempt that certainly did not reach the gateway does not count.
  attempts             integer                   not null default 0,
  -- Of the newest attempt.
  transaction_id       uuid,
  next_attempt_at      timestamp with time zone,
  -- When its gateway was asked to take the instruction back.
  withdrawal_asked_at  timestamp with time zone,
  -- Why the newest attempt failed.
  error_code           text,
  created_at           timestamp with time zone  not null,
  updated_at           timestamp with time zone  not null,
  constraint billing_cycles_pkey primary key (tenant, subscription_id, cycle),
  constraint attempts_not_negative check ((attempts >= 0)),
  constraint cycle_not_negative check ((cycle >= 0)),
  constraint retry_has_time check (((status = 'retry'::text) = (next_attempt_at is not null))),
  constraint status_known check ((status = any (array['collecting'::text, 'pending'::text, 'retry'::text, 'paid'::text, 'failed'::text, 'skipped'::text, 'charged_back'::text, 'withdrawn'::text]))),
  constraint subscription_of_same_tenant foreign key (tenant, subscription_id) references subscriptions(tenant, id),
  constraint transaction_of_same_tenant foreign key (tenant, transaction_id) references transactions(tenant, id)
);
create index billing_cycles_pending on billing_cycles (tenant, transaction_id) where (status = 'pending'::text);
create index billing_cycles_retry on billing_cycles (tenant, next_attempt_at) where (next_attempt_at is not null);

-- Files to and from the banks.
create table sepa_files (
  tenant              integer                   not null,
  id                  uuid                      not null,
  -- The account that it was written or read for.
  gateway_id          uuid                      not null,
  direction           text                      not null,
  -- pain.008, pain.001, pain.002, camt.052, camt.053, camt.054, zip.
  kind                text                      not null,
  name                text                      not null,
  -- Ours when it goes out; the bank's own when it comes in.
  message_id          text,
  -- Of the content in clear, by which a file that came in before is known.
  sha256              bytea                     not null,
  -- Sealed: it holds IBANs. Of a large file the first piece; the others are in sepa_file_pieces.
  content             bytea                     not null,
  -- Bytes of the content in clear.
  size                integer                   not null,
  -- How many it holds; amount is their sum.
  transactions        integer                   not null default 0,
  amount              numeric(14,2)             not null default 0,
  -- Of what goes out.
  due_date            date,
  -- Out: `to_approve` until it has its approvals, then `ready` to be downloaded, or `stored`, `uploading`,
  -- `renaming`, `sent`; `unclear` when it is unknown whether it arrived; `withdrawn` when it was taken back before
  -- it was sent: its instructions wait for another file. In: `applied` or `refused`. `sent` without approvals is
  -- one that an operator has found at the bank.
  status              text                      not null,
  error               text,
  -- Of a file that came in: what it led to, in figures.
  report              jsonb                     not null default '{}'::jsonb,
  locked_until        timestamp with time zone,
  lease_no            bigint                    not null default 0,
  -- When an upload is to be tried.
  due_at              timestamp with time zone,
  attempts            integer                   not null default 0,
  sent_at             timestamp with time zone,
  created_at          timestamp with time zone  not null,
  updated_at          timestamp with time zone  not null,
  -- As its account asked for when it was written.
  approvals_required  integer                   not null default 0,
  -- How many it has.
  approvals           integer                   not null default 0,
  -- It was taken back because its day passed before it was approved.
  missed_approval     boolean                   not null default false,
  constraint sepa_files_pkey primary key (tenant, id),
  constraint approved_before_it_goes check (((approvals >= approvals_required) or (status = any (array['to_approve'::text, 'sent'::text, 'withdrawn'::text])))),
  constraint attempts_not_negative check ((attempts >= 0)),
  constraint direction_known check ((direction = any (array['out'::text, 'in'::text]))),
  constraint name_length check (((char_length(name) >= 1) and (char_length(name) <= 255))),
  constraint report_is_object check ((jsonb_typeof(report) = 'object'::text)),
  constraint sha256_has_32_bytes check ((octet_length(sha256) = 32)),
  constraint size_not_negative check ((size >= 0)),
  constraint status_known check ((status = any (array['to_approve'::text, 'ready'::text, 'stored'::text, 'uploading'::text, 'renaming'::text, 'sent'::text, 'unclear'::text, 'withdrawn'::text, 'applied'::text, 'refused'::text]))),
  constraint upload_has_due_time check (((due_at is not null) = (status = any (array['stored'::text, 'uploading'::text, 'renaming'::text])))),
  constraint gateway_of_same_tenant foreign key (tenant, gateway_id) references gateways(tenant, id),
  constraint tenant_exists foreign key (tenant) references tenants(tenant)
);
create index sepa_files_by_content on sepa_files (tenant, gateway_id, sha256) where (direction = 'in'::text);
create index sepa_files_due on sepa_files (tenant, due_at) where (due_at is not null);
create index sepa_files_for_people on sepa_files (tenant, status) where (status = any (array['ready'::text, 'unclear'::text]));
create index sepa_files_newest_first on sepa_files (tenant, created_at desc, id desc);
create unique index sepa_files_one_per_message on sepa_files (tenant, gateway_id, message_id) where (direction = 'out'::text);
create unique index sepa_files_read_once on sepa_files (tenant, gateway_id, sha256) where ((direction = 'in'::text) and (status = 'applied'::text));
create index sepa_files_to_approve on sepa_files (tenant, gateway_id) where ((status = 'to_approve'::text) or missed_approval);

-- A bank file of hundreds of megabytes is kept in pieces: sepa_files.content holds the first, this table the
-- others.
create table sepa_file_pieces (
  tenant   integer  not null,
  file_id  uuid     not null,
  number   integer  not null,
  -- Sealed, which nothing can compress.
  content  bytea    not null,
  constraint sepa_file_pieces_pkey primary key (tenant, file_id, number),
  constraint pieces_come_after_the_first check ((number >= 1)),
  constraint file_of_same_tenant foreign key (tenant, file_id) references sepa_files(tenant, id) on delete cascade
);

-- The books of accounts at banks: one row per instruction, a debit or a credit transfer that gives one back.
create table sepa_collections (
  tenant               integer                   not null,
  gateway_id           uuid                      not null,
  -- The end-to-end id, which is unique for ever.
  reference            text                      not null,
  -- Of a credit transfer: the reference that it gives (part of) back. What is given back of a debit is added up
  -- where it is asked: a transfer that the bank refuses counts no more.
  refund_of            text,
  -- Of a refund: when that collection was settled.
  collected_on         date,
  -- `accepted`, then `batched` (in a file), then `settled`, then maybe `returned`; `rejected` before settlement;
  -- `fenced`: never to be collected; `refused`: not taken by the adapter; `mandate_only`: nothing to collect.
  state                text                      not null,
  amount               numeric(12,2)             not null,
  currency             text                      not null,
  recurring            boolean                   not null,
  -- This and the creditor's columns: what it was announced under to the bank. Null: in no file yet.
  scheme               text,
  -- As in the file; null: in none yet.
  sequence_type        text,
  -- The mandate that it was written with.
  mandate_id           uuid,
  mandate_reference    text                      not null,
  mandate_signed_on    date,
  -- The last amendment of the mandate that it announced. The bank knows of it once it has taken the collection; a
  -- file that it refused has told nothing.
  amended_up_to        integer,
  creditor_name        text,
  creditor_identifier  text,
  -- In the characters of SEPA.
  debtor_name          text                      not null,
  -- Sealed: account and address.
  debtor               bytea,
  -- What the debtor reads on the bank statement.
  remittance           text                      not null,
  -- The first day on which it may be due.
  not_before           date,
  file_id              uuid,
  -- PmtInfId: the block in its file.
  block_id             text,
  -- As in its file.
  due_date             date,
  settled_on           date,
  -- Settled because the bank was silent for so long.
  assumed              boolean                   not null default false,
  returned_on          date,
  reason_code          text,
  -- Each time the money is there after all a new round begins, in which it can come back again.
  round                integer                   not null default 0,
  -- The bank's booking day of that.
  reinstated_on        date,
  -- Of the booking, once it is settled: the bank's reference, else our file and block; and the end-to-end id.
  gateway_reference    text,
  -- How often the service asked for it.
  asked_count          integer                   not null default 1,
  created_at           timestamp with time zone  not null,
  updated_at           timestamp with time zone  not null,
  -- Of a reversal: the last day on which the bank takes it. Null: it is a debit or a transfer.
  reversible_until     date,
  constraint sepa_collections_pkey primary key (tenant, gateway_id, reference),
  constraint amount_not_negative check ((amount >= (0)::numeric)),
  constraint in_a_file_is_in_a_block check (((file_id is null) = (block_id is null))),
  constraint remittance_length check ((char_length(remittance) <= 140)),
  constraint round_not_negative check ((round >= 0)),
  constraint scheme_known check ((scheme = any (array['CORE'::text, 'B2B'::text]))),
  constraint sequence_type_known check ((sequence_type = any (array['FRST'::text, 'RCUR'::text, 'OOFF'::text]))),
  constraint state_known check ((state = any (array['mandate_only'::text, 'accepted'::text, 'batched'::text, 'settled'::text, 'rejected'::text, 'returned'::text, 'fenced'::text, 'refused'::text]))),
  constraint file_of_same_tenant foreign key (tenant, file_id) references sepa_files(tenant, id),
  constraint gateway_of_same_tenant foreign key (tenant, gateway_id) references gateways(tenant, id),
  constraint tenant_exists foreign key (tenant) references tenants(tenant)
);
create index sepa_collections_by_mandate_reference on sepa_collections (tenant, gateway_id, upper(mandate_reference), created_at);
create index sepa_collections_of_block on sepa_collections (tenant, gateway_id, block_id) where (block_id is not null);
create index sepa_collections_of_file on sepa_collections (tenant, file_id) where (file_id is not null);
create index sepa_collections_of_mandate on sepa_collections (tenant, mandate_id) where (mandate_id is not null);
create index sepa_collections_of_refunded on sepa_collections (tenant, gateway_id, refund_of) where (refund_of is not null);
create index sepa_collections_unanswered on sepa_collections (tenant, file_id, due_date) where (state = 'batched'::text);
create index sepa_collections_waiting on sepa_collections (tenant, gateway_id, not_before) where (state = 'accepted'::text);

-- What the bank's files said of collections, until the payments have it.
create table sepa_news (
  tenant             integer                   not null,
  gateway_id         uuid                      not null,
  number             bigint                    not null generated always as identity,
  reference          text                      not null,
  kind               text                      not null,
  -- The round of its collection that it is about.
  round              integer                   not null default 0,
  -- When it happened at the bank.
  at                 timestamp with time zone  not null,
  -- Where it is not the collection's.
  amount             numeric(12,2),
  bank_fee           numeric(12,2),
  gateway_reference  text,
  reason_code        text,
  reason_message     text,
  -- Of a chargeback: return, refund or unauthorised refund.
  report_type        text,
  -- Null where no file said it.
  file_id            uuid,
  -- Since when it waits to be taken: the books check tells of those that wait too long.
  written_at         timestamp with time zone  not null default now(),
  -- When the payments had it.
  acknowledged_at    timestamp with time zone,
  constraint sepa_news_pkey primary key (tenant, gateway_id, number),
  constraint amount_positive check ((amount > (0)::numeric)),
  constraint kind_known check ((kind = any (array['settled'::text, 'returned'::text, 'charged_back'::text, 'fee'::text, 'reinstated'::text]))),
  constraint round_not_negative check ((round >= 0)),
  constraint collection_of_same_account foreign key (tenant, gateway_id, reference) references sepa_collections(tenant, gateway_id, reference),
  constraint file_of_same_tenant foreign key (tenant, file_id) references sepa_files(tenant, id),
  constraint tenant_exists foreign key (tenant) references tenants(tenant)
);
create index sepa_news_following on sepa_news (tenant, file_id) where (acknowledged_at is null);
create unique index sepa_news_once on sepa_news (tenant, gateway_id, reference, kind, round);
create index sepa_news_open on sepa_news (tenant, gateway_id, number) where (acknowledged_at is null);

-- Which entry of the bank's has told of a movement first: the same one is told again by other files, and a
-- second one is not the same.
create table sepa_bookings (
  tenant          integer  not null,
  gateway_id      uuid     not null,
  reference       text     not null,
  movement        text     not null,
  booked_on       date     not null,
  -- The bank's own reference of the entry.
  bank_reference  text,
  file_id         uuid,
  -- Our file that the entry named as a whole or by a block; null for an entry of one instruction, and in old rows.
  named_file      text,
  constraint sepa_bookings_pkey primary key (tenant, gateway_id, reference, movement),
  constraint movement_known check ((movement = any (array['credit'::text, 'debit'::text, 'fee'::text]))),
  constraint collection_of_same_account foreign key (tenant, gateway_id, reference) references sepa_collections(tenant, gateway_id, reference),
  constraint file_of_same_tenant foreign key (tenant, file_id) references sepa_files(tenant, id)
);
create index sepa_bookings_by_bank_reference on sepa_bookings (tenant, gateway_id, bank_reference) where (bank_reference is not null);

-- What each entry of a file that came in led to.
create table sepa_entries (
  tenant       integer        not null,
  file_id      uuid           not null,
  -- Counted in the file.
  number       integer        not null,
  -- `known`: another entry had said it before. `unmatched`: a person decides.
  result       text           not null,
  -- The collection that it was about; null: of none of ours.
  reference    text,
  amount       numeric(14,2),
  reason_code  text,
  detail       text           not null default ''::text,
  constraint sepa_entries_pkey primary key (tenant, file_id, number),
  constraint result_known check ((result = any (array['settled'::text, 'rejected'::text, 'returned'::text, 'known'::text, 'ignored'::text, 'unmatched'::text]))),
  constraint file_of_same_tenant foreign key (tenant, file_id) references sepa_files(tenant, id)
);

-- Entries of the bank's files that a person has to decide.
create table sepa_unmatched (
  tenant       integer                   not null,
  id           uuid                      not null,
  gateway_id   uuid                      not null,
  file_id      uuid                      not null,
  -- Its number in the file.
  entry        integer                   not null,
  -- The same for the same entry in whichever file: see src/gateways/sepa-batch/incoming/report.ts. Null for one of
  -- which nothing tells.
  identity     text,
  kind         text                      not null,
  -- Why it was not decided, in words.
  why          text                      not null,
  amount       numeric(14,2),
  bank_fee     numeric(12,2),
  booked_on    date,
  -- What the entry said.
  facts        jsonb                     not null,
  -- `part`: a person has said of what it is a part; it is applied when the parts make up the whole.
  status       text                      not null default 'open'::text,
  -- Of a part: which collections it is a part of.
  target       jsonb,
  -- The person's note.
  resolution   text,
  -- The collection that it was applied to.
  reference    text,
  resolved_at  timestamp with time zone,
  created_at   timestamp with time zone  not null,
  constraint sepa_unmatched_pkey primary key (tenant, id),
  constraint facts_are_object check ((jsonb_typeof(facts) = 'object'::text)),
  constraint kind_known check ((kind = any (array['collection'::text, 'block'::text, 'return'::text, 'reject'::text, 'withdrawn_return'::text, 'fee'::text, 'transfer'::text, 'unreadable'::text]))),
  constraint part_has_target check (((status <> 'part'::text) or (target is not null))),
  constraint resolution_length check ((char_length(resolution) <= 500)),
  constraint resolved_has_time check (((status = any (array['open'::text, 'part'::text])) = (resolved_at is null))),
  constraint status_known check ((status = any (array['open'::text, 'part'::text, 'applied'::text, 'dismissed'::text]))),
  constraint file_of_same_tenant foreign key (tenant, file_id) references sepa_files(tenant, id),
  constraint gateway_of_same_tenant foreign key (tenant, gateway_id) references gateways(tenant, id),
  constraint tenant_exists foreign key (tenant) references tenants(tenant)
);
create index sepa_unmatched_newest_first on sepa_unmatched (tenant, created_at desc, id desc);
create unique index sepa_unmatched_once on sepa_unmatched (tenant, identity);
create index sepa_unmatched_open on sepa_unmatched (tenant, created_at) where (status = any (array['open'::text, 'part'::text]));
create index sepa_unmatched_parts on sepa_unmatched (tenant, target) where (status = 'part'::text);

-- The statements (camt.053) that were read, so that a missing one is noticed.
create table sepa_statements (
  tenant        integer                   not null,
  id            uuid                      not null,
  -- For which the file was read.
  gateway_id    uuid                      not null,
  file_id       uuid                      not null,
  -- The merchant's own account.
  iban          text                      not null,
  -- The last day that it covers.
  ends_on       date                      not null,
  -- ElctrncSeqNb, else LglSeqNb; many banks begin again each year.
  sequence      bigint,
  statement_id  text,
  -- The balance before its entries; closing is the one after them.
  opening       numeric(16,2),
  closing       numeric(16,2),
  -- What is missing before it, in words; null: nothing.
  gap           text,
  created_at    timestamp with time zone  not null,
  constraint sepa_statements_pkey primary key (tenant, id),
  constraint iban_format check ((iban ~ '^[A-Z0-9]{15,34}$'::text)),
  constraint file_of_same_tenant foreign key (tenant, file_id) references sepa_files(tenant, id),
  constraint gateway_of_same_tenant foreign key (tenant, gateway_id) references gateways(tenant, id),
  constraint tenant_exists foreign key (tenant) references tenants(tenant)
);
create index sepa_statements_in_order on sepa_statements (tenant, iban, ends_on);
create index sepa_statements_newest_first on sepa_statements (tenant, created_at desc, id desc);
create index sepa_statements_with_gap on sepa_statements (tenant, created_at) where (gap is not null);

-- One row per account at a bank: its lease, its counters and when it last ran.
create table sepa_accounts (
  tenant        integer                   not null,
  gateway_id    uuid                      not null,
  -- The day whose run is done.
  last_run_on   date,
  -- When that was, for an operator who asks why nothing is written.
  last_run_at   timestamp with time zone,
  -- Of message ids.
  last_number   integer                   not null default 0,
  -- When the bank's files were last looked for.
  polled_at     timestamp with time zone,
  -- What went wrong then; null: nothing.
  poll_error    text,
  locked_until  timestamp with time zone,
  lease_no      bigint                    not null default 0,
  constraint sepa_accounts_pkey primary key (tenant, gateway_id),
  constraint gateway_of_same_tenant foreign key (tenant, gateway_id) references gateways(tenant, id)
);

-- The accounts for which a gateway has written files: their statements come after the gateway has moved to
-- another account.
create table sepa_creditor_accounts (
  tenant         integer                   not null,
  gateway_id     uuid                      not null,
  -- The merchant's own, as in the gateway's settings.
  iban           text                      not null,
  first_used_at  timestamp with time zone  not null,
  last_used_at   timestamp with time zone  not null,
  constraint sepa_creditor_accounts_pkey primary key (tenant, gateway_id, iban),
  constraint iban_format check ((iban ~ '^[A-Z0-9]{15,34}$'::text)),
  constraint used_in_order check ((first_used_at <= last_used_at)),
  constraint gateway_of_same_tenant foreign key (tenant, gateway_id) references gateways(tenant, id)
);

-- Partners that post results back, to a URL that is itself the credential.
create table integrations (
  tenant                  integer                   not null,
  id                      uuid                      not null,
  name                    text                      not null,
  provider                text                      not null,
  -- The partner's switch; active is the record's own. Both have to be on.
  provider_active         boolean                   not null,
  active                  boolean                   not null,
  -- Our name to the partner's key.
  key_mapping             jsonb                     not null,
  -- SHA-256, to find the record by.
  token_hash              bytea                     not null,
  -- Sealed, to show the URL again.
  token_sealed            bytea                     not null,
  -- Sealed. What the partner sends along; null: nothing is asked for.
  postback_secret         bytea,
  -- Where the partner is asked for what never came.
  read_url                text,
  -- Sealed.
  read_token              bytea,
  -- How the partner's pages are read.
  read_paging             jsonb                     not null,
  -- When the partner is asked for what was missed; null: at once.
  read_due_at             timestamp with time zone,
  -- When the last complete reading began; null: there was none.
  read_since              timestamp with time zone,
  last_read_at            timestamp with time zone,
  last_read_error         text,
  -- How long bodies are kept.
  payload_retention_days  integer                   not null,
  created_at              timestamp with time zone  not null,
  updated_at              timestamp with time zone  not null,
  archived_at             timestamp with time zone,
  constraint integrations_pkey primary key (tenant, id),
  constraint key_mapping_is_object check ((jsonb_typeof(key_mapping) = 'object'::text)),
  constraint name_length check (((char_length(name) >= 1) and (char_length(name) <= 255))),
  constraint payload_retention_is_at_most_ten_years check (((payload_retention_days >= 1) and (payload_retention_days <= 3650))),
  constraint read_paging_is_object check ((jsonb_typeof(read_paging) = 'object'::text)),
  constraint read_url_length check ((char_length(read_url) <= 2000)),
  constraint token_hash_has_32_bytes check ((octet_length(token_hash) = 32)),
  constraint tenant_exists foreign key (tenant) references tenants(tenant)
);
create unique index integrations_one_per_token on integrations (tenant, token_hash);
create index integrations_to_read on integrations (tenant, read_due_at) where ((read_url is not null) and (read_token is not null));

-- One row per postback that is not a repetition, and per postback that came while its record was switched off.
create table integration_activities (
  tenant          integer                   not null,
  id              uuid                      not null,
  integration_id  uuid                      not null,
  -- `skipped`: the record was switched off.
  status          text                      not null,
  reason          text,
  -- Fetched from the partner, because it was never posted.
  recovered       boolean                   not null,
  request_uuid    text,
  -- Sealed; null: none was read, or its time is over.
  payload         bytea,
  -- When it is processed.
  due_at          timestamp with time zone,
  -- Grows with every claim, so that only the last one may write.
  attempts        integer                   not null default 0,
  -- Since it was last asked for.
  tries           integer                   not null default 0,
  lead_id         uuid,
  order_id        uuid,
  session_id      uuid,
  created_at      timestamp with time zone  not null,
  processed_at    timestamp with time zone,
  constraint integration_activities_pkey primary key (tenant, id),
  constraint matched_has_lead check (((status = 'matched'::text) = (lead_id is not null))),
  constraint received_has_due_time check (((status = 'received'::text) = (due_at is not null))),
  constraint request_uuid_length check (((char_length(request_uuid) >= 1) and (char_length(request_uuid) <= 255))),
  constraint status_known check ((status = any (array['received'::text, 'matched'::text, 'unmatched'::text, 'failed'::text, 'skipped'::text]))),
  constraint tries_within_attempts check (((tries >= 0) and (tries <= attempts))),
  constraint integration_of_same_tenant foreign key (tenant, integration_id) references integrations(tenant, id),
  constraint lead_of_same_tenant foreign key (tenant, lead_id) references leads(tenant, id),
  constraint order_of_same_tenant foreign key (tenant, order_id) references orders(tenant, id),
  constraint session_of_same_tenant foreign key (tenant, session_id) references sessions(tenant, id)
);
create index integration_activities_by_request_uuid on integration_activities (tenant, integration_id, request_uuid) where (request_uuid is not null);
create index integration_activities_due on integration_activities (tenant, due_at) where (due_at is not null);
create index integration_activities_newest_first on integration_activities (tenant, integration_id, created_at desc, id desc);
create index integration_activities_with_payload on integration_activities (tenant, integration_id, created_at) where (payload is not null);

-- What makes two postbacks one: keyed fingerprints of their request_uuid, else of their body. The primary key
-- decides.
create table integration_postback_keys (
  tenant          integer                   not null,
  integration_id  uuid                      not null,
  -- Keyed hash, one per integration.
  fingerprint     bytea                     not null,
  activity_id     uuid                      not null,
  -- From then on the partner may post the same anew.
  expires_at      timestamp with time zone  not null,
  constraint integration_postback_keys_pkey primary key (tenant, integration_id, fingerprint),
  constraint fingerprint_has_32_bytes check ((octet_length(fingerprint) = 32)),
  constraint activity_of_same_tenant foreign key (tenant, activity_id) references integration_activities(tenant, id) deferrable initially deferred
);
create index integration_postback_keys_oldest_first on integration_postback_keys (tenant, expires_at);

-- Stored answers: what was answered under an Idempotency-Key, and which requests are still running.
create table idempotency_keys (
  tenant        integer                   not null,
  -- `key:<id>`, `session:<id>` or `operator`: two callers never share a key.
  caller        text                      not null,
  key           text                      not null,
  -- Ids of records that the request makes follow from it, so that a second run finds the first's.
  request_id    uuid                      not null,
  -- SHA-256 of method, path and body: another request under the same key is refused.
  request_hash  bytea                     not null,
  -- Passes when the process that ran the request died before it could store an answer.
  locked_until  timestamp with time zone,
  -- HTTP status of the answer; null: none is stored.
  status        integer,
  -- Sealed: it may hold a token or a key.
  answer        bytea,
  created_at    timestamp with time zone  not null,
  constraint idempotency_keys_pkey primary key (tenant, caller, key),
  constraint answer_has_status check (((status is null) = (answer is null))),
  constraint key_length check (((char_length(key) >= 1) and (char_length(key) <= 255))),
  constraint request_hash_has_32_bytes check ((octet_length(request_hash) = 32))
);
create index idempotency_keys_oldest_first on idempotency_keys (tenant, created_at);

-- Reference data, the same for every tenant: which bank a bank code belongs to.
create table banks (
  country      text                      not null,
  bank_code    text                      not null,
  bic          text,
  name         text                      not null,
  -- The national registry that it was imported from.
  source       text                      not null,
  imported_at  timestamp with time zone  not null,
  constraint banks_pkey primary key (country, bank_code),
  constraint bank_code_format check ((bank_code ~ '^[A-Z0-9]{1,15}$'::text)),
  constraint bic_format check ((bic ~ '^[A-Z]{6}[A-Z0-9]{2}([A-Z0-9]{3})?$'::text)),
  constraint country_has_two_letters check ((country ~ '^[A-Z]{2}$'::text)),
  constraint name_length check (((char_length(name) >= 1) and (char_length(name) <= 255)))
);

-- The keys that have sealed something in this database, or may. The keys themselves are in no database.
create table master_keys (
  -- What sealed values and tokens carry; no two keys of a database have the same.
  number         smallint                  not null,
  -- Made from the key, and says nothing about it. Null: known by what it sealed before there was this table.
  name           text,
  -- Sealed under the key itself: opens with the right one.
  check_value    bytea,
  -- Sealed under a later key: what authenticates the tokens that were made under this one, once it is gone.
  mac_keys       bytea,
  first_seen_at  timestamp with time zone  not null,
  -- From then on the service starts without it. Null: it has to be held.
  dropped_at     timestamp with time zone,
  constraint master_keys_pkey primary key (number),
  constraint name_has_16_digits check ((name ~ '^[0-9a-f]{16}$'::text)),
  constraint named_has_check_value check (((name is null) = (check_value is null))),
  constraint number_is_a_byte check (((number >= 0) and (number <= 255)))
);
create unique index master_keys_one_per_name on master_keys (name);

-- People who work in the console: each belongs to one tenant, operators to none.
create table people (
  -- 0 for an operator, so that there is no foreign key.
  tenant               integer                   not null,
  id                   uuid                      not null,
  -- In small letters.
  email                text                      not null,
  name                 text                      not null,
  role                 text                      not null,
  -- BCP 47; null: the browser's.
  locale               text,
  -- IANA name; null: UTC.
  time_zone            text,
  -- Argon2id with its parameters (PHC string format). Null: no password.
  password_hash        text,
  password_changed_at  timestamp with time zone,
  -- Sealed secret of the authenticator app; null without one.
  totp_secret          bytea,
  -- Time step of the last code that was taken: no code is taken twice.
  totp_last_step       bigint,
  -- Who the person is at the tenant's identity provider; null before the first sign-in there.
  oidc_subject         text,
  -- When the invitation was accepted; null: still invited.
  joined_at            timestamp with time zone,
  last_sign_in_at      timestamp with time zone,
  removed_at           timestamp with time zone,
  created_at           timestamp with time zone  not null,
  updated_at           timestamp with time zone  not null,
  constraint people_pkey primary key (tenant, id),
  constraint code_was_taken_with_a_secret check (((totp_secret is not null) or (totp_last_step is null))),
  constraint email_is_lower_case check ((email = lower(email))),
  constraint email_length check (((char_length(email) >= 3) and (char_length(email) <= 254))),
  constraint name_length check (((char_length(name) >= 1) and (char_length(name) <= 255))),
  constraint operators_have_no_tenant check (((role = 'operator'::text) = (tenant = 0))),
  constraint role_known check ((role = any (array['owner'::text, 'developer'::text, 'finance'::text, 'support'::text, 'viewer'::text, 'operator'::text])))
);
create index people_by_email on people (email) where (removed_at is null);
create unique index people_one_per_email on people (tenant, email) where (removed_at is null);
create unique index people_one_per_subject on people (tenant, oidc_subject) where (removed_at is null);

-- Passkeys: public keys of people's devices.
create table person_passkeys (
  tenant        integer                   not null,
  id            uuid                      not null,
  person        uuid                      not null,
  -- Credential id that the device has drawn; neither sealed nor a hash, as it is public.
  credential    bytea                     not null,
  -- COSE key; neither sealed nor a hash, as it is public.
  public_key    bytea                     not null,
  -- Signature counter of the device; 0 where it has none.
  counter       bigint                    not null,
  transports    text[]                    not null,
  name          text                      not null,
  last_used_at  timestamp with time zone,
  removed_at    timestamp with time zone,
  created_at    timestamp with time zone  not null,
  constraint person_passkeys_pkey primary key (tenant, id),
  constraint name_length check (((char_length(name) >= 1) and (char_length(name) <= 255))),
  constraint person_of_same_tenant foreign key (tenant, person) references people(tenant, id)
);
create index person_passkeys_of_person on person_passkeys (tenant, person);
create unique index person_passkeys_one_per_credential on person_passkeys (tenant, credential);

-- Codes that stand in for the second factor once.
create table person_recovery_codes (
  tenant      integer                   not null,
  person      uuid                      not null,
  -- SHA-256 of the code.
  hash        bytea                     not null,
  created_at  timestamp with time zone  not null,
  -- When it was used, or replaced by newer codes.
  used_at     timestamp with time zone,
  constraint person_recovery_codes_pkey primary key (tenant, person, hash),
  constraint hash_has_32_bytes check ((octet_length(hash) = 32)),
  constraint person_of_same_tenant foreign key (tenant, person) references people(tenant, id)
);

-- Links by which a person accepts an invitation or sets a new password; each works once.
create table person_links (
  tenant      integer                   not null,
  -- SHA-256 of the link's token.
  hash        bytea                     not null,
  person      uuid                      not null,
  purpose     text                      not null,
  expires_at  timestamp with time zone  not null,
  -- When it was used, or replaced by a newer link.
  used_at     timestamp with time zone,
  created_at  timestamp with time zone  not null,
  constraint person_links_pkey primary key (tenant, hash),
  constraint hash_has_32_bytes check ((octet_length(hash) = 32)),
  constraint purpose_known check ((purpose = any (array['invitation'::text, 'reset'::text]))),
  constraint person_of_same_tenant foreign key (tenant, person) references people(tenant, id)
);
create index person_links_open on person_links (tenant, person) where (used_at is null);

-- Sessions of people in the console. The cookie holds the secret, the row its hash.
create table console_sessions (
  tenant      integer                   not null,
  id          uuid                      not null,
  person      uuid                      not null,
  -- SHA-256 of the cookie's value.
  hash        bytea                     not null,
  -- `second_factor`: the password was right, the second factor is awaited; `set_up`: a second factor must be set
  -- up first; `full`: signed in.
  stage       text                      not null,
  -- What was shown first.
  method      text                      not null,
  -- When the person last proved to be there; acts that matter ask for it to be recent.
  proved_at   timestamp with time zone  not null,
  -- SHA-256 of the passkey challenge that this session answered: none is answered twice.
  challenge   bytea,
  -- Wrong second factors so far.
  failures    integer                   not null default 0,
  ip          text,
  user_agent  text,
  seen_at     timestamp with time zone  not null,
  -- The absolute end; without use it ends earlier.
  expires_at  timestamp with time zone  not null,
  -- Signed out, revoked or replaced; null: open until expires_at.
  ended_at    timestamp with time zone,
  created_at  timestamp with time zone  not null,
  constraint console_sessions_pkey primary key (tenant, id),
  constraint challenge_has_32_bytes check ((octet_length(challenge) = 32)),
  constraint hash_has_32_bytes check ((octet_length(hash) = 32)),
  constraint method_known check ((method = any (array['password'::text, 'passkey'::text, 'oidc'::text, 'link'::text]))),
  constraint stage_known check ((stage = any (array['second_factor'::text, 'set_up'::text, 'full'::text]))),
  constraint person_of_same_tenant foreign key (tenant, person) references people(tenant, id)
);
create index console_sessions_by_end on console_sessions (tenant, expires_at);
create index console_sessions_of_person on console_sessions (tenant, person, created_at desc);
create unique index console_sessions_one_per_challenge on console_sessions (tenant, challenge);
create unique index console_sessions_one_per_hash on console_sessions (tenant, hash);

-- Where a tenant's people sign in with OpenID Connect.
create table oidc_providers (
  tenant         integer                   not null,
  id             uuid                      not null,
  issuer         text                      not null,
  client_id      text                      not null,
  -- Sealed. An empty issuer means that there is no provider any more.
  client_secret  bytea                     not null,
  -- Only addresses of this domain are let in.
  email_domain   text                      not null,
  -- Role of people who come without an invitation; null: only the invited are let in.
  role_for_new   text,
  -- Only owners may still use a password or a passkey.
  required       boolean                   not null default false,
  created_at     timestamp with time zone  not null,
  updated_at     timestamp with time zone  not null,
  constraint oidc_providers_pkey primary key (tenant, id),
  constraint oidc_providers_one_per_tenant unique (tenant),
  constraint email_domain_is_lower_case check ((email_domain = lower(email_domain))),
  constraint role_for_new_known check ((role_for_new = any (array['developer'::text, 'finance'::text, 'support'::text, 'viewer'::text]))),
  constraint tenant_exists foreign key (tenant) references tenants(tenant)
);

-- The entries of the audit log in the order in which a job has chained them. Rows are added; only an erasure
-- clears a salt.
create table audit_chain (
  tenant      integer   not null,
  -- Counted in each tenant, from 1.
  number      bigint    not null,
  entry_id    uuid      not null,
  -- The master key whose derived key has made the hash (master_keys).
  key_number  smallint  not null,
  -- Random, not sealed: goes into the hash of before and after. Null: the two were erased.
  salt        bytea,
  -- Hash of the salt with the entry's before and after.
  details     bytea     not null,
  -- Keyed hash of the hash before it, the entry without before and after, and details.
  hash        bytea     not null,
  constraint audit_chain_pkey primary key (tenant, number),
  constraint details_have_32_bytes check ((octet_length(details) = 32)),
  constraint hash_has_32_bytes check ((octet_length(hash) = 32)),
  constraint entry_of_same_tenant foreign key (tenant, entry_id) references audit_log(tenant, id)
);
create unique index audit_chain_one_per_entry on audit_chain (tenant, entry_id);

-- Entries of the audit log that are not in the chain yet.
create table audit_pending (
  tenant    integer  not null,
  number    bigint   not null generated always as identity,
  entry_id  uuid     not null,
  constraint audit_pending_pkey primary key (tenant, number)
);

-- Where the database has been found running, the newest last. A restored backup is found elsewhere than its
-- newest row says: then nothing is sent until an operator releases it.
create table database_places (
  number       integer                   not null generated always as identity,
  -- PostgreSQL's system identifier, which a cluster gets when it is made.
  server       text                      not null,
  -- The numbers of the database in its cluster and of this table in the database: others in a copy within the same
  -- cluster, and in tables that a dump has made again.
  database     text                      not null,
  -- Begins anew at each recovery to a moment in the past and at each failover to a standby.
  timeline     text                      not null,
  -- What differed from the row before; 'by hand': an operator has said that a backup was restored.
  reason       text                      not null,
  found_at     timestamp with time zone  not null,
  -- From then on the service sends again. Null: it is held.
  released_at  timestamp with time zone,
  constraint database_places_pkey primary key (number),
  constraint reason_known check ((reason = any (array['first'::text, 'another server'::text, 'another database'::text, 'another timeline'::text, 'by hand'::text])))
);

-- Days (UTC) with payments, whose figures a job adds up. A day that is not here, or not counted yet, is added up
-- when it is asked for.
create table figure_days (
  tenant      integer                   not null,
  day         date                      not null,
  -- Null: not yet.
  counted_at  timestamp with time zone,
  -- When it is counted anew: payments of past days come back, and are refunded.
  due_at      timestamp with time zone  not null,
  constraint figure_days_pkey primary key (tenant, day),
  constraint tenant_exists foreign key (tenant) references tenants(tenant)
);
create index figure_days_due on figure_days (tenant, due_at);

-- The payments that were opened on a day, by their state now. A day is added up anew as a whole.
create table daily_figures (
  tenant       integer        not null,
  day          date           not null,
  number       integer        not null,
  gateway_id   uuid           not null,
  campaign_id  uuid,
  country      text,
  type         text           not null,
  -- As the API shows a payment: `pending`, `approved`, `declined`, `refunded` or `charged_back`.
  state        text           not null,
  -- Of a declined payment our reason, of one that came back the bank's code; null where none was given.
  reason       text,
  currency     text           not null,
  count        integer        not null,
  amount       numeric(16,2)  not null,
  -- Of a payment that came back, after how many whole weeks; 8 takes in all later ones. Null: it did not, or it
  -- was counted before there was this column.
  age_weeks    integer,
  -- The bank's code of a debit that came back, or that it refused after it had been accepted. Null: neither, or it
  -- was counted before there was this column.
  bank_code    text,
  constraint daily_figures_pkey primary key (tenant, day, number),
  constraint count_positive check ((count > 0)),
  constraint day_of_same_tenant foreign key (tenant, day) references figure_days(tenant, day)
);

-- Mandate texts of payment pages. Rows are added only: mandates name the text that was signed.
create table mandate_texts (
  tenant          integer                   not null,
  id              uuid                      not null,
  hosted_page_id  uuid                      not null,
  scheme          text                      not null,
  language        text                      not null,
  -- Counted for each page, scheme and language; the highest is shown.
  version         integer                   not null,
  -- With places such as {creditor}. Null: from here on the scheme's own text.
  text            text,
  created_at      timestamp with time zone  not null,
  constraint mandate_texts_pkey primary key (tenant, id),
  constraint language_is_a_tag check ((language ~ '^[a-z]{2,3}(-[A-Za-z]{2,8})*$'::text)),
  constraint scheme_known check ((scheme = any (array['CORE'::text, 'B2B'::text]))),
  constraint text_length check (((char_length(text) >= 1) and (char_length(text) <= 5000))),
  constraint version_positive check ((version >= 1)),
  constraint hosted_page_of_same_tenant foreign key (tenant, hosted_page_id) references hosted_pages(tenant, id)
);
create unique index mandate_texts_one_per_version on mandate_texts (tenant, hosted_page_id, scheme, language, version);

-- The user of an account at its bank's EBICS host, with its keys and the bank's.
create table ebics_users (
  tenant             integer                   not null,
  gateway_id         uuid                      not null,
  -- This, partner_id and user_id: for whom the keys were made.
  host_id            text                      not null,
  partner_id         text                      not null,
  user_id            text                      not null,
  -- `made`: has keys; `sent`: the bank has them; `ready`: a person has compared the bank's; `stopped`: the bank
  -- refuses this user, a person looks into it; `suspended`: locked by the bank at our request.
  state              text                      not null,
  -- Sealed: three private keys and their certificates.
  keys               bytea                     not null,
  -- Sealed: those of a change that the bank has not confirmed.
  next_keys          bytea,
  ini_sent_at        timestamp with time zone,
  hia_sent_at        timestamp with time zone,
  -- Public. Null: none was compared yet.
  bank_keys          jsonb,
  -- Public: what the bank's host says; a person has not compared it with the bank's letter yet.
  offered_bank_keys  jsonb,
  confirmed_at       timestamp with time zone,
  stop_reason        text,
  locked_until       timestamp with time zone,
  -- One session at a time: a bank may refuse a second one.
  lease_no           bigint                    not null default 0,
  created_at         timestamp with time zone  not null,
  updated_at         timestamp with time zone  not null,
  -- Since when INI or HIA with these keys has had no answer: the bank may have them. Null: it has said what it
  -- has.
  unanswered_since   timestamp with time zone,
  -- Sealed: the user as it was with the keys that these are to replace, until the bank has said which it has.
  former             bytea,
  constraint ebics_users_pkey primary key (tenant, gateway_id),
  constraint ready_has_bank_keys check (((state <> 'ready'::text) or (bank_keys is not null))),
  constraint state_known check ((state = any (array['made'::text, 'sent'::text, 'ready'::text, 'stopped'::text, 'suspended'::text]))),
  constraint gateway_of_same_tenant foreign key (tenant, gateway_id) references gateways(tenant, id),
  constraint tenant_exists foreign key (tenant) references tenants(tenant)
);

-- Uploads of a file that the bank has begun to take, each under an order number of the bank's.
create table ebics_orders (
  tenant          integer                   not null,
  file_id         uuid                      not null,
  number          integer                   not null,
  gateway_id      uuid                      not null,
  transaction_id  text                      not null,
  -- Used again by the bank after months. Null: the bank gives none.
  order_id        text,
  started_at      timestamp with time zone  not null,
  -- CDD, or BTU for any service of H005; the bank counts each order type separately. Null in old rows.
  order_type      text,
  constraint ebics_orders_pkey primary key (tenant, file_id, number),
  constraint file_of_same_tenant foreign key (tenant, file_id) references sepa_files(tenant, id)
);
create index ebics_orders_by_order_id on ebics_orders (tenant, gateway_id, order_id, started_at);

-- What the bank's protocol (HAC) says of orders, each step once.
create table ebics_events (
  tenant      integer                   not null,
  gateway_id  uuid                      not null,
  number      bigint                    not null generated always as identity,
  -- Empty where the bank names none.
  order_id    text                      not null,
  action      text                      not null,
  -- TS01, DS01 and so on; empty where the bank gives none.
  reason      text                      not null,
  at          timestamp with time zone  not null,
  text        text                      not null,
  -- Null: of none of ours.
  file_id     uuid,
  read_at     timestamp with time zone  not null,
  constraint ebics_events_pkey primary key (tenant, gateway_id, number),
  constraint file_of_same_tenant foreign key (tenant, file_id) references sepa_files(tenant, id),
  constraint gateway_of_same_tenant foreign key (tenant, gateway_id) references gateways(tenant, id)
);
create index ebics_events_of_file on ebics_events (tenant, file_id, number) where (file_id is not null);
create unique index ebics_events_once on ebics_events (tenant, gateway_id, order_id, action, reason, at);

-- Requests to the API whose tenant is known. Written a second after they are answered, many at once; a job
-- deletes them after days.
create table requests (
  tenant       integer                   not null,
  id           uuid                      not null,
  -- As the answer names it: the caller's X-Request-Id, else ours.
  request_id   text                      not null,
  method       text                      not null,
  -- As it is declared: tokens of paths are in none.
  route        text                      not null,
  status       integer                   not null,
  duration_ms  integer                   not null,
  api_key_id   uuid,
  session_id   uuid,
  -- The id in the path.
  record_id    uuid,
  -- Why it was refused: the code of the answer, or the names of the fields that were wrong. Values are in none.
  problem      text,
  created_at   timestamp with time zone  not null,
  constraint requests_pkey primary key (tenant, id),
  constraint tenant_exists foreign key (tenant) references tenants(tenant)
);
create index requests_by_caller on requests (tenant, api_key_id, created_at desc, id desc) where (api_key_id is not null);
create index requests_by_request_id on requests (tenant, request_id);
create index requests_newest_first on requests (tenant, created_at desc, id desc);
create index requests_not_post on requests (tenant, method, created_at desc, id desc) where (method <> 'POST'::text);
create index requests_refused on requests (tenant, created_at desc, id desc) where (status >= 400);

-- Public addresses at which customers begin payments: each is a session of its own.
create table payment_links (
  tenant              integer                   not null,
  id                  uuid                      not null,
  -- What is paid for, as the customer reads it.
  name                text                      not null,
  description         text,
  -- Sells its offer, with its gateway and page; null: one payment at the gateway.
  campaign_id         uuid,
  gateway_id          uuid,
  hosted_page_id      uuid,
  webhook_profile_id  uuid,
  -- Fixed; null: the customer chooses, or the price is the offer's.
  amount              numeric(12,2),
  -- The least that a customer can choose; null: there is nothing to choose.
  amount_min          numeric(12,2),
  amount_max          numeric(12,2),
  amount_suggested    numeric(12,2),
  -- How many payments may be completed; null: any number.
  uses_max            integer,
  ends_at             timestamp with time zone,
  -- Of each of its sessions.
  metadata            jsonb,
  active              boolean                   not null,
  created_at          timestamp with time zone  not null,
  updated_at          timestamp with time zone  not null,
  archived_at         timestamp with time zone,
  constraint payment_links_pkey primary key (tenant, id),
  constraint amount_given_without_campaign check (((campaign_id is not null) or (amount is not null) or (amount_min is not null))),
  constraint amount_is_fixed_or_chosen check (((amount is null) or (amount_min is null))),
  constraint amount_max_is_not_below_min check ((amount_max >= amount_min)),
  constraint amount_positive check (((amount > (0)::numeric) and (amount_min > (0)::numeric))),
  constraint campaign_or_gateway_given check (((campaign_id is not null) or (gateway_id is not null))),
  constraint name_length check (((char_length(name) >= 1) and (char_length(name) <= 255))),
  constraint only_a_chosen_amount_has_bounds check (((amount_min is not null) or ((amount_max is null) and (amount_suggested is null)))),
  constraint suggestion_within_bounds check (((amount_suggested >= amount_min) and (amount_suggested <= coalesce(amount_max, amount_suggested)))),
  constraint uses_max_is_1_to_10000 check (((uses_max >= 1) and (uses_max <= 10000))),
  constraint campaign_of_same_tenant foreign key (tenant, campaign_id) references campaigns(tenant, id),
  constraint gateway_of_same_tenant foreign key (tenant, gateway_id) references gateways(tenant, id),
  constraint hosted_page_of_same_tenant foreign key (tenant, hosted_page_id) references hosted_pages(tenant, id),
  constraint tenant_exists foreign key (tenant) references tenants(tenant),
  constraint webhook_profile_of_same_tenant foreign key (tenant, webhook_profile_id) references webhook_profiles(tenant, id)
);
create index payment_links_newest_first on payment_links (tenant, created_at desc, id desc);

-- Announcements of renewals as they were made. Who was told is in messages, or in the deliveries of the event.
create table notices (
  tenant               integer                   not null,
  id                   uuid                      not null,
  subscription_id      uuid                      not null,
  mandate_id           uuid                      not null,
  -- Of the cycle.
  due_date             date                      not null,
  -- When the gateway debits what is handed over on the cycle's day.
  collection_date      date                      not null,
  amount               numeric(12,2)             not null,
  currency             text                      not null,
  billing_frequency    text,
  mandate_reference    text                      not null,
  creditor_name        text                      not null,
  creditor_identifier  text,
  iban_last4           text                      not null,
  -- How many days before the debit the customer has to know of it.
  notice_days          integer                   not null,
  -- How many days after it is handed over a renewal is debited.
  lead_days            integer                   not null,
  -- The event subscription.upcoming; there is one only where a webhook profile asks for it.
  event_id             uuid                      not null,
  created_at           timestamp with time zone  not null,
  -- Who tells the customer: a message of this service, or the merchant who takes the event.
  told_by              text                      not null default 'event'::text,
  constraint notices_pkey primary key (tenant, id),
  constraint billing_frequency_known check ((billing_frequency = any (array['WEEKLY'::text, 'BIWEEKLY'::text, 'MONTHLY'::text, 'QUARTERLY'::text, 'SEMIANNUALLY'::text, 'YEARLY'::text]))),
  constraint lead_days_not_negative check ((lead_days >= 0)),
  constraint notice_days_not_negative check ((notice_days >= 0)),
  constraint told_by_known check ((told_by = any (array['event'::text, 'message'::text]))),
  constraint mandate_of_same_tenant foreign key (tenant, mandate_id) references mandates(tenant, id),
  constraint subscription_of_same_tenant foreign key (tenant, subscription_id) references subscriptions(tenant, id)
);
create index notices_of_mandate on notices (tenant, mandate_id, created_at);
create index notices_of_subscription on notices (tenant, subscription_id, created_at);

-- The outbox of e-mail to customers: each message is written in the statement that makes what it tells of.
create table messages (
  tenant          integer                   not null,
  id              uuid                      not null,
  kind            text                      not null,
  transaction_id  uuid,
  notice_id       uuid,
  -- `refused`: the server takes no such mail for this address; `given_up`: it was tried for as long as it may be;
  -- `unclear`: the server had it and has not said whether it keeps it, so it is not sent again; `dropped`: there
  -- was nothing left to tell.
  state           text                      not null default 'waiting'::text,
  -- When it is tried again; null: at once.
  due_at          timestamp with time zone,
  attempts        integer                   not null default 0,
  -- Sealed. The address that it was last handed over for; null: to none yet, or its customer was erased.
  recipient       bytea,
  language        text,
  -- Of the words, with their language.
  text_version    text,
  -- Set before the server gets the text: from then on only its answer says whether the message is on its way.
  handed_over_at  timestamp with time zone,
  sent_at         timestamp with time zone,
  -- What the server has said to the last attempt, without addresses.
  answer          text,
  locked_until    timestamp with time zone,
  lease_no        bigint                    not null default 0,
  created_at      timestamp with time zone  not null,
  constraint messages_pkey primary key (tenant, id),
  constraint kind_known check ((kind = any (array['mandate_copy'::text, 'pre_notification'::text, 'receipt'::text, 'payment_failed'::text, 'payment_returned'::text]))),
  constraint one_subject check ((((kind = 'pre_notification'::text) = (notice_id is not null)) and ((transaction_id is null) = (notice_id is not null)))),
  constraint sent_has_time check (((state = 'sent'::text) = (sent_at is not null))),
  constraint state_known check ((state = any (array['waiting'::text, 'sent'::text, 'refused'::text, 'given_up'::text, 'unclear'::text, 'dropped'::text]))),
  constraint notice_of_same_tenant foreign key (tenant, notice_id) references notices(tenant, id),
  constraint transaction_of_same_tenant foreign key (tenant, transaction_id) references transactions(tenant, id)
);
create index messages_newest_first on messages (tenant, created_at desc, id desc);
create index messages_of_transaction on messages (tenant, transaction_id) where (transaction_id is not null);
create unique index messages_one_per_notice on messages (tenant, notice_id) where (notice_id is not null);
create index messages_waiting on messages (tenant, due_at) where (state = 'waiting'::text);

-- Remarks of people on payments, never changed; an erasure of the customer takes out their words.
create table payment_notes (
  tenant          integer                   not null,
  id              uuid                      not null,
  transaction_id  uuid                      not null,
  text            text                      not null,
  -- As in audit_log.
  actor           text                      not null,
  -- As it was then.
  actor_name      text                      not null,
  created_at      timestamp with time zone  not null,
  constraint payment_notes_pkey primary key (tenant, id),
  constraint text_length check (((char_length(text) >= 1) and (char_length(text) <= 2000))),
  constraint transaction_of_same_tenant foreign key (tenant, transaction_id) references transactions(tenant, id)
);
create index payment_notes_of_transaction on payment_notes (tenant, transaction_id, created_at);

-- Who has approved a file before it goes to the bank; each once.
create table sepa_file_approvals (
  tenant       integer                   not null,
  file_id      uuid                      not null,
  -- A person, as in audit_log; `keys` for all API keys together.
  approver     text                      not null,
  -- As it was then.
  actor_name   text                      not null,
  approved_at  timestamp with time zone  not null,
  constraint sepa_file_approvals_pkey primary key (tenant, file_id, approver),
  constraint file_of_same_tenant foreign key (tenant, file_id) references sepa_files(tenant, id)
);

-- Filters and columns of the console's lists under a name: a person's own, or the company's.
create table saved_views (
  tenant      integer                   not null,
  id          uuid                      not null,
  -- Who saved it. A shared view is everyone's, and stays when this person leaves.
  person      uuid                      not null,
  shared      boolean                   not null,
  list        text                      not null,
  name        text                      not null,
  -- As in the list's address, without filters that are about one customer.
  query       text                      not null,
  created_at  timestamp with time zone  not null,
  updated_at  timestamp with time zone  not null,
  constraint saved_views_pkey primary key (tenant, id),
  constraint name_length check (((char_length(name) >= 1) and (char_length(name) <= 60))),
  constraint query_length check ((char_length(query) <= 2000)),
  constraint person_of_same_tenant foreign key (tenant, person) references people(tenant, id)
);
create index saved_views_of_list on saved_views (tenant, list, created_at);

-- Merchants to whom so much comes that a job adds it up. For others it is added up when it is asked for.
create table expected_counts (
  tenant        integer                   not null,
  counted_from  date                      not null,
  counted_to    date                      not null,
  counted_at    timestamp with time zone  not null,
  -- When it is added up anew.
  due_at        timestamp with time zone  not null,
  constraint expected_counts_pkey primary key (tenant),
  constraint tenant_exists foreign key (tenant) references tenants(tenant)
);

-- What comes by day (UTC): collections that are with the bank, cycles that fall due, and those that are tried
-- again.
create table expected_figures (
  tenant    integer        not null,
  number    integer        not null,
  day       date           not null,
  currency  text           not null,
  kind      text           not null,
  count     integer        not null,
  amount    numeric(16,2)  not null,
  constraint expected_figures_pkey primary key (tenant, number),
  constraint count_positive check ((count > 0)),
  constraint kind_known check ((kind = any (array['settlement'::text, 'renewal'::text, 'retry'::text]))),
  constraint tenant_exists foreign key (tenant) references tenants(tenant)
);

-- The instructions of files that were withdrawn: a bank that has such a file all the same books it under its
-- blocks.
create table sepa_withdrawn (
  tenant        integer                   not null,
  gateway_id    uuid                      not null,
  reference     text                      not null,
  -- How often it was withdrawn, this time included.
  number        integer                   not null,
  file_id       uuid                      not null,
  -- PmtInfId: the block in that file.
  block_id      text                      not null,
  withdrawn_at  timestamp with time zone  not null,
  constraint sepa_withdrawn_pkey primary key (tenant, gateway_id, reference, number),
  constraint collection_of_same_account foreign key (tenant, gateway_id, reference) references sepa_collections(tenant, gateway_id, reference),
  constraint file_of_same_tenant foreign key (tenant, file_id) references sepa_files(tenant, id)
);
create index sepa_withdrawn_of_block on sepa_withdrawn (tenant, gateway_id, block_id);
create index sepa_withdrawn_of_file on sepa_withdrawn (tenant, file_id);

-- What each page of a statement that came in pages has reported: what two pages report is two movements.
create table sepa_page_entries (
  tenant     integer  not null,
  -- The kind of message, the account, and the number or id that all pages share.
  statement  text     not null,
  -- A movement and the reference, block or file that it is of; of an entry for a person, what it is known by in
  -- any file.
  name       text     not null,
  page       integer  not null,
  -- How often it stands on the page.
  times      integer  not null,
  constraint sepa_page_entries_pkey primary key (tenant, statement, name, page),
  constraint tenant_exists foreign key (tenant) references tenants(tenant)
);

-- The second and further fees of a return, of which sepa_news has one notice with the fee in all: each is booked
-- on its own day.
create table sepa_later_fees (
  tenant      integer        not null,
  gateway_id  uuid           not null,
  reference   text           not null,
  -- Of the notice.
  round       integer        not null,
  -- The fee in all, with this one.
  so_far      numeric(12,2)  not null,
  amount      numeric(12,2)  not null,
  booked_on   date           not null,
  constraint sepa_later_fees_pkey primary key (tenant, gateway_id, reference, round, so_far),
  constraint amount_positive check ((amount > (0)::numeric)),
  constraint collection_of_same_account foreign key (tenant, gateway_id, reference) references sepa_collections(tenant, gateway_id, reference),
  constraint tenant_exists foreign key (tenant) references tenants(tenant)
);
create index sepa_later_fees_by_day on sepa_later_fees (tenant, booked_on);

-- Takes a person's data out of an entry: the service, which may not change the log, calls it. The chain shows
-- that it was done.
CREATE OR REPLACE FUNCTION public.erase_audit_entry(of_tenant integer, entry uuid, new_before jsonb, new_after jsonb)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  erased integer;
begin
  -- Not a SET of the function: only a superuser may give a function a setting that no module has declared.
  perform set_config('payment_sessions.erasing', 'on', true);
  update audit_log set before = new_before, after = new_after where tenant = of_tenant and id = entry;
  get diagnostics erased = row_count;
  update audit_chain set salt = null where tenant = of_tenant and entry_id = entry;
  perform set_config('payment_sessions.erasing', 'off', true);
  return erased;
end
$function$;

-- Takes a person's data out of an event: the service may not change what one says.
CREATE OR REPLACE FUNCTION public.erase_event(of_tenant integer, event uuid, new_payload jsonb)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  erased integer;
begin
  update events set payload = new_payload where tenant = of_tenant and id = event;
  get diagnostics erased = row_count;
  return erased;
end
$function$;

-- Whichever version of the service writes an entry, it will be chained.
CREATE OR REPLACE FUNCTION public.note_audit_entry()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into audit_pending (tenant, entry_id) values (new.tenant, new.id);
  return null;
end
$function$;

-- PostgreSQL plans a prepared statement by what it knows of the tables and keeps the plan. On a table that was
-- empty then, and has thousands of rows a minute later, that plan reads all of a tenant's rows to find one;
-- autovacuum looks once a minute. The service calls it, and analyzes tables that it does not own.
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

-- History is written once: neither the service nor the tables' owner changes it in passing.
CREATE OR REPLACE FUNCTION public.refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'rows of % are history and are not changed', tg_table_name using errcode = 'insufficient_privilege';
end
$function$;

-- History is changed by erase_audit_entry alone.
CREATE OR REPLACE FUNCTION public.refuse_change_but_erasure()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if current_setting('payment_sessions.erasing', true) is distinct from 'on' then
    raise exception 'rows of % are history and are not changed', tg_table_name using errcode = 'insufficient_privilege';
  end if;
  return null;
end
$function$;

CREATE TRIGGER audit_chain_changes_by_erasure BEFORE UPDATE ON public.audit_chain FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_but_erasure();

CREATE TRIGGER audit_chain_is_append_only BEFORE DELETE ON public.audit_chain FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER audit_chain_is_not_emptied BEFORE TRUNCATE ON public.audit_chain FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER audit_log_changes_by_erasure BEFORE UPDATE ON public.audit_log FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_but_erasure();

CREATE TRIGGER audit_log_is_append_only BEFORE DELETE ON public.audit_log FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER audit_log_is_chained AFTER INSERT ON public.audit_log FOR EACH ROW EXECUTE FUNCTION note_audit_entry();

CREATE TRIGGER audit_log_is_not_emptied BEFORE TRUNCATE ON public.audit_log FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER session_moves_is_append_only BEFORE DELETE OR UPDATE ON public.session_moves FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER session_moves_is_not_emptied BEFORE TRUNCATE ON public.session_moves FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
