-- The bank as a gateway: what it was or will be told (collections), in which files, and what its files said.

create table sepa_files (
  tenant       integer     not null references tenants,
  id           uuid        not null,
  gateway_id   uuid        not null,
  direction    text        not null check (direction in ('out', 'in')),
  kind         text        not null, -- pain.008, pain.001, pain.002, camt.052, camt.053, camt.054, zip
  name         text        not null check (char_length(name) between 1 and 255),
  message_id   text,       -- ours when it goes out; the bank's own when it comes in
  sha256       bytea       not null check (octet_length(sha256) = 32),
  content      bytea       not null, -- sealed: it holds IBANs
  size         integer     not null check (size >= 0),
  transactions integer     not null default 0,
  amount       numeric(14,2) not null default 0,
  due_date     date,       -- of what goes out
  -- out: ready (to be downloaded) or stored → uploading → renaming → sent, or unclear; in: applied or refused
  status       text        not null check (status in ('ready', 'stored', 'uploading', 'renaming', 'sent', 'unclear', 'applied', 'refused')),
  error        text,
  report       jsonb       not null default '{}' check (jsonb_typeof(report) = 'object'),
  locked_until timestamptz,
  lease_no     bigint      not null default 0,
  due_at       timestamptz, -- when an upload is to be tried
  attempts     integer     not null default 0 check (attempts >= 0),
  sent_at      timestamptz,
  created_at   timestamptz not null,
  updated_at   timestamptz not null,
  primary key (tenant, id),
  foreign key (tenant, gateway_id) references gateways,
  check ((due_at is not null) = (status in ('stored', 'uploading', 'renaming')))
);
create unique index sepa_files_read_once on sepa_files (tenant, gateway_id, sha256) where direction = 'in' and status = 'applied';
create unique index sepa_files_message on sepa_files (tenant, gateway_id, message_id) where direction = 'out';
create index sepa_files_newest_first on sepa_files (tenant, created_at desc, id desc);
create index sepa_files_known on sepa_files (tenant, gateway_id, sha256) where direction = 'in';
create index sepa_files_for_people on sepa_files (tenant, status) where status in ('ready', 'unclear');
create index sepa_files_due on sepa_files (tenant, due_at) where due_at is not null;

-- One row per instruction. Its reference is the end-to-end id, which is unique for ever.
create table sepa_collections (
  tenant            integer       not null references tenants,
  gateway_id        uuid          not null,
  reference         text          not null,
  refund_of         text,         -- set for a credit transfer that gives (part of) a collection back
  collected_on      date,         -- of a refund: when that collection was settled
  -- accepted → batched (in a file) → settled → returned; rejected before settlement; fenced: never to be collected
  state             text          not null check (state in ('mandate_only', 'accepted', 'batched', 'settled', 'rejected', 'returned', 'fenced', 'refused')),
  amount            numeric(12,2) not null check (amount >= 0),
  currency          text          not null,
  recurring         boolean       not null,
  mandate_reference text          not null,
  mandate_signed_on date,
  debtor_name       text          not null, -- in the characters of SEPA
  debtor            bytea,        -- sealed: account and address
  remittance        text          not null check (char_length(remittance) <= 140),
  not_before        date,         -- the first day on which it may be due
  sequence_type     text          check (sequence_type in ('FRST', 'RCUR', 'OOFF')),
  file_id           uuid,
  block_id          text,         -- PmtInfId
  due_date          date,
  settled_on        date,
  returned_on       date,
  reason_code       text,
  gateway_reference text,
  assumed           boolean       not null default false, -- settled because the bank was silent for so long
  refunded          numeric(12,2) not null default 0,
  asked_count       integer       not null default 1,
  created_at        timestamptz   not null,
  updated_at        timestamptz   not null,
  primary key (tenant, gateway_id, reference),
  foreign key (tenant, gateway_id) references gateways,
  foreign key (tenant, file_id) references sepa_files,
  check (refunded >= 0 and refunded <= amount),
  check ((file_id is null) = (block_id is null))
);
create index sepa_collections_waiting on sepa_collections (tenant, gateway_id, not_before) where state = 'accepted';
create index sepa_collections_block on sepa_collections (tenant, gateway_id, block_id) where block_id is not null;
create index sepa_collections_file on sepa_collections (tenant, file_id) where file_id is not null;
create index sepa_collections_mandate on sepa_collections (tenant, gateway_id, upper(mandate_reference), created_at);

-- What the files said, until the payments have it.
create table sepa_news (
  tenant            integer     not null references tenants,
  gateway_id        uuid        not null,
  number            bigint      not null generated always as identity,
  reference         text        not null,
  kind              text        not null check (kind in ('settled', 'returned', 'charged_back')),
  at                timestamptz not null,
  gateway_reference text,
  reason_code       text,
  reason_message    text,
  report_type       text,
  bank_fee          numeric(12,2),
  file_id           uuid,       -- null where no file said it
  acknowledged_at   timestamptz,
  primary key (tenant, gateway_id, number),
  foreign key (tenant, gateway_id, reference) references sepa_collections,
  foreign key (tenant, file_id) references sepa_files
);
create unique index sepa_news_once on sepa_news (tenant, gateway_id, reference, kind);
create index sepa_news_open on sepa_news (tenant, gateway_id, number) where acknowledged_at is null;

-- What each entry of a file that came in led to.
create table sepa_entries (
  tenant      integer       not null,
  file_id     uuid          not null,
  number      integer       not null,
  result      text          not null check (result in ('settled', 'rejected', 'returned', 'known', 'ignored', 'unmatched')),
  reference   text,
  amount      numeric(14,2),
  reason_code text,
  detail      text          not null default '',
  primary key (tenant, file_id, number),
  foreign key (tenant, file_id) references sepa_files
);

-- What nobody could decide but a person.
create table sepa_unmatched (
  tenant      integer       not null references tenants,
  id          uuid          not null,
  gateway_id  uuid          not null,
  file_id     uuid          not null,
  entry       integer       not null,
  kind        text          not null check (kind in ('collection', 'block', 'return', 'reject', 'withdrawn_return', 'unreadable')),
  why         text          not null,
  amount      numeric(14,2),
  bank_fee    numeric(12,2),
  booked_on   date,
  facts       jsonb         not null check (jsonb_typeof(facts) = 'object'),
  status      text          not null default 'open' check (status in ('open', 'applied', 'dismissed')),
  resolution  text          check (char_length(resolution) <= 500),
  reference   text,
  resolved_at timestamptz,
  created_at  timestamptz   not null,
  primary key (tenant, id),
  foreign key (tenant, gateway_id) references gateways,
  foreign key (tenant, file_id) references sepa_files,
  check ((status = 'open') = (resolved_at is null))
);
create index sepa_unmatched_newest_first on sepa_unmatched (tenant, created_at desc, id desc);
create index sepa_unmatched_open on sepa_unmatched (tenant, created_at) where status = 'open';

-- One row per account: its lock, its counters and when it last ran.
create table sepa_accounts (
  tenant        integer not null,
  gateway_id    uuid    not null,
  last_run_on   date,
  last_number   integer not null default 0, -- of message ids
  polled_at     timestamptz,
  poll_error    text,
  locked_until  timestamptz,
  lease_no      bigint  not null default 0,
  primary key (tenant, gateway_id),
  foreign key (tenant, gateway_id) references gateways
);

