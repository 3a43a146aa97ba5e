-- PostgreSQL plans a prepared statement by what it knows of the tables and keeps the plan. On a table that was empty then, and
-- has thousands of rows a minute later, that plan reads all of a tenant's rows to find one; autovacuum looks once a minute.
create function refresh_statistics() returns integer language plpgsql as $$
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
