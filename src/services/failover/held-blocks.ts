import { toHex } from '../../util/bytes.js';
import { WalletError } from '../../monero/wallet/model/wallet-error.js';
import type { BlockRef } from '../../monero/wallet/model/records.js';

/**
 * Deepest reorganisation that a change of the daemon may cause [blocks]. A deeper one needs an operator.
 * Source: cryptonote_config.h, wallet2.cpp `ORPHANED_BLOCKS_MAX_COUNT`.
 */
export const MAX_FORK = 100;

/** Blocks that a wallet holds. */
export interface HeldChain {
  /** Newest first, thinning out. */
  shortHistory(): readonly BlockRef[];
  oldestFrom(height: number): BlockRef | undefined;
}

const depthOf = ([tip]: readonly BlockRef[], { height }: BlockRef): number => (tip?.height ?? 0) - height;

/** Whether a block lies as deep below the newest of others as a fork may begin. */
const isDeepest = (blocks: readonly BlockRef[], block: BlockRef): boolean =>
  block.height === 1 || depthOf(blocks, block) >= MAX_FORK;

/**
 * Returns the blocks of wallets that a daemon must have one of: the newest one, then the oldest of the
 * {@link MAX_FORK} below it, which every fork in reach leaves. The genesis block is not among them: every chain has it.
 * Wallets with the same newest block hold the same chain, of which one may know more than another.
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
      // Closed meanwhile, or damaged: it cannot be refreshed from any daemon.
      if (!(error instanceof WalletError)) throw error;
    }
  }
  return [...byTip.values()];
}

/**
 * Adds a block of the daemon that has served wallets, which hold fewer blocks than a fork may undo.
 * @param served its newest block and one below it; empty if it never served.
 */
export function withServedBlock(held: readonly BlockRef[], served: readonly BlockRef[]): readonly BlockRef[] {
  const [block] = served.slice(-1);
  const [deepest] = held.slice(-1);
  if (block === undefined || deepest === undefined || isDeepest(held, deepest)) return held;
  return block.height < deepest.height && depthOf(held, block) <= MAX_FORK ? [...held, block] : held;
}
