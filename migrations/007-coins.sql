-- Indexes for input selection, which reads selected outputs only. Only spendable outputs are in
-- the indexes: unspent ones that are neither frozen nor burnt.
DROP INDEX owned_output_unspent;

-- The oldest output that pays alone. The last columns are constant, so that SQLite reads them from the index.
CREATE INDEX owned_output_by_age ON owned_output
  (account, height, global_index, minor, amount, unlock_time, spent_by, burnt, frozen)
  WHERE spent_by IS NULL AND burnt = 0 AND frozen = 0;

-- The smallest and the largest output of an address, and outputs that are worth less than their fee.
CREATE INDEX owned_output_by_size ON owned_output (account, minor, amount, height, global_index)
  WHERE spent_by IS NULL AND burnt = 0 AND frozen = 0;

-- Outputs from before RingCT, which are never selected. Usually none.
CREATE INDEX owned_output_plain ON owned_output (account) WHERE rct = 0;
