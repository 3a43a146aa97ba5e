-- compatible with: 0017
create table sepa_withdrawn (
  tenant       integer     not null,
  gateway_id   uuid        not null,
  reference    text        not null,
  number       integer     not null,
  file_id      uuid        not null,
  block_id     text        not null,
  withdrawn_at timestamptz not null,
  constraint sepa_withdrawn_pkey primary key (tenant, gateway_id, reference, number),
  constraint collection_of_same_account foreign key (tenant, gateway_id, reference)
    references sepa_collections (tenant, gateway_id, reference),
  constraint file_of_same_tenant foreign key (tenant, file_id) references sepa_files (tenant, id)
);
create index sepa_withdrawn_of_block on sepa_withdrawn (tenant, gateway_id, block_id);
create index sepa_withdrawn_of_file on sepa_withdrawn (tenant, file_id);
comment on table sepa_withdrawn is
  'The instructions of files that were withdrawn: a bank that has such a file all the same books it under its blocks.';
comment on column sepa_withdrawn.number is 'How often it was withdrawn, this time included.';
comment on column sepa_withdrawn.block_id is 'PmtInfId: the block in that file.';
