create table webhook_profiles (
  tenant                         integer      not null,
  id                             uuid         not null,
  name                           text         not null,
  url                            text         not null,
  events                         text[]       not null,
  payload_fields                 jsonb        not null,
  ascii_escape                   boolean      not null,
  signing_secret                 bytea        not null,
  previous_signing_secret        bytea,
  previous_signing_secret_until  timestamptz,
  active                         boolean      not null,
  disabled_reason                text,
  created_at                     timestamptz  not null,
  updated_at                     timestamptz  not null,
  archived_at                    timestamptz,
  primary key (tenant, id),
  constraint name_length check (char_length(name) between 1 and 255),
  constraint url_length check (char_length(url) <= 2000),
  constraint payload_fields_are_object check (jsonb_typeof(payload_fields) = 'object'),
  constraint previous_secret_expires check ((previous_signing_secret is null) = (previous_signing_secret_until is null)),
  constraint tenant_exists foreign key (tenant) references tenants
);
comment on table webhook_profiles is 'Receivers of webhooks: where events are sent, which ones, and what they are signed with.';
comment on column webhook_profiles.events is 'Types of events that are sent.';
comment on column webhook_profiles.payload_fields is 'What a body holds: the receiver''s key to our field.';
comment on column webhook_profiles.ascii_escape is 'Whether bodies are written in ASCII, everything else as \uXXXX.';
comment on column webhook_profiles.signing_secret is 'Sealed.';
comment on column webhook_profiles.previous_signing_secret is 'Sealed. Also signs until previous_signing_secret_until.';
comment on column webhook_profiles.disabled_reason is
  'Why the service itself has switched the profile off: its events wait for the receiver. Null: a person switched it, if it is off.';

create table events (
  tenant          integer      not null,
  id              uuid         not null,
  number          bigint       not null generated always as identity,
  type            text         not null,
  session_id      uuid,
  transaction_id  uuid,
  chargeback_id   uuid,
  payload         jsonb        not null,
  created_at      timestamptz  not null,
  fanned_out_at   timestamptz,
  primary key (tenant, id),
  constraint type_known check (type in (
    'payment_session.completed', 'payment_session.expired', 'transaction.created', 'transaction.status_changed',
    'chargeback.created', 'subscription.upcoming'
  )),
  constraint tenant_exists foreign key (tenant) references tenants
);
create unique index events_one_completed_per_session on events (tenant, session_id)
  where type = 'payment_session.completed';
create index events_newest_first on events (tenant, created_at desc, id desc);
create index events_to_fan_out on events (tenant, number) where fanned_out_at is null;
comment on table events is 'The outbox: facts that receivers must hear of, each written in the transaction that makes the fact.';
comment on column events.number is 'The order in which events happened; those of one session are written one after the other.';
comment on column events.session_id is 'The session that it is about; null: an event of a transaction that has none.';
comment on column events.payload is 'Without the session token, which is put in when the event is sent.';
comment on column events.fanned_out_at is 'When its deliveries were made.';

create table webhook_receivers (
  tenant             integer      not null,
  profile_id         uuid         not null,
  next_at            timestamptz,
  news               bigint       not null default 0,
  locked_until       timestamptz,
  lease_no           bigint       not null default 0,
  failures_in_a_row  integer      not null default 0,
  paused_until       timestamptz,
  primary key (tenant, profile_id),
  constraint failures_not_negative check (failures_in_a_row >= 0),
  constraint profile_of_same_tenant foreign key (tenant, profile_id) references webhook_profiles
);
create index webhook_receivers_due on webhook_receivers (next_at) where next_at is not null;
comment on table webhook_receivers is
  'Profiles that were sent something, and how each is doing. One worker at a time has a receiver: every write for it checks lease_no.';
