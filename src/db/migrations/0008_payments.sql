create table orders (
  tenant        integer        not null,
  id            uuid           not null,
  session_id    uuid           not null,
  lead_id       uuid           not null,
  order_number  text           not null,
  status        text           not null,
  amount        numeric(12,2)  not null,
  currency      text           not null,
  created_at    timestamptz    not null,
  updated_at    timestamptz    not null,
  primary key (tenant, id),
  constraint order_number_format check (order_number ~ '^ORD-[0-9A-Z]{8}$'),
  constraint status_known check (
    status in ('PENDING_PAYMENT_SUBMISSION', 'PENDING', 'COMPLETED', 'FAILED', 'REFUNDED', 'CHARGEDBACK')
  ),
  constraint amount_not_negative check (amount >= 0),
  constraint tenant_exists foreign key (tenant) references tenants,
  constraint session_of_same_tenant foreign key (tenant, session_id) references sessions,
  constraint lead_of_same_tenant foreign key (tenant, lead_id) references leads
);
create unique index orders_one_per_session on orders (tenant, session_id);
create unique index orders_one_per_number on orders (tenant, order_number);
comment on table orders is 'What a session sells; one per session. Renewals belong to the order that began the subscription.';
comment on column orders.status is 'Follows from its payments (docs/states.md, Orders).';
comment on column orders.amount is 'What the session''s payment takes: 0 for a free trial.';

create table transactions (
  tenant                   integer         not null,
  id                       uuid            not null,
  session_id               uuid,
  order_id                 uuid,
  subscription_id          uuid,
  lead_id                  uuid,
  mandate_id               uuid,
  gateway_id               uuid            not null,
  merchant_transaction_id  text            not null,
  tenant_reference_id      text,
  gateway_reference        text,
  adapter_unique_id        text,
  status                   text            not null,
  type                     text            not null,
  source                   text            not null,
  sequence_type            text            not null,
  amount                   numeric(12,2)   not null,
  currency                 text            not null,
  customer_ip              text,
  completed_event_at       text,
  error_code               text,
  error_message            text,
  gateway_code             text,
  gateway_message          text,
  verification_id          text,
  verification_url         text,
  resolve_at               timestamptz,
  resolve_count            integer         not null default 0,
  locked_until             timestamptz,
  lease_no                 bigint          not null default 0,
  original_id              uuid,
  reason                   text,
  refund_claimed           numeric(12,2)   not null default 0,
  refunded                 numeric(12,2)   not null default 0,
  reinstatements           integer         not null default 0,
  customer_email_csv       text,
  customer_name_csv        text,
  iban_last4               text,
  iban_length              integer,
  bic                      text,
  mandate_reference        text,
  mandate_date             timestamptz,
  created_at               timestamptz     not null,
  processed_at             timestamptz(3),
  updated_at               timestamptz     not null,
  primary key (tenant, id),
  constraint merchant_transaction_id_is_ours_or_imported check (
    merchant_transaction_id ~ '^TXN-[0-9]{8}-[0-9A-Z]{8}$'
    or (source = 'csv_import' and char_length(merchant_transaction_id) between 1 and 255)
  ),
  constraint tenant_reference_length check (char_length(tenant_reference_id) between 1 and 255),
  constraint status_known check (status in (
    'submitted', 'unresolved', 'awaiting_verification', 'verifying',
    'pending', 'approved', 'declined', 'refunded', 'charged_back'
  )),
  constraint type_known check (type in ('sdd_sale', 'sdd_rebill', 'sdd_refund', 'other_type')),
  constraint source_known check (source in ('csv_import', 'api_submission', 'admin_refund', 'webhook', 'hosted_page')),
  constraint sequence_type_known check (sequence_type in ('FRST', 'RCUR')),
  constraint amount_not_negative check (amount >= 0),
  constraint completed_event_at_known check (completed_event_at in ('acceptance', 'settlement')),
  constraint error_code_known check (error_code in (
    'insufficient_funds', 'invalid_iban', 'mandate_rejected', 'account_closed', 'do_not_honor',
    'gateway_unavailable', 'unknown'
  )),
  constraint verification_has_url check (status <> 'awaiting_verification' or verification_url is not null),
  constraint open_is_asked_about check (
    (status in ('submitted', 'unresolved', 'awaiting_verification', 'verifying')) = (resolve_at is not null)
  ),
  constraint only_open_are_leased check (locked_until is null or resolve_at is not null),
  constraint open_is_not_processed check (
    processed_at is null or status not in ('submitted', 'unresolved', 'awaiting_verification', 'verifying')
  ),
  constraint only_refund_has_original check (original_id is null or type = 'sdd_refund'),
  constraint refund_has_original_and_amount check (source <> 'admin_refund' or (original_id is not null and amount > 0)),
  constraint reason_length check (char_length(reason) <= 500),
  constraint refunds_within_amount check (
    refunded >= 0 and refunded <= refund_claimed and refund_claimed <= amount
  ),
  constraint reinstatements_not_negative check (reinstatements >= 0),
  constraint iban_last4_has_four_characters check (char_length(iban_last4) = 4),
  constraint iban_length_is_4_to_34 check (iban_length between 4 and 34),
  constraint tenant_exists foreign key (tenant) references tenants,
  constraint session_of_same_tenant foreign key (tenant, session_id) references sessions,
  constraint order_of_same_tenant foreign key (tenant, order_id) references orders,
  constraint lead_of_same_tenant foreign key (tenant, lead_id) references leads,
  constraint mandate_of_same_tenant foreign key (tenant, mandate_id) references mandates,
  constraint gateway_of_same_tenant foreign key (tenant, gateway_id) references gateways,
  constraint original_of_same_tenant foreign key (tenant, original_id) references transactions
);
create unique index transactions_one_per_merchant_transaction_id on transactions (tenant, merchant_transaction_id);
create unique index transactions_one_per_tenant_reference on transactions (tenant, tenant_reference_id)
  where tenant_reference_id is not null;
