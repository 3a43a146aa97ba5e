-- compatible with: 0017
-- runs: concurrently
-- Each payment asks whether its account is blocked.
create index concurrently if not exists mandates_by_blocked_account on mandates (tenant, iban_fingerprint)
  where account_blocked_at is not null;
