-- compatible with: 0017
-- The kinds of 0043 are checked in the rows that were there before.

alter table payment_counts validate constraint kind_known;
