-- A settlement tick asks for each account of a tenant. Most of what a bank has charged is no news, so what was to be read
-- grew with all that the tenant had ever paid, once for each of its accounts.
drop index sandbox_books_unreported;
create index sandbox_books_news on sandbox_books (tenant, gateway_id, created_at, reference)
  where reported_at is null
    and (state in ('pending', 'settled', 'returned', 'charged_back')
         or (state = 'charged' and scenario = 'charge_back' and amount > 0));
