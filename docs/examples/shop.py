"""A whole shop without a web server: orders in SQLite, prices in EUR, refunds. It needs Python 3.9 alone.

    wallet-rpc credential add shop --credentials ... --wallet shop --method view --method receive \\
        --method refund_payment_request
    export WALLET_RPC_URL=http://127.0.0.1:18083/wallet/shop/json_rpc WALLET_RPC_TOKEN=...
    python3 shop.py orders.db order 4711 19.90 [refund address]     # prints the page on which the customer pays
    python3 shop.py orders.db work                                  # delivers and refunds; may be killed at any time
"""

import json
import os
import sqlite3
import sys
import time
import urllib.request
from decimal import Decimal

URL = os.environ["WALLET_RPC_URL"]
TOKEN = os.environ["WALLET_RPC_TOKEN"]
RATE = os.environ.get("RATE", "150.00")
PAY_SECONDS = int(os.environ.get("PAY_SECONDS", "3600"))
WAIT_MS = 30000
TYPES = ["request.partial", "request.seen", "request.paid", "request.overpaid", "request.expired", "request.late",
         "request.reversed", "request.refund", "payment.confirmed"]
DONE = ("confirmed", "failed", "cancelled", "rejected", "expired")  # States in which a refund stays.


class Refused(Exception):
    """Error that the server answers with: another attempt with the same call has the same answer."""


def rpc(method, **params):
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {TOKEN}", "Error-Details": "yes"}
    with urllib.request.urlopen(urllib.request.Request(URL, body, headers), timeout=90) as response:
        answer = json.load(response)
    if "error" in answer:
        raise Refused(answer["error"])
    return answer["result"]


def terms_of(order, price, refund_address):
    """Terms of the payment request, kept with the order: a call that is repeated must have the same ones."""
    amount = int(Decimal(price) / Decimal(RATE) * 10**12)
    terms = {
        "amount": amount, "label": f"Order {order}", "reference": order, "idempotency_key": order,
        "price": {"currency": "EUR", "amount": price, "rate": RATE, "rate_time": int(time.time())},
        "expires_in": PAY_SECONDS,
    }
    return {**terms, "refund_address": refund_address} if refund_address else {**terms, "refunds": "ask"}


def owed(request):
    """Returns the kind of refund that the customer is owed; None also after a person has stopped one."""
    refunds = request["refunds"]
    if any(each["state"] in ("cancelled", "rejected") for each in refunds):
        return None
    if request["state"] == "cancelled" or (request["state"] == "expired" and request["synced"]):
        return "all" if request["refundable"] > 0 else None
    if request["state"] == "paid":
        for kind in ("excess", "late"):
            made = [each["amount"] for each in refunds if each["kind"] == kind and each["state"] != "failed"]
            if request.get(kind, 0) > sum(made):
                return kind
    return None


def refund(request):
    """Asks for a refund that is owed. The number of former ones in its id makes each once."""
    if owed(request) is None or "refund_address" not in request:
        return request
    refund_id = f"{request['reference']} refund {len(request['refunds']) + 1}"
    try:
        return rpc("refund_payment_request", request_id=request["request_id"], refund_id=refund_id, amount=owed(request))
    except Refused as error:  # Money that is not confirmed yet: the next round tries again.
        print(f"no refund of {request['reference']} yet: {error}", flush=True)
        return request


def settle(db, order):
    """Brings an order in line with its payment request. Harmless to repeat."""
    terms, known = db.execute("SELECT terms, address FROM orders WHERE id = ?", (order,)).fetchone()
    request = refund(rpc("get_payment_request", reference=order) if known
                     else rpc("create_payment_request", **json.loads(terms)))
    is_open = (request["state"] not in ("paid", "expired", "cancelled") or owed(request) is not None
               or any(each["state"] not in DONE for each in request["refunds"]))
    with db:
        db.execute("UPDATE orders SET address = ?, state = ?, open = ? WHERE id = ?",
                   (request["address"], request["state"], is_open, order))
        once = "UPDATE orders SET delivered = 1 WHERE id = ? AND delivered = 0"
        if request["state"] == "paid" and db.execute(once, (order,)).rowcount:
            print(f"deliver {order}", flush=True)  # A real shop puts the parcel into its queue here.
    return request


def work(db):
    def settle_each(where, *values):
        for (order,) in db.execute(f"SELECT id FROM orders WHERE {where}", values).fetchall():
            try:
                settle(db, order)
            except Refused as error:  # Of one order: it must not hold up the others.
                print(f"order {order}: {error}", flush=True)

    while True:
        try:
            settle_each("open")
            (cursor,) = db.execute("SELECT max(cursor) FROM read_events").fetchone()
            after = {} if cursor is None else {"after": cursor}
            answer = rpc("get_events", types=TYPES, limit=1000, wait_ms=WAIT_MS, **after)
            for event in answer["events"]:
                if event["type"] == "request.reversed":
                    print(f"stop the parcel of {event['data'].get('reference')}", flush=True)
                settle_each("address = ?", event["data"]["address"])
            with db:
                db.execute("INSERT OR REPLACE INTO read_events VALUES (1, ?)", (answer["cursor"],))
        except Refused as error:
            # -57 and -65: the events after the cursor have expired, or a backup of the server was restored.
            if error.args[0]["code"] not in (-57, -65):
                raise
            with db:
                db.execute("DELETE FROM read_events")
        except OSError as error:  # The server is away, or starts.
            print(error, flush=True)
            time.sleep(2)


def add_order(db, order, price, refund_address=None):
    terms = json.dumps(terms_of(order, price, refund_address))
    with db:
        db.execute("INSERT OR IGNORE INTO orders (id, terms) VALUES (?, ?)", (order, terms))
    try:
        request = settle(db, order)
    except Refused as error:
        with db:
            db.execute("DELETE FROM orders WHERE id = ? AND address IS NULL", (order,))
        sys.exit(f"{order}: {error}")
    print(request.get("pay_url", request["uri"]), flush=True)


def main(file, command, *rest):
    db = sqlite3.connect(file, timeout=30)
    db.execute("""CREATE TABLE IF NOT EXISTS orders (id TEXT PRIMARY KEY, terms TEXT, address TEXT UNIQUE,
                  state TEXT DEFAULT 'new', delivered INTEGER DEFAULT 0, open INTEGER DEFAULT 1)""")
    db.execute("CREATE TABLE IF NOT EXISTS read_events (one INTEGER PRIMARY KEY, cursor INTEGER)")
    if command == "work":
        work(db)
    add_order(db, *rest)


if __name__ == "__main__":
    main(*sys.argv[1:])
