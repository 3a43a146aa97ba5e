-- Refunds: transactions that give another one back, in full or in part.
alter table transactions
  add column original_id     uuid, -- of a refund: the transaction that it gives back
  add column reason          text check (char_length(reason) <= 500), -- of a refund: why, in the merchant's words
  add column refund_claimed  numeric(12,2) not null default 0, -- given back or about to be: its refunds that are not declined
  add column refunded        numeric(12,2) not null default 0, -- given back for certain: its refunds that are approved
  -- However many refunds are asked for at once, never a cent more than was collected.
  add constraint transactions_refunds_within_amount check (
    refunded >= 0 and refunded <= refund_claimed and refund_claimed <= amount
  ),
  add check (original_id is null or type = 'sdd_refund'),
  add check (source <> 'admin_refund' or (original_id is not null and amount > 0)),
  add foreign key (tenant, original_id) references transactions;
create index transactions_original on transactions (tenant, original_id) where original_id is not null;
create index chargebacks_transaction on chargebacks (tenant, transaction_id) where transaction_id is not null;
create index chargebacks_newest_first on chargebacks (tenant, created_at desc, id desc);

-- The sandbox bank's refunds are books too: the same references, the same fence.
alter table sandbox_books
  add column refund_of  text, -- of a refund: the reference of the collection that it gives back
  add column refunded   numeric(12,2) not null default 0, -- of a collection: what was given back of it
  add constraint sandbox_books_refunds_within_amount check (refunded >= 0 and refunded <= amount),
  drop constraint sandbox_books_state_check,
  add constraint sandbox_books_state_check check (state in (
    'charged', 'refused', 'fenced', 'awaiting_customer', 'pending', 'settled', 'returned', 'charged_back', 'refunded'
  ));
