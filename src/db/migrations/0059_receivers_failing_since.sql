-- compatible with: 0017
-- Since when a receiver fails. One that fails already has it from its next failure on.
alter table webhook_receivers add column failing_since timestamptz;
comment on column webhook_receivers.failing_since is 'The first failure since the last success; null: it does not fail.';
