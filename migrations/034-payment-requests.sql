-- Requests for payments, each to an address of its own. Amounts are atomic units; times are Unix seconds.
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
  first_height    INTEGER NOT NULL CHECK (first_height >= 0), -- least height of blocks with payments that count
  expires         INTEGER,                          -- NULL: never
  cancelled       INTEGER,                          -- NULL unless it was cancelled
  reference       TEXT    UNIQUE,
  metadata        TEXT,                             -- JSON object
  return_url      TEXT,
  idempotency_key TEXT    UNIQUE,
  params_hash     BLOB    CHECK (length(params_hash) = 32),
  ended           INTEGER NOT NULL DEFAULT 0,       -- its expiry has passed
  UNIQUE (minor, account)
) STRICT;
CREATE INDEX payment_request_expiry ON payment_request (expires) WHERE expires IS NOT NULL AND ended = 0;

-- State of each request as its events have reported it, which follows from the payments to its address. Apart from the
-- terms, because a block may change many states.
CREATE TABLE request_state (
  sequence        INTEGER PRIMARY KEY REFERENCES payment_request (sequence) ON DELETE CASCADE,
  state           TEXT    NOT NULL DEFAULT 'waiting',
  received        INTEGER NOT NULL DEFAULT 0,       -- payments in time, without locked ones
  paid            INTEGER NOT NULL DEFAULT 0,       -- those with enough confirmations
  locked          INTEGER NOT NULL DEFAULT 0,       -- payments in time that an unlock time locks
  late            INTEGER NOT NULL DEFAULT 0,       -- payments after its end
  expiry_reported INTEGER NOT NULL DEFAULT 0,
  due_height      INTEGER                           -- least tip at which payments count for more; NULL: none does
) STRICT;
CREATE INDEX request_state_state ON request_state (state); -- and by sequence, which is the rowid
CREATE INDEX request_state_due ON request_state (due_height) WHERE due_height IS NOT NULL;

-- Times at which payments to requests were first seen in the mempool. A payment that was seen in time stays in time
-- when its block is later than the expiry.
CREATE TABLE request_arrival (
  account INTEGER NOT NULL,
  minor   INTEGER NOT NULL,
  tx_hash BLOB    NOT NULL CHECK (length(tx_hash) = 32),
  time    INTEGER NOT NULL,
  contested INTEGER NOT NULL DEFAULT 0, -- the mempool has seen another transaction with the same inputs
  PRIMARY KEY (minor, account, tx_hash)
) STRICT, WITHOUT ROWID;

-- Payments to one address that are not mined, or that a rescan has not found again.
CREATE INDEX seen_payment_address ON seen_payment (minor, account);
CREATE INDEX reported_payment_address ON reported_payment (minor, account);
