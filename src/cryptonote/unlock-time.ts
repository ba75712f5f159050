import { MAX_BLOCK_NUMBER, UNLOCK_LEEWAY_BLOCKS, UNLOCK_LEEWAY_SECONDS } from './constants.js';

/** Unlock times below {@link MAX_BLOCK_NUMBER} are heights, others Unix seconds. */
export const isHeightLock = (unlockTime: bigint): boolean => unlockTime < BigInt(MAX_BLOCK_NUMBER);

/**
 * Has the transaction's own lock opened? Wallets and daemons reckon alike.
 * @param chainHeight number of blocks. @param now Unix seconds, adjusted by the daemon where it can be asked.
 * Source: wallet2.cpp, blockchain.cpp `is_tx_spendtime_unlocked`.
 */
export function isLockOpen(unlockTime: bigint, chainHeight: number, now: number): boolean {
  return isHeightLock(unlockTime)
    ? BigInt(chainHeight - 1 + UNLOCK_LEEWAY_BLOCKS) >= unlockTime
    : BigInt(Math.floor(now) + UNLOCK_LEEWAY_SECONDS) >= unlockTime;
}
