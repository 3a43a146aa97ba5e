-- compatible with: 0017
-- allowed: new-rule: the last release writes audit entries as before, and changes none
-- allowed: drop-or-rename: the trigger is made again at once, with an exception that no release uses yet
-- The audit log as a chain, so that a removed, changed or reordered line shows; and what an erasure may change in it.

create table audit_chain (
  tenant      integer   not null,
  number      bigint    not null,
  entry_id    uuid      not null,
  key_number  smallint  not null,
  salt        bytea,
  details     bytea     not null,
  hash        bytea     not null,
  constraint audit_chain_pkey primary key (tenant, number),
  constraint details_have_32_bytes check (octet_length(details) = 32),
  constraint hash_has_32_bytes check (octet_length(hash) = 32),
  constraint entry_of_same_tenant foreign key (tenant, entry_id) references audit_log (tenant, id)
);
create unique index audit_chain_one_per_entry on audit_chain (tenant, entry_id);
comment on table audit_chain is 'The entries of the audit log in the order in which a job has chained them. Rows are added; only an erasure clears a salt.';
comment on column audit_chain.number is 'Counted in each tenant, from 1.';
comment on column audit_chain.key_number is 'The master key whose derived key has made the hash (master_keys).';
comment on column audit_chain.salt is 'Random, not sealed: goes into the hash of before and after. Null: the two were erased.';
comment on column audit_chain.details is 'Hash of the salt with the entry''s before and after.';
comment on column audit_chain.hash is 'Keyed hash of the hash before it, the entry without before and after, and details.';

create table audit_pending (
  tenant    integer  not null,
  number    bigint   not null generated always as identity,
  entry_id  uuid     not null,
  constraint audit_pending_pkey primary key (tenant, number)
);
comment on table audit_pending is 'Entries of the audit log that are not in the chain yet.';

create function note_audit_entry() returns trigger language plpgsql as $$
begin
  insert into audit_pending (tenant, entry_id) values (new.tenant, new.id);
  return null;
end
$$;
comment on function note_audit_entry() is 'Whichever version of the service writes an entry, it will be chained.';
create trigger audit_log_is_chained after insert on audit_log for each row execute function note_audit_entry();
insert into audit_pending (tenant, entry_id) select tenant, id from audit_log order by at, id;

create function refuse_change_but_erasure() returns trigger language plpgsql as $$
begin
  if current_setting('payment_sessions.erasing', true) is distinct from 'on' then
    raise exception 'rows of % are history and are not changed', tg_table_name using errcode = 'insufficient_privilege';
  end if;
  return null;
end
$$;
comment on function refuse_change_but_erasure() is 'History is changed by erase_audit_entry alone.';

drop trigger audit_log_is_append_only on audit_log;
create trigger audit_log_is_append_only before delete or truncate on audit_log
  for each statement execute function refuse_change();
create trigger audit_log_changes_by_erasure before update on audit_log
  for each statement execute function refuse_change_but_erasure();
create trigger audit_chain_is_append_only before delete or truncate on audit_chain
  for each statement execute function refuse_change();
create trigger audit_chain_changes_by_erasure before update on audit_chain
  for each statement execute function refuse_change_but_erasure();

create function erase_audit_entry(of_tenant integer, entry uuid, new_before jsonb, new_after jsonb) returns integer
  language plpgsql security definer set search_path to 'public', 'pg_temp' as $$
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
$$;
comment on function erase_audit_entry(integer, uuid, jsonb, jsonb) is 'Takes a person''s data out of an entry: the service, which may not change the log, calls it. The chain shows that it was done.';

create function erase_event(of_tenant integer, event uuid, new_payload jsonb) returns integer
  language plpgsql security definer set search_path to 'public', 'pg_temp' as $$
declare
  erased integer;
begin
  update events set payload = new_payload where tenant = of_tenant and id = event;
  get diagnostics erased = row_count;
  return erased;
end
$$;
comment on function erase_event(integer, uuid, jsonb) is 'Takes a person''s data out of an event: the service may not change what one says.';
