-- Data that the chain does not have: kept while no scanned block contains its transaction.

-- Frozen outputs that were not found yet, or whose block was undone by a reorganisation.
CREATE TABLE frozen_output (
  tx_hash      BLOB    NOT NULL CHECK (length(tx_hash) = 32),
  output_index INTEGER NOT NULL,
  PRIMARY KEY (tx_hash, output_index)
) STRICT, WITHOUT ROWID;

-- Change and payment ids of payments, which only the wallet that paid has, like their destinations and keys.
CREATE TABLE outgoing_fact (
  tx_hash    BLOB    PRIMARY KEY CHECK (length(tx_hash) = 32),
  change     INTEGER,                                 -- NULL where it was not recorded
  payment_id BLOB    CHECK (length(payment_id) IN (8, 32))
) STRICT, WITHOUT ROWID;
