"""Keeps the books of an exchange: credits deposits and pays withdrawals once, across crashes of itself and of the server.

    WALLET_RPC_URL=http://127.0.0.1:18083/wallet/hot/json_rpc WALLET_RPC_TOKEN=… \
        python3 exchange.py books.json withdrawals.jsonl

Lines, of any time: {"payout_id": "w-1", "address": "8…", "amount": 1000000000000}. The token: for view and payout_create.
"""

import json
import os
import sys
import time
from urllib.request import Request, urlopen

CONFIRMATIONS, SPEND_LIMIT, HOUR = 10, -61, 3600  # Confirmations: one of those of --confirmations.
URL, (file, orders) = os.environ["WALLET_RPC_URL"], sys.argv[1:]
HEADERS = {"Content-Type": "application/json", "Authorization": f"Bearer {os.environ.get('WALLET_RPC_TOKEN')}"}
books = {"after": {}, "changed": 0, "deposits": {}, "withdrawals": {}}  # Yours are tables of your database.
if os.path.exists(file):
    books = json.load(open(file, encoding="utf8"))


def rpc(method, **params):
    call = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
    answer = json.load(urlopen(Request(URL, call, HEADERS), timeout=90))
    if "error" in answer:
        raise RuntimeError(answer["error"])
    return answer["result"]


def note(payout_id, state, changed_at=0, **_):
    if books["withdrawals"].get(payout_id) != state:
        print(f"withdrawal {payout_id}: {state}", flush=True)
    books["withdrawals"][payout_id] = state
    books["changed"] = max(books["changed"], changed_at)


def reconcile(**page):
    found = rpc("list_payouts", changed_since=max(0, books["changed"] - HOUR), limit=1000, **page)
    if "cursor" in found:
        reconcile(cursor=found["cursor"])
    for payout in found["payouts"]:
        note(**payout)


def withdraw():
    asked = [json.loads(line) for line in open(orders, encoding="utf8") if line.endswith("\n")]
    fresh = [one for one in asked if one["payout_id"] not in books["withdrawals"]][:1000]
    for result in rpc("create_payouts", payouts=fresh)["results"] if fresh else []:
        if "payout" in result:
            note(**result["payout"])
        elif result["error"]["code"] != SPEND_LIMIT:
            note(result["payout_id"], f"refused: {result['error']['message']}")


def follow():
    page = rpc("get_events", limit=1000, wait_ms=1000, **books["after"])
    # An event may be old: the payout says how it stands now.
    for payout_id in {event["data"]["payout_id"] for event in page["events"] if "payout_id" in event["data"]}:
        note(**rpc("get_payout", payout_id=payout_id))
    for data, kind in ((event["data"], event["type"]) for event in page["events"]):
        if kind == "payment.confirmed" and data["confirmations"] == CONFIRMATIONS:
            books["deposits"][f"{data['tx_hash']} {data['address']}"] = data["amount"]
            print(f"deposit of {data['amount']} to {data['address']}", flush=True)
        elif kind == "payment.reversed":
            books["deposits"].pop(f"{data['tx_hash']} {data['address']}", None)
    books["after"] = {"after": page["cursor"]}


reconcile()  # Payouts that have changed since the books were kept; an hour more, for steps of clocks.
while True:
    try:
        withdraw()  # After a crash or a lost answer the same payouts are created again, and exist once.
        follow()  # Waits a second for the first event.
    except OSError as error:  # The server cannot be reached, or its answer was lost.
        print(error, file=sys.stderr, flush=True)
        time.sleep(1)
    with open(f"{file}.new", "w", encoding="utf8") as new:
        json.dump(books, new)
    os.replace(f"{file}.new", file)  # A crash leaves the old or the new books, as a whole.
