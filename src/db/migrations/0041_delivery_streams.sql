-- What is told in its order: the events of one purchase, which are its session's, its refunds' and its renewals'; where
-- there is none, those of one transaction.
alter table webhook_deliveries add column stream_id uuid;
update webhook_deliveries set stream_id = session_id where status in ('pending', 'failing');
drop index webhook_deliveries_session;
create index webhook_deliveries_stream on webhook_deliveries (tenant, profile_id, stream_id, event_number)
  where status in ('pending', 'failing');
