-- Payments made under a credential, which its limits add up. A row counts from its time on, whether the payment succeeds
-- or not: its transaction may still be relayed by anyone who has it.
CREATE TABLE credential_spend (
  credential   TEXT    NOT NULL,
  signing_hash BLOB    NOT NULL CHECK (length(signing_hash) = 32), -- message of its ring signatures
  tx_hash      BLOB    CHECK (length(tx_hash) = 32),               -- NULL while other signers have to sign
  time         INTEGER NOT NULL,                                   -- Unix seconds; never before an earlier row
  amount       INTEGER NOT NULL CHECK (amount >= 0),               -- to others, with the fee
  withdrawn    INTEGER NOT NULL DEFAULT 0,                         -- refused when it was first relayed: counts only if seen
  PRIMARY KEY (credential, signing_hash)
) STRICT, WITHOUT ROWID;
CREATE INDEX credential_spend_time ON credential_spend (credential, time);
