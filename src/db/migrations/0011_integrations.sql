-- Partners that post results back, to a URL that is itself the credential, and what they posted.
create table integrations (
  tenant                  integer not null references tenants,
  id                      uuid not null,
  name                    text not null check (char_length(name) between 1 and 255),
  provider                text not null,
  provider_active         boolean not null,
  active                  boolean not null,
  key_mapping             jsonb not null check (jsonb_typeof(key_mapping) = 'object'), -- our name to the partner's key
  token_hash              bytea not null check (octet_length(token_hash) = 32), -- SHA-256, to find the record by
  token_sealed            bytea not null, -- to show the URL again
  postback_secret         bytea, -- sealed
  read_url                text check (char_length(read_url) <= 2000),
  read_token              bytea, -- sealed
  read_paging             jsonb not null check (jsonb_typeof(read_paging) = 'object'),
  read_due_at             timestamptz, -- when the partner is asked for what was missed; null: at once
  read_since              timestamptz, -- when the last complete reading began; null: there was none
  last_read_at            timestamptz,
  last_read_error         text,
  payload_retention_days  integer not null check (payload_retention_days between 1 and 3650),
  created_at              timestamptz not null,
  updated_at              timestamptz not null,
  archived_at             timestamptz,
  primary key (tenant, id)
);
create unique index integrations_token_hash on integrations (tenant, token_hash);
create index integrations_to_read on integrations (tenant, read_due_at)
  where read_url is not null and read_token is not null;

-- One row per postback that is not a repetition, and per postback that came while its record was switched off.
create table integration_activities (
  tenant          integer not null,
  id              uuid not null,
  integration_id  uuid not null,
  status          text not null check (status in ('received', 'matched', 'unmatched', 'failed', 'skipped')),
  reason          text,
  recovered       boolean not null, -- fetched from the partner, because it never arrived by itself
  request_uuid    text check (char_length(request_uuid) between 1 and 255),
  payload         bytea, -- sealed; null: none was read, or its time is over
  due_at          timestamptz, -- when it is processed
  attempts        integer not null default 0, -- grows with every claim, so that only the last one may write
  tries           integer not null default 0 check (tries between 0 and attempts), -- since it was last asked for
  lead_id         uuid,
  order_id        uuid,
  session_id      uuid,
  created_at      timestamptz not null,
  processed_at    timestamptz,
  primary key (tenant, id),
  check ((status = 'received') = (due_at is not null)),
  check ((status = 'matched') = (lead_id is not null)),
  foreign key (tenant, integration_id) references integrations,
  foreign key (tenant, lead_id) references leads,
  foreign key (tenant, order_id) references orders,
  foreign key (tenant, session_id) references sessions
);
create index integration_activities_newest_first
  on integration_activities (tenant, integration_id, created_at desc, id desc);
create index integration_activities_request_uuid on integration_activities (tenant, integration_id, request_uuid)
  where request_uuid is not null;
create index integration_activities_due on integration_activities (tenant, due_at) where due_at is not null;
create index integration_activities_payload on integration_activities (tenant, integration_id, created_at)
  where payload is not null;

-- What makes two postbacks one: keyed fingerprints of their request_uuid, else of their body. The primary key decides.
create table integration_postback_keys (
  tenant          integer not null,
  integration_id  uuid not null,
  fingerprint     bytea not null check (octet_length(fingerprint) = 32),
  activity_id     uuid not null,
  expires_at      timestamptz not null, -- from then on the partner may post the same anew
  primary key (tenant, integration_id, fingerprint),
  foreign key (tenant, activity_id) references integration_activities
);
create index integration_postback_keys_age on integration_postback_keys (tenant, expires_at);
