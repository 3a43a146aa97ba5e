create table integrations (
  tenant                  integer      not null,
  id                      uuid         not null,
  name                    text         not null,
  provider                text         not null,
  provider_active         boolean      not null,
  active                  boolean      not null,
  key_mapping             jsonb        not null,
  token_hash              bytea        not null,
  token_sealed            bytea        not null,
  postback_secret         bytea,
  read_url                text,
  read_token              bytea,
  read_paging             jsonb        not null,
  read_due_at             timestamptz,
  read_since              timestamptz,
  last_read_at            timestamptz,
  last_read_error         text,
  payload_retention_days  integer      not null,
  created_at              timestamptz  not null,
  updated_at              timestamptz  not null,
  archived_at             timestamptz,
  primary key (tenant, id),
  constraint name_length check (char_length(name) between 1 and 255),
  constraint key_mapping_is_object check (jsonb_typeof(key_mapping) = 'object'),
  constraint token_hash_has_32_bytes check (octet_length(token_hash) = 32),
  constraint read_url_length check (char_length(read_url) <= 2000),
  constraint read_paging_is_object check (jsonb_typeof(read_paging) = 'object'),
  constraint payload_retention_is_at_most_ten_years check (payload_retention_days between 1 and 3650),
  constraint tenant_exists foreign key (tenant) references tenants
);
create unique index integrations_one_per_token on integrations (tenant, token_hash);
create index integrations_to_read on integrations (tenant, read_due_at)
  where read_url is not null and read_token is not null;
comment on table integrations is 'Partners that post results back, to a URL that is itself the credential.';
comment on column integrations.provider_active is 'The partner''s switch; active is the record''s own. Both have to be on.';
comment on column integrations.key_mapping is 'Our name to the partner''s key.';
comment on column integrations.token_hash is 'SHA-256, to find the record by.';
comment on column integrations.token_sealed is 'Sealed, to show the URL again.';
comment on column integrations.postback_secret is 'Sealed. What the partner sends along; null: nothing is asked for.';
comment on column integrations.read_url is 'Where the partner is asked for what never came.';
comment on column integrations.read_token is 'Sealed.';
comment on column integrations.read_paging is 'How the partner''s pages are read.';
comment on column integrations.read_due_at is 'When the partner is asked for what was missed; null: at once.';
comment on column integrations.read_since is 'When the last complete reading began; null: there was none.';
comment on column integrations.payload_retention_days is 'How long bodies are kept.';

create table integration_activities (
  tenant          integer      not null,
  id              uuid         not null,
  integration_id  uuid         not null,
  status          text         not null,
  reason          text,
  recovered       boolean      not null,
  request_uuid    text,
  payload         bytea,
  due_at          timestamptz,
  attempts        integer      not null default 0,
  tries           integer      not null default 0,
  lead_id         uuid,
  order_id        uuid,
  session_id      uuid,
  created_at      timestamptz  not null,
  processed_at    timestamptz,
  primary key (tenant, id),
  constraint status_known check (status in ('received', 'matched', 'unmatched', 'failed', 'skipped')),
  constraint request_uuid_length check (char_length(request_uuid) between 1 and 255),
  constraint received_has_due_time check ((status = 'received') = (due_at is not null)),
  constraint matched_has_lead check ((status = 'matched') = (lead_id is not null)),
  constraint tries_within_attempts check (tries between 0 and attempts),
  constraint integration_of_same_tenant foreign key (tenant, integration_id) references integrations,
  constraint lead_of_same_tenant foreign key (tenant, lead_id) references leads,
  constraint order_of_same_tenant foreign key (tenant, order_id) references orders,
  constraint session_of_same_tenant foreign key (tenant, session_id) references sessions
);
create index integration_activities_newest_first
  on integration_activities (tenant, integration_id, created_at desc, id desc);
create index integration_activities_by_request_uuid on integration_activities (tenant, integration_id, request_uuid)
  where request_uuid is not null;
create index integration_activities_due on integration_activities (tenant, due_at) where due_at is not null;
create index integration_activities_with_payload on integration_activities (tenant, integration_id, created_at)
  where payload is not null;
comment on table integration_activities is
  'One row per postback that is not a repetition, and per postback that came while its record was switched off.';
comment on column integration_activities.status is '`skipped`: the record was switched off.';
comment on column integration_activities.recovered is 'Fetched from the partner, because it was never posted.';
comment on column integration_activities.payload is 'Sealed; null: none was read, or its time is over.';
comment on column integration_activities.due_at is 'When it is processed.';
comment on column integration_activities.attempts is 'Grows with every claim, so that only the last one may write.';
comment on column integration_activities.tries is 'Since it was last asked for.';

create table integration_postback_keys (
  tenant          integer      not null,
  integration_id  uuid         not null,
  fingerprint     bytea        not null,
  activity_id     uuid         not null,
  expires_at      timestamptz  not null,
  primary key (tenant, integration_id, fingerprint),
  constraint fingerprint_has_32_bytes check (octet_length(fingerprint) = 32),
  constraint activity_of_same_tenant foreign key (tenant, activity_id) references integration_activities
);
create index integration_postback_keys_oldest_first on integration_postback_keys (tenant, expires_at);
comment on table integration_postback_keys is
  'What makes two postbacks one: keyed fingerprints of their request_uuid, else of their body. The primary key decides.';
comment on column integration_postback_keys.fingerprint is 'Keyed hash, one per integration.';
comment on column integration_postback_keys.expires_at is 'From then on the partner may post the same anew.';
