-- Inputs of unmined payments whose transactions a reorganisation took out of their blocks: the wallet no longer has these
-- outputs. A row whose output was found again says nothing any more.
CREATE TABLE lost_input (
  payment      BLOB    NOT NULL REFERENCES outgoing_tx (tx_hash) ON DELETE CASCADE,
  tx_hash      BLOB    NOT NULL,                     -- transaction with the output
  output_index INTEGER NOT NULL,                     -- within the transaction
  account      INTEGER NOT NULL,
  minor        INTEGER NOT NULL,
  amount       INTEGER NOT NULL CHECK (amount >= 0), -- atomic units
  PRIMARY KEY (payment, tx_hash, output_index)
) STRICT, WITHOUT ROWID;
