-- compatible with: 0017
-- What customers are told by e-mail, and of which renewals they were given notice.
alter table tenants add column messages text[] not null default '{}';
alter table tenants add column message_sender text;
alter table tenants add column message_address text;
alter table tenants add column message_reply_to text;
comment on column tenants.messages is 'The kinds of messages that this tenant''s customers get.';
comment on column tenants.message_sender is 'The name in front of the sender''s address; null: the tenant''s.';
comment on column tenants.message_address is 'The sender''s address; null: the one that the service is set up with.';

create table notices (
  tenant               integer        not null,
  id                   uuid           not null,
  subscription_id      uuid           not null,
  mandate_id           uuid           not null,
  due_date             date           not null,
  collection_date      date           not null,
  amount               numeric(12,2)  not null,
  currency             text           not null,
  billing_frequency    text,
  mandate_reference    text           not null,
  creditor_name        text           not null,
  creditor_identifier  text,
  iban_last4           text           not null,
  notice_days          integer        not null,
  lead_days            integer        not null,
  event_id             uuid           not null,
  created_at           timestamptz    not null,
  constraint notices_pkey primary key (tenant, id),
  constraint billing_frequency_known check (billing_frequency in ('WEEKLY', 'BIWEEKLY', 'MONTHLY', 'QUARTERLY', 'SEMIANNUALLY', 'YEARLY')),
  constraint notice_days_not_negative check (notice_days >= 0),
  constraint lead_days_not_negative check (lead_days >= 0),
  constraint subscription_of_same_tenant foreign key (tenant, subscription_id) references subscriptions (tenant, id),
  constraint mandate_of_same_tenant foreign key (tenant, mandate_id) references mandates (tenant, id)
);
create index notices_of_subscription on notices (tenant, subscription_id, created_at);
create index notices_of_mandate on notices (tenant, mandate_id, created_at);
comment on table notices is 'Announcements of renewals as they were made. Who was told is in messages, or in the deliveries of the event.';
comment on column notices.due_date is 'Of the cycle.';
comment on column notices.collection_date is 'When the gateway debits what is handed over on the cycle''s day.';
comment on column notices.notice_days is 'How many days before the debit the customer has to know of it.';
comment on column notices.lead_days is 'How many days after it is handed over a renewal is debited.';
comment on column notices.event_id is 'The event subscription.upcoming; there is one only where a webhook profile asks for it.';

create table messages (
  tenant          integer      not null,
  id              uuid         not null,
  kind            text         not null,
  transaction_id  uuid,
  notice_id       uuid,
  state           text         not null default 'waiting',
  due_at          timestamptz,
  attempts        integer      not null default 0,
  recipient       bytea,
  language        text,
  text_version    text,
  handed_over_at  timestamptz,
  sent_at         timestamptz,
  answer          text,
  locked_until    timestamptz,
  lease_no        bigint       not null default 0,
  created_at      timestamptz  not null,
  constraint messages_pkey primary key (tenant, id),
  constraint kind_known check (kind in ('mandate_copy', 'pre_notification', 'receipt', 'payment_failed', 'payment_returned')),
  constraint state_known check (state in ('waiting', 'sent', 'refused', 'given_up', 'unclear', 'dropped')),
  constraint one_subject check ((kind = 'pre_notification') = (notice_id is not null) and (transaction_id is null) = (notice_id is not null)),
  constraint sent_has_time check ((state = 'sent') = (sent_at is not null)),
  constraint transaction_of_same_tenant foreign key (tenant, transaction_id) references transactions (tenant, id),
  constraint notice_of_same_tenant foreign key (tenant, notice_id) references notices (tenant, id)
);
create unique index messages_one_per_notice on messages (tenant, notice_id) where notice_id is not null;
create index messages_waiting on messages (tenant, due_at) where state = 'waiting';
create index messages_newest_first on messages (tenant, created_at desc, id desc);
create index messages_of_transaction on messages (tenant, transaction_id) where transaction_id is not null;
comment on table messages is 'The outbox of e-mail to customers: each message is written in the statement that makes what it tells of.';
comment on column messages.state is
  '`refused`: the server takes no such mail for this address; `given_up`: it was tried for as long as it may be; `unclear`: the server had it and has not said whether it keeps it, so it is not sent again; `dropped`: there was nothing left to tell.';
comment on column messages.due_at is 'When it is tried again; null: at once.';
comment on column messages.recipient is 'Sealed. The address that it was last handed over for; null: to none yet, or its customer was erased.';
comment on column messages.text_version is 'Of the words, with their language.';
comment on column messages.handed_over_at is 'Set before the server gets the text: from then on only its answer says whether the message is on its way.';
comment on column messages.answer is 'What the server has said to the last attempt, without addresses.';
