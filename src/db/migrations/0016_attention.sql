-- Deliveries that were given up are few among those that arrived.
create index webhook_deliveries_exhausted on webhook_deliveries (tenant, created_at desc, id desc)
  where status = 'exhausted';
