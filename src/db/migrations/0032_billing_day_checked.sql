-- compatible with: 0017
-- The days of 0031 are checked in the rows that were there before.

alter table sessions validate constraint billing_day_known;
alter table subscriptions validate constraint billing_day_known;
