-- compatible with: 0017
-- What a customer has changed on the page of their account is an event, and the evidence of a changed account is kept.

alter table mandate_amendments
  add column accepted_ip text,
  add column text_version text;
alter table events
  drop constraint type_known,
  add constraint type_known check (type in (
    'payment_session.completed', 'payment_session.expired', 'transaction.created', 'transaction.status_changed',
    'chargeback.created', 'subscription.upcoming', 'guard.triggered', 'customer.acted')) not valid;
comment on column mandate_amendments.accepted_ip is
  'From where the customer has agreed to another account on a page of the service; null: the merchant has amended it.';
comment on column mandate_amendments.text_version is 'Version and language of the mandate''s text that the customer was shown then.';
