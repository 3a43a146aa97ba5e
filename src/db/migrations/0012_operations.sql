create table idempotency_keys (
  tenant        integer      not null,
  caller        text         not null,
  key           text         not null,
  request_id    uuid         not null,
  request_hash  bytea        not null,
  locked_until  timestamptz,
  status        integer,
  answer        bytea,
  created_at    timestamptz  not null,
  primary key (tenant, caller, key),
  constraint key_length check (char_length(key) between 1 and 255),
  constraint request_hash_has_32_bytes check (octet_length(request_hash) = 32),
  constraint answer_has_status check ((status is null) = (answer is null))
);
create index idempotency_keys_oldest_first on idempotency_keys (tenant, created_at);
comment on table idempotency_keys is 'Stored answers: what was answered under an Idempotency-Key, and which requests are still running.';
comment on column idempotency_keys.caller is '`key:<id>`, `session:<id>` or `operator`: two callers never share a key.';
comment on column idempotency_keys.request_id is
  'Ids of records that the request makes follow from it, so that a second run finds the first''s.';
comment on column idempotency_keys.request_hash is 'SHA-256 of method, path and body: another request under the same key is refused.';
comment on column idempotency_keys.locked_until is
  'Passes when the process that ran the request died before it could store an answer.';
comment on column idempotency_keys.status is 'HTTP status of the answer; null: none is stored.';
comment on column idempotency_keys.answer is 'Sealed: it may hold a token or a key.';

create table banks (
  country      text         not null,
  bank_code    text         not null,
  bic          text,
  name         text         not null,
  source       text         not null,
  imported_at  timestamptz  not null,
  primary key (country, bank_code),
  constraint country_has_two_letters check (country ~ '^[A-Z]{2}$'),
  constraint bank_code_format check (bank_code ~ '^[A-Z0-9]{1,15}$'),
  constraint bic_format check (bic ~ '^[A-Z]{6}[A-Z0-9]{2}([A-Z0-9]{3})?$'),
  constraint name_length check (char_length(name) between 1 and 255)
);
comment on table banks is 'Reference data, the same for every tenant: which bank a bank code belongs to.';
comment on column banks.source is 'The national registry that it was imported from.';

create function refresh_statistics() returns integer language plpgsql
  security definer set search_path = public, pg_temp as $$
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
$$;
comment on function refresh_statistics() is
  'PostgreSQL plans a prepared statement by what it knows of the tables and keeps the plan. On a table that was empty then, and has thousands of rows a minute later, that plan reads all of a tenant''s rows to find one; autovacuum looks once a minute. The service calls it, and analyzes tables that it does not own.';
