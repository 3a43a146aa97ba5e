-- compatible with: 0017
-- runs: in batches
-- A cycle names its newest attempt, and the first one was written with it. Another attempt belongs to the one cycle that was
-- being tried at that time; where several were, it stays unknown.
update transactions t
   set cycle = old.cycle
  from (
    select e.tenant, e.id, derived.cycle
      from transactions e
     cross join lateral (
       select case when bool_or(is_newest) then min(cycle) filter (where is_newest)
                   when bool_or(is_first) then min(cycle) filter (where is_first)
                   when count(*) = 1 then min(cycle) end as cycle
         from (
           select c.cycle, c.transaction_id = e.id as is_newest, c.created_at = e.created_at as is_first
             from billing_cycles c
             join transactions newest on newest.tenant = c.tenant and newest.id = c.transaction_id
            where c.tenant = e.tenant and c.subscription_id = e.subscription_id
              and c.created_at <= e.created_at and e.created_at <= newest.created_at
         ) one
     ) derived
     where e.type = 'sdd_rebill' and e.source <> 'csv_import' and e.cycle is null and derived.cycle is not null
     limit 5000
  ) old
 where t.tenant = old.tenant and t.id = old.id;
