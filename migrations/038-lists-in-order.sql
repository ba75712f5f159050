-- Outputs of an address in chain order, change apart: a list of its payments reads no other ones, and begins and ends
-- anywhere. The account is not the first column, so that SQLite does not choose this index where the account alone is
-- given.
CREATE INDEX owned_output_by_place ON owned_output (minor, account, change, height, global_index);
-- Only input selection reads the outputs of an address by their amounts, and it reads spendable ones: a spend removes an
-- entry from the index and adds none.
DROP INDEX owned_output_by_address;
CREATE INDEX owned_output_by_size ON owned_output (minor, account, amount, height, global_index)
  WHERE spent_by IS NULL AND burnt = 0 AND frozen = 0;
-- What lists of payments need of a transaction stands in the index in their order: they read no row of it at a random
-- place.
DROP INDEX received_tx_height;
CREATE INDEX received_tx_height ON received_tx
  (height, tx_hash, timestamp, unlock_time, fee, coinbase, payment_id, size);
