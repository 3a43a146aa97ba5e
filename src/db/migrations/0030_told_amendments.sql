-- The bank knows of a mandate's change once it has taken a collection that said so; a file that it refused has told nothing.
alter table sepa_collections
  add column mandate_id    uuid,    -- the mandate that it was written with
  add column amended_up_to integer; -- the last amendment of the mandate that it announced

update sepa_collections c
   set mandate_id = t.mandate_id
  from transactions t
 where t.tenant = c.tenant and t.merchant_transaction_id = c.reference and c.refund_of is null and c.file_id is not null;

update sepa_collections c
   set amended_up_to = a.number
  from (select f.tenant, f.id as file_id, a.mandate_id, max(a.number) as number
          from sepa_files f
          join mandate_amendments a on a.tenant = f.tenant and a.sent_at = f.created_at
         where f.direction = 'out'
         group by f.tenant, f.id, a.mandate_id) a
 where a.tenant = c.tenant and a.file_id = c.file_id and a.mandate_id = c.mandate_id;

create index sepa_collections_on_mandate on sepa_collections (tenant, mandate_id) where mandate_id is not null;

-- A mandate that came in with debits behind it goes on with its series.
alter table mandates add column used_elsewhere boolean not null default false;
update mandates m
   set used_elsewhere = true
 where source = 'import'
   and (last_used_at is not null
        or exists (select 1 from mandate_amendments a
                    where a.tenant = m.tenant and a.mandate_id = m.id and a.at = m.created_at));
