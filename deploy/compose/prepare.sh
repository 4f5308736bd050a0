#!/bin/sh
# Draws the passwords (.env) and makes a certificate for localhost, once. Replace the certificate by a real one.
set -eu
cd "$(dirname "$0")"
umask 077
# HAProxy runs as the owner of the certificate's key, so that nobody else can read it: not as root, but as its image does.
owner="$(id -u):$(id -g)"
if [ "$(id -u)" = 0 ]; then owner=99:99; fi
if [ ! -e .env ]; then
  {
    for name in POSTGRES_PASSWORD OWNER_PASSWORD SERVICE_PASSWORD GRAFANA_PASSWORD; do
      echo "$name=$(openssl rand -hex 24)"
    done
    echo "HAPROXY_USER=$owner"
    echo "WEBHOOK_SECRET_KEYS=$(date +%Y):$(openssl rand -base64 32)"
  } >.env
fi
if [ ! -e certificate/both.pem ]; then
  mkdir -p certificate
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 30 -subj /CN=localhost \
    -addext subjectAltName=DNS:localhost -keyout certificate/key.pem -out certificate/certificate.pem 2>/dev/null
  cat certificate/certificate.pem certificate/key.pem >certificate/both.pem
  rm certificate/key.pem
  if [ "$(id -u)" = 0 ]; then chown -R "$owner" certificate; fi
fi
