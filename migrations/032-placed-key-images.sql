-- Unproven key images of earlier versions, which are compared with the rings of the transactions that spend them.
CREATE INDEX told_key_image_placed ON told_key_image (public_key) WHERE placed = 1;
