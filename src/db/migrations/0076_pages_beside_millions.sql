-- compatible with: 0017
-- runs: concurrently
-- Pages of the console that still read what they did not show. The newest payments are under way for days, all of which the list
-- of approved ones passed over.
create index concurrently if not exists transactions_approved_newest_first on transactions (tenant, created_at desc, id desc)
  where status = 'approved';
-- A reason together with a status: nearly all that have one are declined, so that this has next to nothing, and costs no writing.
create index concurrently if not exists transactions_not_declined_by_error_code on transactions (tenant, error_code, created_at desc, id desc)
  where error_code is not null and status <> 'declined';
create index concurrently if not exists transactions_not_declined_by_gateway_code on transactions (tenant, gateway_code, created_at desc, id desc)
  where gateway_code is not null and status <> 'declined';
create index concurrently if not exists chargebacks_withdrawn_by_reason on chargebacks (tenant, reason_code)
  where withdrawn_on is not null;
-- In place of requests_by_method: a program that only writes has no GET among millions of POST.
create index concurrently if not exists requests_not_post on requests (tenant, method, created_at desc, id desc)
  where method <> 'POST';