create index transactions_of_session on transactions (tenant, session_id, created_at);
create index transactions_due on transactions (tenant, resolve_at) where resolve_at is not null;
create index transactions_by_gateway_reference on transactions (tenant, gateway_id, gateway_reference)
  where gateway_reference is not null;
create index transactions_of_original on transactions (tenant, original_id) where original_id is not null;
create index transactions_newest_processed_first on transactions (tenant, processed_at desc, id desc)
  where processed_at is not null;
create unique index transactions_one_per_adapter_unique_id on transactions (tenant, gateway_id, adapter_unique_id)
  where adapter_unique_id is not null;
create index transactions_of_subscription on transactions (tenant, subscription_id, created_at)
  where subscription_id is not null;
create unique index transactions_one_open_per_session on transactions (tenant, session_id)
  where (status in ('submitted', 'unresolved', 'awaiting_verification', 'verifying')) is not distinct from true;
create unique index transactions_one_success_per_session on transactions (tenant, session_id)
  where (status in ('pending', 'approved', 'refunded', 'charged_back') and type in ('sdd_sale', 'other_type'))
        is not distinct from true;
create index transactions_of_order on transactions (tenant, order_id) where order_id is not null;
comment on table transactions is 'One row per instruction to a gateway: a sale, a renewal or a refund; and what a processor''s file told of.';
comment on column transactions.merchant_transaction_id is 'Our reference at the gateway, which is also the end-to-end id.';
comment on column transactions.tenant_reference_id is 'The merchant''s own reference, used once.';
comment on column transactions.gateway_reference is 'The gateway''s reference.';
comment on column transactions.adapter_unique_id is 'A second reference of the gateway''s; null: the same as gateway_reference.';
comment on column transactions.status is
  'Up to `verifying` its end is open. `submitted`: sent, answer not yet recorded. `unresolved`: no certain answer, the gateway is asked again. `awaiting_verification`: the customer is at the bank. `verifying`: the outcome of that is being fetched. `pending`: accepted, the money is to come.';
comment on column transactions.amount is 'Of a refund: what is given back.';
comment on column transactions.completed_event_at is
  'When receivers hear of the session, settled with the payment''s acceptance: the gateway''s setting may change before the money is there. Null: not a session''s payment.';
