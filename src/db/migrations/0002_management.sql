create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'rows of % are history and are not changed', tg_table_name using errcode = 'insufficient_privilege';
end
$$;
comment on function refuse_change() is 'History is written once: neither the service nor the tables'' owner changes it in passing.';

create table audit_log (
  tenant       integer      not null,
  id           uuid         not null,
  at           timestamptz  not null,
  actor        text         not null,
  actor_name   text         not null,
  action       text         not null,
  resource     text         not null,
  resource_id  uuid,
  before       jsonb,
  after        jsonb,
  ip           text,
  request_id   text,
  primary key (tenant, id)
);
create index audit_log_newest_first on audit_log (tenant, at desc, id desc);
create index audit_log_of_resource on audit_log (tenant, resource, resource_id, at desc);
create trigger audit_log_is_append_only before update or delete or truncate on audit_log
  for each statement execute function refuse_change();
comment on table audit_log is 'Who changed what. Rows are added, never changed or deleted.';
comment on column audit_log.actor is '`key:<id>`, `operator`, `customer` or `service`.';
comment on column audit_log.actor_name is 'The name that the key had then.';
comment on column audit_log.resource is 'Kind of the record: `gateway`, `session`, …';
comment on column audit_log.before is 'The record as it was, without secrets; null when it is new.';
comment on column audit_log.after is 'The record as it is since; null when nothing of it is left.';
