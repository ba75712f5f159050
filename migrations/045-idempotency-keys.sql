-- Idempotency keys: a call that repeats a key returns the result of the first call. Payments and payment requests have
-- separate keys. Earlier versions kept the keys in `payment_order` and `payment_request`, whose unique columns only new
-- tables can leave out.
CREATE TABLE idempotency_key (
  kind         INTEGER NOT NULL CHECK (kind IN (1, 2)), -- 1: of a payment_order; 2: of a payment_request
  key          TEXT    NOT NULL,
  method       TEXT    NOT NULL,
  request_hash BLOB    NOT NULL CHECK (length(request_hash) = 32), -- of the parameters of the call
  sequence     INTEGER NOT NULL,                        -- of the order or of the payment request
  PRIMARY KEY (kind, key),
  UNIQUE (kind, sequence)
) STRICT, WITHOUT ROWID;
INSERT INTO idempotency_key (kind, key, method, request_hash, sequence)
  SELECT 1, idempotency_key, method, request_hash, sequence FROM payment_order;
INSERT INTO idempotency_key (kind, key, method, request_hash, sequence)
  SELECT 2, idempotency_key, 'create_payment_request', params_hash, sequence
  FROM payment_request WHERE idempotency_key IS NOT NULL;

-- A table that refers to another one is replaced before it, so that no row is deleted with its parent.
CREATE TABLE keyed_order (
  sequence     INTEGER PRIMARY KEY,                     -- order of acceptance
  created      INTEGER NOT NULL,
  unsigned_set BLOB,                                    -- result of a view-only wallet
  multisig_set BLOB                                     -- result of a multisig wallet
) STRICT;
INSERT INTO keyed_order SELECT sequence, created, unsigned_set, multisig_set FROM payment_order;
CREATE TABLE keyed_order_tx (
  sequence    INTEGER NOT NULL REFERENCES keyed_order (sequence) ON DELETE CASCADE,
  position    INTEGER NOT NULL,                         -- among the transactions of the call
  attempt     INTEGER NOT NULL CHECK (attempt >= 1),    -- above 1: pays a failed one again
  tx_hash     BLOB    CHECK (length(tx_hash) = 32),     -- NULL while another wallet has to sign
  withdrawn   INTEGER NOT NULL DEFAULT 0,               -- 1: refused when it was first relayed; 2: never sent
  made        TEXT    NOT NULL,                         -- JSON: destinations, fee, weight, key images, tx keys
  blob        BLOB,                                     -- if the call returned it
  metadata    BLOB,                                     -- if the call returned it
  sent        INTEGER NOT NULL DEFAULT 0,               -- recorded as a payment when it was made
  rings       BLOB,                                     -- digest of its rings; NULL: signed when it was made
  rival       BLOB,                                     -- a transaction that spends an input, with other rings
  settled     INTEGER NOT NULL DEFAULT 0,               -- its hash or rival is settled in the chain
  signing_set BLOB,                                     -- the set to be signed, of a repeated attempt
  PRIMARY KEY (sequence, position, attempt)
) STRICT, WITHOUT ROWID;
INSERT INTO keyed_order_tx
  SELECT sequence, position, attempt, tx_hash, withdrawn, made, blob, metadata, sent, rings, rival, settled, signing_set
  FROM order_tx;
DROP TABLE order_tx;
DROP TABLE payment_order;
ALTER TABLE keyed_order RENAME TO payment_order;
ALTER TABLE keyed_order_tx RENAME TO order_tx;
CREATE INDEX order_tx_hash ON order_tx (tx_hash) WHERE tx_hash IS NOT NULL;
CREATE INDEX order_tx_unsettled ON order_tx (rings) WHERE rings IS NOT NULL AND settled = 0;

CREATE TABLE keyed_request (
  sequence      INTEGER PRIMARY KEY,                    -- order of creation
  request_id    TEXT    NOT NULL UNIQUE,
  token         BLOB    NOT NULL UNIQUE CHECK (length(token) = 16), -- names its pay page
  account       INTEGER NOT NULL,
  minor         INTEGER NOT NULL,
  amount        INTEGER CHECK (amount > 0),             -- NULL: open request
  tolerance     INTEGER NOT NULL CHECK (tolerance >= 0),
  confirmations INTEGER NOT NULL CHECK (confirmations >= 0),
  created       INTEGER NOT NULL,
  first_height  INTEGER NOT NULL CHECK (first_height >= 0), -- least height of blocks with payments that count
  expires       INTEGER,                                -- NULL: never
  cancelled     INTEGER,                                -- NULL unless it was cancelled
  reference     TEXT    UNIQUE,
  metadata      TEXT,                                   -- JSON object
  return_url    TEXT,
  ended         INTEGER NOT NULL DEFAULT 0,             -- its expiry has passed
  UNIQUE (minor, account)
) STRICT;
INSERT INTO keyed_request
  SELECT sequence, request_id, token, account, minor, amount, tolerance, confirmations, created, first_height, expires,
    cancelled, reference, metadata, return_url, ended
  FROM payment_request;
CREATE TABLE keyed_request_state (
  sequence        INTEGER PRIMARY KEY REFERENCES keyed_request (sequence) ON DELETE CASCADE,
  state           TEXT    NOT NULL DEFAULT 'waiting',
  received        INTEGER NOT NULL DEFAULT 0,           -- payments in time, without locked ones
  paid            INTEGER NOT NULL DEFAULT 0,           -- payments in time with enough confirmations
  locked          INTEGER NOT NULL DEFAULT 0,           -- payments in time that an unlock time locks
  late            INTEGER NOT NULL DEFAULT 0,           -- payments after the end of the request
  expiry_reported INTEGER NOT NULL DEFAULT 0,
  due_height      INTEGER                               -- least tip at which payments count for more; NULL: no tip
) STRICT;
INSERT INTO keyed_request_state
  SELECT sequence, state, received, paid, locked, late, expiry_reported, due_height FROM request_state;
DROP TABLE request_state;
DROP TABLE payment_request;
ALTER TABLE keyed_request RENAME TO payment_request;
ALTER TABLE keyed_request_state RENAME TO request_state;
CREATE INDEX payment_request_expiry ON payment_request (expires) WHERE expires IS NOT NULL AND ended = 0;
CREATE INDEX request_state_state ON request_state (state);
CREATE INDEX request_state_due ON request_state (due_height) WHERE due_height IS NOT NULL;
