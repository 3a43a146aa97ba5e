-- What a chargeback, or the full refund, of one of its payments does to a subscription: the tenant's choice.
alter table tenants
  add column subscription_after_chargeback text not null default 'cancel'
    check (subscription_after_chargeback in ('cancel', 'past_due', 'keep')),
  add column subscription_after_refund text not null default 'keep'
    check (subscription_after_refund in ('cancel', 'keep'));
