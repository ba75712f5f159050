-- Imported outputs by address, with what their sums need: a balance or a list of addresses of an offline wallet reads no
-- row of an output.
CREATE INDEX imported_output_by_address ON imported_output (account, minor, spent, frozen, amount);
-- Imported outputs whose key images the last import asked for: an export begins at the first of them.
CREATE INDEX imported_output_requested ON imported_output (place) WHERE requested = 1;
