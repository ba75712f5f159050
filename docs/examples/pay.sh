#!/bin/sh
# Pays an invoice once, however often this is run, and prints the hash of the transaction. Needs curl.
#
#   WALLET_RPC_URL=http://127.0.0.1:18083/wallet/shop/json_rpc WALLET_RPC_LOGIN=user:password \
#     sh pay.sh "invoice 4711" ADDRESS 1000000000000
set -eu
invoice=$1
address=$2
amount=$3 # atomic units: 1 XMR is 1000000000000

answer=$(
  curl --silent --show-error --fail-with-body --retry 5 --retry-all-errors --retry-delay 1 \
    --digest --user "$WALLET_RPC_LOGIN" "$WALLET_RPC_URL" \
    --header "Idempotency-Key: \"$invoice\"" \
    --data "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"transfer\",
      \"params\":{\"destinations\":[{\"amount\":$amount,\"address\":\"$address\"}]}}"
)
case $answer in
  *'"error":{'*)
    echo "$answer" >&2
    exit 1
    ;;
esac
echo "$answer" | sed 's/.*"tx_hash":"\([0-9a-f]*\)".*/\1/'
