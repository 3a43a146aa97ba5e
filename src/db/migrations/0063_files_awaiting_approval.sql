-- compatible with: 0017
-- runs: concurrently
-- Files that people have yet to approve, or have not approved in time, are counted every few seconds.
create index concurrently if not exists sepa_files_to_approve on sepa_files (tenant, gateway_id)
  where status = 'to_approve' or missed_approval;
