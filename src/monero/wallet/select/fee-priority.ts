import { FULL_REWARD_ZONE } from '../../cryptonote/constants.js';

/** 1 slow, 2 normal, 3 fast, 4 fastest. */
export type Priority = 1 | 2 | 3 | 4;

/** Load of the network. */
export interface Traffic {
  /** Full blocks of pool transactions ahead of a slow payment. */
  readonly backlogBlocks: number;
  /** Weights of the last {@link RECENT_BLOCKS} blocks. */
  readonly recentWeights: readonly number[];
  /** Maximum block weight; half of it is the full reward zone. */
  readonly blockWeightLimit: number;
}

export const RECENT_BLOCKS = 10;

/** Block fill level above which blocks count as full [% of the full reward zone]. */
const FULL = 80;

/**
 * Priority of a payment that requests none: slow while blocks are not full and the pool has no backlog.
 * Source: wallet2.cpp `adjust_priority`.
 */
export function choosePriority({ backlogBlocks, recentWeights, blockWeightLimit }: Traffic): Priority {
  if (backlogBlocks > 0 || recentWeights.length < RECENT_BLOCKS) return 2;
  const zone = Math.floor(blockWeightLimit / 2);
  if (zone <= 0) return 2;
  const filled = recentWeights.reduce((total, weight) => total + weight, 0);
  return Math.floor((100 * filled) / (zone * recentWeights.length)) > FULL ? 2 : 1;
}

/** A pool transaction. */
export interface PoolEntry {
  readonly weight: number;
  readonly fee: bigint;
}

/**
 * Number of full blocks of pool transactions whose fee per byte is at least `perByte`.
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
