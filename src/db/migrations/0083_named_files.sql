-- compatible with: 0017
alter table sepa_bookings add column named_file text;
comment on column sepa_bookings.named_file is
  'Our file that the entry named as a whole or by a block; null for an entry of one instruction, and in old rows.';
