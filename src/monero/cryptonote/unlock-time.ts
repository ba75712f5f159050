import {
  COINBASE_UNLOCK_BLOCKS,
  MAX_BLOCK_NUMBER,
  SPENDABLE_AGE_BLOCKS,
  UNLOCK_LEEWAY_BLOCKS,
  UNLOCK_LEEWAY_SECONDS,
} from './constants.js';

/**
 * Returns true if an unlock time is a height, because it is below {@link MAX_BLOCK_NUMBER}; other unlock times are Unix
 * seconds.
 */
export const isHeightLock = (unlockTime: bigint): boolean => unlockTime < BigInt(MAX_BLOCK_NUMBER);

/**
 * Returns true if an unlock time has passed. Wallets and daemons apply the same rule.
 * @param chainHeight number of blocks of the chain.
 * @param now Unix seconds; the daemon's adjusted time if it is known. Source: wallet2.cpp, blockchain.cpp
 * `is_tx_spendtime_unlocked`.
 * @example
 * isLockOpen(100n, 100, 0); // => true
 * isLockOpen(200n, 100, 0); // => false
 */
export function isLockOpen(unlockTime: bigint, chainHeight: number, now: number): boolean {
  return isHeightLock(unlockTime)
    ? BigInt(chainHeight - 1 + UNLOCK_LEEWAY_BLOCKS) >= unlockTime
    : BigInt(Math.floor(now) + UNLOCK_LEEWAY_SECONDS) >= unlockTime;
}

/**
 * Fields of an output that decide when it may be spent.
 * @example
 * const output: Lockable = { height: 91, unlockTime: 0n };
 * isUnlocked(output, 100, 0); // => false
 */
export interface Lockable {
  /** Height of the block that contains the output. */
  readonly height: number;
  /**
   * Unlock time: a height if it is below {@link MAX_BLOCK_NUMBER}, otherwise Unix seconds; height + 60 for a miner
   * transaction.
   */
  readonly unlockTime: bigint;
}

/**
 * Returns true if an output may be spent in the next block.
 * @param chainHeight number of blocks.
 * @param now Unix seconds. Source: wallet2.cpp `is_transfer_unlocked`.
 * @example
 * isUnlocked({ height: 91, unlockTime: 0n }, 101, 0); // => true
 */
export const isUnlocked = (output: Lockable, chainHeight: number, now: number): boolean =>
  output.height + SPENDABLE_AGE_BLOCKS <= chainHeight && isLockOpen(output.unlockTime, chainHeight, now);

/** Heights from which outputs can be locked. Below both heights, only an unlock time of a payment locks an output. */
export interface LockableHeights {
  /** Lowest height at which a miner transaction can be locked. */
  readonly sinceHeight: number;
  /** Lowest height at which an output without an unlock time is locked. */
  readonly youngHeight: number;
}

/** Returns the heights from which outputs can be locked. @param chainHeight number of blocks. */
export const lockableHeights = (chainHeight: number): LockableHeights => ({
  sinceHeight: Math.max(0, chainHeight - COINBASE_UNLOCK_BLOCKS - 1),
  youngHeight: Math.max(0, chainHeight - SPENDABLE_AGE_BLOCKS + 1),
});

/**
 * Returns the number of blocks until an output reaches the spendable age and its unlock height; an unlock time is not
 * considered. Source: wallet2.cpp `unlocked_balance_per_subaddress`.
 * @example
 * blocksToUnlock({ height: 91, unlockTime: 0n }, 95); // => 6
 */
export function blocksToUnlock(output: Lockable, chainHeight: number): number {
  const aged = output.height + SPENDABLE_AGE_BLOCKS;
  const opens = isHeightLock(output.unlockTime) ? Math.max(aged, Number(output.unlockTime)) : aged;
  return Math.max(0, opens - chainHeight);
}

/**
 * Returns the time until the unlock time of an output [s]; 0 for an unlock height. Source: wallet2.cpp
 * `unlocked_balance_per_subaddress`.
 * @example
 * secondsToUnlock({ height: 91, unlockTime: 1_700_000_060n }, 1_700_000_000); // => 60
 */
export function secondsToUnlock(output: Lockable, now: number): number {
  if (isHeightLock(output.unlockTime)) return 0;
  const seconds = output.unlockTime - BigInt(Math.floor(now));
  if (seconds <= 0n) return 0;
  return seconds > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(seconds);
}

/** Smallest tip and smallest time at which an output is unlocked; tip and time must both be reached. */
export interface Opening {
  /** Height of the tip. */
  readonly height: number;
  /** Unix time [s]; 0: at any time. */
  readonly time: number;
}

/** Number that stands for a height or a time that is never reached. */
const NEVER = Number.MAX_SAFE_INTEGER;

const bounded = (value: bigint): number => (value > BigInt(NEVER) ? NEVER : Number(value));

/** Returns the tip and the time at which an output is unlocked, by the rule of {@link isUnlocked}. */
export function openingOf({ height, unlockTime }: Lockable): Opening {
  const aged = height + SPENDABLE_AGE_BLOCKS - 1;
  return isHeightLock(unlockTime)
    ? { height: Math.max(aged, Number(unlockTime) - UNLOCK_LEEWAY_BLOCKS), time: 0 }
    : { height: aged, time: bounded(unlockTime - BigInt(UNLOCK_LEEWAY_SECONDS)) };
}
