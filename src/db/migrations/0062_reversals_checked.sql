-- compatible with: 0017
-- What 0061 asks for is checked in the rows that were there before.

alter table transactions validate constraint refund_way_known;
