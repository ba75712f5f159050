-- Size of the transaction of an output [bytes], as in received_tx; NULL if it is unknown. Lists of outputs show it for each
-- of them. It is copied when the output is stored, and never changes.
ALTER TABLE owned_output ADD COLUMN tx_size INTEGER;
UPDATE owned_output SET tx_size = (SELECT size FROM received_tx WHERE received_tx.tx_hash = owned_output.tx_hash);
-- The index in the order of the chain needs it no longer.
DROP INDEX received_tx_height;
CREATE INDEX received_tx_height ON received_tx
  (height, tx_hash, timestamp, unlock_time, fee, coinbase, payment_id);
