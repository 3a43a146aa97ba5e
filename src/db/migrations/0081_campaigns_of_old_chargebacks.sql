-- compatible with: 0017
-- runs: in batches
update chargebacks c
   set campaign_id = old.campaign_id, campaign_known = true
  from (
    select e.tenant, e.id, s.campaign_id
      from chargebacks e
      left join transactions p on p.tenant = e.tenant and p.id = e.transaction_id
      left join sessions s on s.tenant = p.tenant and s.id = p.session_id
     where not e.campaign_known and e.transaction_id is not null
     limit 5000
  ) old
 where c.tenant = old.tenant and c.id = old.id;
