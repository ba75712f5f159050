import { blockHashingBlob } from './block.js';
import { NEWEST_FORK } from './constants.js';
import type { Block } from './types.js';

/**
 * Algorithm of the proof of work of a block: a variant of CryptoNight, or RandomX.
 * @example
 * const algorithm: WorkAlgorithm = workAlgorithm(block.header.majorVersion);
 * algorithm; // => 'randomx'
 */
export type WorkAlgorithm = 'cryptonight/0' | 'cryptonight/1' | 'cryptonight/2' | 'cryptonight/r' | 'randomx';

/**
 * Returns the algorithm of blocks of a version. Source: cryptonote_config.h `RX_BLOCK_VERSION`, slow-hash.c
 * `cn_slow_hash`.
 * @example
 * workAlgorithm(9); // => 'cryptonight/2'
 */
export function workAlgorithm(majorVersion: number): WorkAlgorithm {
  if (majorVersion >= 12) return 'randomx';
  if (majorVersion >= 10) return 'cryptonight/r';
  if (majorVersion >= 8) return 'cryptonight/2';
  return majorVersion === 7 ? 'cryptonight/1' : 'cryptonight/0';
}

/**
 * Error for a block whose work cannot be checked: its algorithm is older than RandomX, or it follows rules of a hard
 * fork that is not known.
 * @example
 * try {
 *   workInput({ ...block, header: { ...block.header, majorVersion: 9 } });
 * } catch (error) {
 *   error instanceof WorkError; // => true
 *   error.message; // => 'the work of blocks of version 9 is not checked: its algorithm is cryptonight/2'
 * }
 */
export class WorkError extends Error {
  override readonly name = 'WorkError';
  readonly majorVersion: number;

  constructor(majorVersion: number) {
    const algorithm = workAlgorithm(majorVersion);
    super(
      `the work of blocks of version ${majorVersion} is not checked: ` +
        (algorithm === 'randomx' ? 'its rules are not known' : `its algorithm is ${algorithm}`),
    );
    this.majorVersion = majorVersion;
  }
}

/**
 * Returns the bytes of a block that RandomX hashes.
 * @param newestFork newest version whose rules are known.
 * @throws WorkError for a block of another algorithm, and for a newer version. Source: cryptonote_format_utils.cpp
 * `get_block_longhash`.
 * @example
 * workInput(block).length; // => 76
 */
export function workInput(block: Block, newestFork = NEWEST_FORK): Uint8Array {
  const { majorVersion } = block.header;
  if (workAlgorithm(majorVersion) !== 'randomx' || majorVersion > newestFork)
    throw new WorkError(majorVersion);
  return blockHashingBlob(block);
}

/** Number of blocks with the same seed. Source: rx-slow-hash.c `SEEDHASH_EPOCH_…`. */
const EPOCH_BLOCKS = 2048;
/** Number of blocks after a seed block before it is the seed. */
const EPOCH_LAG = 64;

/**
 * Returns the height of the block whose hash is the seed of the proof of work at a height. Source: rx-slow-hash.c
 * `rx_seedheight`.
 * @example
 * seedHeight(2_286_447); // => 2_285_568
 */
export const seedHeight = (height: number): number =>
  height <= EPOCH_BLOCKS + EPOCH_LAG ? 0 : Math.floor((height - EPOCH_LAG - 1) / EPOCH_BLOCKS) * EPOCH_BLOCKS;

/**
 * Returns the height of the seed block that the blocks from 64 above a height on have.
 * @example
 * nextSeedHeight(2_287_600); // => 2_285_568
 */
export const nextSeedHeight = (height: number): number => seedHeight(height + EPOCH_LAG);

/**
 * Returns the heights of the blocks up to a height whose hashes are seeds of later blocks: one height, or two next to a
 * change of seeds.
 * @example
 * seedHeightsAbove(4096); // => [2048, 4096]
 */
export const seedHeightsAbove = (height: number): readonly number[] => [
  ...new Set([seedHeight(height + 1), nextSeedHeight(height + 1)]),
];
