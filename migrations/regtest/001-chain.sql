-- The chain and mempool of a regtest daemon. Amounts are atomic units; times are Unix seconds; values that may exceed
-- SQLite's integers (difficulties, generated coins, unlock times) are decimal text.

CREATE TABLE block (
  height                INTEGER PRIMARY KEY CHECK (height >= 0),
  hash                  BLOB    NOT NULL UNIQUE CHECK (length(hash) = 32),
  blob                  BLOB    NOT NULL,
  timestamp             INTEGER NOT NULL,
  weight                INTEGER NOT NULL,
  long_term_weight      INTEGER NOT NULL,
  difficulty            TEXT    NOT NULL,
  cumulative_difficulty TEXT    NOT NULL,
  generated             TEXT    NOT NULL,   -- atomic units made up to here
  rct_outputs           INTEGER NOT NULL,   -- in the chain up to here
  payments              INTEGER NOT NULL    -- transactions but the miners' up to here
) STRICT;

CREATE TABLE tx (
  id            INTEGER PRIMARY KEY,        -- in the order of the chain
  hash          BLOB    NOT NULL UNIQUE CHECK (length(hash) = 32),
  height        INTEGER NOT NULL REFERENCES block (height),
  pruned        BLOB    NOT NULL,
  prunable      BLOB    NOT NULL,           -- empty for a miner's
  prunable_hash BLOB    NOT NULL CHECK (length(prunable_hash) = 32),
  fee           INTEGER NOT NULL,
  weight        INTEGER NOT NULL
) STRICT;
CREATE INDEX tx_height ON tx (height, id);

CREATE TABLE output (
  amount      INTEGER NOT NULL,             -- 0 for RingCT
  idx         INTEGER NOT NULL,             -- among the outputs of the amount
  tx          INTEGER NOT NULL REFERENCES tx (id),
  position    INTEGER NOT NULL,             -- within the transaction
  public_key  BLOB    NOT NULL CHECK (length(public_key) = 32),
  commitment  BLOB    NOT NULL CHECK (length(commitment) = 32),
  unlock_time TEXT    NOT NULL,
  height      INTEGER NOT NULL,
  PRIMARY KEY (amount, idx)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX output_tx ON output (tx, position);

CREATE TABLE key_image (
  image BLOB    PRIMARY KEY CHECK (length(image) = 32),
  tx    INTEGER NOT NULL REFERENCES tx (id)
) STRICT, WITHOUT ROWID;
CREATE INDEX key_image_tx ON key_image (tx);

-- Blocks off the main chain.
CREATE TABLE alternative_block (
  hash                  BLOB    PRIMARY KEY CHECK (length(hash) = 32),
  prev_hash             BLOB    NOT NULL CHECK (length(prev_hash) = 32),
  height                INTEGER NOT NULL,
  blob                  BLOB    NOT NULL,
  weight                INTEGER NOT NULL,   -- 0 where a transaction is not known
  cumulative_difficulty TEXT    NOT NULL,
  generated             TEXT    NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE pool_tx (
  hash              BLOB    PRIMARY KEY CHECK (length(hash) = 32),
  blob              BLOB    NOT NULL,
  weight            INTEGER NOT NULL,
  fee               INTEGER NOT NULL,
  receive_time      INTEGER NOT NULL,
  last_relayed_time INTEGER NOT NULL,
  relayed           INTEGER NOT NULL,
  do_not_relay      INTEGER NOT NULL,
  kept_by_block     INTEGER NOT NULL,       -- of a block that left the main chain
  double_spend_seen INTEGER NOT NULL,
  max_used_height   INTEGER NOT NULL,       -- of its youngest ring member
  max_used_hash     BLOB    NOT NULL CHECK (length(max_used_hash) = 32),
  failed_height     INTEGER NOT NULL,       -- tip under which its inputs were refused last
  failed_hash       BLOB    NOT NULL CHECK (length(failed_hash) = 32)
) STRICT, WITHOUT ROWID;
CREATE INDEX pool_tx_order ON pool_tx (fee * 1.0 / weight DESC, receive_time, hash);

CREATE TABLE pool_key_image (
  image BLOB NOT NULL CHECK (length(image) = 32),
  tx    BLOB NOT NULL REFERENCES pool_tx (hash) ON DELETE CASCADE,
  PRIMARY KEY (image, tx)
) STRICT, WITHOUT ROWID;
CREATE INDEX pool_key_image_tx ON pool_key_image (tx);
