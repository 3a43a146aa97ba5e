-- compatible with: 0017
-- runs: concurrently
-- An erasure asks whether another customer holds an account under the same name.
create index concurrently if not exists mandates_by_holder on mandates (tenant, lower(holder_name));
