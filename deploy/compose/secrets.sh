#!/bin/sh
# Makes the secrets of compose.yaml in ./secrets, once: those that are there are kept. Back up master_keys elsewhere.
set -eu
cd "$(dirname "$0")"
# Compose shows the files to users of the containers, with the rights that they have here; the folder keeps others out.
umask 022
mkdir -p -m 0700 secrets
cd secrets
keep() { [ -s "$1" ] || { printf '%s\n' "$2" > "$1.new" && mv "$1.new" "$1"; }; }
random() { openssl rand -hex 24; }

keep postgres_password "$(random)"
keep owner_password "$(random)"
keep service_password "$(random)"
keep valkey_password "$(random)"
keep metrics_token "$(random)"
keep operator_key "rk_$(random)"
keep master_keys "$(openssl rand -base64 32)"
keep database_url "postgres://payments_service:$(cat service_password)@postgres:5432/payments"
keep database_owner_url "postgres://payments_owner:$(cat owner_password)@postgres:5432/payments"
keep redis_url "redis://:$(cat valkey_password)@valkey:6379"
keep valkey_conf "requirepass $(cat valkey_password)
bind * -::*
save \"\"
appendonly no
maxmemory 256mb
maxmemory-policy volatile-ttl"
echo "secrets/ is complete. The operator key is in secrets/operator_key."
