-- Outputs of the payments in seen_payment: which of them share a one-time key stays known when a rescan or the mempool
-- removes their transaction from pool_tx.
CREATE TABLE seen_output (
  tx_hash      BLOB    NOT NULL,
  output_index INTEGER NOT NULL,                     -- within the transaction
  account      INTEGER NOT NULL,
  minor        INTEGER NOT NULL,
  public_key   BLOB,                                 -- NULL: not known
  amount       INTEGER NOT NULL,                     -- atomic units
  PRIMARY KEY (tx_hash, output_index),
  FOREIGN KEY (tx_hash, account, minor) REFERENCES seen_payment ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

INSERT INTO seen_output
  SELECT o.tx_hash, o.output_index, o.account, o.minor, o.public_key, o.amount
    FROM seen_payment s JOIN pool_output o USING (tx_hash, account, minor);
