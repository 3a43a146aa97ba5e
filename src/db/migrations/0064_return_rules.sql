-- compatible with: 0017
-- What follows a bank's reason code is the tenant's choice, and an account may be blocked by it.

alter table tenants
  add column return_rules jsonb not null default '{}',
  add constraint return_rules_is_object check (jsonb_typeof(return_rules) = 'object') not valid;
alter table transactions add column return_action text;
alter table mandates add column account_blocked_at timestamptz;
comment on column tenants.return_rules is
  'What follows a bank''s reason code, by the code, where the tenant has chosen something else than the default.';
comment on column transactions.return_action is
  'What has followed its return or refusal, where the tenant''s rules have decided and not the default.';
comment on column mandates.account_blocked_at is
  'Since when the tenant''s rules keep the account of the mandate from being debited with any mandate; null: it is not blocked.';
