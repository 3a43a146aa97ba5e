#!/bin/sh
# Runs once, when the database is made: the owner of the tables, and the service's role, which owns nothing.
set -eu
psql -v ON_ERROR_STOP=1 --username postgres --dbname payments \
  --set "owner=$(cat /run/secrets/owner_password)" --set "service=$(cat /run/secrets/service_password)" <<'SQL'
create role payments_owner login password :'owner';
create role payments_service login password :'service';
alter database payments owner to payments_owner;
SQL
