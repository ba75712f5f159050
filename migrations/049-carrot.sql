-- Outputs in the form of the next fork.
-- Scalars that the sender added to the address, in multiples of G and of T, 32 bytes each, and the input context of the
-- transaction, 33 bytes; NULL: the old form.
ALTER TABLE owned_output ADD COLUMN carrot BLOB CHECK (length(carrot) = 97);
ALTER TABLE imported_output ADD COLUMN carrot BLOB CHECK (length(carrot) = 97);
-- Finds whether there are such outputs, which few wallets have before the fork.
CREATE INDEX owned_output_carrot ON owned_output (account) WHERE carrot IS NOT NULL;
