-- A mandate as a record of its own: what was signed, what has become of it, and mandates that were signed elsewhere.
alter table mandates
  alter column acceptance_mode drop not null,
  alter column text_version    drop not null,
  add column scheme                 text        not null default 'CORE' check (scheme in ('CORE', 'B2B')),
  add column type                   text        not null default 'recurrent' check (type in ('recurrent', 'one_off')),
  add column source                 text        not null default 'payment' check (source in ('payment', 'import')),
  add column language               text        check (language ~ '^[a-z]{2,3}(-[A-Za-z]{2,8})*$'), -- in which it was signed
  add column pre_notification_days  integer     check (pre_notification_days between 0 and 31), -- as agreed when it was signed
  add column cancelled_at           timestamptz,
  add column cancelled_by           text        check (cancelled_by in ('debtor', 'creditor', 'bank')),
  add column status_reason          text        check (char_length(status_reason) <= 255), -- an ISO code, or words
  -- Elsewhere a reference may have any of the scheme's characters; those that we draw are MND-….
  drop constraint mandates_reference_check,
  add constraint mandates_reference_check check (
    reference ~ '^[A-Za-z0-9+?/:().,''-]{1,35}$' and reference !~ '^/|/$|//'
  ),
  add constraint mandates_payment_has_evidence check (
    source <> 'payment' or (session_id is not null and acceptance_mode is not null and text_version is not null)
  );

update mandates
   set type = 'one_off'
  from sessions
 where sessions.tenant = mandates.tenant and sessions.id = mandates.session_id and sessions.billing_type = 'ONE_OFF';

update mandates set language = split_part(text_version, '/', 2) where text_version like '%/%';

-- References are the same in upper and lower case (SDD rulebook), and a tenant is one creditor.
drop index mandates_reference;
create unique index mandates_reference on mandates (tenant, upper(reference collate "C"));
create index mandates_newest_first on mandates (tenant, created_at desc, id desc);
create index mandates_lead on mandates (tenant, lead_id);
-- What the job that ends unused mandates looks through.
create index mandates_last_used on mandates (tenant, (coalesce(last_used_at, accepted_at))) where status = 'active';
create index subscriptions_mandate on subscriptions (tenant, mandate_id);

-- What a mandate was before each change, for the bank that is to be told with the next collection. Rows are added; only sent_at is ever set.
create table mandate_amendments (
  tenant                        integer     not null,
  mandate_id                    uuid        not null,
  number                        integer     not null check (number >= 1), -- counted in each mandate
  at                            timestamptz not null,
  kind                          text        not null check (kind in ('reference', 'creditor', 'account', 'holder')),
  original_reference            text        check (char_length(original_reference) between 1 and 35),
  original_creditor_identifier  text,
  original_creditor_name        text,
  original_holder_name          text,
  original_iban_sealed          bytea,      -- not known where a mandate came in with only "another bank" said of it
  original_iban_country         text,
  original_iban_last4           text,
  same_bank                     boolean,    -- whether the old account is at the bank of the new one
  sent_at                       timestamptz, -- announced in a file to the bank; a change of the holder's name is announced to nobody
  primary key (tenant, mandate_id, number),
  foreign key (tenant, mandate_id) references mandates,
  check ((kind = 'reference') = (original_reference is not null)),
  check ((kind = 'account') = (same_bank is not null)),
  check (kind <> 'creditor' or original_creditor_identifier is not null or original_creditor_name is not null),
  check (kind = 'account' or original_iban_sealed is null)
);
-- A reference is never used again, given up ones included.
create unique index mandate_amendments_reference on mandate_amendments (tenant, upper(original_reference collate "C"))
  where original_reference is not null;
