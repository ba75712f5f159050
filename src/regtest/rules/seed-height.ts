/** Number of blocks with the same seed. Source: rx-slow-hash.c `SEEDHASH_EPOCH_…`. */
const EPOCH_BLOCKS = 2048;
const EPOCH_LAG = 64;

/**
 * Returns the height of the block whose hash is the seed of the proof of work at a height. Source: rx-slow-hash.c
 * `rx_seedheight`.
 */
export const seedHeight = (height: number): number =>
  height <= EPOCH_BLOCKS + EPOCH_LAG ? 0 : Math.floor((height - EPOCH_LAG - 1) / EPOCH_BLOCKS) * EPOCH_BLOCKS;

/** Returns the height of the next seed block. */
export const nextSeedHeight = (height: number): number => seedHeight(height + EPOCH_LAG);
