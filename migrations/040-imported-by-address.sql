-- Imported outputs by address, with what their sums need: a balance or a list of addresses of an offline wallet reads no
-- row of an output.
CREATE INDEX imported_output_by_address ON imported_output (account, minor, spent, frozen, amount);
