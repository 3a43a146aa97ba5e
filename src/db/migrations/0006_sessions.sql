create table offers (
  tenant               integer        not null,
  id                   uuid           not null,
  name                 text           not null,
  price                numeric(12,2)  not null,
  currency             text           not null,
  billing_type         text           not null,
  billing_frequency    text,
  trial_interval_unit  text,
  trial_period         integer,
  trial_price          numeric(12,2),
  product_name         text,
  product_description  text,
  created_at           timestamptz    not null,
  updated_at           timestamptz    not null,
  archived_at          timestamptz,
  primary key (tenant, id),
  constraint name_length check (char_length(name) between 1 and 255),
  constraint price_positive check (price > 0),
  constraint currency_has_three_letters check (currency ~ '^[A-Z]{3}$'),
  constraint billing_type_known check (billing_type in ('ONE_OFF', 'RECURRING', 'TRIAL_RECURRING')),
  constraint billing_frequency_known check (
    billing_frequency in ('WEEKLY', 'BIWEEKLY', 'MONTHLY', 'QUARTERLY', 'SEMIANNUALLY', 'YEARLY')
  ),
  constraint trial_interval_unit_known check (trial_interval_unit in ('day', 'week', 'month')),
  constraint trial_period_positive check (trial_period >= 1),
  constraint trial_price_not_negative check (trial_price >= 0),
  constraint product_name_length check (char_length(product_name) <= 255),
  constraint product_description_length check (char_length(product_description) <= 2000),
  constraint tenant_exists foreign key (tenant) references tenants
);
comment on table offers is 'What is sold, at what price, and how it is collected again.';
comment on column offers.price is 'Money is in units of its currency with two decimals, in every table.';
comment on column offers.billing_frequency is 'Null: once, or whenever the merchant triggers a renewal.';
comment on column offers.trial_period is 'Length of the trial in trial_interval_unit.';
comment on column offers.trial_price is 'What is paid for the trial; null or 0: only the mandate is asked for.';

create table campaigns (
  tenant                integer      not null,
  id                    uuid         not null,
  name                  text         not null,
  offer_id              uuid         not null,
  gateway_id            uuid         not null,
  hosted_page_id        uuid,
  webhook_profile_id    uuid,
  max_payment_attempts  integer      not null,
  active                boolean      not null,
  created_at            timestamptz  not null,
  updated_at            timestamptz  not null,
  archived_at           timestamptz,
  primary key (tenant, id),
  constraint name_length check (char_length(name) between 1 and 255),
  constraint max_payment_attempts_is_1_to_10 check (max_payment_attempts between 1 and 10),
  constraint tenant_exists foreign key (tenant) references tenants,
  constraint offer_of_same_tenant foreign key (tenant, offer_id) references offers,
  constraint gateway_of_same_tenant foreign key (tenant, gateway_id) references gateways,
  constraint hosted_page_of_same_tenant foreign key (tenant, hosted_page_id) references hosted_pages,
  constraint webhook_profile_of_same_tenant foreign key (tenant, webhook_profile_id) references webhook_profiles
);
comment on table campaigns is 'An offer with the gateway, the payment page and the webhooks that its sessions use.';
comment on column campaigns.max_payment_attempts is 'How often a session of it may be tried to pay.';

create table leads (
  tenant       integer      not null,
  id           uuid         not null,
  email_key    text         not null,
  email        text         not null,
  first_name   text         not null,
  last_name    text         not null,
  country      text         not null,
  address      text,
  city         text,
  postal_code  text,
  phone        text,
  created_at   timestamptz  not null,
  updated_at   timestamptz  not null,
  primary key (tenant, id),
  constraint first_name_length check (char_length(first_name) <= 255),
  constraint last_name_length check (char_length(last_name) <= 255),
  constraint country_has_two_letters check (country ~ '^[A-Z]{2}$'),
  constraint address_length check (char_length(address) <= 500),
  constraint city_length check (char_length(city) <= 255),
  constraint postal_code_length check (char_length(postal_code) <= 20),
  constraint phone_length check (char_length(phone) <= 50),
  constraint tenant_exists foreign key (tenant) references tenants
);
create unique index leads_one_per_email on leads (tenant, email_key);
comment on table leads is 'Customers of a tenant.';
comment on column leads.email_key is
  'lower(trim(email)), computed by the service: what makes two leads the same (contract: One active session per lead).';

