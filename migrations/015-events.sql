-- Events of the wallet, in the order of their ids. A row of a payment may stand for several events with consecutive ids.
CREATE TABLE event (
  id        INTEGER PRIMARY KEY,                    -- of its first event
  type      INTEGER NOT NULL,                       -- 0: only the stages
  stages    TEXT,                                   -- of a payment, comma separated: confirmations, or `u` for unlocked
  tx_hash   BLOB    CHECK (length(tx_hash) = 32),
  account   INTEGER,
  minor     INTEGER,
  amount    INTEGER,
  height    INTEGER,
  timestamp INTEGER,                                -- of the block; in the mempool, of first seeing it [Unix seconds]
  time      INTEGER NOT NULL,                       -- of the event [Unix ms]
  data      TEXT                                    -- further facts as JSON
) STRICT;

-- Mined payments: a reversal names the event that it reverses.
CREATE INDEX event_mined ON event (height) WHERE type = 2;

-- Reported payments whose transaction is not mined. Those that left the mempool wait for a decision.
CREATE TABLE seen_payment (
  tx_hash     BLOB    NOT NULL CHECK (length(tx_hash) = 32),
  account     INTEGER NOT NULL,
  minor       INTEGER NOT NULL,
  amount      INTEGER NOT NULL,
  timestamp   INTEGER NOT NULL,
  unlock_time TEXT    NOT NULL,
  payment_id  BLOB,
  event       INTEGER NOT NULL,                     -- id of its payment.seen
  gone_height INTEGER,                              -- tip when the mempool did not hold it any more; NULL: it does
  misses      INTEGER NOT NULL DEFAULT 0,           -- later reads of the mempool above that height without it
  PRIMARY KEY (tx_hash, account, minor)
) STRICT, WITHOUT ROWID;

-- Mined payments with an unlock time, until they are reported as unlocked.
CREATE TABLE locked_payment (
  tx_hash      BLOB    NOT NULL CHECK (length(tx_hash) = 32),
  account      INTEGER NOT NULL,
  minor        INTEGER NOT NULL,
  opens_height INTEGER NOT NULL,                    -- least tip at which it is unlocked
  opens_time   INTEGER NOT NULL,                    -- least time at which it is unlocked [Unix seconds]; 0: any
  PRIMARY KEY (tx_hash, account, minor)
) STRICT, WITHOUT ROWID;

-- Payments that were reported as mined before a rescan, which has not passed their heights.
CREATE TABLE reported_payment (
  tx_hash     BLOB    NOT NULL CHECK (length(tx_hash) = 32),
  account     INTEGER NOT NULL,
  minor       INTEGER NOT NULL,
  height      INTEGER NOT NULL,
  amount      INTEGER NOT NULL,
  timestamp   INTEGER NOT NULL,
  unlock_time TEXT    NOT NULL,
  coinbase    INTEGER NOT NULL,
  payment_id  BLOB,
  PRIMARY KEY (tx_hash, account, minor)
) STRICT, WITHOUT ROWID;
CREATE INDEX reported_payment_height ON reported_payment (height);

-- Transfers that were reported before a rescan, which has not passed their heights.
CREATE TABLE reported_transfer (
  tx_hash   BLOB    PRIMARY KEY CHECK (length(tx_hash) = 32),
  height    INTEGER,                                -- NULL: not mined
  account   INTEGER NOT NULL,
  amount_in INTEGER NOT NULL,
  change    INTEGER NOT NULL,
  fee       INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX reported_transfer_height ON reported_transfer (height) WHERE height IS NOT NULL;
