-- compatible with: 0017
-- Subscriptions that are due on the last day of their months.

alter table offers add column billing_day text, add constraint billing_day_known check (billing_day = 'last');
alter table sessions add column billing_day text, add constraint billing_day_known check (billing_day = 'last') not valid;
alter table subscriptions add column billing_day text, add constraint billing_day_known check (billing_day = 'last') not valid;
comment on column subscriptions.billing_day is
  'last: cycles after the anchor are due on the last day of their month. Null: on the anchor''s day.';
