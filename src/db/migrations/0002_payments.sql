-- From the session that a merchant opens to the money that came of it.
create table leads (
  tenant       integer not null references tenants,
  id           uuid not null,
  email_key    text not null, -- lower(trim(email)), computed by the service: what makes two leads the same (contract: One active session per lead)
  email        text not null,
  first_name   text not null check (char_length(first_name) <= 255),
  last_name    text not null check (char_length(last_name) <= 255),
  country      text not null check (country ~ '^[A-Z]{2}$'),
  address      text check (char_length(address) <= 500),
  city         text check (char_length(city) <= 255),
  postal_code  text check (char_length(postal_code) <= 20),
  phone        text check (char_length(phone) <= 50),
  created_at   timestamptz not null,
  updated_at   timestamptz not null,
  primary key (tenant, id)
);
create unique index leads_email_key on leads (tenant, email_key);

-- Price, gateway and display names are copied from the campaign when the session is created, so that later edits change no open session.
create table sessions (
  tenant                  integer not null references tenants,
  id                      uuid not null,
  token_key_id            smallint not null, -- number of the key that authenticates the token; the token itself is not kept
  status                  text not null check (status in ('PENDING', 'AWAITING_VERIFICATION', 'COMPLETED', 'EXPIRED')),
  lead_id                 uuid not null,
  gateway_id              uuid not null,
  campaign_id             uuid,
  offer_id                uuid,
  hosted_page_id          uuid,
  webhook_profile_id      uuid,
  campaign_name           text not null,
  offer_name              text not null,
  product_name            text,
  product_description     text,
  amount                  numeric(12,2) not null check (amount > 0),
  currency                text not null check (currency ~ '^[A-Z]{3}$'),
  billing_type            text not null check (billing_type in ('ONE_OFF', 'RECURRING', 'TRIAL_RECURRING')),
  billing_frequency       text check (
    billing_frequency in ('WEEKLY', 'BIWEEKLY', 'MONTHLY', 'QUARTERLY', 'SEMIANNUALLY', 'YEARLY')
  ),
  trial_interval_unit     text check (trial_interval_unit in ('day', 'week', 'month')),
  trial_period            integer check (trial_period >= 1),
  trial_price             numeric(12,2) check (trial_price >= 0),
  attempts_max            integer not null check (attempts_max between 1 and 10),
  attempts_used           integer not null default 0,
  open_transaction_id     uuid, -- the one attempt whose end is not known yet
  customer_ip             text,
  created_at              timestamptz not null,
  expires_at              timestamptz not null,
  closed_at               timestamptz,
  primary key (tenant, id),
  check (attempts_used between 0 and attempts_max),
  check (billing_type <> 'TRIAL_RECURRING' or (trial_interval_unit is not null and trial_period is not null)),
  check ((status in ('COMPLETED', 'EXPIRED')) = (closed_at is not null)),
  check (status <> 'AWAITING_VERIFICATION' or open_transaction_id is not null),
  check (closed_at is null or open_transaction_id is null),
  foreign key (tenant, lead_id) references leads,
  foreign key (tenant, gateway_id) references gateways,
  foreign key (tenant, campaign_id) references campaigns,
  foreign key (tenant, offer_id) references offers,
  foreign key (tenant, hosted_page_id) references hosted_pages,
  foreign key (tenant, webhook_profile_id) references webhook_profiles
);
create unique index sessions_one_active_per_lead on sessions (tenant, lead_id)
  where status in ('PENDING', 'AWAITING_VERIFICATION');
create index sessions_newest_first on sessions (tenant, created_at desc, id desc);
create index sessions_lapsing on sessions (tenant, expires_at) where status in ('PENDING', 'AWAITING_VERIFICATION');

-- What happened to a session, in order; never changed, never deleted. The check is the state table of docs/states.md.
create table session_moves (
  tenant          integer not null,
  session_id      uuid not null,
  number          integer generated always as identity,
  at              timestamptz not null,
  from_status     text,
  to_status       text not null,
  cause           text not null,
  transaction_id  uuid,
  primary key (tenant, session_id, number),
  foreign key (tenant, session_id) references sessions,
  check (
    (from_status is null and to_status = 'PENDING')
    or (from_status = 'PENDING' and to_status in ('PENDING', 'AWAITING_VERIFICATION', 'COMPLETED', 'EXPIRED'))
    or (from_status = 'AWAITING_VERIFICATION'
        and to_status in ('AWAITING_VERIFICATION', 'PENDING', 'COMPLETED', 'EXPIRED'))
  )
);

