import { equalBytes } from '../../util/bytes.js';
import { MAX_REORGANISATION, type BlockRef } from '../../monero/wallet/model/records.js';
import type { ChainPosition } from './chain-position.js';

/** The blocks of a page, as far as their place in the chain is concerned. */
export interface PageBlocks {
  /** Gapless, by ascending height. */
  readonly blocks: readonly BlockRef[];
  /** The last block is the daemon's newest. */
  readonly reachesTip: boolean;
}

/**
 * Finds the first block of a page that a wallet lacks, for any page of the daemon's chain.
 * @returns its index, the number of blocks when the wallet lacks none; undefined when the page does not continue the
 * wallet's chain, or does not prove that it does: the wallet then needs a request with its own short history.
 */
export function fitOf({ blocks, reachesTip }: PageBlocks, position: ChainPosition): number | undefined {
  const { held, startHeight } = position;
  const first = blocks[0];
  if (first === undefined) return undefined;
  if (startHeight !== undefined) {
    const index = startHeight - first.height;
    if (index < 0) return undefined;
    if (index < blocks.length) return index;
    // An empty wallet takes the newest block, to have a position.
    return reachesTip && held.length === 0 ? blocks.length - 1 : undefined;
  }
  return afterCommonBlock(blocks, first.height, held);
}

/**
 * Finds the newest held block in a page. Below the wallet's tip it counts only when a held block above it differs:
 * a page that ends early proves no reorganisation.
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
