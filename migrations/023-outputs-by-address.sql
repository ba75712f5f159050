-- One index of the outputs of an address in place of two. Its third column separates spendable outputs, which payments
-- select by amount, from the others; lists of an address read both. The account is not the first column, so that SQLite
-- does not choose this index where the account alone is given.
DROP INDEX owned_output_place;
DROP INDEX owned_output_by_size;
CREATE INDEX owned_output_by_address ON owned_output
  (minor, account, (spent_by IS NULL AND burnt = 0 AND frozen = 0), amount, height, global_index);

-- The writer of outputs adds new ones to the sums of their addresses. With a trigger SQLite would copy every page that
-- an insertion changes, to undo it alone.
DROP TRIGGER owned_output_added;
