-- compatible with: 0017
create table sepa_later_fees (
  tenant     integer       not null,
  gateway_id uuid          not null,
  reference  text          not null,
  round      integer       not null,
  so_far     numeric(12,2) not null,
  amount     numeric(12,2) not null,
  booked_on  date          not null,
  constraint sepa_later_fees_pkey primary key (tenant, gateway_id, reference, round, so_far),
  constraint amount_positive check (amount > 0),
  constraint collection_of_same_account foreign key (tenant, gateway_id, reference)
    references sepa_collections (tenant, gateway_id, reference),
  constraint tenant_exists foreign key (tenant) references tenants
);
create index sepa_later_fees_by_day on sepa_later_fees (tenant, booked_on);
comment on table sepa_later_fees is
  'The second and further fees of a return, of which sepa_news has one notice with the fee in all: each is booked on its own day.';
comment on column sepa_later_fees.round is 'Of the notice.';
comment on column sepa_later_fees.so_far is 'The fee in all, with this one.';
