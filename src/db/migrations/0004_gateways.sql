create table gateways (
  tenant              integer      not null,
  id                  uuid         not null,
  name                text         not null,
  adapter             text         not null,
  descriptor          text,
  test_mode           boolean      not null,
  settings            jsonb        not null,
  credentials         bytea,
  completed_event_at  text         not null,
  former_creditors    text[]       not null default '{}',
  active              boolean      not null,
  created_at          timestamptz  not null,
  updated_at          timestamptz  not null,
  archived_at         timestamptz,
  primary key (tenant, id),
  constraint name_length check (char_length(name) between 1 and 255),
  constraint descriptor_length check (char_length(descriptor) <= 140),
  constraint settings_are_object check (jsonb_typeof(settings) = 'object'),
  constraint completed_event_at_known check (completed_event_at in ('acceptance', 'settlement')),
  constraint tenant_exists foreign key (tenant) references tenants
);
comment on table gateways is 'Accounts at providers and banks through which a tenant collects.';
comment on column gateways.adapter is 'Which code talks to it: `sandbox`, `sepa_batch`, …';
comment on column gateways.descriptor is 'What the customer reads on the bank statement.';
comment on column gateways.settings is 'What the adapter asks for, by its own schema.';
comment on column gateways.credentials is 'Sealed JSON object.';
comment on column gateways.completed_event_at is
  'When receivers hear that a session is completed: as soon as the gateway has accepted the payment, or when the money is there.';
comment on column gateways.former_creditors is
  'Identifier and name, with a space between, that the account had before: mandates that say one of them are amended with their next collection.';

create table sandbox_books (
  tenant             integer        not null,
  gateway_id         uuid           not null,
  reference          text           not null,
  refund_of          text,
  bank_reference     text           not null,
  verification_id    uuid,
  scenario           text           not null,
  state              text           not null,
  amount             numeric(12,2)  not null,
  currency           text           not null,
  refunded           numeric(12,2)  not null default 0,
  mandate_reference  text           not null,
  creditor_name      text           not null,
  iban_last4         text           not null,
  return_url         bytea,
  answer_code        text,
  answer_message     text,
  asked_count        integer        not null default 1,
  charged_at         timestamptz,
  reported_at        timestamptz,
  created_at         timestamptz    not null,
  primary key (tenant, gateway_id, reference),
  constraint state_known check (state in (
    'charged', 'refused', 'fenced', 'awaiting_customer', 'pending', 'settled', 'returned', 'charged_back', 'refunded'
  )),
  constraint amount_not_negative check (amount >= 0),
  constraint refunds_within_amount check (refunded >= 0 and refunded <= amount),
  constraint tenant_exists foreign key (tenant) references tenants,
  constraint gateway_of_same_tenant foreign key (tenant, gateway_id) references gateways
);
create unique index sandbox_books_one_per_verification on sandbox_books (tenant, verification_id)
  where verification_id is not null;
create index sandbox_books_news on sandbox_books (tenant, gateway_id, created_at, reference)
  where reported_at is null
    and (state in ('pending', 'settled', 'returned', 'charged_back')
         or (state = 'charged' and scenario = 'charge_back' and amount > 0));
comment on table sandbox_books is
  'The sandbox bank''s own books: what it was asked, what it charged and gave back. The service reads them through the gateway port only.';
comment on column sandbox_books.reference is 'The merchant_transaction_id, which is also the idempotency key.';
comment on column sandbox_books.refund_of is 'Of a refund: the reference of the collection that it gives back.';
comment on column sandbox_books.verification_id is 'Names the page on which the customer confirms at the bank.';
comment on column sandbox_books.scenario is 'What the test IBAN asks for: src/gateways/sandbox/scenarios.ts.';
comment on column sandbox_books.state is '`fenced`: asked about before it was collected, and never to be.';
comment on column sandbox_books.refunded is 'Of a collection: what was given back of it.';
comment on column sandbox_books.return_url is 'Sealed: it leads to a page whose address is a credential.';
comment on column sandbox_books.asked_count is 'How often this reference was collected.';
comment on column sandbox_books.reported_at is 'When a settlement tick last told the service of it.';
comment on index sandbox_books_news is
  'Read by the settlement tick, per account of a tenant: only charges that have not been reported yet.';
