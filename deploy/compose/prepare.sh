#!/bin/sh
# Draws the passwords (secrets/) and makes a certificate for localhost, once. Replace the certificate by a real one.
set -eu
cd "$(dirname "$0")"
umask 077
if [ ! -e secrets ]; then
  mkdir secrets.new
  for name in postgres_password owner_password service_password grafana_password; do
    openssl rand -hex 24 >"secrets.new/$name"
  done
  echo "postgres://parts_service:$(cat secrets.new/service_password)@postgres:5432/parts" >secrets.new/database_url
  echo "postgres://parts_owner:$(cat secrets.new/owner_password)@postgres:5432/parts" >secrets.new/owner_database_url
  echo "$(date +%Y):$(openssl rand -base64 32)" >secrets.new/webhook_secret_keys
  chmod 644 secrets.new/* # The containers have other users. The folder lets only you in.
  mv secrets.new secrets
fi
if [ ! -e certificate/both.pem ]; then
  mkdir -p certificate
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 30 -subj /CN=localhost \
    -addext subjectAltName=DNS:localhost -keyout certificate/key.pem -out certificate/certificate.pem 2>/dev/null
  cat certificate/certificate.pem certificate/key.pem >certificate/both.pem
  rm certificate/key.pem
  chmod 755 certificate && chmod 644 certificate/* # HAProxy's container has another user.
fi
