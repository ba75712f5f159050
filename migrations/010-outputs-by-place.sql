-- Outputs of a block in the order in which the chain counts them: whole lists are read without sorting.
DROP INDEX owned_output_height;
CREATE INDEX owned_output_height ON owned_output (height, global_index);
