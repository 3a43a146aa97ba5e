-- Files of a processor that were imported, and how far: transactions or chargebacks.
create table imports (
  tenant        integer     not null references tenants,
  id            uuid        not null,
  kind          text        not null check (kind in ('transactions', 'chargebacks')),
  gateway_id    uuid        not null,
  file_name     text        not null check (char_length(file_name) <= 255),
  file_sha256   text,       -- known once the file was read to its end
  dry_run       boolean     not null,
  status        text        not null check (status in ('running', 'done', 'failed')),
  error         text,       -- why it has failed; what was written before stays
  lines         integer     not null default 0,
  created       integer     not null default 0,
  duplicate     integer     not null default 0,
  linked        integer     not null default 0,
  rejected      integer     not null default 0,
  rejections    jsonb       not null default '[]', -- the first of them: {line, reasons}
  created_at    timestamptz not null,
  updated_at    timestamptz not null,
  primary key (tenant, id),
  foreign key (tenant, gateway_id) references gateways
);
create index imports_newest_first on imports (tenant, created_at desc, id desc);

-- What a processor's file tells of an account: our own transactions have a mandate that does.
alter table transactions
  add column iban_last4         text check (char_length(iban_last4) = 4),
  add column iban_length        integer check (iban_length between 4 and 34),
  add column bic                text,
  add column mandate_reference  text,
  add column mandate_date       timestamptz,
  drop constraint transactions_merchant_transaction_id_check,
  add constraint transactions_merchant_transaction_id_check check (
    merchant_transaction_id ~ '^TXN-[0-9]{8}-[0-9A-Z]{8}$'
    or (source = 'csv_import' and char_length(merchant_transaction_id) between 1 and 255)
  );
create unique index transactions_adapter_unique_id on transactions (tenant, gateway_id, adapter_unique_id)
  where adapter_unique_id is not null;
