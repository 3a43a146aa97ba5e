-- Which entry of the bank's has told of a movement first: the same one is told again by other files, and a second one is not the same.
create table sepa_bookings (
  tenant         integer not null,
  gateway_id     uuid    not null,
  reference      text    not null,
  movement       text    not null check (movement in ('credit', 'debit', 'fee')),
  booked_on      date    not null,
  bank_reference text,
  file_id        uuid,    -- null where it was read before bookings were kept
  primary key (tenant, gateway_id, reference, movement),
  foreign key (tenant, gateway_id, reference) references sepa_collections,
  foreign key (tenant, file_id) references sepa_files
);
create index sepa_bookings_bank_reference on sepa_bookings (tenant, gateway_id, bank_reference) where bank_reference is not null;

insert into sepa_bookings (tenant, gateway_id, reference, movement, booked_on)
select n.tenant, n.gateway_id, n.reference,
       case when n.kind = 'settled' and c.refund_of is null then 'credit' else 'debit' end, (n.at at time zone 'UTC')::date
  from sepa_news n
  join sepa_collections c on c.tenant = n.tenant and c.gateway_id = n.gateway_id and c.reference = n.reference
  join sepa_files f on f.tenant = n.tenant and f.id = n.file_id
 where n.kind in ('settled', 'charged_back') and f.kind like 'camt%' and not (n.kind = 'settled' and c.state = 'returned')
    on conflict do nothing;

alter table sepa_unmatched
  drop constraint sepa_unmatched_kind_check,
  add constraint sepa_unmatched_kind_check
    check (kind in ('collection', 'block', 'return', 'reject', 'withdrawn_return', 'fee', 'transfer', 'unreadable')),
  -- The same for the same entry in whichever file: see src/gateways/sepa-batch/incoming/report.ts. Null for one of which nothing tells.
  add column identity text;
create unique index sepa_unmatched_once on sepa_unmatched (tenant, identity);

alter table sepa_news
  drop constraint sepa_news_kind_check,
  add constraint sepa_news_kind_check check (kind in ('settled', 'returned', 'charged_back', 'fee'));

alter table gateway_news_set_aside
  drop constraint gateway_news_set_aside_kind_check,
  add constraint gateway_news_set_aside_kind_check check (kind in ('settled', 'returned', 'charged_back', 'fee'));
