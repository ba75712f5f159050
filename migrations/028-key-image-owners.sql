-- Earlier versions took key images from sets of signed transactions by the places of their outputs, which a
-- reorganisation may have changed. Any of their unproven key images may belong to another output.
ALTER TABLE told_key_image ADD COLUMN placed INTEGER NOT NULL DEFAULT 0;
UPDATE told_key_image SET placed = 1 WHERE proven = 0;

-- A key image belongs to one output key: an import that names another key takes it from the former one.
CREATE INDEX told_key_image_owner ON told_key_image (substr(key_image, 1, 8));
