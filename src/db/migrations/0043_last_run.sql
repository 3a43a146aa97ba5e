-- When the day's run was, for an operator who asks why nothing is written.
alter table sepa_accounts add column last_run_at timestamptz;
