create table sepa_files (
  tenant        integer        not null,
  id            uuid           not null,
  gateway_id    uuid           not null,
  direction     text           not null,
  kind          text           not null,
  name          text           not null,
  message_id    text,
  sha256        bytea          not null,
  content       bytea          not null,
  size          integer        not null,
  transactions  integer        not null default 0,
  amount        numeric(14,2)  not null default 0,
  due_date      date,
  status        text           not null,
  error         text,
  report        jsonb          not null default '{}',
  locked_until  timestamptz,
  lease_no      bigint         not null default 0,
  due_at        timestamptz,
  attempts      integer        not null default 0,
  sent_at       timestamptz,
  created_at    timestamptz    not null,
  updated_at    timestamptz    not null,
  primary key (tenant, id),
  constraint direction_known check (direction in ('out', 'in')),
  constraint name_length check (char_length(name) between 1 and 255),
  constraint sha256_has_32_bytes check (octet_length(sha256) = 32),
  constraint size_not_negative check (size >= 0),
  constraint status_known check (
    status in ('ready', 'stored', 'uploading', 'renaming', 'sent', 'unclear', 'withdrawn', 'applied', 'refused')
  ),
  constraint report_is_object check (jsonb_typeof(report) = 'object'),
  constraint upload_has_due_time check ((due_at is not null) = (status in ('stored', 'uploading', 'renaming'))),
  constraint attempts_not_negative check (attempts >= 0),
  constraint tenant_exists foreign key (tenant) references tenants,
  constraint gateway_of_same_tenant foreign key (tenant, gateway_id) references gateways
);
create unique index sepa_files_read_once on sepa_files (tenant, gateway_id, sha256)
  where direction = 'in' and status = 'applied';
create unique index sepa_files_one_per_message on sepa_files (tenant, gateway_id, message_id) where direction = 'out';
create index sepa_files_newest_first on sepa_files (tenant, created_at desc, id desc);
create index sepa_files_by_content on sepa_files (tenant, gateway_id, sha256) where direction = 'in';
create index sepa_files_for_people on sepa_files (tenant, status) where status in ('ready', 'unclear');
create index sepa_files_due on sepa_files (tenant, due_at) where due_at is not null;
comment on table sepa_files is 'Files to and from the banks.';
comment on column sepa_files.gateway_id is 'The account that it was written or read for.';
comment on column sepa_files.kind is 'pain.008, pain.001, pain.002, camt.052, camt.053, camt.054, zip.';
comment on column sepa_files.message_id is 'Ours when it goes out; the bank''s own when it comes in.';
comment on column sepa_files.sha256 is 'Of the content in clear, by which a file that came in before is known.';
comment on column sepa_files.content is 'Sealed: it holds IBANs. Of a large file the first piece; the others are in sepa_file_pieces.';
comment on column sepa_files.size is 'Bytes of the content in clear.';
comment on column sepa_files.transactions is 'How many it holds; amount is their sum.';
comment on column sepa_files.due_date is 'Of what goes out.';
comment on column sepa_files.status is
  'Out: `ready` to be downloaded, or `stored`, `uploading`, `renaming`, `sent`; `unclear` when it is unknown whether it arrived; `withdrawn` when it was taken back before it was sent: its instructions wait for another file. In: `applied` or `refused`.';
comment on column sepa_files.report is 'Of a file that came in: what it led to, in figures.';
comment on column sepa_files.due_at is 'When an upload is to be tried.';

create table sepa_file_pieces (
  tenant   integer  not null,
  file_id  uuid     not null,
  number   integer  not null,
  content  bytea    not null,
  primary key (tenant, file_id, number),
  constraint pieces_come_after_the_first check (number >= 1),
  constraint file_of_same_tenant foreign key (tenant, file_id) references sepa_files on delete cascade
);
alter table sepa_file_pieces alter column content set storage external;
comment on table sepa_file_pieces is
  'A bank file of hundreds of megabytes is kept in pieces: sepa_files.content holds the first, this table the others.';
comment on column sepa_file_pieces.content is 'Sealed, which nothing can compress.';

