#!/bin/sh
# Run by the image of PostgreSQL after roles.sql, when the database is created.
set -eu
psql -v ON_ERROR_STOP=1 -U postgres -d "$POSTGRES_DB" <<'SQL'
\set owner `cat /run/secrets/owner_password`
\set service `cat /run/secrets/service_password`
\set monitor `cat /run/secrets/monitor_password`
alter role parts_owner password :'owner';
alter role parts_service password :'service';
alter role parts_monitor password :'monitor';
SQL
