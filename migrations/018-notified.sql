-- Incoming transactions for which --tx-notify was started, and those that were reversed after it was first used.
CREATE TABLE notified_tx (
  tx_hash BLOB PRIMARY KEY CHECK (length(tx_hash) = 32)
) STRICT, WITHOUT ROWID;
