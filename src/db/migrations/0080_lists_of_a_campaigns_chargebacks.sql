-- compatible with: 0017
-- runs: concurrently
-- Chargebacks of a campaign, newest first. The second index finds those that older code wrote, and is empty after 0081.
create index concurrently if not exists chargebacks_of_campaign on chargebacks (tenant, campaign_id, created_at desc, id desc)
  where campaign_id is not null;
create index concurrently if not exists chargebacks_of_unknown_campaign on chargebacks (tenant, created_at desc, id desc)
  where not campaign_known and transaction_id is not null;
