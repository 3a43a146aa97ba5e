#!/bin/bash
# Restore drill with pgBackRest, on a PostgreSQL of its own in a new folder: base backup, WAL archive, payments, a mistake,
# restore to the moment before it, the service held, released, working. Needs pgbackrest, initdb (PG_BIN), curl, node.
# Prints what it does; exits 1 at the first thing that is not as it should be. docs/backup.md has its output.
set -euo pipefail
cd "$(dirname "$0")/../.."
PG_BIN=${PG_BIN:-/usr/lib/postgresql/15/bin}
WORK=${1:-$(mktemp -d)}
PG_PORT=${PG_PORT:-45432}
PORT=${PORT:-45480}
NODE=${NODE:-node}

# PostgreSQL does not run as root.
user=$([ "$(id -u)" = 0 ] && echo 65534 || id -u)
as() {
  if [ "$user" = "$(id -u)" ]; then env "PATH=$PG_BIN:$PATH" "$@"
  else setpriv --reuid=$user --regid=$user --clear-groups env "HOME=$WORK" "PATH=$PG_BIN:$PATH" "$@"; fi
}
say() { printf '\n# %s\n' "$*"; }
fail() { echo "FAILED: $*" >&2; exit 1; }
service=
finish() {
  [ -z "$service" ] || kill "$service" 2>/dev/null || true
  as pg_ctl -D "$WORK/data" -m immediate stop >/dev/null 2>&1 || true
}
trap finish EXIT

mkdir -p "$WORK/repo" "$WORK/log" "$WORK/lock" "$WORK/spool"
chown -R "$user" "$WORK" 2>/dev/null || true
cat > "$WORK/pgbackrest.conf" <<CONF
[global]
repo1-path=$WORK/repo
repo1-retention-full=2
log-path=$WORK/log
lock-path=$WORK/lock
spool-path=$WORK/spool
start-fast=y
[payments]
pg1-path=$WORK/data
pg1-port=$PG_PORT
pg1-socket-path=$WORK
pg1-user=postgres
CONF
backrest() {
  echo "\$ pgbackrest --stanza=payments $*"
  (cd "$WORK" && as pgbackrest "--config=$WORK/pgbackrest.conf" --stanza=payments --log-level-console=info "$@") |
    grep -vE 'command begin|command end' | sed -E "s|^[0-9: .-]+P0[0-9] +||; s|$WORK|…|g" | tail -n 8
}

say "PostgreSQL with a WAL archive"
(cd "$WORK" && as initdb -D data -U postgres -A trust --locale=C -E UTF8 >/dev/null)
cat >> "$WORK/data/postgresql.conf" <<CONF
port = $PG_PORT
listen_addresses = '127.0.0.1'
unix_socket_directories = '$WORK'
archive_mode = on
archive_command = 'pgbackrest --config=$WORK/pgbackrest.conf --stanza=payments archive-push %p'
archive_timeout = 60
CONF
(cd "$WORK" && as pg_ctl -D data -l log/postgresql.log -w start >/dev/null)
psql() { as psql -h 127.0.0.1 -p "$PG_PORT" -U postgres -XAtq "$@"; }
psql -c "create role payments_owner login" -c "create role payments_service login" \
  -c "create database payments owner payments_owner"
backrest stanza-create
backrest check

