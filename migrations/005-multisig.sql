-- What a participant of a group keeps to sign together with the others. By output key: it outlives the output's block.

-- Nonces whose points the others were told. Removed in the transaction that records what was signed with one of them.
CREATE TABLE multisig_nonce (
  public_key BLOB    NOT NULL CHECK (length(public_key) = 32),
  position   INTEGER NOT NULL,
  nonce      BLOB    NOT NULL CHECK (length(nonce) = 32),   -- scalar
  PRIMARY KEY (public_key, position)
) STRICT, WITHOUT ROWID;

-- What other signers told last of an output.
CREATE TABLE multisig_info (
  public_key BLOB NOT NULL CHECK (length(public_key) = 32),
  signer     BLOB NOT NULL CHECK (length(signer) = 32),
  info       BLOB NOT NULL,                         -- points of nonces and parts of the key image, as it came
  PRIMARY KEY (public_key, signer)
) STRICT, WITHOUT ROWID;

-- What signers told at some time: their last word, and words that a later one replaced.
CREATE TABLE multisig_word (
  digest  BLOB    PRIMARY KEY CHECK (length(digest) = 32),
  signer  BLOB    NOT NULL CHECK (length(signer) = 32),
  current INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Sets of transactions that this signer signed, by the hash of what it was given: no second answer is made to one.
CREATE TABLE multisig_answer (
  request   BLOB PRIMARY KEY CHECK (length(request) = 32),
  answer    BLOB NOT NULL,                          -- sealed, as it leaves the wallet
  tx_hashes BLOB NOT NULL CHECK (length(tx_hashes) % 32 = 0) -- none while more must sign
) STRICT, WITHOUT ROWID;