create table sessions (
  tenant               integer        not null,
  id                   uuid           not null,
  token_key_id         smallint       not null,
  status               text           not null,
  lead_id              uuid           not null,
  gateway_id           uuid           not null,
  campaign_id          uuid,
  offer_id             uuid,
  hosted_page_id       uuid,
  webhook_profile_id   uuid,
  campaign_name        text           not null,
  offer_name           text           not null,
  product_name         text,
  product_description  text,
  amount               numeric(12,2)  not null,
  currency             text           not null,
  billing_type         text           not null,
  billing_frequency    text,
  trial_interval_unit  text,
  trial_period         integer,
  trial_price          numeric(12,2),
  attempts_max         integer        not null,
  attempts_used        integer        not null default 0,
  open_transaction_id  uuid,
  customer_ip          text,
  created_at           timestamptz    not null,
  expires_at           timestamptz    not null,
  closed_at            timestamptz,
  primary key (tenant, id),
  constraint status_known check (status in ('PENDING', 'AWAITING_VERIFICATION', 'COMPLETED', 'EXPIRED')),
  constraint amount_positive check (amount > 0),
  constraint currency_has_three_letters check (currency ~ '^[A-Z]{3}$'),
  constraint billing_type_known check (billing_type in ('ONE_OFF', 'RECURRING', 'TRIAL_RECURRING')),
  constraint billing_frequency_known check (
    billing_frequency in ('WEEKLY', 'BIWEEKLY', 'MONTHLY', 'QUARTERLY', 'SEMIANNUALLY', 'YEARLY')
  ),
  constraint trial_interval_unit_known check (trial_interval_unit in ('day', 'week', 'month')),
  constraint trial_period_positive check (trial_period >= 1),
  constraint trial_price_not_negative check (trial_price >= 0),
  constraint trial_has_length check (
    billing_type <> 'TRIAL_RECURRING' or (trial_interval_unit is not null and trial_period is not null)
  ),
  constraint attempts_max_is_1_to_10 check (attempts_max between 1 and 10),
  constraint attempts_used_within_max check (attempts_used between 0 and attempts_max),
  constraint ended_has_time check ((status in ('COMPLETED', 'EXPIRED')) = (closed_at is not null)),
  constraint verification_is_of_open_transaction check (status <> 'AWAITING_VERIFICATION' or open_transaction_id is not null),
  constraint ended_has_no_open_transaction check (closed_at is null or open_transaction_id is null),
  constraint tenant_exists foreign key (tenant) references tenants,
  constraint lead_of_same_tenant foreign key (tenant, lead_id) references leads,
  constraint gateway_of_same_tenant foreign key (tenant, gateway_id) references gateways,
  constraint campaign_of_same_tenant foreign key (tenant, campaign_id) references campaigns,
  constraint offer_of_same_tenant foreign key (tenant, offer_id) references offers,
  constraint hosted_page_of_same_tenant foreign key (tenant, hosted_page_id) references hosted_pages,
  constraint webhook_profile_of_same_tenant foreign key (tenant, webhook_profile_id) references webhook_profiles
);
create index sessions_newest_first on sessions (tenant, created_at desc, id desc);
create index sessions_lapsing on sessions (tenant, expires_at) where closed_at is null;
-- The last one: of two indexes that promise the same the planner takes the newer.
create unique index sessions_one_active_per_lead on sessions (tenant, lead_id) where closed_at is null;
comment on table sessions is 'One purchase to be paid: created by the merchant, paid by the customer, at most one payment (docs/states.md, Sessions).';
comment on column sessions.token_key_id is 'Number of the key that authenticates the token; the token itself is not kept.';
comment on column sessions.status is 'COMPLETED and EXPIRED are final. A session that was cancelled is EXPIRED too.';
comment on column sessions.campaign_name is
  'This one, price, terms and the other names are copied when the session is created, so that later edits change no open session.';
comment on column sessions.amount is 'The price of the offer. What is paid today is trial_price where there is a trial.';
comment on column sessions.attempts_used is 'Tries that ended in a decline or a payment, and the open one; a gateway that was certainly not reached gives its try back.';
comment on column sessions.open_transaction_id is 'The one attempt whose end is not known yet. Meanwhile the session is neither paid again, cancelled nor expired.';
comment on column sessions.customer_ip is 'As the merchant told it.';
comment on column sessions.expires_at is 'The end of its time. What callers see of an open session is computed from it, and does not wait for the job that ends it.';
comment on column sessions.closed_at is 'When it became COMPLETED or EXPIRED; null: it is open.';
comment on index sessions_lapsing is
  'Of the sessions that a job ends when their time is over. An index that is there to find rows names them by a column that only the statements name that want it (docs/decisions/0012-plans.md).';

alter table events
  add constraint session_of_same_tenant foreign key (tenant, session_id) references sessions;

create table session_moves (
  tenant          integer      not null,
  session_id      uuid         not null,
  number          integer      not null generated always as identity,
  at              timestamptz  not null,
  from_status     text,
  to_status       text         not null,
  cause           text         not null,
  transaction_id  uuid,
  primary key (tenant, session_id, number),
  constraint moves_are_legal check (
    (from_status is null and to_status = 'PENDING')
    or (from_status = 'PENDING' and to_status in ('PENDING', 'AWAITING_VERIFICATION', 'COMPLETED', 'EXPIRED'))
    or (from_status = 'AWAITING_VERIFICATION'
        and to_status in ('AWAITING_VERIFICATION', 'PENDING', 'COMPLETED', 'EXPIRED'))
  ),
  constraint session_of_same_tenant foreign key (tenant, session_id) references sessions
);
create trigger session_moves_is_append_only before update or delete or truncate on session_moves
  for each statement execute function refuse_change();
comment on table session_moves is 'What happened to a session, in order; never changed, never deleted.';
comment on column session_moves.from_status is 'Null: the session was created.';
comment on column session_moves.cause is 'In a word: `approved`, `lapsed`, `gateway_unreachable`, …';
comment on column session_moves.transaction_id is 'The attempt that moved it, if one did.';
comment on constraint moves_are_legal on session_moves is 'The table of docs/states.md, Sessions.';

create table payment_counts (
  tenant      integer      not null,
  kind        text         not null,
  key         text         not null,
  started_at  timestamptz  not null,
  count       integer      not null,
  most        integer      not null,
  primary key (tenant, kind, key),
  constraint kind_known check (kind in ('address', 'iban', 'invalid_iban', 'lead')),
  constraint key_length check (char_length(key) <= 64),
  constraint count_positive check (count >= 1),
  constraint most_positive check (most >= 1),
  constraint tenant_exists foreign key (tenant) references tenants
);
create index payment_counts_oldest_first on payment_counts (tenant, started_at);
comment on table payment_counts is
  'What was tried since started_at, for a day. Its row is what payments at once wait for, so that none is one too many.';
comment on column payment_counts.key is 'A network address (IPv6 by /64), the fingerprint of an IBAN, or the id of the session or the lead.';
comment on column payment_counts.most is 'The limit that held for the newest try.';
