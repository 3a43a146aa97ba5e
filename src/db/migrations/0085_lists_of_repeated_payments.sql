-- compatible with: 0017
-- runs: concurrently
-- First payments that were reinstated, and the sessions that repeat a payment: both are few.
create index concurrently if not exists transactions_reinstated_first on transactions (tenant, id)
  where reinstatements > 0 and cycle is null;
create index concurrently if not exists sessions_repaying on sessions (tenant, repays_transaction_id)
  where repays_transaction_id is not null;
