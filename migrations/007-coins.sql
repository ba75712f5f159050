-- What a payment is made from, found without reading what it does not take. Only outputs that can be chosen are in
-- the indexes: nothing spends them, and they are neither frozen nor burnt.
DROP INDEX owned_output_unspent;

-- The oldest that pays alone. Its last columns are the same in all rows: SQLite asks them of the index then.
CREATE INDEX owned_output_by_age ON owned_output
  (account, height, global_index, minor, amount, unlock_time, spent_by, burnt, frozen)
  WHERE spent_by IS NULL AND burnt = 0 AND frozen = 0;

-- The smallest and the largest of an address, and those not worth their fee.
CREATE INDEX owned_output_by_size ON owned_output (account, minor, amount, height, global_index)
  WHERE spent_by IS NULL AND burnt = 0 AND frozen = 0;

-- From before RingCT: never chosen. Usually none.
CREATE INDEX owned_output_plain ON owned_output (account) WHERE rct = 0;
