-- compatible with: 0017
-- The types of 0038 are checked in the rows that were there before.

alter table events validate constraint type_known;