create table sepa_collections (
  tenant               integer        not null,
  gateway_id           uuid           not null,
  reference            text           not null,
  refund_of            text,
  collected_on         date,
  state                text           not null,
  amount               numeric(12,2)  not null,
  currency             text           not null,
  recurring            boolean        not null,
  scheme               text,
  sequence_type        text,
  mandate_id           uuid,
  mandate_reference    text           not null,
  mandate_signed_on    date,
  amended_up_to        integer,
  creditor_name        text,
  creditor_identifier  text,
  debtor_name          text           not null,
  debtor               bytea,
  remittance           text           not null,
  not_before           date,
  file_id              uuid,
  block_id             text,
  due_date             date,
  settled_on           date,
  assumed              boolean        not null default false,
  returned_on          date,
  reason_code          text,
  round                integer        not null default 0,
  reinstated_on        date,
  gateway_reference    text,
  asked_count          integer        not null default 1,
  created_at           timestamptz    not null,
  updated_at           timestamptz    not null,
  primary key (tenant, gateway_id, reference),
  constraint state_known check (
    state in ('mandate_only', 'accepted', 'batched', 'settled', 'rejected', 'returned', 'fenced', 'refused')
  ),
  constraint amount_not_negative check (amount >= 0),
  constraint scheme_known check (scheme in ('CORE', 'B2B')),
  constraint sequence_type_known check (sequence_type in ('FRST', 'RCUR', 'OOFF')),
  constraint remittance_length check (char_length(remittance) <= 140),
  constraint in_a_file_is_in_a_block check ((file_id is null) = (block_id is null)),
  constraint round_not_negative check (round >= 0),
  constraint tenant_exists foreign key (tenant) references tenants,
  constraint gateway_of_same_tenant foreign key (tenant, gateway_id) references gateways,
  constraint file_of_same_tenant foreign key (tenant, file_id) references sepa_files
);
create index sepa_collections_waiting on sepa_collections (tenant, gateway_id, not_before) where state = 'accepted';
create index sepa_collections_of_block on sepa_collections (tenant, gateway_id, block_id) where block_id is not null;
create index sepa_collections_of_file on sepa_collections (tenant, file_id) where file_id is not null;
create index sepa_collections_by_mandate_reference
  on sepa_collections (tenant, gateway_id, upper(mandate_reference), created_at);
create index sepa_collections_of_refunded on sepa_collections (tenant, gateway_id, refund_of) where refund_of is not null;
create index sepa_collections_of_mandate on sepa_collections (tenant, mandate_id) where mandate_id is not null;
create index sepa_collections_unanswered on sepa_collections (tenant, file_id, due_date) where state = 'batched';
comment on table sepa_collections is
  'The books of accounts at banks: one row per instruction, a debit or a credit transfer that gives one back.';
comment on column sepa_collections.reference is 'The end-to-end id, which is unique for ever.';
comment on column sepa_collections.refund_of is
  'Of a credit transfer: the reference that it gives (part of) back. What is given back of a debit is added up where it is asked: a transfer that the bank refuses counts no more.';
comment on column sepa_collections.collected_on is 'Of a refund: when that collection was settled.';
comment on column sepa_collections.state is
  '`accepted`, then `batched` (in a file), then `settled`, then maybe `returned`; `rejected` before settlement; `fenced`: never to be collected; `refused`: not taken by the adapter; `mandate_only`: nothing to collect.';
comment on column sepa_collections.scheme is 'This and the creditor''s columns: what it was announced under to the bank. Null: in no file yet.';
comment on column sepa_collections.sequence_type is 'As in the file; null: in none yet.';
comment on column sepa_collections.mandate_id is 'The mandate that it was written with.';
comment on column sepa_collections.amended_up_to is
  'The last amendment of the mandate that it announced. The bank knows of it once it has taken the collection; a file that it refused has told nothing.';
comment on column sepa_collections.debtor_name is 'In the characters of SEPA.';
comment on column sepa_collections.debtor is 'Sealed: account and address.';
comment on column sepa_collections.remittance is 'What the debtor reads on the bank statement.';
comment on column sepa_collections.not_before is 'The first day on which it may be due.';
comment on column sepa_collections.block_id is 'PmtInfId: the block in its file.';
comment on column sepa_collections.due_date is 'As in its file.';
comment on column sepa_collections.assumed is 'Settled because the bank was silent for so long.';
comment on column sepa_collections.round is 'Each time the money is there after all a new round begins, in which it can come back again.';
comment on column sepa_collections.reinstated_on is 'The bank''s booking day of that.';
comment on column sepa_collections.gateway_reference is 'Of the booking, once it is settled: the bank''s reference, else our file and block; and the end-to-end id.';
comment on column sepa_collections.asked_count is 'How often the service asked for it.';

