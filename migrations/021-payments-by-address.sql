-- Payments to one address are read without those to others: a shop asks for the payments of one order at a time. The
-- account is not the first column, so that SQLite does not choose this index where the account alone is given.
CREATE INDEX owned_output_place ON owned_output (minor, account, height) WHERE change = 0;
