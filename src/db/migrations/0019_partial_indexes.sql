-- The planner takes a partial index for every statement whose conditions imply the index's, also where it finds all that is
-- open of a tenant and the primary key would find the one row that is asked for; and thinks it cheap, as few rows were
-- open when it last looked. So an index names what it holds by a column that only the statements name that want it.
drop index sessions_lapsing;
create index sessions_lapsing on sessions (tenant, expires_at) where closed_at is null;
drop index sessions_one_active_per_lead;
create unique index sessions_one_active_per_lead on sessions (tenant, lead_id) where closed_at is null;

-- Those that are there to refuse a second row, and not to find one, say it in words that nothing is concluded from.
drop index transactions_one_open_per_session;
create unique index transactions_one_open_per_session on transactions (tenant, session_id)
  where (status in ('submitted', 'unresolved', 'awaiting_verification', 'verifying')) is not distinct from true;
drop index transactions_one_success_per_session;
create unique index transactions_one_success_per_session on transactions (tenant, session_id)
  where (status in ('pending', 'approved', 'refunded', 'charged_back') and type in ('sdd_sale', 'other_type'))
        is not distinct from true;
drop index transactions_one_open_per_subscription;
create unique index transactions_one_open_per_subscription on transactions (tenant, subscription_id)
  where (type = 'sdd_rebill' and status in ('submitted', 'unresolved')) is not distinct from true;
drop index billing_cycles_one_open;
create unique index billing_cycles_one_open on billing_cycles (tenant, subscription_id)
  where (status in ('collecting', 'pending', 'retry')) is not distinct from true;

-- Only what waits for another try has a time for it.
drop index billing_cycles_retry;
create index billing_cycles_retry on billing_cycles (tenant, next_attempt_at) where next_attempt_at is not null;
