-- Transactions that may spend outputs without a known key image: one of their rings contains such an output.
CREATE TABLE possible_spend (
  tx_hash     BLOB    PRIMARY KEY CHECK (length(tx_hash) = 32),
  height      INTEGER NOT NULL,
  timestamp   INTEGER NOT NULL,                     -- of the block
  unlock_time TEXT    NOT NULL,
  fee         INTEGER CHECK (fee >= 0),             -- NULL before RingCT: what the outputs leave of the inputs
  amount_out  TEXT    NOT NULL,                     -- sum of the plain amounts
  key_images  BLOB    NOT NULL CHECK (length(key_images) % 32 = 0)
) STRICT, WITHOUT ROWID;
