-- Indexes of the first 8 bytes of key images and output keys, which are random: a commit writes fewer pages than with
-- all 32 bytes. Another output with the same 8 bytes differs in its row.
DROP INDEX owned_output_key_image;
DROP INDEX owned_output_public_key;
CREATE INDEX owned_output_key_image ON owned_output (substr(key_image, 1, 8));
CREATE INDEX owned_output_public_key ON owned_output (substr(public_key, 1, 8));
