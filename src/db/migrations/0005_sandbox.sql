-- The sandbox bank's own books: what it was asked, what it charged. The service never reads them but through the gateway port.
create table sandbox_books (
  tenant             integer not null references tenants,
  gateway_id         uuid not null,
  reference          text not null, -- the merchant_transaction_id, which is also the idempotency key
  bank_reference     text not null,
  verification_id    uuid,
  scenario           text not null,
  state              text not null check (state in (
    'charged', 'refused', 'fenced', 'awaiting_customer', 'pending', 'settled', 'returned', 'charged_back'
  )),
  amount             numeric(12,2) not null check (amount >= 0),
  currency           text not null,
  mandate_reference  text not null,
  creditor_name      text not null,
  iban_last4         text not null,
  return_url         bytea, -- sealed: it leads to a page whose address is a credential
  answer_code        text,
  answer_message     text,
  asked_count        integer not null default 1, -- how often this reference was collected
  charged_at         timestamptz,
  reported_at        timestamptz, -- when a settlement tick last told the service of it
  created_at         timestamptz not null,
  primary key (tenant, gateway_id, reference),
  foreign key (tenant, gateway_id) references gateways
);
create unique index sandbox_books_verification on sandbox_books (tenant, verification_id) where verification_id is not null;
create index sandbox_books_unreported on sandbox_books (tenant, created_at) where reported_at is null;
