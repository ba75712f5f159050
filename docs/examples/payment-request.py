"""Requests a payment for an order, and follows it until it is paid or has expired. Needs the requests package.

    WALLET_RPC_URL=http://127.0.0.1:18083/wallet/shop/json_rpc WALLET_RPC_LOGIN=user:password \
        python3 payment-request.py "order 1" 1000000000000

Run it again with the same order: the request is the same one.
"""

import os
import sys

import requests
from requests.auth import HTTPDigestAuth

URL = os.environ["WALLET_RPC_URL"]
LOGIN = HTTPDigestAuth(*os.environ["WALLET_RPC_LOGIN"].split(":", 1))
HOUR = 3600
TYPES = [
    f"request.{change}"
    for change in ("partial", "seen", "paid", "overpaid", "expired", "late", "reversed")
]


def rpc(method, **params):
    call = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    answer = requests.post(URL, json=call, auth=LOGIN, timeout=90).json()
    if "error" in answer:
        raise RuntimeError(answer["error"])
    return answer["result"]


def events(order):
    """Yields the events of the request of an order, and waits for further ones."""
    cursor = 0  # A shop keeps it with its orders, and goes on from there after a restart.
    while True:
        page = rpc("get_events", after=cursor, types=TYPES, limit=1000, wait_ms=60000)
        for event in page["events"]:
            if event["data"].get("reference") == order:
                yield event
        cursor = page["cursor"]


def main(order, price):
    request = rpc(
        "create_payment_request",
        amount=price,
        expires_in=HOUR,
        label=order,
        reference=order,
        metadata={"basket": ["book", "pen"]},
        idempotency_key=order,
    )
    print(request["address"], flush=True)
    print(request["uri"], flush=True)
    for event in events(order):
        data = event["data"]
        print(f"{event['type']}: {data['received']} mined, {data['received_unconfirmed']} in the pool", flush=True)
        # The event says that something changed; the request says how it stands now.
        state = rpc("get_payment_request", reference=order)["state"]
        if state == "paid":
            print(f"{order} is paid", flush=True)
            return 0
        if state in ("expired", "cancelled"):
            print(f"{order} is {state}", flush=True)
            return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2])))
