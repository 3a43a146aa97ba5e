-- compatible with: 0017
-- runs: concurrently
-- Held refunds are found by their tenant.
create index concurrently if not exists transactions_held on transactions (tenant, held_until)
  where held_until is not null and released_at is null and status = 'submitted';
