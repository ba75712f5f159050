-- When payments arrived [Unix seconds]: recorded once, in the transaction that stores a payment first, from the mempool
-- or, if it pays a request, from a block. Nothing deletes a row: a replaced block, a return to the mempool or a rescan
-- changes nothing.
CREATE TABLE arrival (
  tx_hash   BLOB    NOT NULL CHECK (length(tx_hash) = 32),
  account   INTEGER NOT NULL,
  minor     INTEGER NOT NULL,
  time      INTEGER NOT NULL,
  since     INTEGER CHECK (since <= time),     -- earliest time that is possible, until a block decides; NULL: decided
  contested INTEGER NOT NULL DEFAULT 0,        -- the mempool has seen another transaction with the same inputs
  PRIMARY KEY (tx_hash, account, minor)
) STRICT, WITHOUT ROWID;

-- Payments to requests keep the times by which they were counted: that of the block or of the sight in the mempool,
-- whichever was earlier. Those in the mempool keep that of their sight.
INSERT OR IGNORE INTO arrival (tx_hash, account, minor, time, contested)
  SELECT o.tx_hash, o.account, o.minor, min(t.timestamp, coalesce(a.time, t.timestamp)), coalesce(a.contested, 0)
  FROM payment_request p CROSS JOIN owned_output o ON o.minor = p.minor AND o.account = p.account AND o.change = 0
    CROSS JOIN received_tx t USING (tx_hash)
    LEFT JOIN request_arrival a ON a.minor = o.minor AND a.account = o.account AND a.tx_hash = o.tx_hash;
INSERT OR IGNORE INTO arrival (tx_hash, account, minor, time, contested)
  SELECT r.tx_hash, r.account, r.minor, min(r.timestamp, coalesce(a.time, r.timestamp)), coalesce(a.contested, 0)
  FROM reported_payment r CROSS JOIN payment_request p USING (minor, account)
    LEFT JOIN request_arrival a USING (minor, account, tx_hash);
INSERT OR IGNORE INTO arrival (tx_hash, account, minor, time, contested)
  SELECT tx_hash, account, minor, time, contested FROM request_arrival;
INSERT OR IGNORE INTO arrival (tx_hash, account, minor, time)
  SELECT tx_hash, account, minor, timestamp FROM seen_payment;
DROP TABLE request_arrival;

-- Payments that were reported for the first time while the chain was shorter than before. Of all others the stages up to
-- the former tip were reported (`event_peaks` in `meta`); of these, those up to `tip`.
CREATE TABLE fresh_payment (
  tx_hash BLOB    NOT NULL CHECK (length(tx_hash) = 32),
  account INTEGER NOT NULL,
  minor   INTEGER NOT NULL,
  tip     INTEGER NOT NULL,
  PRIMARY KEY (tx_hash, account, minor)
) STRICT, WITHOUT ROWID;

-- Height of the tip before a rescan that has not ended.
INSERT INTO meta (key, value)
  SELECT 'rescan_to', CAST(max(json_extract(p.value, '$.tip')) AS TEXT)
  FROM meta m CROSS JOIN json_each(m.value) p
  WHERE m.key = 'event_peaks' AND json_extract(p.value, '$.below') = 9007199254740991
  HAVING count(*) > 0;
DELETE FROM meta WHERE key = 'spends_rescanned_to';
