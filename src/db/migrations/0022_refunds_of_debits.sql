-- What is given back of a debit is added up where it is asked: a transfer that the bank refuses counts no more.
alter table sepa_collections drop column refunded;
create index sepa_collections_refunds on sepa_collections (tenant, gateway_id, refund_of) where refund_of is not null;