create table sepa_news (
  tenant             integer        not null,
  gateway_id         uuid           not null,
  number             bigint         not null generated always as identity,
  reference          text           not null,
  kind               text           not null,
  round              integer        not null default 0,
  at                 timestamptz    not null,
  amount             numeric(12,2),
  bank_fee           numeric(12,2),
  gateway_reference  text,
  reason_code        text,
  reason_message     text,
  report_type        text,
  file_id            uuid,
  written_at         timestamptz    not null default now(),
  acknowledged_at    timestamptz,
  primary key (tenant, gateway_id, number),
  constraint kind_known check (kind in ('settled', 'returned', 'charged_back', 'fee', 'reinstated')),
  constraint round_not_negative check (round >= 0),
  constraint amount_positive check (amount > 0),
  constraint tenant_exists foreign key (tenant) references tenants,
  constraint collection_of_same_account foreign key (tenant, gateway_id, reference) references sepa_collections,
  constraint file_of_same_tenant foreign key (tenant, file_id) references sepa_files
);
create index sepa_news_open on sepa_news (tenant, gateway_id, number) where acknowledged_at is null;
create unique index sepa_news_once on sepa_news (tenant, gateway_id, reference, kind, round);
create index sepa_news_following on sepa_news (tenant, file_id) where acknowledged_at is null;
comment on table sepa_news is 'What the bank''s files said of collections, until the payments have it.';
comment on column sepa_news.round is 'The round of its collection that it is about.';
comment on column sepa_news.at is 'When it happened at the bank.';
comment on column sepa_news.amount is 'Where it is not the collection''s.';
comment on column sepa_news.report_type is 'Of a chargeback: return, refund or unauthorised refund.';
comment on column sepa_news.file_id is 'Null where no file said it.';
comment on column sepa_news.written_at is 'Since when it waits to be taken: the books check tells of those that wait too long.';
comment on column sepa_news.acknowledged_at is 'When the payments had it.';

create table sepa_bookings (
  tenant          integer  not null,
  gateway_id      uuid     not null,
  reference       text     not null,
  movement        text     not null,
  booked_on       date     not null,
  bank_reference  text,
  file_id         uuid,
  primary key (tenant, gateway_id, reference, movement),
  constraint movement_known check (movement in ('credit', 'debit', 'fee')),
  constraint collection_of_same_account foreign key (tenant, gateway_id, reference) references sepa_collections,
  constraint file_of_same_tenant foreign key (tenant, file_id) references sepa_files
);
create index sepa_bookings_by_bank_reference on sepa_bookings (tenant, gateway_id, bank_reference)
  where bank_reference is not null;
comment on table sepa_bookings is
  'Which entry of the bank''s has told of a movement first: the same one is told again by other files, and a second one is not the same.';
comment on column sepa_bookings.bank_reference is 'The bank''s own reference of the entry.';

create table sepa_entries (
  tenant       integer        not null,
  file_id      uuid           not null,
  number       integer        not null,
  result       text           not null,
  reference    text,
  amount       numeric(14,2),
  reason_code  text,
  detail       text           not null default '',
  primary key (tenant, file_id, number),
  constraint result_known check (result in ('settled', 'rejected', 'returned', 'known', 'ignored', 'unmatched')),
  constraint file_of_same_tenant foreign key (tenant, file_id) references sepa_files
);
comment on table sepa_entries is 'What each entry of a file that came in led to.';
comment on column sepa_entries.number is 'Counted in the file.';
comment on column sepa_entries.result is '`known`: another entry had said it before. `unmatched`: a person decides.';
comment on column sepa_entries.reference is 'The collection that it was about; null: of none of ours.';

create table sepa_unmatched (
  tenant       integer        not null,
  id           uuid           not null,
  gateway_id   uuid           not null,
  file_id      uuid           not null,
  entry        integer        not null,
  identity     text,
  kind         text           not null,
  why          text           not null,
  amount       numeric(14,2),
  bank_fee     numeric(12,2),
  booked_on    date,
  facts        jsonb          not null,
  status       text           not null default 'open',
  target       jsonb,
  resolution   text,
  reference    text,
  resolved_at  timestamptz,
  created_at   timestamptz    not null,
  primary key (tenant, id),
  constraint kind_known check (
    kind in ('collection', 'block', 'return', 'reject', 'withdrawn_return', 'fee', 'transfer', 'unreadable')
  ),
  constraint facts_are_object check (jsonb_typeof(facts) = 'object'),
  constraint status_known check (status in ('open', 'part', 'applied', 'dismissed')),
  constraint resolved_has_time check ((status in ('open', 'part')) = (resolved_at is null)),
  constraint part_has_target check (status <> 'part' or target is not null),
  constraint resolution_length check (char_length(resolution) <= 500),
  constraint tenant_exists foreign key (tenant) references tenants,
  constraint gateway_of_same_tenant foreign key (tenant, gateway_id) references gateways,
  constraint file_of_same_tenant foreign key (tenant, file_id) references sepa_files
);
create index sepa_unmatched_newest_first on sepa_unmatched (tenant, created_at desc, id desc);
create unique index sepa_unmatched_once on sepa_unmatched (tenant, identity);
create index sepa_unmatched_open on sepa_unmatched (tenant, created_at) where status in ('open', 'part');
create index sepa_unmatched_parts on sepa_unmatched (tenant, target) where status = 'part';
comment on table sepa_unmatched is 'Entries of the bank''s files that a person has to decide.';
comment on column sepa_unmatched.entry is 'Its number in the file.';
comment on column sepa_unmatched.identity is
  'The same for the same entry in whichever file: see src/gateways/sepa-batch/incoming/report.ts. Null for one of which nothing tells.';
