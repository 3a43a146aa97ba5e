-- What the API remembers of requests: stored answers, and who changed what.

-- locked_until passes when the process that ran the request died before it could store an answer.
create table idempotency_keys (
  tenant        integer not null,
  caller        text not null, -- 'key:<id>', 'session:<id>' or 'operator': two callers never share a key
  key           text not null check (char_length(key) between 1 and 255),
  request_id    uuid not null, -- ids of records that the request makes follow from it, so that a second run finds the first's
  request_hash  bytea not null check (octet_length(request_hash) = 32),
  locked_until  timestamptz,
  status        integer,
  answer        bytea, -- sealed: a stored answer may hold a token or a key
  created_at    timestamptz not null,
  primary key (tenant, caller, key),
  check ((status is null) = (answer is null))
);
create index idempotency_keys_age on idempotency_keys (tenant, created_at);

create table audit_log (
  tenant       integer not null,
  id           uuid not null,
  at           timestamptz not null,
  actor        text not null, -- 'key:<id>', 'operator', 'customer' or 'service'
  actor_name   text not null,
  action       text not null,
  resource     text not null,
  resource_id  uuid,
  before       jsonb,
  after        jsonb,
  ip           text,
  request_id   text,
  primary key (tenant, id)
);
create index audit_log_newest_first on audit_log (tenant, at desc, id desc);
create index audit_log_resource on audit_log (tenant, resource, resource_id, at desc);
