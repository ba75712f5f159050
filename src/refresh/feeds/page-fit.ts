import { equalBytes } from '../../util/bytes.js';
import { MAX_REORGANISATION, type BlockRef } from '../../monero/wallet/model/records.js';
import type { ChainPosition } from './chain-position.js';

/** Hashes and heights of a page's blocks, with which its place in a wallet's chain is found. */
export interface PageBlocks {
  /** Consecutive blocks by ascending height. */
  readonly blocks: readonly BlockRef[];
  /** True if the last block is the newest block of the daemon. */
  readonly reachesTip: boolean;
}

/**
 * Finds the first block of a page that a wallet lacks. The page may be any page of the daemon's chain.
 * @returns the index of the block; the number of blocks when the wallet lacks none; undefined when the page does not
 * continue the wallet's chain, or does not prove it. The wallet then needs a request with its own short history.
 */
export function fitOf({ blocks, reachesTip }: PageBlocks, position: ChainPosition): number | undefined {
  const { held, startHeight } = position;
  const first = blocks[0];
  if (first === undefined) return undefined;
  if (startHeight !== undefined) {
    const index = startHeight - first.height;
    if (index < 0) return undefined;
    if (index < blocks.length) return index;
    // A wallet without blocks takes the newest block, to have a position.
    return reachesTip && held.length === 0 ? blocks.length - 1 : undefined;
  }
  return afterCommonBlock(blocks, first.height, held);
}

/**
 * Finds the index after the newest held block that the page contains. A block below the wallet's tip counts only if the
 * page contains a different block at the height of a held block above it: a page that merely ends early proves no
 * reorganisation.
 */
function afterCommonBlock(
  blocks: readonly BlockRef[],
  firstHeight: number,
  held: readonly BlockRef[],
): number | undefined {
  const tip = held[0]?.height ?? 0;
  let forked = false;
  for (const { height, hash } of held) {
    const block = blocks[height - firstHeight];
    if (block === undefined) continue;
    if (!equalBytes(block.hash, hash)) forked = true;
    else if (height === tip || (forked && tip - height <= MAX_REORGANISATION))
      return height - firstHeight + 1;
    else return undefined;
  }
  return undefined;
}
