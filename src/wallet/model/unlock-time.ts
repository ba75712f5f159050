import { SPENDABLE_AGE_BLOCKS } from '../../cryptonote/constants.js';
import { isHeightLock, isLockOpen } from '../../cryptonote/unlock-time.js';

/** What decides when an output may be spent. */
export interface Lockable {
  /** Of the block that holds it. */
  readonly height: number;
  /** A height below {@link MAX_BLOCK_NUMBER}, Unix seconds above; miner transactions carry height + 60. */
  readonly unlockTime: bigint;
}

/** May the output be spent in the next block? Source: wallet2.cpp `is_transfer_unlocked`. */
export const isUnlocked = (output: Lockable, chainHeight: number, now: number): boolean =>
  output.height + SPENDABLE_AGE_BLOCKS <= chainHeight && isLockOpen(output.unlockTime, chainHeight, now);

/**
 * Blocks until age and height lock have passed; a lock by time does not count here.
 * Source: wallet2.cpp `unlocked_balance_per_subaddress`.
 */
export function blocksToUnlock(output: Lockable, chainHeight: number): number {
  const aged = output.height + SPENDABLE_AGE_BLOCKS;
  const opens = isHeightLock(output.unlockTime) ? Math.max(aged, Number(output.unlockTime)) : aged;
  return Math.max(0, opens - chainHeight);
}

/** Seconds until a lock by time opens, 0 for any other. Source: wallet2.cpp `unlocked_balance_per_subaddress`. */
export function secondsToUnlock(output: Lockable, now: number): number {
  if (isHeightLock(output.unlockTime)) return 0;
  const seconds = output.unlockTime - BigInt(Math.floor(now));
  if (seconds <= 0n) return 0;
  return seconds > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(seconds);
}
