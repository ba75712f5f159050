#!/bin/sh
# Runs once, on the first primary, when Patroni has made the database. $1: address of the superuser's connection.
set -eu
: "${WALLET_RPC_DATABASE_PASSWORD:?}"
psql -v ON_ERROR_STOP=1 -v password="$WALLET_RPC_DATABASE_PASSWORD" -d "$1" <<'SQL'
CREATE ROLE wallet_rpc LOGIN PASSWORD :'password';
CREATE DATABASE wallet_rpc OWNER wallet_rpc;
SQL
