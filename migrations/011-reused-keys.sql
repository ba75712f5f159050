-- Several outputs on one output key: one of them can be spent, the others are burnt. Columns are NULL, or 0,
-- for all outputs whose key is not reused.
ALTER TABLE owned_output ADD COLUMN credited INTEGER CHECK (credited >= 0); -- share in its payment; NULL: the whole amount
ALTER TABLE owned_output ADD COLUMN first_height INTEGER; -- of the first output on the key; NULL: it is this one
ALTER TABLE owned_output ADD COLUMN first_index INTEGER;  -- its global index
ALTER TABLE owned_output ADD COLUMN spent_index INTEGER;  -- global index of an output of the spending transaction; NULL while unknown
ALTER TABLE owned_output ADD COLUMN taken INTEGER NOT NULL DEFAULT 0; -- its spend was known before any later output on the key

CREATE INDEX owned_output_burnt ON owned_output (public_key) WHERE burnt = 1;
CREATE INDEX owned_output_moved ON owned_output (first_height) WHERE first_height IS NOT NULL;

-- NULL: found by a version that did not record it.
ALTER TABLE pool_output ADD COLUMN public_key BLOB CHECK (length(public_key) = 32);

-- Global index of the first output; NULL before RingCT.
ALTER TABLE possible_spend ADD COLUMN global_index INTEGER;

-- Earlier versions kept the largest output of a key, spent or not. Such a store is recomputed when it is opened.
INSERT INTO meta (key, value) SELECT 'reused_keys', 'unsettled' WHERE EXISTS (SELECT 1 FROM owned_output WHERE burnt = 1);
