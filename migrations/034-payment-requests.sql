-- Requests for payments, each to an address of its own. The state follows from the payments to the address: the columns
-- from `state` on hold it as it was last reported by an event. Amounts are atomic units; times are Unix seconds.
CREATE TABLE payment_request (
  sequence        INTEGER PRIMARY KEY,              -- order of creation
  request_id      TEXT    NOT NULL UNIQUE,
  token           BLOB    NOT NULL UNIQUE CHECK (length(token) = 16), -- names its pay page
  account         INTEGER NOT NULL,
  minor           INTEGER NOT NULL,
  amount          INTEGER CHECK (amount > 0),       -- NULL: open request
  tolerance       INTEGER NOT NULL CHECK (tolerance >= 0),
  confirmations   INTEGER NOT NULL CHECK (confirmations >= 0),
  created         INTEGER NOT NULL,
  expires         INTEGER,                          -- NULL: never
  cancelled       INTEGER,                          -- NULL unless it was cancelled
  reference       TEXT    UNIQUE,
  metadata        TEXT,                             -- JSON object
  return_url      TEXT,
  idempotency_key TEXT    UNIQUE,
  params_hash     BLOB    CHECK (length(params_hash) = 32),
  ended           INTEGER NOT NULL DEFAULT 0,       -- its expiry has passed
  state           TEXT    NOT NULL DEFAULT 'waiting',
  received        INTEGER NOT NULL DEFAULT 0,       -- reported sum of all payments in time
  paid            INTEGER NOT NULL DEFAULT 0,       -- reported sum of those with enough confirmations
  late            INTEGER NOT NULL DEFAULT 0,       -- reported sum of those after its end
  expiry_reported INTEGER NOT NULL DEFAULT 0,
  due_height      INTEGER,                          -- least tip at which payments count for more; NULL: none does
  UNIQUE (minor, account)
) STRICT;
CREATE INDEX payment_request_state ON payment_request (state, sequence);
CREATE INDEX payment_request_due ON payment_request (due_height) WHERE due_height IS NOT NULL;
CREATE INDEX payment_request_expiry ON payment_request (expires) WHERE expires IS NOT NULL AND ended = 0;

-- Times at which payments to requests were first seen in the mempool. A payment that was seen in time stays in time
-- when its block is later than the expiry.
CREATE TABLE request_arrival (
  account INTEGER NOT NULL,
  minor   INTEGER NOT NULL,
  tx_hash BLOB    NOT NULL CHECK (length(tx_hash) = 32),
  time    INTEGER NOT NULL,
  PRIMARY KEY (minor, account, tx_hash)
) STRICT, WITHOUT ROWID;

-- Payments to one address that are not mined, or that a rescan has not found again.
CREATE INDEX seen_payment_address ON seen_payment (minor, account);
CREATE INDEX reported_payment_address ON reported_payment (minor, account);
