-- compatible with: 0017
-- runs: concurrently
-- The sessions of a link are counted before each payment of one whose uses are limited.
create index concurrently if not exists sessions_of_payment_link on sessions (tenant, payment_link_id, created_at desc, id desc)
  where payment_link_id is not null;
