-- Payments to one address are read without those to others: a shop asks for the payments of one order at a time.
CREATE INDEX owned_output_place ON owned_output (account, minor, height) WHERE change = 0;
