-- compatible with: 0017
-- runs: concurrently
-- The console's list of refunded payments read all payments of a merchant with millions of others.
create index concurrently if not exists transactions_by_end_newest_first on transactions (tenant, status, created_at desc, id desc)
  where status in ('declined', 'refunded', 'charged_back');
