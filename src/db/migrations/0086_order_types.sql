-- compatible with: 0017
alter table ebics_orders add column order_type text;
comment on column ebics_orders.order_type is
  'CDD, or BTU for any service of H005; the bank counts each order type separately. Null in old rows.';