comment on column transactions.error_code is 'Why it was declined, in our words; gateway_code has the gateway''s.';
comment on column transactions.resolve_at is 'When the gateway is asked for its outcome.';
comment on column transactions.resolve_count is 'How often it was asked.';
comment on column transactions.locked_until is 'Until when, by the database''s clock, a claim keeps others away.';
comment on column transactions.lease_no is 'A write names its claim''s number, and finds no row when another claim has been taken since (docs/architecture.md, Leases).';
comment on column transactions.original_id is 'Of a refund: the transaction that it gives back, in full or in part.';
comment on column transactions.reason is 'Of a refund: why, in the merchant''s words.';
comment on column transactions.refund_claimed is 'Given back or about to be: its refunds that are not declined.';
comment on column transactions.refunded is 'Given back for certain: its refunds that are approved.';
comment on column transactions.reinstatements is 'How often it was found to be there after all.';
comment on column transactions.customer_email_csv is 'As a processor''s file names the customer; nothing else does it here.';
comment on column transactions.iban_last4 is
  'This and the next four are what a processor''s file tells of account and mandate: our own transactions have a mandate that does.';
comment on column transactions.processed_at is
  'When the gateway processed it, later when it settled; to the millisecond, as cursors and callers have it. Null: its end is open, or no gateway had it. Reconciliation does not list it then.';
comment on index transactions_one_open_per_session is
  'This and transactions_one_success_per_session are there to refuse a second row, and not to find one: they say it in words that nothing is concluded from, so that no statement that has a row''s id reads all that is open instead (docs/decisions/0012-plans.md).';
comment on constraint refunds_within_amount on transactions is
  'However many refunds are asked for at once, never a cent more than was collected.';

create table chargebacks (
  tenant                   integer         not null,
  id                       uuid            not null,
  merchant_transaction_id  text            not null,
  transaction_id           uuid,
  lead_id                  uuid,
  gateway_id               uuid            not null,
  adapter_unique_id        text,
  tenant_reference_id      text,
  original_reference       text,
  original_end_to_end_id   text,
  original_transaction_id  text,
  status                   text            not null default 'charged_back',
  type                     text            not null default 'chargeback',
  amount                   numeric(12,2)   not null,
  currency                 text            not null,
  report_date              timestamptz(3)  not null,
  transaction_date         timestamptz,
  reason_code              text,
  reason_message           text,
  report_type              text,
  report_message           text,
  report_info              text,
  arn                      text,
  iban_last4               text,
  iban_length              integer,
  bic                      text,
  email                    text,
  country                  text,
  source                   text            not null,
  cb_bank_fee              numeric(12,2),
  withdrawn_on             date,
  created_at               timestamptz     not null,
  updated_at               timestamptz     not null,
  primary key (tenant, id),
  constraint status_known check (status = 'charged_back'),
  constraint type_known check (type = 'chargeback'),
  constraint amount_positive check (amount > 0),
  constraint source_known check (source in ('csv_import', 'webhook', 'reconciliation', 'manual')),
  constraint bank_fee_not_negative check (cb_bank_fee >= 0),
  constraint tenant_exists foreign key (tenant) references tenants,
  constraint transaction_of_same_tenant foreign key (tenant, transaction_id) references transactions,
  constraint lead_of_same_tenant foreign key (tenant, lead_id) references leads,
  constraint gateway_of_same_tenant foreign key (tenant, gateway_id) references gateways
);
create index chargebacks_of_transaction on chargebacks (tenant, transaction_id) where transaction_id is not null;
create index chargebacks_newest_first on chargebacks (tenant, created_at desc, id desc);
create index chargebacks_newest_reported_first on chargebacks (tenant, report_date desc, id desc);
create index chargebacks_unlinked_newest_first on chargebacks (tenant, created_at desc, id desc) where transaction_id is null;
create index chargebacks_unlinked_by_reference on chargebacks (tenant, original_reference) where transaction_id is null;
create index chargebacks_unlinked_by_end_to_end_id on chargebacks (tenant, original_end_to_end_id) where transaction_id is null;
create index chargebacks_unlinked_by_transaction_id on chargebacks (tenant, gateway_id, original_transaction_id)
  where transaction_id is null;