create table orders (
  tenant        integer not null references tenants,
  id            uuid not null,
  session_id    uuid not null,
  lead_id       uuid not null,
  order_number  text not null check (order_number ~ '^ORD-[0-9A-Z]{8}$'),
  status        text not null check (
    status in ('PENDING_PAYMENT_SUBMISSION', 'PENDING', 'COMPLETED', 'FAILED', 'REFUNDED', 'CHARGEDBACK')
  ),
  amount        numeric(12,2) not null check (amount >= 0),
  currency      text not null,
  created_at    timestamptz not null,
  updated_at    timestamptz not null,
  primary key (tenant, id),
  foreign key (tenant, session_id) references sessions,
  foreign key (tenant, lead_id) references leads
);
create unique index orders_session on orders (tenant, session_id);
create unique index orders_order_number on orders (tenant, order_number);

-- The debtor's authority to collect, with the evidence of its acceptance. The IBAN is kept only here, sealed.
create table mandates (
  tenant            integer not null references tenants,
  id                uuid not null,
  reference         text not null check (reference ~ '^[A-Z0-9-]{1,35}$'),
  lead_id           uuid not null,
  session_id        uuid,
  status            text not null check (status in ('pending', 'active', 'rejected', 'cancelled', 'expired')),
  acceptance_mode   text not null check (acceptance_mode in ('checkbox', 'IMPLICIT')),
  accepted_at       timestamptz not null,
  accepted_ip       text,
  text_version      text not null,
  creditor_name     text not null,
  creditor_identifier  text,
  holder_name       text not null check (char_length(holder_name) <= 255),
  iban_sealed       bytea not null,
  iban_fingerprint  bytea not null,
  iban_last4        text not null check (char_length(iban_last4) = 4),
  iban_length       integer not null check (iban_length between 15 and 34), -- for showing it masked
  iban_country      text not null check (iban_country ~ '^[A-Z]{2}$'),
  bic               text,
  bank_name         text,
  last_used_at      timestamptz,
  created_at        timestamptz not null,
  updated_at        timestamptz not null,
  primary key (tenant, id),
  foreign key (tenant, lead_id) references leads,
  foreign key (tenant, session_id) references sessions
);
create unique index mandates_reference on mandates (tenant, reference);
create index mandates_iban_fingerprint on mandates (tenant, iban_fingerprint);

create table subscriptions (
  tenant                    integer not null references tenants,
  id                        uuid not null,
  status                    text not null check (status in ('ACTIVE', 'PAST_DUE', 'CANCELLED')),
  billing_amount            numeric(12,2) not null check (billing_amount > 0),
  currency                  text not null,
  billing_frequency         text check (
    billing_frequency in ('WEEKLY', 'BIWEEKLY', 'MONTHLY', 'QUARTERLY', 'SEMIANNUALLY', 'YEARLY')
  ),
  start_date                timestamptz not null,
  next_billing_date         date,
  last_billing_date         timestamptz,
  cancelled_at              timestamptz,
  trial_end_date            date,
  billing_anchor_date       date,
  successful_billing_count  integer not null default 0 check (successful_billing_count >= 0),
  failed_billing_count      integer not null default 0 check (failed_billing_count >= 0),
  total_revenue             numeric(14,2) not null default 0 check (total_revenue >= 0),
  order_id                  uuid not null,
  lead_id                   uuid not null,
  offer_id                  uuid,
  gateway_id                uuid not null,
  mandate_id                uuid not null,
  created_at                timestamptz not null,
  updated_at                timestamptz not null,
  primary key (tenant, id),
  check ((status = 'CANCELLED') = (cancelled_at is not null)),
  foreign key (tenant, order_id) references orders,
  foreign key (tenant, lead_id) references leads,
  foreign key (tenant, offer_id) references offers,
  foreign key (tenant, gateway_id) references gateways,
  foreign key (tenant, mandate_id) references mandates
);
create unique index subscriptions_order on subscriptions (tenant, order_id);

