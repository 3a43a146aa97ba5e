-- What people look for: the newest payments, those of a customer or of an amount; customers by how their name or
-- e-mail address begins; mandates by the end of the account; webhooks by what they are about.
create index transactions_newest_first on transactions (tenant, created_at desc, id desc);
create index transactions_of_lead on transactions (tenant, lead_id, created_at desc, id desc) where lead_id is not null;
create index transactions_by_amount on transactions (tenant, amount, created_at desc, id desc);
create index transactions_by_imported_account on transactions (tenant, iban_last4, created_at desc)
  where iban_last4 is not null;
create index leads_newest_first on leads (tenant, created_at desc, id desc);
create index leads_by_last_name on leads (tenant, lower(last_name) text_pattern_ops);
create index leads_by_first_name on leads (tenant, lower(first_name) text_pattern_ops);
create index leads_by_email_start on leads (tenant, email_key text_pattern_ops);
create index mandates_by_account_end on mandates (tenant, iban_last4, created_at desc);
create index webhook_deliveries_about_subject on webhook_deliveries (tenant, subject_id, event_number)
  where subject_id is not null;
