-- Customers are told before they are debited (SDD rulebook, pre-notification): receivers hear of it so many days before.
alter table tenants
  add column pre_notification_days integer not null default 14 check (pre_notification_days between 1 and 30);
alter table subscriptions
  add column announced_date date; -- the next_billing_date that was announced last
alter table events
  drop constraint events_type_check,
  add constraint events_type_check check (type in (
    'payment_session.completed', 'payment_session.expired', 'transaction.created', 'transaction.status_changed',
    'chargeback.created', 'subscription.upcoming'
  ));