comment on column sepa_unmatched.why is 'Why it was not decided, in words.';
comment on column sepa_unmatched.facts is 'What the entry said.';
comment on column sepa_unmatched.status is '`part`: a person has said of what it is a part; it is applied when the parts make up the whole.';
comment on column sepa_unmatched.target is 'Of a part: which collections it is a part of.';
comment on column sepa_unmatched.resolution is 'The person''s note.';
comment on column sepa_unmatched.reference is 'The collection that it was applied to.';

create table sepa_statements (
  tenant        integer        not null,
  id            uuid           not null,
  gateway_id    uuid           not null,
  file_id       uuid           not null,
  iban          text           not null,
  ends_on       date           not null,
  sequence      bigint,
  statement_id  text,
  opening       numeric(16,2),
  closing       numeric(16,2),
  gap           text,
  created_at    timestamptz    not null,
  primary key (tenant, id),
  constraint iban_format check (iban ~ '^[A-Z0-9]{15,34}$'),
  constraint tenant_exists foreign key (tenant) references tenants,
  constraint gateway_of_same_tenant foreign key (tenant, gateway_id) references gateways,
  constraint file_of_same_tenant foreign key (tenant, file_id) references sepa_files
);
create index sepa_statements_in_order on sepa_statements (tenant, iban, ends_on);
create index sepa_statements_newest_first on sepa_statements (tenant, created_at desc, id desc);
create index sepa_statements_with_gap on sepa_statements (tenant, created_at) where gap is not null;
comment on table sepa_statements is 'The statements (camt.053) that were read, so that a missing one is noticed.';
comment on column sepa_statements.gateway_id is 'For which the file was read.';
comment on column sepa_statements.iban is 'The merchant''s own account.';
comment on column sepa_statements.ends_on is 'The last day that it covers.';
comment on column sepa_statements.sequence is 'ElctrncSeqNb, else LglSeqNb; many banks begin again each year.';
comment on column sepa_statements.opening is 'The balance before its entries; closing is the one after them.';
comment on column sepa_statements.gap is 'What is missing before it, in words; null: nothing.';

create table sepa_accounts (
  tenant        integer      not null,
  gateway_id    uuid         not null,
  last_run_on   date,
  last_run_at   timestamptz,
  last_number   integer      not null default 0,
  polled_at     timestamptz,
  poll_error    text,
  locked_until  timestamptz,
  lease_no      bigint       not null default 0,
  primary key (tenant, gateway_id),
  constraint gateway_of_same_tenant foreign key (tenant, gateway_id) references gateways
);
comment on table sepa_accounts is 'One row per account at a bank: its lease, its counters and when it last ran.';
comment on column sepa_accounts.last_run_on is 'The day whose run is done.';
comment on column sepa_accounts.last_run_at is 'When that was, for an operator who asks why nothing is written.';
comment on column sepa_accounts.last_number is 'Of message ids.';
comment on column sepa_accounts.polled_at is 'When the bank''s files were last looked for.';
comment on column sepa_accounts.poll_error is 'What went wrong then; null: nothing.';

create table sepa_creditor_accounts (
  tenant         integer      not null,
  gateway_id     uuid         not null,
  iban           text         not null,
  first_used_at  timestamptz  not null,
  last_used_at   timestamptz  not null,
  primary key (tenant, gateway_id, iban),
  constraint iban_format check (iban ~ '^[A-Z0-9]{15,34}$'),
  constraint used_in_order check (first_used_at <= last_used_at),
  constraint gateway_of_same_tenant foreign key (tenant, gateway_id) references gateways
);
comment on table sepa_creditor_accounts is
  'The accounts for which a gateway has written files: their statements come after the gateway has moved to another account.';
comment on column sepa_creditor_accounts.iban is 'The merchant''s own, as in the gateway''s settings.';
