import { toHex } from '../../util/bytes.js';
import { faultOf } from '../../model/wallet-error.js';
import type { BlockRef } from '../../monero/wallet/scan/findings.js';

/**
 * Deepest reorganisation that a switch of the daemon may cause [blocks]. A deeper one needs an operator. Source:
 * cryptonote_config.h, wallet2.cpp `ORPHANED_BLOCKS_MAX_COUNT`.
 */
export const MAX_FORK = 100;

/** Part of a chain that knows the blocks of a wallet. */
export interface HeldChain {
  /** Returns blocks of the chain, newest first, with growing distances. */
  shortHistory(): readonly BlockRef[];
  oldestFrom(height: number): BlockRef | undefined;
}

const depthOf = ([tip]: readonly BlockRef[], { height }: BlockRef): number => (tip?.height ?? 0) - height;

/** True if a block lies {@link MAX_FORK} below the newest of `blocks`, or directly above the genesis block. */
const isDeepest = (blocks: readonly BlockRef[], block: BlockRef): boolean =>
  block.height === 1 || depthOf(blocks, block) >= MAX_FORK;

/**
 * Returns, for each wallet, the blocks of which a daemon must have at least one: the newest block, then the oldest one
 * at most {@link MAX_FORK} below it, which every permitted fork contains. The genesis block is left out, since every
 * chain has it. Wallets with the same newest block hold the same chain, though some may know more of its blocks.
 */
export function heldBlocks(chains: Iterable<HeldChain>): BlockRef[][] {
  const byTip = new Map<string, BlockRef[]>();
  for (const chain of chains) {
    try {
      const [tip] = chain.shortHistory();
      if (tip === undefined) continue;
      const name = `${tip.height} ${toHex(tip.hash)}`;
      const known = byTip.get(name) ?? [tip];
      const [deepest = tip] = known.slice(-1);
      if (known.length === 1 || !isDeepest(known, deepest)) {
        const oldest = chain.oldestFrom(Math.max(1, tip.height - MAX_FORK));
        byTip.set(name, oldest === undefined || oldest.height >= deepest.height ? known : [tip, oldest]);
      }
    } catch (error) {
      // The wallet was closed meanwhile, or its store is damaged: no daemon can refresh it.
      if (faultOf(error) === undefined) throw error;
    }
  }
  return [...byTip.values()];
}

/**
 * Adds a block of the daemon that has served the wallets, if the wallets hold fewer blocks than a permitted fork may
 * undo.
 * @param served newest block of that daemon and one below it; empty if it never served.
 */
export function withServedBlock(held: readonly BlockRef[], served: readonly BlockRef[]): readonly BlockRef[] {
  const [block] = served.slice(-1);
  const [deepest] = held.slice(-1);
  if (block === undefined || deepest === undefined || isDeepest(held, deepest)) return held;
  return block.height < deepest.height && depthOf(held, block) <= MAX_FORK ? [...held, block] : held;
}
