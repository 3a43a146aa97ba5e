-- compatible with: 0017
-- A refund is held while the payment may still come back; what a guard has done is an event.

alter table tenants
  add column refund_hold_days integer not null default 0,
  add constraint refund_hold_days_within_400 check (refund_hold_days between 0 and 400);
alter table transactions add column held_until timestamptz, add column released_at timestamptz;
alter table events
  drop constraint type_known,
  add constraint type_known check (type in (
    'payment_session.completed', 'payment_session.expired', 'transaction.created', 'transaction.status_changed',
    'chargeback.created', 'subscription.upcoming', 'guard.triggered')) not valid;
comment on column tenants.refund_hold_days is
  'For so many days after it was collected a payment is not refunded without a person''s word, as it may come back. 0: never held.';
comment on column transactions.held_until is
  'Of a refund that a guard held back: when it was to be sent, unless its payment comes back or a person decides.';
comment on column transactions.released_at is 'When a refund with held_until was no longer held, and sent; null: it never was.';
