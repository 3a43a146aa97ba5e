-- compatible with: 0017
-- runs: concurrently
-- Only a payment that was reinstated can collect a cycle that another attempt collects too.
create index concurrently if not exists transactions_reinstated on transactions (tenant, subscription_id, cycle)
  where reinstatements > 0 and cycle is not null;
