import { FULL_REWARD_ZONE } from '../../cryptonote/constants.js';

/** 1 slow, 2 normal, 3 fast, 4 fastest. */
export type Priority = 1 | 2 | 3 | 4;

/** How busy the chain is. */
export interface Traffic {
  /** Blocks that a slow payment would wait for behind what is in the pool. */
  readonly backlogBlocks: number;
  /** Weights of the last blocks, {@link RECENT_BLOCKS} of them. */
  readonly recentWeights: readonly number[];
  /** Heaviest block that may be mined; half of it is the full reward zone. */
  readonly blockWeightLimit: number;
}

export const RECENT_BLOCKS = 10;

/** Per cent of the full reward zone above which a slow payment may wait. */
const FULL = 80;

/**
 * What the wallet takes for a payment without a priority: slow while blocks are far from full and nothing waits.
 * Source: wallet2.cpp `adjust_priority`.
 */
export function choosePriority({ backlogBlocks, recentWeights, blockWeightLimit }: Traffic): Priority {
  if (backlogBlocks > 0 || recentWeights.length < RECENT_BLOCKS) return 2;
  const zone = Math.floor(blockWeightLimit / 2);
  if (zone <= 0) return 2;
  const filled = recentWeights.reduce((total, weight) => total + weight, 0);
  return Math.floor((100 * filled) / (zone * recentWeights.length)) > FULL ? 2 : 1;
}

/** A payment as it lies in the pool. */
export interface PoolEntry {
  readonly weight: number;
  readonly fee: bigint;
}

/**
 * Full blocks of payments in the pool that pay at least as much a byte.
 * Source: wallet2.cpp `estimate_backlog`.
 */
export function backlogBlocks(
  pool: readonly PoolEntry[],
  perByte: bigint,
  fullRewardZone: number = FULL_REWARD_ZONE,
): number {
  const ahead = pool.reduce(
    (total, { weight, fee }) => (weight > 0 && fee >= perByte * BigInt(weight) ? total + weight : total),
    0,
  );
  return Math.floor(ahead / Math.max(1, fullRewardZone));
}
