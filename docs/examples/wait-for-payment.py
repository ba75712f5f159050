"""Offers an address for an order and waits until the order is paid. Needs the requests package.

    WALLET_RPC_URL=http://127.0.0.1:18083/wallet/shop/json_rpc WALLET_RPC_LOGIN=user:password \
        python3 wait-for-payment.py "order 1" 1000000000000
"""

import os
import sys
import time

import requests
from requests.auth import HTTPDigestAuth

URL = os.environ["WALLET_RPC_URL"]
LOGIN = HTTPDigestAuth(*os.environ["WALLET_RPC_LOGIN"].split(":", 1))
CONFIRMATIONS = 1


def rpc(method, **params):
    call = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    answer = requests.post(URL, json=call, auth=LOGIN, timeout=60).json()
    if "error" in answer:
        raise RuntimeError(answer["error"])
    return answer["result"]


def paid(index):
    """Returns the confirmed sum of the payments to an address, in atomic units."""
    transfers = rpc("get_transfers", **{"in": True, "account_index": 0, "subaddr_indices": [index]})
    return sum(
        transfer["amount"]
        for transfer in transfers.get("in", [])
        if transfer["confirmations"] >= CONFIRMATIONS
    )


def main(order, price):
    created = rpc("create_address", account_index=0, label=order)
    print(created["address"], flush=True)
    while paid(created["address_index"]) < price:
        time.sleep(1)
    print(f"{order} is paid", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