say "The service, and payments"
umask 077
mkdir "$WORK/secrets"
openssl rand -base64 32 > "$WORK/secrets/master-keys"
echo "rk_$(openssl rand -hex 20)" > "$WORK/secrets/operator-key"
echo "postgres://payments_service@127.0.0.1:$PG_PORT/payments" > "$WORK/secrets/database-url"
echo "postgres://payments_owner@127.0.0.1:$PG_PORT/payments" > "$WORK/secrets/owner-url"
export MASTER_KEYS_FILE=$WORK/secrets/master-keys OPERATOR_KEY_FILE=$WORK/secrets/operator-key
export DATABASE_URL_FILE=$WORK/secrets/database-url DATABASE_OWNER_URL_FILE=$WORK/secrets/owner-url
export DEMO=false PORT MIGRATE_ON_START=true DATA_DIR=$WORK/none PUBLIC_URL=http://localhost:$PORT
start() {
  "$NODE" src/main.ts > "$WORK/log/service.log" 2>&1 &
  service=$!
  for _ in $(seq 300); do curl -sf "localhost:$PORT/readyz" >/dev/null && return; sleep 0.3; done
  cat "$WORK/log/service.log"; fail "the service did not start"
}
cli() { echo "\$ npm run -s cli -- $*"; "$NODE" src/cli.ts "$@"; }
KEY=$(cat "$WORK/secrets/operator-key")
api() { curl -s -H "authorization: Bearer $KEY" -H 'content-type: application/json' "localhost:$PORT/api/v1/$1" "${@:2}"; }
field() { "$NODE" -p "JSON.parse(require('fs').readFileSync(0, 'utf8'))$1"; }
start
KEY=$(api management/tenants/ -d '{"name":"Shop","country":"DE"}' | field .api_key)
GATEWAY=$(api management/gateways/ -d '{"name":"Sandbox","adapter":"sandbox","test_mode":true}' | field .id)
pay() {
  local token
  for n in $(seq "$1" "$2"); do
    token=$(api payment-sessions/ -d "{\"gateway_id\":\"$GATEWAY\",\"amount\":\"19.90\",\"currency\":\"EUR\",\"billing_type\":\"ONE_OFF\",\"lead\":{\"first_name\":\"A\",\"last_name\":\"B\",\"email\":\"p$n@example.com\",\"country\":\"DE\"}}" | field .session_token)
    api "payment-sessions/$token/pay/" -d '{"iban":"DE89370400440532013000","iban_holder_name":"A B"}' >/dev/null
  done
}
approved() { psql -d payments -c "select count(*) from transactions where status = 'approved'"; }
pay 1 3
say "A full backup; then payments go on"
backrest --type=full backup
pay 4 6
MOMENT=$(psql -d payments -c "select now()")
sleep 1
pay 7 8
[ "$(approved)" = 8 ] || fail "$(approved) approved payments instead of 8"
echo "8 payments; 6 of them before the moment"

say "A mistake: every tenant is renamed. Stop PostgreSQL, restore to the moment before it"
psql -d payments -c "update tenants set name = 'OOPS'" -c "select pg_switch_wal()" >/dev/null
sleep 3
(cd "$WORK" && as pg_ctl -D data -m fast -w stop >/dev/null)
backrest --delta --type=time "--target=$MOMENT" --target-action=promote restore
(cd "$WORK" && as pg_ctl -D data -l log/postgresql.log -w start >/dev/null)
until [ "$(psql -c 'select pg_is_in_recovery()')" = f ]; do sleep 0.5; done
[ "$(approved)" = 6 ] || fail "$(approved) approved payments instead of 6"
[ "$(psql -d payments -c 'select name from tenants')" = Shop ] || fail "the mistake is still there"
echo "6 payments, the tenant is called Shop"

say "The service that ran meanwhile ends; started again, it is held"
code=0; wait "$service" || code=$?
[ "$code" = 1 ] || fail "the running service ended with $code"
tail -n 1 "$WORK/log/service.log" | field .msg
start
curl -s "localhost:$PORT/readyz"; echo
status=$(api payment-sessions/ -d '{}' -o /dev/null -w '%{http_code}')
echo "POST payment-sessions/: $status"
[ "$status" = 503 ] || fail "it takes sessions"
cli restored status && fail "it is not held"
cli books check

say "Released, it works again"
cli restored release
sleep 4
pay 9 9
[ "$(approved)" = 7 ] || fail "$(approved) approved payments instead of 7"
cli books check | tail -n 1
kill "$service"; wait "$service" || true; service=
echo "Done."
