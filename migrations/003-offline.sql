-- What a wallet that sees the chain without a spend key and one that holds the spend key offline tell each other.

-- Outputs that this wallet was told of, in the order in which the other received them. None once it reads the chain itself.
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

-- Key images that the holder of the spend key told, by output key. They outlive the blocks of their outputs.
CREATE TABLE told_key_image (
  public_key BLOB    PRIMARY KEY CHECK (length(public_key) = 32),
  key_image  BLOB    NOT NULL CHECK (length(key_image) = 32),
  proven     INTEGER NOT NULL                       -- by a signature; else it is the word of a signed transaction set
) STRICT, WITHOUT ROWID;

-- What transactions that paid us spend, where only a key image told later can say that it was ours.
CREATE TABLE received_input (
  key_image BLOB NOT NULL CHECK (length(key_image) = 32),
  tx_hash   BLOB NOT NULL REFERENCES received_tx (tx_hash) ON DELETE CASCADE,
  PRIMARY KEY (key_image, tx_hash)
) STRICT, WITHOUT ROWID;
CREATE INDEX received_input_tx ON received_input (tx_hash);
