-- compatible with: 0017
create table sepa_page_entries (
  tenant     integer not null,
  statement  text    not null,
  name       text    not null,
  page       integer not null,
  times      integer not null,
  constraint sepa_page_entries_pkey primary key (tenant, statement, name, page),
  constraint tenant_exists foreign key (tenant) references tenants
);
comment on table sepa_page_entries is
  'What each page of a statement that came in pages has reported: what two pages report is two movements.';
comment on column sepa_page_entries.statement is 'The kind of message, the account, and the number or id that all pages share.';
comment on column sepa_page_entries.name is
  'A movement and the reference, block or file that it is of; of an entry for a person, what it is known by in any file.';
comment on column sepa_page_entries.times is 'How often it stands on the page.';
