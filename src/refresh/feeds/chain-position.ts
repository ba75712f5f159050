import type { Hash } from '../../monero/crypto/types.js';
import { equalBytes } from '../../util/bytes.js';
import { MAX_REORGANISATION, type BlockRef } from '../../monero/wallet/scan/findings.js';
import type { ChainBlock } from '../scan/chain-block.js';

/** Position from which a refresh continues. */
export interface RefreshFrom {
  /** Blocks that the wallet holds, newest first, with growing distances; empty before the first refresh. */
  readonly history: readonly BlockRef[];
  /** Height of the first block to scan, if `history` is empty or ends below this height. */
  readonly startHeight: number;
  /**
   * Earliest time of the daemon's answers, by `monotonicMs` [ms]: older answers are not used. Wallets that give the
   * same time share answers. Default: the time of the call.
   */
  readonly asOf?: number;
  /** Blocks that are read again once the tip is reached; absent: no block is read again. */
  readonly again?: ReadAgain;
  /** Hashes of the unmined payments that the wallet has, whose spends in the pool need no proof; absent: none. */
  readonly made?: readonly Hash[];
}

/** Blocks that were scanned before some addresses were watched, and are read again for these addresses. */
export interface ReadAgain {
  /** Height of the first of these blocks; the last of these blocks is the wallet's tip. */
  readonly startHeight: number;
  /** Number of addresses of each account that were watched when these blocks were scanned. */
  readonly searched: readonly number[];
}

/** Position in the chain from which blocks are fetched. */
export interface ChainPosition {
  /** Blocks before this position, newest first, with growing distances; empty before the first page. */
  readonly held: readonly BlockRef[];
  /** Height of the first block to fetch; undefined: the height after the newest held block. */
  readonly startHeight: number | undefined;
}

/** Number of blocks at the end of a page that are all kept as references. */
const OVERLAP = 10;

/** Returns the chain position of a refresh. A start height above the newest held block skips the blocks in between. */
export function positionOf({ history, startHeight }: RefreshFrom): ChainPosition {
  const tip = history[0];
  const skips = tip === undefined || startHeight > tip.height + 1;
  return { held: history, startHeight: skips ? startHeight : undefined };
}

/** Height of the first block to fetch. */
export const nextHeight = ({ held, startHeight }: ChainPosition): number =>
  startHeight ?? (held[0]?.height ?? -1) + 1;

/** Returns true if two positions have the same start height and the same newest held block. */
export function isSamePosition(a: ChainPosition, b: ChainPosition): boolean {
  const [tipA, tipB] = [a.held[0], b.held[0]];
  if (a.startHeight !== b.startHeight) return false;
  if (tipA === undefined || tipB === undefined) return tipA === tipB;
  return tipA.height === tipB.height && equalBytes(tipA.hash, tipB.hash);
}

/**
 * Returns the position after `blocks`; they replace held blocks at the same heights.
 * @param blocks consecutive, at least one.
 */
export function positionAfter({ held }: ChainPosition, blocks: readonly ChainBlock[]): ChainPosition {
  const first = blocks[0]?.height ?? 0;
  const refOf = ({ height, hash }: ChainBlock): BlockRef => ({ height, hash });
  const newest = blocks.slice(-OVERLAP).map(refOf).reverse();
  const start = blocks.length > OVERLAP ? blocks.slice(0, 1).map(refOf) : [];
  return { held: [...newest, ...start, ...thinned(held, first)], startHeight: undefined };
}

/**
 * Returns the references below a height. Of the blocks that are too deep for a reorganisation only the newest and the
 * oldest are kept.
 */
function thinned(held: readonly BlockRef[], below: number): readonly BlockRef[] {
  const older = held.filter(({ height }) => height < below);
  const deep = older.findIndex(({ height }) => height < below - MAX_REORGANISATION);
  return deep < 0 ? older : [...older.slice(0, deep + 1), ...older.slice(deep + 1).slice(-1)];
}

/** Hashes and heights of a page's blocks, with which its place in a wallet's chain is found. */
export interface PageBlocks {
  /** Consecutive blocks by ascending height. */
  readonly blocks: readonly BlockRef[];
  /** True if the last block is the newest block of the daemon. */
  readonly reachesTip: boolean;
}

/**
 * Finds the first block of a page that a wallet lacks. The page may be any page of the daemon's chain.
 * @returns the index of the block; the number of blocks when the wallet lacks no block; undefined when the page does
 * not continue the wallet's chain, or does not prove that it does. In this case the wallet needs a request with its own
 * short history.
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
