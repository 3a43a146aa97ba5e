-- compatible with: 0017
-- runs: concurrently
-- Filters that few or none of millions of rows match read all of them. What most rows have is found by their time, so that where
-- one can say what is usual, only the rest has an index: a usual payment is written to three of these, and one of them stays small.
create index concurrently if not exists transactions_by_error_code on transactions (tenant, error_code, created_at desc, id desc, status)
  where error_code is not null;
create index concurrently if not exists transactions_by_gateway_code on transactions (tenant, gateway_code, created_at desc, id desc, status)
  where gateway_code is not null;
create index concurrently if not exists transactions_open_newest_first on transactions (tenant, created_at desc, id desc)
  where status in ('pending', 'submitted', 'unresolved', 'awaiting_verification', 'verifying');
create index concurrently if not exists transactions_by_type on transactions (tenant, type, created_at desc, id desc);
create index concurrently if not exists transactions_by_gateway on transactions (tenant, gateway_id, created_at desc, id desc);
create index concurrently if not exists chargebacks_by_reason on chargebacks (tenant, reason_code, created_at desc, id desc)
  where reason_code is not null;
create index concurrently if not exists chargebacks_of_gateway on chargebacks (tenant, gateway_id, created_at desc, id desc);
create index concurrently if not exists chargebacks_by_bank on chargebacks (tenant, left(bic, 8), created_at desc, id desc)
  where bic is not null;
-- The last columns: all that a page has to know of each before it chooses the newest.
create index concurrently if not exists mandates_lapsing on mandates (tenant, coalesce(last_used_at, accepted_at), created_at desc, id desc)
  include (last_used_at, accepted_at) where status = 'active';
create index concurrently if not exists mandates_not_active on mandates (tenant, status, created_at desc, id desc)
  where status <> 'active';
create index concurrently if not exists mandates_by_scheme on mandates (tenant, scheme, created_at desc, id desc)
  where scheme <> 'CORE';
create index concurrently if not exists leads_by_country on leads (tenant, country, created_at desc, id desc);
create index concurrently if not exists sessions_of_campaign on sessions (tenant, campaign_id, created_at desc, id desc)
  where campaign_id is not null;
create index concurrently if not exists events_by_type on events (tenant, type, created_at desc, id desc);
create index concurrently if not exists webhook_deliveries_by_receiver on webhook_deliveries (tenant, profile_id, created_at desc, id desc);
create index concurrently if not exists webhook_deliveries_by_event on webhook_deliveries (tenant, event_type, created_at desc, id desc);
create index concurrently if not exists audit_log_by_actor on audit_log (tenant, actor, at desc, id desc);
create index concurrently if not exists audit_log_by_resource on audit_log (tenant, resource, at desc, id desc);
create index concurrently if not exists requests_by_caller on requests (tenant, api_key_id, created_at desc, id desc)
  where api_key_id is not null;
create index concurrently if not exists requests_by_method on requests (tenant, method, created_at desc, id desc)
  where method not in ('GET', 'POST');
