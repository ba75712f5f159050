import { SPENDABLE_AGE_BLOCKS } from '../../cryptonote/constants.js';
import { isHeightLock, isLockOpen } from '../../cryptonote/unlock-time.js';

/** Output fields that decide when it may be spent. */
export interface Lockable {
  /** Height of the containing block. */
  readonly height: number;
  /** A height below {@link MAX_BLOCK_NUMBER}, Unix seconds above; miner transactions carry height + 60. */
  readonly unlockTime: bigint;
}

/** True when the output may be spent in the next block. Source: wallet2.cpp `is_transfer_unlocked`. */
export const isUnlocked = (output: Lockable, chainHeight: number, now: number): boolean =>
  output.height + SPENDABLE_AGE_BLOCKS <= chainHeight && isLockOpen(output.unlockTime, chainHeight, now);

/**
 * Blocks until the spendable age and the height lock are reached; a time lock is not considered.
 * Source: wallet2.cpp `unlocked_balance_per_subaddress`.
 */
export function blocksToUnlock(output: Lockable, chainHeight: number): number {
  const aged = output.height + SPENDABLE_AGE_BLOCKS;
  const opens = isHeightLock(output.unlockTime) ? Math.max(aged, Number(output.unlockTime)) : aged;
  return Math.max(0, opens - chainHeight);
}

/** Seconds until a time lock opens; 0 for a height lock. Source: wallet2.cpp `unlocked_balance_per_subaddress`. */
export function secondsToUnlock(output: Lockable, now: number): number {
  if (isHeightLock(output.unlockTime)) return 0;
  const seconds = output.unlockTime - BigInt(Math.floor(now));
  if (seconds <= 0n) return 0;
  return seconds > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(seconds);
}
