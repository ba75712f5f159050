-- What outlives the chain's telling: kept while the transaction it belongs to is not (or no more) known from a block.

-- Frozen outputs that were not found yet, or whose block was undone.
CREATE TABLE frozen_output (
  tx_hash      BLOB    NOT NULL CHECK (length(tx_hash) = 32),
  output_index INTEGER NOT NULL,
  PRIMARY KEY (tx_hash, output_index)
) STRICT, WITHOUT ROWID;

-- Facts of payments of ours, known only to the wallet that paid, beside their destinations and keys.
CREATE TABLE outgoing_fact (
  tx_hash    BLOB    PRIMARY KEY CHECK (length(tx_hash) = 32),
  change     INTEGER,                                 -- NULL where it was not recorded
  payment_id BLOB    CHECK (length(payment_id) IN (8, 32))
) STRICT, WITHOUT ROWID;
