-- Tenants of a staging environment that have moved their time forward, and by how much.
create table tenant_clocks (
  tenant      integer primary key references tenants,
  ahead_ms    bigint not null check (ahead_ms > 0),
  updated_at  timestamptz not null
);
