-- compatible with: 0017
-- What 0042, 0052 and 0057 ask for is checked in the rows that were there before.

alter table mandates validate constraint only_b2b_is_confirmed;
alter table sepa_files validate constraint status_known;
alter table sepa_files validate constraint approved_before_it_goes;
alter table events validate constraint type_known;
