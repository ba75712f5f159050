-- Data exchanged between a view-only wallet, which scans the chain, and an offline wallet with the spend key.

-- Imported outputs, in the order in which the other wallet received them. Empty once this wallet scans the chain.
CREATE TABLE imported_output (
  place          INTEGER PRIMARY KEY CHECK (place >= 0),
  public_key     BLOB    NOT NULL CHECK (length(public_key) = 32),
  derivation_key BLOB    NOT NULL CHECK (length(derivation_key) = 32),
  output_index   INTEGER NOT NULL,                  -- within its transaction
  global_index   INTEGER NOT NULL,
  amount         INTEGER NOT NULL CHECK (amount >= 0),
  rct            INTEGER NOT NULL,
  account        INTEGER NOT NULL,                  -- subaddress major index
  minor          INTEGER NOT NULL,
  key_image      BLOB    NOT NULL CHECK (length(key_image) = 32),
  spent          INTEGER NOT NULL,
  frozen         INTEGER NOT NULL,
  requested      INTEGER NOT NULL                   -- the last import asked for its key image
) STRICT;

-- Imported key images, by output key. They are kept when the blocks of their outputs are undone.
CREATE TABLE told_key_image (
  public_key BLOB    PRIMARY KEY CHECK (length(public_key) = 32),
  key_image  BLOB    NOT NULL CHECK (length(key_image) = 32),
  proven     INTEGER NOT NULL                       -- by a signature; else it is the word of a signed transaction set
) STRICT, WITHOUT ROWID;

-- Key images of inputs of transactions that paid the wallet: imported key images may show that the wallet paid.
CREATE TABLE received_input (
  key_image BLOB NOT NULL CHECK (length(key_image) = 32),
  tx_hash   BLOB NOT NULL REFERENCES received_tx (tx_hash) ON DELETE CASCADE,
  PRIMARY KEY (key_image, tx_hash)
) STRICT, WITHOUT ROWID;
CREATE INDEX received_input_tx ON received_input (tx_hash);
