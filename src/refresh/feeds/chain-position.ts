import { equalBytes } from '../../util/bytes.js';
import { MAX_REORGANISATION, type BlockRef } from '../../monero/wallet/model/records.js';
import type { ChainBlock } from '../scan/chain-block.js';

/** The place from which a refresh continues. */
export interface RefreshFrom {
  /** Blocks that the wallet holds, newest first, thinning out; empty before the first refresh. */
  readonly history: readonly BlockRef[];
  /** First height to scan, where `history` is empty or ends below it. */
  readonly startHeight: number;
  /**
   * Moment, by `monotonicMs`, that the daemon's answers must not be older than. Wallets that name the same moment
   * share answers. Default: the moment of the call.
   */
  readonly asOf?: number;
}

/** A place in the chain from which blocks are fetched. */
export interface ChainPosition {
  /** Blocks before this place, newest first, thinning out; empty before the first page. */
  readonly held: readonly BlockRef[];
  /** First height to fetch; undefined: the one above the newest held block. */
  readonly startHeight: number | undefined;
}

/** Newest blocks of a page that are kept as references. */
const OVERLAP = 10;

/** A start height beyond the tip skips the blocks between. */
export function positionOf({ history, startHeight }: RefreshFrom): ChainPosition {
  const tip = history[0];
  const skips = tip === undefined || startHeight > tip.height + 1;
  return { held: history, startHeight: skips ? startHeight : undefined };
}

/** Height of the first block to fetch. */
export const nextHeight = ({ held, startHeight }: ChainPosition): number =>
  startHeight ?? (held[0]?.height ?? -1) + 1;

export function isSamePosition(a: ChainPosition, b: ChainPosition): boolean {
  const [tipA, tipB] = [a.held[0], b.held[0]];
  if (a.startHeight !== b.startHeight) return false;
  if (tipA === undefined || tipB === undefined) return tipA === tipB;
  return tipA.height === tipB.height && equalBytes(tipA.hash, tipB.hash);
}

/** Moves a position behind blocks; blocks held at their heights are replaced. @param blocks gapless, at least one. */
export function positionAfter({ held }: ChainPosition, blocks: readonly ChainBlock[]): ChainPosition {
  const first = blocks[0]?.height ?? 0;
  const refOf = ({ height, hash }: ChainBlock): BlockRef => ({ height, hash });
  const newest = blocks.slice(-OVERLAP).map(refOf).reverse();
  const start = blocks.length > OVERLAP ? blocks.slice(0, 1).map(refOf) : [];
  return { held: [...newest, ...start, ...thinned(held, first)], startHeight: undefined };
}

/** References below a height. Of those too deep for a reorganisation only the newest and the oldest are kept. */
function thinned(held: readonly BlockRef[], below: number): readonly BlockRef[] {
  const older = held.filter(({ height }) => height < below);
  const deep = older.findIndex(({ height }) => height < below - MAX_REORGANISATION);
  return deep < 0 ? older : [...older.slice(0, deep + 1), ...older.slice(deep + 1).slice(-1)];
}
