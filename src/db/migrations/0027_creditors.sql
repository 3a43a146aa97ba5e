-- Whom a mandate is given, fixed in it when it is accepted: name, address, identifier and scheme, as page, document and file show them.
alter table tenants
  add column address      text check (char_length(address) between 1 and 500), -- street and number
  add column postal_code  text check (char_length(postal_code) between 1 and 20),
  add column city         text check (char_length(city) between 1 and 255);

alter table mandates
  add column creditor_address      text,
  add column creditor_postal_code  text,
  add column creditor_city         text,
  add column creditor_country      text check (creditor_country ~ '^[A-Z]{2}$');

-- Identifier and name, with a space between, that the account had before: mandates that say one of them are amended with their next collection.
alter table gateways add column former_creditors text[] not null default '{}';

-- What a collection was announced under to the bank. Null where it is older than these columns, or in no file yet.
alter table sepa_collections
  add column scheme               text check (scheme in ('CORE', 'B2B')),
  add column creditor_name        text,
  add column creditor_identifier  text;

-- Mandates of accounts at banks were signed under the tenant's name and have been debited under the account's: the bank knows the latter.
with wrong as (
  select m.tenant, m.id, m.creditor_name, m.creditor_identifier, g.settings
    from mandates m
    join sessions s on s.tenant = m.tenant and s.id = m.session_id
    join gateways g on g.tenant = s.tenant and g.id = s.gateway_id and g.adapter = 'sepa_batch'
   where (m.creditor_name, m.creditor_identifier)
         is distinct from (g.settings ->> 'creditor_name', g.settings ->> 'creditor_identifier')
     and not exists (select 1 from mandate_amendments a where a.tenant = m.tenant and a.mandate_id = m.id and a.kind = 'creditor')
), kept as (
  insert into mandate_amendments
    (tenant, mandate_id, number, at, kind, original_creditor_identifier, original_creditor_name, sent_at)
  select w.tenant, w.id, coalesce(max(a.number), 0) + 1, now(), 'creditor', w.creditor_identifier, w.creditor_name, now()
    from wrong w
    left join mandate_amendments a on a.tenant = w.tenant and a.mandate_id = w.id
   group by w.tenant, w.id, w.creditor_identifier, w.creditor_name
)
update mandates m
   set creditor_name = w.settings ->> 'creditor_name', creditor_identifier = w.settings ->> 'creditor_identifier'
  from wrong w
 where m.tenant = w.tenant and m.id = w.id;
