-- Data of a multisig signer, by output key: it is kept when the output's block is undone.

-- Nonces whose points were exported. Deleted in the transaction that records a signature made with one of them.
CREATE TABLE multisig_nonce (
  public_key BLOB    NOT NULL CHECK (length(public_key) = 32),
  position   INTEGER NOT NULL,
  nonce      BLOB    NOT NULL CHECK (length(nonce) = 32),   -- scalar
  PRIMARY KEY (public_key, position)
) STRICT, WITHOUT ROWID;

-- Latest multisig info of the other signers.
CREATE TABLE multisig_info (
  public_key BLOB NOT NULL CHECK (length(public_key) = 32),
  signer     BLOB NOT NULL CHECK (length(signer) = 32),
  info       BLOB NOT NULL,                         -- points of nonces and parts of the key image, as it came
  PRIMARY KEY (public_key, signer)
) STRICT, WITHOUT ROWID;

-- Imported signer infos: the latest one of each signer, and superseded ones.
CREATE TABLE multisig_word (
  digest  BLOB    PRIMARY KEY CHECK (length(digest) = 32),
  signer  BLOB    NOT NULL CHECK (length(signer) = 32),
  current INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Transaction sets that this signer signed, by the hash of the request: a request is never signed twice.
CREATE TABLE multisig_answer (
  request   BLOB PRIMARY KEY CHECK (length(request) = 32),
  answer    BLOB NOT NULL,                          -- sealed, as it leaves the wallet
  tx_hashes BLOB NOT NULL CHECK (length(tx_hashes) % 32 = 0) -- none while more must sign
) STRICT, WITHOUT ROWID;
