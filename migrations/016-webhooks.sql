-- Endpoints that events of this wallet are sent to. Times in these tables are Unix milliseconds.
CREATE TABLE webhook (
  id       TEXT    PRIMARY KEY,
  url      TEXT    NOT NULL,
  types    TEXT    NOT NULL,                        -- event types, comma separated; empty: all
  position INTEGER NOT NULL CHECK (position >= 0),  -- last event with a recorded attempt
  created  INTEGER NOT NULL,
  disabled TEXT                                     -- reason; NULL while enabled
) STRICT, WITHOUT ROWID;

-- HMAC keys of an endpoint; the one with the greatest number is current.
CREATE TABLE webhook_secret (
  webhook TEXT    NOT NULL REFERENCES webhook (id) ON DELETE CASCADE,
  number  INTEGER NOT NULL,
  secret  BLOB    NOT NULL CHECK (length(secret) BETWEEN 24 AND 64),
  until   INTEGER,                                  -- time from which it no longer signs; NULL for the current one
  PRIMARY KEY (webhook, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE webhook_delivery (
  webhook  TEXT    NOT NULL REFERENCES webhook (id) ON DELETE CASCADE,
  event    INTEGER NOT NULL,
  state    TEXT    NOT NULL CHECK (state IN ('pending', 'delivered', 'failed')),
  attempts INTEGER NOT NULL CHECK (attempts >= 0),  -- made since it was first sent, or redelivered by request
  time     INTEGER NOT NULL,                        -- end of the last attempt
  due      INTEGER,                                 -- next attempt, while pending
  wait     INTEGER,                                 -- from the time at which it was scheduled until due
  status   INTEGER,                                 -- HTTP status of the last attempt; NULL without a response
  reason   TEXT,                                    -- cause of the last failure; NULL if acknowledged
  PRIMARY KEY (webhook, event),
  CHECK ((state = 'pending') = (due IS NOT NULL) AND (due IS NULL) = (wait IS NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX webhook_delivery_due ON webhook_delivery (webhook, due, event) WHERE due IS NOT NULL;
CREATE INDEX webhook_delivery_time ON webhook_delivery (time) WHERE due IS NULL;
