-- Locks of miner transactions follow from their heights: their payments are no longer recorded as locked.
DELETE FROM locked_payment WHERE opens_time = 0 AND EXISTS (
  SELECT 1 FROM received_tx t
  WHERE t.tx_hash = locked_payment.tx_hash AND t.unlock_time = CAST(t.height + 60 AS TEXT)
);
DELETE FROM locked_payment WHERE opens_time = 0 AND EXISTS (
  SELECT 1 FROM reported_payment r
  WHERE r.tx_hash = locked_payment.tx_hash AND r.unlock_time = CAST(r.height + 60 AS TEXT)
);

-- A row of `event` with type 9 holds stages that all payments at consecutive heights reach: height and minor are the
-- least and the greatest height, amount is the number of its ids, timestamp the least id of a payment.mined at these
-- heights, stages has the texts by lock. It stands for the payment.mined rows at these heights with smaller ids. No
-- payment at these heights was reversed before it.
CREATE INDEX event_reversed ON event (height) WHERE type = 3;
CREATE INDEX event_range ON event (timestamp) WHERE type = 9;
