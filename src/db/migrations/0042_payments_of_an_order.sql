-- What an order is follows from all of its payments, when money that was taken back is there after all.
create index transactions_order on transactions (tenant, order_id) where (order_id is not null);
