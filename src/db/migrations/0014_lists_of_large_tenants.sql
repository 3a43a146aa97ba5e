-- Lists that read all of a tenant's rows to show a few of them. Those of the usual status are found by their time.
create index sessions_of_lead on sessions (tenant, lead_id, created_at desc, id desc);
create index subscriptions_of_lead on subscriptions (tenant, lead_id, created_at desc, id desc);
create index subscriptions_not_active on subscriptions (tenant, status, created_at desc, id desc)
  where status <> 'ACTIVE';
create index transactions_not_approved on transactions (tenant, status, processed_at desc, id desc)
  where processed_at is not null and status <> 'approved';