-- One row per instruction to a gateway. Up to 'verifying' its end is open:
-- submitted: sent, answer not yet recorded · unresolved: no certain answer, the gateway is asked again ·
-- awaiting_verification: the customer is at the bank · verifying: the outcome of that is being fetched.
create table transactions (
  tenant                   integer not null references tenants,
  id                       uuid not null,
  session_id               uuid,
  order_id                 uuid,
  subscription_id          uuid,
  lead_id                  uuid,
  mandate_id               uuid,
  gateway_id               uuid not null,
  merchant_transaction_id  text not null check (merchant_transaction_id ~ '^TXN-[0-9]{8}-[0-9A-Z]{8}$'),
  tenant_reference_id      text check (char_length(tenant_reference_id) between 1 and 255),
  gateway_reference        text,
  adapter_unique_id        text,
  status                   text not null check (status in (
    'submitted', 'unresolved', 'awaiting_verification', 'verifying',
    'pending', 'approved', 'declined', 'refunded', 'charged_back'
  )),
  type                     text not null check (type in ('sdd_sale', 'sdd_rebill', 'sdd_refund', 'other_type')),
  source                   text not null check (
    source in ('csv_import', 'api_submission', 'admin_refund', 'webhook', 'hosted_page')
  ),
  sequence_type            text not null check (sequence_type in ('FRST', 'RCUR')),
  amount                   numeric(12,2) not null check (amount >= 0),
  currency                 text not null,
  customer_ip              text,
  error_code               text check (error_code in (
    'insufficient_funds', 'invalid_iban', 'mandate_rejected', 'account_closed', 'do_not_honor',
    'gateway_unavailable', 'unknown'
  )),
  error_message            text,
  gateway_code             text,
  gateway_message          text,
  verification_id          text,
  verification_url         text,
  resolve_at               timestamptz, -- when the gateway is asked what became of it
  resolve_count            integer not null default 0,
  created_at               timestamptz not null,
  processed_at             timestamptz,
  updated_at               timestamptz not null,
  primary key (tenant, id),
  check ((status in ('submitted', 'unresolved', 'awaiting_verification', 'verifying')) = (resolve_at is not null)),
  check (status <> 'awaiting_verification' or verification_url is not null),
  foreign key (tenant, session_id) references sessions,
  foreign key (tenant, order_id) references orders,
  foreign key (tenant, subscription_id) references subscriptions,
  foreign key (tenant, lead_id) references leads,
  foreign key (tenant, mandate_id) references mandates,
  foreign key (tenant, gateway_id) references gateways
);
create unique index transactions_merchant_transaction_id on transactions (tenant, merchant_transaction_id);
create unique index transactions_tenant_reference on transactions (tenant, tenant_reference_id)
  where tenant_reference_id is not null;
create unique index transactions_one_open_per_session on transactions (tenant, session_id)
  where status in ('submitted', 'unresolved', 'awaiting_verification', 'verifying');
create unique index transactions_one_success_per_session on transactions (tenant, session_id)
  where status in ('pending', 'approved', 'refunded', 'charged_back') and type in ('sdd_sale', 'other_type');
create index transactions_session on transactions (tenant, session_id, created_at);
create index transactions_due on transactions (tenant, resolve_at) where resolve_at is not null;
create index transactions_gateway_reference on transactions (tenant, gateway_id, gateway_reference)
  where gateway_reference is not null;

create table chargebacks (
  tenant                   integer not null references tenants,
  id                       uuid not null,
  merchant_transaction_id  text not null,
  transaction_id           uuid,
  lead_id                  uuid,
  gateway_id               uuid not null,
  adapter_unique_id        text,
  tenant_reference_id      text,
  status                   text not null default 'charged_back' check (status = 'charged_back'),
  type                     text not null default 'chargeback' check (type = 'chargeback'),
  amount                   numeric(12,2) not null check (amount > 0),
  currency                 text not null,
  report_date              timestamptz not null,
  transaction_date         timestamptz,
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
  source                   text not null check (source in ('csv_import', 'webhook', 'reconciliation', 'manual')),
  cb_bank_fee              numeric(12,2) check (cb_bank_fee >= 0),
  created_at               timestamptz not null,
  updated_at               timestamptz not null,
  primary key (tenant, id),
  foreign key (tenant, transaction_id) references transactions,
  foreign key (tenant, lead_id) references leads,
  foreign key (tenant, gateway_id) references gateways
);
create unique index chargebacks_merchant_transaction_id on chargebacks (tenant, merchant_transaction_id);

-- The outbox: facts that receivers must hear of, written in the transaction that makes the fact.
-- The payload holds no session token; it is put in when the event is sent.
create table events (
  tenant          integer not null references tenants,
  id              uuid not null,
  type            text not null check (type in (
    'payment_session.completed', 'payment_session.expired',
    'transaction.created', 'transaction.status_changed', 'chargeback.created'
  )),
  session_id      uuid,
  transaction_id  uuid,
  chargeback_id   uuid,
  payload         jsonb not null,
  created_at      timestamptz not null,
  primary key (tenant, id),
  foreign key (tenant, session_id) references sessions
);
create unique index events_one_completed_per_session on events (tenant, session_id)
  where type = 'payment_session.completed';
create index events_newest_first on events (tenant, created_at desc, id desc);
