-- Payouts: amounts that payees are owed. A batch is an order whose transaction pays several payouts. Amounts are atomic
-- units; times are Unix seconds. Rows of payouts are never deleted.
CREATE TABLE payout (
  sequence   INTEGER PRIMARY KEY,                     -- order of creation
  payout_id  TEXT    NOT NULL UNIQUE,                 -- name that the client gave
  account    INTEGER NOT NULL,                        -- account that pays
  address    TEXT    NOT NULL,
  amount     INTEGER NOT NULL CHECK (amount > 0),     -- with the share of the fee if the payee pays it
  payee_pays INTEGER NOT NULL CHECK (payee_pays IN (0, 1)), -- 1: the share of the fee is taken from the amount
  max_fee    INTEGER,                                 -- largest share of the fee; NULL: any share
  priority   INTEGER NOT NULL CHECK (priority BETWEEN 0 AND 4),
  own        INTEGER NOT NULL CHECK (own IN (0, 1)),  -- 1: the address may be one of this wallet
  not_before INTEGER,                                 -- time before which it is not sent
  expires    INTEGER,                                 -- time from which it is not sent any more
  reference  TEXT,
  metadata   TEXT,                                    -- JSON object
  created    INTEGER NOT NULL,
  creator    TEXT,                                    -- name of the credential; NULL: a client with all rights
  state      TEXT    NOT NULL,                        -- as its latest event reports it
  reason     TEXT,                                    -- why it returned to the queue, or ended
  changed    INTEGER NOT NULL,                        -- time of the latest event
  retry_at   INTEGER                                  -- time before which a returned payout is not sent again
) STRICT;
CREATE INDEX payout_queue ON payout (state, account, priority DESC, sequence);
-- Finds the payout of an account that could have been sent first.
CREATE INDEX payout_oldest ON payout (account, max(created, coalesce(not_before, 0))) WHERE state = 'queued';
CREATE INDEX payout_reference ON payout (reference) WHERE reference IS NOT NULL;
CREATE INDEX payout_policy ON payout (account, sequence) WHERE creator = '(policy)'; -- made by a rule of a file
CREATE INDEX payout_expiry ON payout (expires) WHERE expires IS NOT NULL AND state IN ('awaiting_approval', 'queued');

CREATE TABLE payout_batch (
  sequence   INTEGER PRIMARY KEY,                     -- of its payment_order
  account    INTEGER NOT NULL,
  created    INTEGER NOT NULL,
  changed    INTEGER NOT NULL DEFAULT 1 CHECK (changed IN (0, 1)), -- 1: payouts may differ from what its order says
  height     INTEGER,                                 -- of its block, as reported
  expires    INTEGER,                                 -- time until which its set may be signed; NULL: signed here
  frozen     INTEGER NOT NULL DEFAULT 0 CHECK (frozen IN (0, 1)), -- 1: its inputs are frozen until its set is signed
  expired    INTEGER NOT NULL DEFAULT 0 CHECK (expired IN (0, 1)), -- 1: its set was not signed in time
  due_height INTEGER                                  -- least tip at which its payouts change; NULL: no tip
) STRICT;
CREATE INDEX payout_batch_changed ON payout_batch (sequence) WHERE changed = 1;
CREATE INDEX payout_batch_due ON payout_batch (due_height) WHERE due_height IS NOT NULL;
CREATE INDEX payout_batch_expires ON payout_batch (expires) WHERE expires IS NOT NULL AND expired = 0 AND height IS NULL;
CREATE INDEX payout_batch_created ON payout_batch (account, created);

-- Share of a payout in a batch: each payout has one batch at most that can still be mined, and any number of others.
CREATE TABLE payout_share (
  payout INTEGER NOT NULL REFERENCES payout (sequence),
  batch  INTEGER NOT NULL REFERENCES payout_batch (sequence) ON DELETE CASCADE,
  amount INTEGER NOT NULL,                            -- that the payee receives
  fee    INTEGER NOT NULL,                            -- share of the fee of the transaction
  PRIMARY KEY (payout, batch)
) STRICT, WITHOUT ROWID;
CREATE INDEX payout_share_batch ON payout_share (batch);

-- Actions of clients on payouts: who created, approved, rejected and cancelled them, and who sent them at once.
CREATE TABLE payout_action (
  id         INTEGER PRIMARY KEY,
  payout     INTEGER NOT NULL REFERENCES payout (sequence),
  action     TEXT    NOT NULL CHECK (action IN ('created', 'approved', 'rejected', 'cancelled', 'sent')),
  credential TEXT,                                    -- NULL: a client with all rights
  client     TEXT,                                    -- address of the client; NULL: not known
  time       INTEGER NOT NULL,
  terms      BLOB CHECK (length(terms) = 32)          -- hash of the terms that were approved
) STRICT;
CREATE INDEX payout_action_payout ON payout_action (payout);

-- Accounts whose payouts wait. Account -1 stands for the whole wallet.
CREATE TABLE payout_pause (
  account INTEGER PRIMARY KEY CHECK (account >= -1),
  reason  TEXT    NOT NULL,
  time    INTEGER NOT NULL
) STRICT;

-- The state of a batch follows from its order, and that from its payment. Whatever changes them marks the batch, and the
-- states of its payouts are recorded before the same transaction is committed.
CREATE TRIGGER payout_payment_added AFTER INSERT ON outgoing_tx BEGIN
  UPDATE payout_batch SET changed = 1 WHERE sequence IN (SELECT sequence FROM order_tx WHERE tx_hash = NEW.tx_hash);
END;
CREATE TRIGGER payout_payment_changed AFTER UPDATE OF state, height ON outgoing_tx BEGIN
  UPDATE payout_batch SET changed = 1 WHERE sequence IN (SELECT sequence FROM order_tx WHERE tx_hash = NEW.tx_hash);
END;
CREATE TRIGGER payout_payment_removed AFTER DELETE ON outgoing_tx BEGIN
  UPDATE payout_batch SET changed = 1 WHERE sequence IN (SELECT sequence FROM order_tx WHERE tx_hash = OLD.tx_hash);
END;
CREATE TRIGGER payout_rescan_passed AFTER DELETE ON reported_transfer BEGIN
  UPDATE payout_batch SET changed = 1 WHERE sequence IN (SELECT sequence FROM order_tx WHERE tx_hash = OLD.tx_hash);
END;
CREATE TRIGGER payout_attempt_changed AFTER UPDATE OF tx_hash, withdrawn, rival ON order_tx BEGIN
  UPDATE payout_batch SET changed = 1 WHERE sequence = NEW.sequence;
END;
CREATE TRIGGER payout_order_removed AFTER DELETE ON payment_order BEGIN
  UPDATE payout_batch SET changed = 1 WHERE sequence = OLD.sequence;
END;
