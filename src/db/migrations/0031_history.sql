-- History is written once: neither the service nor the tables' owner changes it in passing.
create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'rows of % are history and are not changed', tg_table_name using errcode = 'insufficient_privilege';
end
$$;

create trigger audit_log_is_append_only before update or delete or truncate on audit_log
  for each statement execute function refuse_change();
create trigger session_moves_is_append_only before update or delete or truncate on session_moves
  for each statement execute function refuse_change();

-- The service analyzes tables that it does not own.
alter function refresh_statistics() security definer;
alter function refresh_statistics() set search_path = public, pg_temp;
