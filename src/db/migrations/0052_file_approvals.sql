-- compatible with: 0017
-- allowed: new-rule: the last release leaves the new columns to their defaults, which ask for no approval
-- A bank file waits for people's approval where its account asks for it.
create table sepa_file_approvals (
  tenant       integer      not null,
  file_id      uuid         not null,
  approver     text         not null,
  actor_name   text         not null,
  approved_at  timestamptz  not null,
  constraint sepa_file_approvals_pkey primary key (tenant, file_id, approver),
  constraint file_of_same_tenant foreign key (tenant, file_id) references sepa_files (tenant, id)
);
alter table sepa_files
  add column approvals_required integer not null default 0,
  add column approvals integer not null default 0,
  add column missed_approval boolean not null default false,
  drop constraint status_known,
  add constraint status_known check (status in (
    'to_approve', 'ready', 'stored', 'uploading', 'renaming', 'sent', 'unclear', 'withdrawn', 'applied', 'refused')) not valid,
  add constraint approved_before_it_goes check (
    approvals >= approvals_required or status in ('to_approve', 'sent', 'withdrawn')) not valid;
comment on table sepa_file_approvals is 'Who has approved a file before it goes to the bank; each once.';
comment on column sepa_file_approvals.approver is 'A person, as in audit_log; `keys` for all API keys together.';
comment on column sepa_file_approvals.actor_name is 'As it was then.';
comment on column sepa_files.approvals_required is 'As its account asked for when it was written.';
comment on column sepa_files.approvals is 'How many it has.';
comment on column sepa_files.missed_approval is 'It was taken back because its day passed before it was approved.';
comment on column sepa_files.status is
  'Out: `to_approve` until it has its approvals, then `ready` to be downloaded, or `stored`, `uploading`, `renaming`, `sent`; `unclear` when it is unknown whether it arrived; `withdrawn` when it was taken back before it was sent: its instructions wait for another file. In: `applied` or `refused`. `sent` without approvals is one that an operator has found at the bank.';