comment on column webhook_receivers.next_at is 'When there is something to do; null: nothing.';
comment on column webhook_receivers.news is 'Raised whenever another request or job adds work for the receiver.';
comment on column webhook_receivers.locked_until is 'Until when, by the database''s clock, a claim keeps others away (docs/architecture.md, Leases). So in every table.';
comment on column webhook_receivers.lease_no is 'Counts the claims: a write names its claim''s number, and finds no row once another has taken over. So in every table.';
comment on column webhook_receivers.paused_until is 'The circuit is open, or the receiver asked for a pause.';

create table webhook_deliveries (
  tenant          integer      not null,
  id              uuid         not null,
  event_id        uuid         not null,
  event_number    bigint       not null,
  event_type      text         not null,
  profile_id      uuid         not null,
  session_id      uuid,
  stream_id       uuid,
  payload_fields  jsonb        not null,
  ascii_escape    boolean      not null,
  status          text         not null,
  due_at          timestamptz,
  attempts        integer      not null default 0,
  tries           integer      not null default 0,
  last_at         timestamptz,
  response_code   integer,
  error           text,
  delivered_at    timestamptz,
  created_at      timestamptz  not null,
  primary key (tenant, id),
  constraint payload_fields_are_object check (jsonb_typeof(payload_fields) = 'object'),
  constraint status_known check (status in ('pending', 'delivered', 'failing', 'exhausted')),
  constraint open_has_due_time check ((status in ('pending', 'failing')) = (due_at is not null)),
  constraint attempts_not_negative check (attempts >= 0),
  constraint tries_within_attempts check (tries between 0 and attempts),
  constraint delivered_has_time check (status <> 'delivered' or delivered_at is not null),
  constraint event_of_same_tenant foreign key (tenant, event_id) references events,
  constraint profile_of_same_tenant foreign key (tenant, profile_id) references webhook_profiles
);
create unique index webhook_deliveries_one_per_event_and_profile on webhook_deliveries (tenant, event_id, profile_id);
create index webhook_deliveries_due on webhook_deliveries (tenant, profile_id, due_at, event_number)
  where status in ('pending', 'failing');
create index webhook_deliveries_newest_first on webhook_deliveries (tenant, created_at desc, id desc);
create index webhook_deliveries_of_stream on webhook_deliveries (tenant, profile_id, stream_id, event_number)
  where status in ('pending', 'failing');
comment on table webhook_deliveries is 'One row per event and profile: the event on its way to the receiver.';
comment on column webhook_deliveries.event_number is 'The event''s place in the order of events.';
comment on column webhook_deliveries.stream_id is
  'Events of one stream are delivered in order: those of a purchase (its session, refunds and renewals); without a purchase, those of a transaction.';
comment on column webhook_deliveries.payload_fields is
  'The profile''s when the event was fanned out, so that each attempt sends the same bytes. The session token is in none of them.';
comment on column webhook_deliveries.status is '`exhausted`: it was tried for as long as it may be.';
comment on column webhook_deliveries.due_at is 'When it is sent next; null: nothing more is sent.';
comment on column webhook_deliveries.attempts is 'Requests that were made, ever.';
comment on column webhook_deliveries.tries is 'Requests since it was last asked for: a person may ask for it anew.';
comment on column webhook_deliveries.response_code is 'HTTP status of the newest answer; null when there was none.';

create table webhook_attempts (
  tenant         integer      not null,
  delivery_id    uuid         not null,
  number         integer      not null,
  at             timestamptz  not null,
  duration_ms    integer      not null,
  response_code  integer,
  error          text,
  response_body  text,
  primary key (tenant, delivery_id, number),
  constraint number_positive check (number > 0),
  constraint duration_not_negative check (duration_ms >= 0),
  constraint response_body_is_at_most_64_kib check (octet_length(response_body) <= 65536),
  constraint delivery_of_same_tenant foreign key (tenant, delivery_id) references webhook_deliveries
);
create index webhook_attempts_with_answer on webhook_attempts (at) where response_body is not null;
comment on table webhook_attempts is 'Every request that was sent, to find out why a delivery failed.';
comment on column webhook_attempts.response_body is 'The beginning of the answer. A job forgets it after a month.';
