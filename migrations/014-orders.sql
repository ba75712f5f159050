-- Payments with an idempotency key: repeating one returns its result and never pays twice. Rows are never deleted,
-- except those of an order whose every transaction the daemon refused when it was first relayed.
CREATE TABLE payment_order (
  sequence        INTEGER PRIMARY KEY,              -- order of acceptance
  idempotency_key TEXT    NOT NULL UNIQUE,
  method          TEXT    NOT NULL,
  request_hash    BLOB    NOT NULL CHECK (length(request_hash) = 32),
  created         INTEGER NOT NULL,
  unsigned_set    BLOB,                             -- result of a view-only wallet
  multisig_set    BLOB                              -- result of a multisig wallet
) STRICT;

CREATE TABLE order_tx (
  sequence  INTEGER NOT NULL REFERENCES payment_order (sequence) ON DELETE CASCADE,
  position  INTEGER NOT NULL,                       -- among the transactions of the call
  attempt   INTEGER NOT NULL CHECK (attempt >= 1),  -- above 1: pays a failed one again
  tx_hash   BLOB    CHECK (length(tx_hash) = 32),   -- NULL while another wallet has to sign
  withdrawn INTEGER NOT NULL DEFAULT 0,             -- refused when it was first relayed, and no longer a payment
  made      TEXT    NOT NULL,                       -- JSON: destinations, fee, weight, key images, tx keys
  blob      BLOB,                                   -- if the call returned it
  metadata  BLOB,                                   -- if the call returned it
  PRIMARY KEY (sequence, position, attempt)
) STRICT, WITHOUT ROWID;
CREATE INDEX order_tx_hash ON order_tx (tx_hash) WHERE tx_hash IS NOT NULL;
