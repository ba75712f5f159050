-- Transactions that may spend outputs whose key image is not known yet: a ring of theirs holds one.
CREATE TABLE possible_spend (
  tx_hash     BLOB    PRIMARY KEY CHECK (length(tx_hash) = 32),
  height      INTEGER NOT NULL,
  timestamp   INTEGER NOT NULL,                     -- of the block
  unlock_time TEXT    NOT NULL,
  fee         INTEGER CHECK (fee >= 0),             -- NULL before RingCT: what the outputs leave of the inputs
  amount_out  TEXT    NOT NULL,                     -- sum of the plain amounts
  key_images  BLOB    NOT NULL CHECK (length(key_images) % 32 = 0)
) STRICT, WITHOUT ROWID;
