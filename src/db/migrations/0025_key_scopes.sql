-- The parts of `management`, and whole IBANs by themselves.
alter table api_keys drop constraint api_keys_scopes_check;
alter table api_keys add constraint api_keys_scopes_known check (
  cardinality(scopes) > 0
  and scopes <@ array['payments', 'reconciliation', 'management', 'read', 'refunds', 'billing', 'settings', 'keys', 'bank', 'whole_ibans']
);
