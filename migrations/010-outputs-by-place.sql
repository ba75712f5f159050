-- Outputs of a block by global index: complete lists are read without sorting.
DROP INDEX owned_output_height;
CREATE INDEX owned_output_height ON owned_output (height, global_index);
