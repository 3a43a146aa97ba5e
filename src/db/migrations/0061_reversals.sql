-- compatible with: 0017
-- A debit of the own bank may be given back by reversal (pain.007), besides a transfer.

alter table sepa_collections add column reversible_until date;
alter table transactions
  add column refund_way text,
  add constraint refund_way_known check (refund_way = 'reversal') not valid;
comment on column sepa_collections.reversible_until is
  'Of a reversal: the last day on which the bank takes it. Null: it is a debit or a transfer.';
comment on column transactions.refund_way is
  'Of a refund: `reversal` where the debit is reversed (pain.007); null: the money goes back as the gateway does it otherwise.';
