-- A claim of an open transaction: until when, by the database's clock, and its number. A write names the number and
-- finds no row when another claim has been taken since (docs/architecture.md, Leases).
alter table transactions
  add column locked_until timestamptz,
  add column lease_no     bigint not null default 0,
  add constraint transactions_only_open_are_leased check (locked_until is null or resolve_at is not null);
