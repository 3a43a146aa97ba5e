create table mandates (
  tenant                 integer      not null,
  id                     uuid         not null,
  reference              text         not null,
  lead_id                uuid         not null,
  session_id             uuid,
  source                 text         not null default 'payment',
  scheme                 text         not null default 'CORE',
  type                   text         not null default 'recurrent',
  status                 text         not null,
  status_reason          text,
  acceptance_mode        text,
  accepted_at            timestamptz  not null,
  accepted_ip            text,
  text_version           text,
  language               text,
  pre_notification_days  integer,
  creditor_name          text         not null,
  creditor_identifier    text,
  creditor_address       text,
  creditor_postal_code   text,
  creditor_city          text,
  creditor_country       text,
  holder_name            text         not null,
  iban_sealed            bytea        not null,
  iban_fingerprint       bytea        not null,
  iban_last4             text         not null,
  iban_length            integer      not null,
  iban_country           text         not null,
  bic                    text,
  bank_name              text,
  used_elsewhere         boolean      not null default false,
  last_used_at           timestamptz,
  cancelled_at           timestamptz,
  cancelled_by           text,
  created_at             timestamptz  not null,
  updated_at             timestamptz  not null,
  primary key (tenant, id),
  constraint reference_has_characters_of_the_scheme check (
    reference ~ '^[A-Za-z0-9+?/:().,''-]{1,35}$' and reference !~ '^/|/$|//'
  ),
  constraint source_known check (source in ('payment', 'import')),
  constraint payment_has_evidence check (
    source <> 'payment' or (session_id is not null and acceptance_mode is not null and text_version is not null)
  ),
  constraint scheme_known check (scheme in ('CORE', 'B2B')),
  constraint type_known check (type in ('recurrent', 'one_off')),
  constraint status_known check (status in ('pending', 'active', 'rejected', 'cancelled', 'expired')),
  constraint status_reason_length check (char_length(status_reason) <= 255),
  constraint acceptance_mode_known check (acceptance_mode in ('checkbox', 'IMPLICIT')),
  constraint language_is_a_tag check (language ~ '^[a-z]{2,3}(-[A-Za-z]{2,8})*$'),
  constraint pre_notification_is_at_most_31_days check (pre_notification_days between 0 and 31),
  constraint creditor_country_has_two_letters check (creditor_country ~ '^[A-Z]{2}$'),
  constraint holder_name_length check (char_length(holder_name) <= 255),
  constraint iban_last4_has_four_characters check (char_length(iban_last4) = 4),
  constraint iban_length_is_15_to_34 check (iban_length between 15 and 34),
  constraint iban_country_has_two_letters check (iban_country ~ '^[A-Z]{2}$'),
  constraint cancelled_by_known check (cancelled_by in ('debtor', 'creditor', 'bank')),
  constraint tenant_exists foreign key (tenant) references tenants,
  constraint lead_of_same_tenant foreign key (tenant, lead_id) references leads,
  constraint session_of_same_tenant foreign key (tenant, session_id) references sessions
);
create index mandates_by_iban on mandates (tenant, iban_fingerprint);
create unique index mandates_one_per_reference on mandates (tenant, upper(reference collate "C"));
create index mandates_newest_first on mandates (tenant, created_at desc, id desc);
create index mandates_of_lead on mandates (tenant, lead_id);
create index mandates_last_used on mandates (tenant, (coalesce(last_used_at, accepted_at))) where status = 'active';
comment on table mandates is 'Debtors'' permissions to collect, with the evidence of their acceptance; the IBAN is kept only here and in bank files, sealed.';
comment on column mandates.reference is 'Those that the service draws are MND-…; those that come in may have any of the scheme''s characters.';
comment on column mandates.session_id is 'The session in whose payment it was signed; null where it came in from elsewhere.';
comment on column mandates.source is '`import`: signed elsewhere.';
comment on column mandates.status is '`pending` until its first payment is accepted, `expired` when it was not used for 36 months.';
comment on column mandates.status_reason is 'An ISO code, or words.';
comment on column mandates.acceptance_mode is 'By a checkbox or by paying; null where it was signed elsewhere.';
comment on column mandates.accepted_at is 'When it was signed.';
comment on column mandates.text_version is 'Version and language of the text that was signed; null where it was signed elsewhere.';
comment on column mandates.language is 'In which it was signed.';
comment on column mandates.pre_notification_days is 'As agreed when it was signed.';
comment on column mandates.creditor_name is
  'Whom it is given. This and the rest of the creditor are fixed when it is accepted, as page, document and file show them.';
comment on column mandates.iban_sealed is 'Sealed.';
comment on column mandates.iban_fingerprint is 'Keyed hash by which mandates of the same account are found.';
comment on column mandates.iban_length is 'For showing it masked.';
comment on column mandates.used_elsewhere is 'It came in with debits behind it, and goes on with their series.';
comment on column mandates.last_used_at is 'When it was collected with last; null: never.';
comment on index mandates_one_per_reference is 'References are the same in upper and lower case (SDD rulebook), and a tenant is one creditor.';
comment on index mandates_last_used is 'What the job that ends unused mandates looks through.';

create table mandate_amendments (
  tenant                        integer      not null,
  mandate_id                    uuid         not null,
  number                        integer      not null,
  at                            timestamptz  not null,
  kind                          text         not null,
  original_reference            text,
  original_creditor_identifier  text,
  original_creditor_name        text,
  original_holder_name          text,
  original_iban_sealed          bytea,
  original_iban_country         text,
  original_iban_last4           text,
  same_bank                     boolean,
  sent_at                       timestamptz,
  primary key (tenant, mandate_id, number),
  constraint number_positive check (number >= 1),
  constraint kind_known check (kind in ('reference', 'creditor', 'account', 'holder')),
  constraint original_reference_length check (char_length(original_reference) between 1 and 35),
  constraint reference_keeps_the_old_one check ((kind = 'reference') = (original_reference is not null)),
  constraint account_says_whether_same_bank check ((kind = 'account') = (same_bank is not null)),
  constraint creditor_keeps_the_old_one check (
    kind <> 'creditor' or original_creditor_identifier is not null or original_creditor_name is not null
  ),
  constraint only_account_keeps_an_iban check (kind = 'account' or original_iban_sealed is null),
  constraint mandate_of_same_tenant foreign key (tenant, mandate_id) references mandates
);
create unique index mandate_amendments_one_per_reference
  on mandate_amendments (tenant, upper(original_reference collate "C"))
  where original_reference is not null;
comment on table mandate_amendments is
  'What a mandate was before each change, for the bank that is to be told with the next collection. Rows are added; only sent_at is ever set.';
comment on column mandate_amendments.number is 'Counted in each mandate.';
comment on column mandate_amendments.original_iban_sealed is 'Sealed. Not known where a mandate came in with only "another bank" said of it.';
comment on column mandate_amendments.same_bank is 'Whether the old account is at the bank of the new one.';
comment on column mandate_amendments.sent_at is
  'When a file announced it to the bank. A change of the holder''s name is not announced.';
comment on index mandate_amendments_one_per_reference is 'A reference is never used again, given up ones included.';
