-- compatible with: 0017
-- What merchants' programs have asked in the last days, without anything that they have sent.
create table requests (
  tenant       integer     not null,
  id           uuid        not null,
  request_id   text        not null,
  method       text        not null,
  route        text        not null,
  status       integer     not null,
  duration_ms  integer     not null,
  api_key_id   uuid,
  session_id   uuid,
  record_id    uuid,
  problem      text,
  created_at   timestamptz not null,
  constraint requests_pkey primary key (tenant, id),
  constraint tenant_exists foreign key (tenant) references tenants (tenant)
);
comment on table requests is
  'Requests to the API whose tenant is known. Written a second after they are answered, many at once; a job deletes them after days.';
comment on column requests.request_id is 'As the answer names it: the caller''s X-Request-Id, else ours.';
comment on column requests.route is 'As it is declared: tokens of paths are in none.';
comment on column requests.record_id is 'The id in the path.';
comment on column requests.problem is
  'Why it was refused: the code of the answer, or the names of the fields that were wrong. Values are in none.';
create index requests_newest_first on requests (tenant, created_at desc, id desc);
create index requests_refused on requests (tenant, created_at desc, id desc) where status >= 400;
create index requests_by_request_id on requests (tenant, request_id);
