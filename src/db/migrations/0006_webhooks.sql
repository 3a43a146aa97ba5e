-- Which receiver hears of which event, how far that is, and how each receiver is doing.

-- The order in which events happened; those of one session are written one after the other.
alter table events
  add column number        bigint generated always as identity,
  add column fanned_out_at timestamptz; -- when its deliveries were made
create index events_to_fan_out on events (tenant, number) where fanned_out_at is null;

-- A receiver is a profile that was sent something. One worker at a time has it: every write for it checks lease_no.
create table webhook_receivers (
  tenant              integer not null,
  profile_id          uuid not null,
  next_at             timestamptz,                -- when there is something to do; null: nothing
  news                bigint not null default 0,  -- grows whenever somebody else gives it something to do
  locked_until        timestamptz,
  lease_no            bigint not null default 0,
  failures_in_a_row   integer not null default 0 check (failures_in_a_row >= 0),
  paused_until        timestamptz,                -- the circuit is open, or the receiver asked for a pause
  primary key (tenant, profile_id),
  foreign key (tenant, profile_id) references webhook_profiles
);
create index webhook_receivers_due on webhook_receivers (next_at) where next_at is not null;

-- One row per event and profile. The fields are those of the profile when the event was fanned out,
-- so that each attempt sends the same bytes; the session token is in none of them.
create table webhook_deliveries (
  tenant           integer not null,
  id               uuid not null,
  event_id         uuid not null,
  event_number     bigint not null,
  event_type       text not null,
  profile_id       uuid not null,
  session_id       uuid,
  payload_fields   jsonb not null check (jsonb_typeof(payload_fields) = 'object'),
  ascii_escape     boolean not null,
  status           text not null check (status in ('pending', 'delivered', 'failing', 'exhausted')),
  due_at           timestamptz, -- null: nothing more is sent
  attempts         integer not null default 0 check (attempts >= 0),
  tries            integer not null default 0 check (tries between 0 and attempts), -- since it was last asked for
  last_at          timestamptz,
  response_code    integer,
  error            text,
  delivered_at     timestamptz,
  created_at       timestamptz not null,
  primary key (tenant, id),
  check ((status in ('pending', 'failing')) = (due_at is not null)),
  check (status <> 'delivered' or delivered_at is not null),
  foreign key (tenant, event_id) references events,
  foreign key (tenant, profile_id) references webhook_profiles
);
create unique index webhook_deliveries_event on webhook_deliveries (tenant, event_id, profile_id);
create index webhook_deliveries_due on webhook_deliveries (tenant, profile_id, due_at, event_number)
  where status in ('pending', 'failing');
create index webhook_deliveries_session on webhook_deliveries (tenant, profile_id, session_id, event_number)
  where status in ('pending', 'failing');
create index webhook_deliveries_newest_first on webhook_deliveries (tenant, created_at desc, id desc);

-- Every request that was made, for whoever looks for the reason.
create table webhook_attempts (
  tenant         integer not null,
  delivery_id    uuid not null,
  number         integer not null check (number > 0),
  at             timestamptz not null,
  duration_ms    integer not null check (duration_ms >= 0),
  response_code  integer,
  error          text,
  response_body  text check (octet_length(response_body) <= 65536),
  primary key (tenant, delivery_id, number),
  foreign key (tenant, delivery_id) references webhook_deliveries
);
