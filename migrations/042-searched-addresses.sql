-- Number of addresses of each account whose payments were searched in every block that the wallet has read, and the number
-- whose payments the running catch-up searches in them. Addresses of accounts without a row were never searched. The table
-- is empty before the first block is read, and in a store of an earlier version until its first refresh.
CREATE TABLE searched_account (
  account  INTEGER PRIMARY KEY,
  searched INTEGER NOT NULL CHECK (searched >= 0),
  wanted   INTEGER NOT NULL CHECK (wanted >= searched)
) STRICT;
