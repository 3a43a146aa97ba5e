-- compatible with: 0017
-- What people remark on a payment.
create table payment_notes (
  tenant          integer      not null,
  id              uuid         not null,
  transaction_id  uuid         not null,
  text            text         not null,
  actor           text         not null,
  actor_name      text         not null,
  created_at      timestamptz  not null,
  constraint payment_notes_pkey primary key (tenant, id),
  constraint text_length check (char_length(text) between 1 and 2000),
  constraint transaction_of_same_tenant foreign key (tenant, transaction_id) references transactions (tenant, id)
);
create index payment_notes_of_transaction on payment_notes (tenant, transaction_id, created_at);
comment on table payment_notes is 'Remarks of people on payments, never changed; an erasure of the customer takes out their words.';
comment on column payment_notes.actor is 'As in audit_log.';
comment on column payment_notes.actor_name is 'As it was then.';
