-- compatible with: 0017
-- Where the database has been found running: a backup that was restored is noticed by another place.

create table database_places (
  number       integer      not null generated always as identity,
  server       text         not null,
  database     text         not null,
  timeline     text         not null,
  reason       text         not null,
  found_at     timestamptz  not null,
  released_at  timestamptz,
  constraint database_places_pkey primary key (number),
  constraint reason_known check (reason in ('first', 'another server', 'another database', 'another timeline', 'by hand'))
);
comment on table database_places is 'Where the database has been found running, the newest last. A restored backup is found elsewhere than its newest row says: then nothing is sent until an operator releases it.';
comment on column database_places.server is 'PostgreSQL''s system identifier, which a cluster gets when it is made.';
comment on column database_places.database is 'The numbers of the database in its cluster and of this table in the database: others in a copy within the same cluster, and in tables that a dump has made again.';
comment on column database_places.timeline is 'Begins anew at each recovery to a moment in the past and at each failover to a standby.';
comment on column database_places.reason is 'What differed from the row before; ''by hand'': an operator has said that a backup was restored.';
comment on column database_places.released_at is 'From then on the service sends again. Null: it is held.';
