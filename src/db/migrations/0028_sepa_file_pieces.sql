-- A bank file of hundreds of megabytes is kept in pieces: sepa_files.content holds the first, this table the others.
create table sepa_file_pieces (
  tenant   integer  not null,
  file_id  uuid     not null,
  number   integer  not null,
  -- sealed
  content  bytea    not null,
  primary key (tenant, file_id, number),
  foreign key (tenant, file_id) references sepa_files (tenant, id) on delete cascade,
  constraint sepa_file_pieces_after_the_first check (number >= 1)
);
alter table sepa_file_pieces alter column content set storage external;
