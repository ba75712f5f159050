-- An output of a large address is drawn by its position in this index, without reading the rows before it: the constant
-- columns let SQLite use the index only.
DROP INDEX owned_output_by_size;
CREATE INDEX owned_output_by_size ON owned_output
  (account, minor, amount, height, global_index, spent_by, burnt, frozen)
  WHERE spent_by IS NULL AND burnt = 0 AND frozen = 0;
