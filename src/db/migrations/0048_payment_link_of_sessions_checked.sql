-- compatible with: 0017
alter table sessions validate constraint payment_link_of_same_tenant;
