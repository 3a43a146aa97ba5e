-- The register of master keys: which there are, so that one that is missing or wrong is noticed before it is needed.

create table master_keys (
  number          smallint     not null,
  name            text,
  check_value     bytea,
  mac_keys        bytea,
  first_seen_at   timestamptz  not null,
  dropped_at      timestamptz,
  constraint master_keys_pkey primary key (number),
  constraint number_is_a_byte check (number between 0 and 255),
  constraint name_has_16_digits check (name ~ '^[0-9a-f]{16}$'),
  constraint named_has_check_value check ((name is null) = (check_value is null))
);
create unique index master_keys_one_per_name on master_keys (name);

comment on table master_keys is 'The keys that have sealed something in this database, or may. The keys themselves are in no database.';
comment on column master_keys.number is 'What sealed values and tokens carry; no two keys of a database have the same.';
comment on column master_keys.name is 'Made from the key, and says nothing about it. Null: known by what it sealed before there was this table.';
comment on column master_keys.check_value is 'Sealed under the key itself: opens with the right one.';
comment on column master_keys.mac_keys is 'Sealed under a later key: what authenticates the tokens that were made under this one, once it is gone.';
comment on column master_keys.dropped_at is 'From then on the service starts without it. Null: it has to be held.';

-- What earlier versions sealed: the key that the service starts with takes its number, any other is missing.
insert into master_keys (number, first_seen_at)
select number, now()
  from (
    select get_byte(substring(signing_secret from 1 for 2), 1) as number from webhook_profiles
    union select get_byte(substring(previous_signing_secret from 1 for 2), 1) from webhook_profiles
    union select get_byte(substring(credentials from 1 for 2), 1) from gateways
    union select get_byte(substring(return_url from 1 for 2), 1) from sandbox_books
    union select get_byte(substring(iban_sealed from 1 for 2), 1) from mandates
    union select get_byte(substring(original_iban_sealed from 1 for 2), 1) from mandate_amendments
    union select get_byte(substring(content from 1 for 2), 1) from sepa_files
    union select get_byte(substring(content from 1 for 2), 1) from sepa_file_pieces
    union select get_byte(substring(debtor from 1 for 2), 1) from sepa_collections
    union select get_byte(substring(token_sealed from 1 for 2), 1) from integrations
    union select get_byte(substring(postback_secret from 1 for 2), 1) from integrations
    union select get_byte(substring(read_token from 1 for 2), 1) from integrations
    union select get_byte(substring(payload from 1 for 2), 1) from integration_activities
  ) sealed
 where number is not null;
