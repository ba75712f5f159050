-- Keys that are added in great number, such as the lookahead of a new wallet, in 16 parts by the first four bits of a
-- key: a row for each of 10,000 keys takes ten times as long to write and to read. Entries of 40 bytes: the key, then
-- major and minor index, big-endian. A key may be here, in subaddress_key, or in both.
CREATE TABLE packed_subaddress (
  part    INTEGER PRIMARY KEY CHECK (part BETWEEN 0 AND 15),
  entries BLOB    NOT NULL CHECK (length(entries) % 40 = 0)
) STRICT;

-- More keys have a row each, as every lookup reads a part.
INSERT INTO packed_subaddress (part, entries)
SELECT
  instr('0123456789ABCDEF', substr(hex(spend_public_key), 1, 1)) - 1,
  unhex(group_concat(format('%s%08x%08x', hex(spend_public_key), major, minor), ''))
FROM subaddress_key
WHERE (SELECT count(*) FROM subaddress_key) <= 20000
GROUP BY 1;

DELETE FROM subaddress_key WHERE EXISTS (SELECT 1 FROM packed_subaddress);
