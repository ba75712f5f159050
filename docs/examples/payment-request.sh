#!/bin/sh
# Requests a payment for an order, and asks each second until it is paid or has expired. Needs curl.
#
#   WALLET_RPC_URL=http://127.0.0.1:18083/wallet/shop/json_rpc WALLET_RPC_LOGIN=user:password \
#     sh payment-request.sh "order 1" 1000000000000
#
# Run it again with the same order: the request is the same one.
set -eu
order=$1
amount=$2 # atomic units: 1 XMR is 1000000000000

rpc() {
  answer=$(
    curl --silent --show-error --fail-with-body --retry 5 --retry-all-errors --retry-delay 1 \
      --digest --user "$WALLET_RPC_LOGIN" "$WALLET_RPC_URL" \
      --data "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"$1\",\"params\":$2}"
  )
  case $answer in
    *'"error":{'*)
      echo "$answer" >&2
      exit 1
      ;;
  esac
}

# Prints a text of the last answer that contains no escaped character.
text() {
  echo "$answer" | sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p"
}

rpc create_payment_request "{\"amount\":$amount,\"expires_in\":3600,\"label\":\"$order\",
  \"reference\":\"$order\",\"metadata\":{\"basket\":[\"book\",\"pen\"]},\"idempotency_key\":\"$order\"}"
text address
text uri

before=
while :; do
  rpc get_payment_request "{\"reference\":\"$order\"}"
  state=$(text state)
  [ "$state" = "$before" ] || echo "$order is $state"
  before=$state
  case $state in
    paid) exit 0 ;;
    expired | cancelled) exit 1 ;;
  esac
  sleep 1
done
