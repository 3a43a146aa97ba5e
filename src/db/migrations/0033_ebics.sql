-- compatible with: 0017
-- An account's bank is reached over EBICS: its keys, its orders, and what the bank's protocol says of them.
create table ebics_users (
  tenant             integer     not null,
  gateway_id         uuid        not null,
  host_id            text        not null,
  partner_id         text        not null,
  user_id            text        not null,
  state              text        not null,
  keys               bytea       not null,
  next_keys          bytea,
  ini_sent_at        timestamptz,
  hia_sent_at        timestamptz,
  bank_keys          jsonb,
  offered_bank_keys  jsonb,
  confirmed_at       timestamptz,
  stop_reason        text,
  locked_until       timestamptz,
  lease_no           bigint      not null default 0,
  created_at         timestamptz not null,
  updated_at         timestamptz not null,
  constraint ebics_users_pkey primary key (tenant, gateway_id),
  constraint state_known check (state in ('made', 'sent', 'ready', 'stopped', 'suspended')),
  constraint ready_has_bank_keys check (state <> 'ready' or bank_keys is not null),
  constraint gateway_of_same_tenant foreign key (tenant, gateway_id) references gateways (tenant, id),
  constraint tenant_exists foreign key (tenant) references tenants (tenant)
);
comment on table ebics_users is 'The user of an account at its bank''s EBICS host, with its keys and the bank''s.';
comment on column ebics_users.host_id is 'This, partner_id and user_id: for whom the keys were made.';
comment on column ebics_users.state is
  '`made`: has keys; `sent`: the bank has them; `ready`: a person has compared the bank''s; `stopped`: the bank refuses this user, a person looks into it; `suspended`: locked by the bank at our request.';
comment on column ebics_users.keys is 'Sealed: three private keys and their certificates.';
comment on column ebics_users.next_keys is 'Sealed: those of a change that the bank has not confirmed.';
comment on column ebics_users.bank_keys is 'Public. Null: none was compared yet.';
comment on column ebics_users.offered_bank_keys is 'Public: what the bank''s host says; a person has not compared it with the bank''s letter yet.';
comment on column ebics_users.lease_no is 'One session at a time: a bank may refuse a second one.';

create table ebics_orders (
  tenant          integer     not null,
  file_id         uuid        not null,
  number          integer     not null,
  gateway_id      uuid        not null,
  transaction_id  text        not null,
  order_id        text,
  started_at      timestamptz not null,
  constraint ebics_orders_pkey primary key (tenant, file_id, number),
  constraint file_of_same_tenant foreign key (tenant, file_id) references sepa_files (tenant, id)
);
comment on table ebics_orders is 'Uploads of a file that the bank has begun to take, each under an order number of the bank''s.';
comment on column ebics_orders.order_id is 'Used again by the bank after months. Null: the bank gives none.';
create index ebics_orders_by_order_id on ebics_orders (tenant, gateway_id, order_id, started_at);

create table ebics_events (
  tenant      integer     not null,
  gateway_id  uuid        not null,
  number      bigint      not null generated always as identity,
  order_id    text        not null,
  action      text        not null,
  reason      text        not null,
  at          timestamptz not null,
  text        text        not null,
  file_id     uuid,
  read_at     timestamptz not null,
  constraint ebics_events_pkey primary key (tenant, gateway_id, number),
  constraint file_of_same_tenant foreign key (tenant, file_id) references sepa_files (tenant, id),
  constraint gateway_of_same_tenant foreign key (tenant, gateway_id) references gateways (tenant, id)
);
comment on table ebics_events is 'What the bank''s protocol (HAC) says of orders, each step once.';
comment on column ebics_events.order_id is 'Empty where the bank names none.';
comment on column ebics_events.reason is 'TS01, DS01 and so on; empty where the bank gives none.';
comment on column ebics_events.file_id is 'Null: of none of ours.';
create unique index ebics_events_once on ebics_events (tenant, gateway_id, order_id, action, reason, at);
create index ebics_events_of_file on ebics_events (tenant, file_id, number) where file_id is not null;
