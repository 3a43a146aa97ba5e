-- The statements (camt.053) that were read, so that a missing one is noticed.
create table sepa_statements (
  tenant       integer      not null references tenants,
  id           uuid         not null,
  gateway_id   uuid         not null, -- for which the file was read
  file_id      uuid         not null,
  iban         text         not null check (iban ~ '^[A-Z0-9]{15,34}$'), -- the merchant's own account
  ends_on      date         not null,
  sequence     bigint,                -- ElctrncSeqNb, else LglSeqNb; many banks begin again each year
  statement_id text,
  opening      numeric(16,2),
  closing      numeric(16,2),
  gap          text,                  -- what is missing before it, in words
  created_at   timestamptz  not null,
  primary key (tenant, id),
  foreign key (tenant, gateway_id) references gateways,
  foreign key (tenant, file_id) references sepa_files
);
create index sepa_statements_chain on sepa_statements (tenant, iban, ends_on);
create index sepa_statements_newest_first on sepa_statements (tenant, created_at desc, id desc);
create index sepa_statements_gaps on sepa_statements (tenant, created_at) where gap is not null;
