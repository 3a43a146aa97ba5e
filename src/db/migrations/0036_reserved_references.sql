-- compatible with: 0017
-- runs: concurrently
-- allowed: new-rule: the last release leaves the column null, and rows without a reference are not in the index
-- A reference is reserved by one session.
create unique index concurrently if not exists sessions_one_per_tenant_reference on sessions (tenant, tenant_reference_id)
  where tenant_reference_id is not null;
