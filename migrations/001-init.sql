-- The store of one wallet. Amounts are atomic units; heights are block heights; times are Unix seconds.

CREATE TABLE meta (
  key   TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Hashes of scanned blocks: all of the latest ones, and every 1,000th of older ones.
CREATE TABLE chain_block (
  height INTEGER PRIMARY KEY CHECK (height >= 0),
  hash   BLOB NOT NULL CHECK (length(hash) = 32)
) STRICT;

-- Mined transactions that paid the wallet.
CREATE TABLE received_tx (
  tx_hash         BLOB    PRIMARY KEY CHECK (length(tx_hash) = 32),
  height          INTEGER NOT NULL,
  timestamp       INTEGER NOT NULL,
  unlock_time     TEXT    NOT NULL,                 -- u64 in decimal: a height below 500000000, else a time
  fee             INTEGER NOT NULL CHECK (fee >= 0),
  coinbase        INTEGER NOT NULL,
  payment_id      BLOB    CHECK (length(payment_id) IN (8, 32)),
  tx_public_key   BLOB    NOT NULL CHECK (length(tx_public_key) = 32),
  additional_keys BLOB    NOT NULL                  -- 32 bytes each
) STRICT, WITHOUT ROWID;
CREATE INDEX received_tx_height ON received_tx (height);
CREATE INDEX received_tx_payment_id ON received_tx (payment_id) WHERE payment_id IS NOT NULL;

CREATE TABLE owned_output (
  tx_hash        BLOB    NOT NULL REFERENCES received_tx (tx_hash) ON DELETE CASCADE,
  output_index   INTEGER NOT NULL,                  -- within the transaction
  global_index   INTEGER NOT NULL,                  -- among all outputs of its amount in the chain
  public_key     BLOB    NOT NULL CHECK (length(public_key) = 32),
  key_image      BLOB    CHECK (length(key_image) = 32),  -- NULL while unknown: view-only
  amount         INTEGER NOT NULL CHECK (amount > 0),
  mask           BLOB    NOT NULL CHECK (length(mask) = 32),
  rct            INTEGER NOT NULL,
  account        INTEGER NOT NULL,                  -- subaddress major index
  minor          INTEGER NOT NULL,
  derivation_key BLOB    NOT NULL CHECK (length(derivation_key) = 32),
  height         INTEGER NOT NULL,
  unlock_time    TEXT    NOT NULL,
  coinbase       INTEGER NOT NULL,
  change         INTEGER NOT NULL,                  -- came back to the account that paid
  burnt          INTEGER NOT NULL DEFAULT 0,        -- another output with its key holds at least as much
  frozen         INTEGER NOT NULL DEFAULT 0,
  spent_by       BLOB    CHECK (length(spent_by) = 32),   -- NULL while unspent
  spent_height   INTEGER,                           -- NULL while unspent, or spent by an unconfirmed payment
  PRIMARY KEY (tx_hash, output_index)               -- two outputs may share a key: burning bug
) STRICT, WITHOUT ROWID;
CREATE INDEX owned_output_key_image ON owned_output (key_image);
CREATE INDEX owned_output_public_key ON owned_output (public_key);
CREATE INDEX owned_output_place ON owned_output (account, minor);
CREATE INDEX owned_output_height ON owned_output (height);
CREATE INDEX owned_output_spent_by ON owned_output (spent_by) WHERE spent_by IS NOT NULL;
CREATE INDEX owned_output_spent_height ON owned_output (spent_height) WHERE spent_height IS NOT NULL;
CREATE INDEX owned_output_unspent ON owned_output (account, minor, height, amount) WHERE spent_by IS NULL AND burnt = 0;

-- Transactions that spend outputs of the wallet.
CREATE TABLE outgoing_tx (
  tx_hash      BLOB    PRIMARY KEY CHECK (length(tx_hash) = 32),
  state        TEXT    NOT NULL CHECK (state IN ('prepared', 'pending', 'failed', 'confirmed')),
  account      INTEGER NOT NULL,
  from_indices TEXT    NOT NULL,                    -- minor indices, comma separated
  amount_in    INTEGER NOT NULL,
  fee          INTEGER NOT NULL,
  change       INTEGER NOT NULL,
  unlock_time  TEXT    NOT NULL,
  payment_id   BLOB    CHECK (length(payment_id) IN (8, 32)),
  timestamp    INTEGER NOT NULL,                    -- of making it, or of its block
  height       INTEGER CHECK ((height IS NULL) = (state <> 'confirmed')),
  blob         BLOB                                 -- kept while it may have to be relayed again
) STRICT, WITHOUT ROWID;
CREATE INDEX outgoing_tx_height ON outgoing_tx (height) WHERE height IS NOT NULL;
CREATE INDEX outgoing_tx_open ON outgoing_tx (state) WHERE state <> 'confirmed';

-- Not part of the chain: only the wallet that paid has them.
CREATE TABLE outgoing_destination (
  tx_hash  BLOB    NOT NULL,
  position INTEGER NOT NULL,
  address  TEXT    NOT NULL,
  amount   INTEGER NOT NULL,
  PRIMARY KEY (tx_hash, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE tx_secret_key (
  tx_hash BLOB PRIMARY KEY CHECK (length(tx_hash) = 32),
  keys    BLOB NOT NULL CHECK (length(keys) % 32 = 0)     -- the transaction's, then one an output
) STRICT, WITHOUT ROWID;

CREATE TABLE tx_note (
  tx_hash BLOB PRIMARY KEY CHECK (length(tx_hash) = 32),
  note    TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Transactions in the mempool that pay the wallet.
CREATE TABLE pool_tx (
  tx_hash           BLOB    PRIMARY KEY CHECK (length(tx_hash) = 32),
  timestamp         INTEGER NOT NULL,               -- first seen
  unlock_time       TEXT    NOT NULL,
  fee               INTEGER NOT NULL,
  payment_id        BLOB,
  double_spend_seen INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE pool_output (
  tx_hash      BLOB    NOT NULL REFERENCES pool_tx (tx_hash) ON DELETE CASCADE,
  output_index INTEGER NOT NULL,
  amount       INTEGER NOT NULL,
  account      INTEGER NOT NULL,
  minor        INTEGER NOT NULL,
  PRIMARY KEY (tx_hash, output_index)
) STRICT, WITHOUT ROWID;

CREATE TABLE account (
  major         INTEGER PRIMARY KEY CHECK (major >= 0),
  address_count INTEGER NOT NULL CHECK (address_count > 0),
  tag           TEXT    NOT NULL DEFAULT ''
) STRICT;

CREATE TABLE account_tag (
  tag         TEXT PRIMARY KEY,
  description TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Every address at which payments are recognised, the lookahead included.
CREATE TABLE subaddress_key (
  spend_public_key BLOB    PRIMARY KEY CHECK (length(spend_public_key) = 32),
  major            INTEGER NOT NULL,
  minor            INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE subaddress_label (
  major INTEGER NOT NULL,
  minor INTEGER NOT NULL,
  label TEXT    NOT NULL,
  PRIMARY KEY (major, minor)
) STRICT, WITHOUT ROWID;

CREATE TABLE attribute (
  key   TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE address_book (
  position    INTEGER PRIMARY KEY,
  address     TEXT NOT NULL,
  description TEXT NOT NULL
) STRICT;

INSERT INTO account (major, address_count) VALUES (0, 1);
INSERT INTO subaddress_label (major, minor, label) VALUES (0, 0, 'Primary account');
