#!/bin/sh
# Draws the passwords and makes a certificate for localhost (secrets/), once. Replace the certificate by a real one.
set -eu
cd "$(dirname "$0")"
umask 077
if [ ! -e secrets ]; then
  rm -rf secrets.new
  mkdir secrets.new
  for name in postgres_password owner_password service_password monitor_password grafana_password; do
    openssl rand -hex 24 >"secrets.new/$name"
  done
  echo "postgres://parts_service:$(cat secrets.new/service_password)@postgres:5432/parts" >secrets.new/database_url
  echo "postgres://parts_owner:$(cat secrets.new/owner_password)@postgres:5432/parts" >secrets.new/owner_database_url
  echo "$(date +%Y):$(openssl rand -base64 32)" >secrets.new/webhook_secret_keys
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 30 -subj /CN=localhost \
    -addext subjectAltName=DNS:localhost -keyout secrets.new/key -out secrets.new/certificate 2>/dev/null
  cat secrets.new/key >>secrets.new/certificate
  rm secrets.new/key
  chmod 644 secrets.new/* # The containers have other users. The folder lets only you in.
  mv secrets.new secrets
fi
