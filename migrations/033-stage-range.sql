-- Stages that all payments at consecutive heights reach. Its row of `event`, with type 9, has the place in the order of
-- ids and the time; no other column. It stands for the payment.mined rows at these heights with smaller ids. No payment
-- at these heights was reversed before it.
CREATE TABLE stage_range (
  id          INTEGER PRIMARY KEY REFERENCES event (id) ON DELETE CASCADE, -- of its first event
  ids         INTEGER NOT NULL CHECK (ids > 0),     -- number of its ids, from `id` on
  min_height  INTEGER NOT NULL CHECK (min_height >= 0),
  max_height  INTEGER NOT NULL CHECK (max_height >= min_height),
  first_mined INTEGER NOT NULL,                     -- least id of a payment.mined at these heights
  -- Stages by the lock of a payment, as in `event.stages` (empty: none).
  none        TEXT    NOT NULL,                     -- no unlock time
  coinbase    TEXT    NOT NULL,                     -- the unlock time of a miner transaction
  other       TEXT    NOT NULL                      -- another unlock time
) STRICT;
CREATE INDEX stage_range_first_mined ON stage_range (first_mined);

-- Earlier versions kept the heights in height and minor, the number of ids in amount, first_mined in timestamp, and the
-- three texts in stages, with `|` between them.
INSERT INTO stage_range (id, ids, min_height, max_height, first_mined, none, coinbase, other)
SELECT id, amount, height, minor, timestamp,
  substr(stages, 1, instr(stages, '|') - 1),
  substr(rest, 1, instr(rest, '|') - 1),
  substr(rest, instr(rest, '|') + 1)
FROM (SELECT *, substr(stages, instr(stages, '|') + 1) AS rest FROM event WHERE type = 9);
DROP INDEX event_range;
UPDATE event SET stages = NULL, height = NULL, minor = NULL, amount = NULL, timestamp = NULL WHERE type = 9;
