-- The accounts for which a gateway has written files: their statements come after the gateway has moved to another account.
create table sepa_creditor_accounts (
  tenant        integer     not null,
  gateway_id    uuid        not null,
  iban          text        not null check (iban ~ '^[A-Z0-9]{15,34}$'), -- the merchant's own, as in the gateway's settings
  first_used_at timestamptz not null,
  last_used_at  timestamptz not null,
  primary key (tenant, gateway_id, iban),
  foreign key (tenant, gateway_id) references gateways,
  constraint sepa_creditor_accounts_used_in_order check (first_used_at <= last_used_at)
);

insert into sepa_creditor_accounts (tenant, gateway_id, iban, first_used_at, last_used_at)
select g.tenant, g.id, upper(regexp_replace(g.settings ->> 'creditor_iban', '\s', '', 'g')), min(f.created_at), max(f.created_at)
  from gateways g
  join sepa_files f on f.tenant = g.tenant and f.gateway_id = g.id and f.direction = 'out'
 where g.adapter = 'sepa_batch'
 group by g.tenant, g.id;
