-- A delivery is claimed, no longer its receiver: several travel to one receiver at once, of each subject one.
alter table webhook_profiles
  add column max_in_flight integer not null default 10,
  add constraint max_in_flight_is_1_to_100 check (max_in_flight between 1 and 100);
comment on column webhook_profiles.max_in_flight is 'Requests that may be under way to the receiver at once; 1: one after the other.';

alter table webhook_receivers
  drop column locked_until,
  drop column lease_no,
  drop column news,
  add column in_flight_limit integer not null default 1,
  add constraint in_flight_limit_is_1_to_100 check (in_flight_limit between 1 and 100);
comment on table webhook_receivers is
  'Profiles that were sent something, and how each is doing. Who claims deliveries of a receiver, or makes one due again, holds its row meanwhile.';
comment on column webhook_receivers.next_at is 'When to look for deliveries that can be claimed; null: there are none.';
comment on column webhook_receivers.in_flight_limit is
  'How many requests it has shown to bear at once; the profile''s max_in_flight is the most. After a failure one, until one succeeds.';

alter table webhook_deliveries
  add column locked_until timestamptz,
  add column lease_no bigint not null default 0;
alter table webhook_deliveries rename column stream_id to subject_id;
alter index webhook_deliveries_of_stream rename to webhook_deliveries_of_subject;
create index webhook_deliveries_in_flight on webhook_deliveries (tenant, profile_id, subject_id) where locked_until is not null;
comment on column webhook_deliveries.subject_id is
  'Events of one subject are delivered in order, one at a time: those of a session with its refunds, its subscription and their renewals; without a session, those of a transaction with its refunds.';
comment on column webhook_deliveries.locked_until is 'A request is under way until then, or its instance is dead.';
