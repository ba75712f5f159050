-- Number of blocks that an earlier version read, whose payments and spends it did not prove. The value falls while they
-- are proven from the newest one down; it is absent when all are proven, and in a store without blocks.
INSERT INTO meta (key, value)
  SELECT 'unproven_below', CAST(max(height) + 1 AS TEXT) FROM chain_block HAVING max(height) IS NOT NULL;
