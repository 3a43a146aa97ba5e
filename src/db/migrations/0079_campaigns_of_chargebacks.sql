-- compatible with: 0017
alter table chargebacks
  add column campaign_id uuid,
  add column campaign_known boolean not null default false;
comment on column chargebacks.campaign_id is
  'Of the session that the transaction paid: a list of one campaign''s would look up the payment of every chargeback.';
comment on column chargebacks.campaign_known is
  'Whether campaign_id was looked up; false: by code that did not know it, or without a transaction.';
