-- compatible with: 0017
-- Filters and columns of a list under a name: of one person, or of the company.
create table saved_views (
  tenant      integer      not null,
  id          uuid         not null,
  person      uuid         not null,
  shared      boolean      not null,
  list        text         not null,
  name        text         not null,
  query       text         not null,
  created_at  timestamptz  not null,
  updated_at  timestamptz  not null,
  constraint saved_views_pkey primary key (tenant, id),
  constraint name_length check (char_length(name) between 1 and 60),
  constraint query_length check (char_length(query) <= 2000),
  constraint person_of_same_tenant foreign key (tenant, person) references people (tenant, id)
);
create index saved_views_of_list on saved_views (tenant, list, created_at);
comment on table saved_views is 'Filters and columns of the console''s lists under a name: a person''s own, or the company''s.';
comment on column saved_views.person is 'Who saved it. A shared view is everyone''s, and stays when this person leaves.';
comment on column saved_views.query is 'As in the list''s address, without filters that are about one customer.';
