-- compatible with: 0017
-- The words of a mandate as a merchant's lawyer has written them, in place of the scheme's.
create table mandate_texts (
  tenant          integer      not null,
  id              uuid         not null,
  hosted_page_id  uuid         not null,
  scheme          text         not null,
  language        text         not null,
  version         integer      not null,
  text            text,
  created_at      timestamptz  not null,
  constraint mandate_texts_pkey primary key (tenant, id),
  constraint scheme_known check (scheme in ('CORE', 'B2B')),
  constraint language_is_a_tag check (language ~ '^[a-z]{2,3}(-[A-Za-z]{2,8})*$'),
  constraint version_positive check (version >= 1),
  constraint text_length check (char_length(text) between 1 and 5000),
  constraint hosted_page_of_same_tenant foreign key (tenant, hosted_page_id) references hosted_pages
);
create unique index mandate_texts_one_per_version
  on mandate_texts (tenant, hosted_page_id, scheme, language, version);
comment on table mandate_texts is 'Mandate texts of payment pages. Rows are added only: mandates name the text that was signed.';
comment on column mandate_texts.version is 'Counted for each page, scheme and language; the highest is shown.';
comment on column mandate_texts.text is 'With places such as {creditor}. Null: from here on the scheme''s own text.';
