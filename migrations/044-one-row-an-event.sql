-- Each event has a row of its own, also the stages that a payment reaches: payment.confirmed has type 19 and its number of
-- confirmations, payment.unlocked has type 20. Earlier versions kept stages as a text in the row of the payment, in rows
-- with nothing else (type 0), and as ranges of heights (type 9), whose events had ids and no rows. The ids stay.
ALTER TABLE event ADD COLUMN confirmations INTEGER;  -- of payment.confirmed

-- A text lists the events of the ids after that of its own event, or from its id on if the row has nothing else.
INSERT INTO event (id, type, confirmations, tx_hash, account, minor, amount, height, timestamp, time, data)
SELECT e.id + s.key + (e.type <> 0), iif(s.value = 'u', 20, 19), iif(s.value = 'u', NULL, CAST(s.value AS INTEGER)),
  e.tx_hash, e.account, e.minor, e.amount, e.height, e.timestamp, e.time, nullif(json_remove(e.data, '$.seen'), '{}')
FROM event e CROSS JOIN json_each('["' || replace(e.stages, ',', '","') || '"]') s
WHERE e.stages IS NOT NULL AND (e.type <> 0 OR s.key > 0);
INSERT INTO event_trace (event, trace_id, sampled)
SELECT e.id + s.key + (e.type <> 0), t.trace_id, t.sampled
FROM event_trace t CROSS JOIN event e ON e.id = t.event
  CROSS JOIN json_each('["' || replace(e.stages, ',', '","') || '"]') s
WHERE e.stages IS NOT NULL AND (e.type <> 0 OR s.key > 0);
UPDATE event SET
  type = iif(substr(stages, 1, 1) = 'u', 20, 19),
  confirmations = iif(substr(stages, 1, 1) = 'u', NULL, CAST(substr(stages, 1, instr(stages || ',', ',') - 1) AS INTEGER))
WHERE type = 0;

-- A range gave each payment.mined at its heights the same number of ids, in the order of the blocks.
INSERT OR REPLACE INTO event (id, type, confirmations, tx_hash, account, minor, amount, height, timestamp, time, data)
SELECT m.id + s.key, iif(s.value = 'u', 20, 19), iif(s.value = 'u', NULL, CAST(s.value AS INTEGER)),
  m.tx_hash, m.account, m.minor, m.amount, m.height, m.timestamp, m.time, nullif(json_remove(m.data, '$.seen'), '{}')
FROM (
  SELECT r.id + r.span * (row_number() OVER (PARTITION BY r.id ORDER BY e.height, e.id) - 1) AS id,
    CASE coalesce(e.data ->> '$.unlockTime', '0')
      WHEN '0' THEN r.none WHEN CAST(e.height + 60 AS TEXT) THEN r.coinbase ELSE r.other END AS stages,
    e.tx_hash, e.account, e.minor, e.amount, e.height, e.timestamp, r.time, e.data
  FROM (
    SELECT a.id, a.min_height, a.max_height, a.none, a.coinbase, a.other, b.time, max(
      iif(a.none = '', 0, 1 + length(a.none) - length(replace(a.none, ',', ''))),
      iif(a.coinbase = '', 0, 1 + length(a.coinbase) - length(replace(a.coinbase, ',', ''))),
      iif(a.other = '', 0, 1 + length(a.other) - length(replace(a.other, ',', '')))
    ) AS span
    FROM stage_range a CROSS JOIN event b ON b.id = a.id
  ) r CROSS JOIN event e ON e.type = 2 AND e.height BETWEEN r.min_height AND r.max_height AND e.id < r.id
) m CROSS JOIN json_each('["' || replace(m.stages, ',', '","') || '"]') s
WHERE m.stages <> '';
DELETE FROM event WHERE type = 9;
DROP TABLE stage_range;

DROP INDEX event_reversed;
ALTER TABLE event DROP COLUMN stages;
