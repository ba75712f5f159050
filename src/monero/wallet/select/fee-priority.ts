import { FULL_REWARD_ZONE } from '../../cryptonote/constants.js';

/** Priority of a payment: 1 slow, 2 normal, 3 fast, 4 fastest. */
export type Priority = 1 | 2 | 3 | 4;

/** Load of the network, from which a priority is chosen. */
export interface Traffic {
  /** Number of full blocks that the pool transactions ahead of a slow payment fill. */
  readonly backlogBlocks: number;
  /** Weights of the last {@link RECENT_BLOCKS} blocks. */
  readonly recentWeights: readonly number[];
  /** Largest block weight; half of it is the full reward zone. */
  readonly blockWeightLimit: number;
}

export const RECENT_BLOCKS = 10;

/** Share of the full reward zone from which blocks count as full [%]. */
const FULL = 80;

/**
 * Chooses the priority of a payment that requests none: slow while blocks are not full and the pool has no backlog.
 * Source: wallet2.cpp `adjust_priority`.
 */
export function choosePriority({ backlogBlocks, recentWeights, blockWeightLimit }: Traffic): Priority {
  if (backlogBlocks > 0 || recentWeights.length < RECENT_BLOCKS) return 2;
  const zone = Math.floor(blockWeightLimit / 2);
  if (zone <= 0) return 2;
  const filled = recentWeights.reduce((total, weight) => total + weight, 0);
  return Math.floor((100 * filled) / (zone * recentWeights.length)) > FULL ? 2 : 1;
}

/** Weight and fee of a pool transaction. */
export interface PoolEntry {
  readonly weight: number;
  readonly fee: bigint;
}

/**
 * Returns the number of full blocks that the pool transactions with a fee of at least `perByte` per byte fill. Source:
 * wallet2.cpp `estimate_backlog`.
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
