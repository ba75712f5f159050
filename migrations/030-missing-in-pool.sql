-- Number of blocks that the wallet must know before an unmined transaction counts as gone, after a read of the mempool
-- without it: a block up to that height may contain it. NULL until a read is without it.
ALTER TABLE pool_tx ADD COLUMN needed_height INTEGER CHECK (needed_height >= 0);
