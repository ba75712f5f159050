-- An output of a large address is drawn by its place in this index, without a look at the rows before it: the
-- columns that are the same in all of them let SQLite stay within the index.
DROP INDEX owned_output_by_size;
CREATE INDEX owned_output_by_size ON owned_output
  (account, minor, amount, height, global_index, spent_by, burnt, frozen)
  WHERE spent_by IS NULL AND burnt = 0 AND frozen = 0;
