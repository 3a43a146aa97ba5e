-- By what the transaction of an imported chargeback is known, until it arrives: then the two are linked.
alter table chargebacks
  add column original_reference      text, -- the merchant's id
  add column original_end_to_end_id  text,
  add column original_transaction_id text; -- the processor's id

-- Which of the ids became its merchant_transaction_id was not kept; its own id was the last choice.
update chargebacks
   set original_reference = merchant_transaction_id, original_end_to_end_id = merchant_transaction_id,
       original_transaction_id = merchant_transaction_id
 where transaction_id is null and merchant_transaction_id is distinct from adapter_unique_id;

create index chargebacks_unlinked_newest_first on chargebacks (tenant, created_at desc, id desc) where transaction_id is null;
create index chargebacks_unlinked_reference on chargebacks (tenant, original_reference) where transaction_id is null;
create index chargebacks_unlinked_end_to_end_id on chargebacks (tenant, original_end_to_end_id) where transaction_id is null;
create index chargebacks_unlinked_transaction_id on chargebacks (tenant, gateway_id, original_transaction_id) where transaction_id is null;