create unique index chargebacks_one_standing_per_transaction on chargebacks (tenant, merchant_transaction_id)
  where withdrawn_on is null;
create index chargebacks_by_merchant_transaction_id on chargebacks (tenant, merchant_transaction_id);
comment on table chargebacks is
  'Payments that the customer''s bank took back, wherever it was heard of. One that the bank took back itself stays as a record.';
comment on column chargebacks.merchant_transaction_id is 'Of the payment.';
comment on column chargebacks.transaction_id is 'Null: imported, and the payment has not arrived yet.';
comment on column chargebacks.original_reference is
  'The merchant''s id. By this and the next two the transaction of an imported chargeback is known until it arrives; then the two are linked.';
comment on column chargebacks.original_transaction_id is 'The processor''s id.';
comment on column chargebacks.amount is 'What was taken back: all of the payment, or a part.';
comment on column chargebacks.report_date is 'To the millisecond, as cursors and callers have it.';
comment on column chargebacks.reason_code is 'ISO 20022 code, such as AM04.';
comment on column chargebacks.arn is 'Acquirer reference number, where a processor gives one.';
comment on column chargebacks.iban_last4 is 'This, length, BIC, e-mail and country are as a processor''s file tells them.';
comment on column chargebacks.cb_bank_fee is 'What the bank took for it.';
comment on column chargebacks.withdrawn_on is 'When the bank took it back: the payment may be charged back again.';

create table imports (
  tenant       integer      not null,
  id           uuid         not null,
  kind         text         not null,
  gateway_id   uuid         not null,
  file_name    text         not null,
  file_sha256  text,
  dry_run      boolean      not null,
  status       text         not null,
  error        text,
  lines        integer      not null default 0,
  created      integer      not null default 0,
  duplicate    integer      not null default 0,
  linked       integer      not null default 0,
  rejected     integer      not null default 0,
  rejections   jsonb        not null default '[]',
  created_at   timestamptz  not null,
  updated_at   timestamptz  not null,
  primary key (tenant, id),
  constraint kind_known check (kind in ('transactions', 'chargebacks')),
  constraint file_name_length check (char_length(file_name) <= 255),
  constraint status_known check (status in ('running', 'done', 'failed')),
  constraint tenant_exists foreign key (tenant) references tenants,
  constraint gateway_of_same_tenant foreign key (tenant, gateway_id) references gateways
);
create index imports_newest_first on imports (tenant, created_at desc, id desc);
create index imports_running on imports (updated_at) where status = 'running';
comment on table imports is 'Files of a processor that were imported, and how far.';
comment on column imports.file_sha256 is 'Known once the file was read to its end.';
comment on column imports.dry_run is 'Whether the file was only checked.';
comment on column imports.error is 'Why it has failed; what was written before stays.';
comment on column imports.lines is 'Lines read; the next four count them by result.';
comment on column imports.rejections is 'The first of them: {line, reasons}.';

create table gateway_news_set_aside (
  tenant      integer      not null,
  gateway_id  uuid         not null,
  reference   text         not null,
  kind        text         not null,
  why         text         not null,
  tries       integer      not null default 1,
  since       timestamptz  not null,
  due_at      timestamptz  not null,
  primary key (tenant, gateway_id, reference),
  constraint kind_known check (kind in ('settled', 'returned', 'charged_back', 'fee', 'reinstated')),
  constraint why_length check (char_length(why) <= 500),
  constraint tries_positive check (tries > 0),
  constraint tenant_exists foreign key (tenant) references tenants,
  constraint gateway_of_same_tenant foreign key (tenant, gateway_id) references gateways
);
comment on table gateway_news_set_aside is
  'References whose notices could not be recorded. The gateway keeps the notices; they are tried again at due_at.';
comment on column gateway_news_set_aside.kind is 'Of the notice that failed.';
