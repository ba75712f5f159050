-- Outputs in the form of the next fork.
-- Scalars that the sender added to the address, in multiples of G and of T, 32 bytes each; NULL: the old form.
ALTER TABLE owned_output ADD COLUMN carrot BLOB CHECK (length(carrot) = 64);
