import { MAX_BLOCK_NUMBER, UNLOCK_LEEWAY_BLOCKS, UNLOCK_LEEWAY_SECONDS } from './constants.js';

/**
 * Returns true if an unlock time is a height, which it is below {@link MAX_BLOCK_NUMBER}; other unlock times are Unix
 * seconds.
 */
export const isHeightLock = (unlockTime: bigint): boolean => unlockTime < BigInt(MAX_BLOCK_NUMBER);

/**
 * Returns true if an unlock time has passed. Wallets and daemons apply the same rule.
 * @param chainHeight number of blocks of the chain.
 * @param now Unix seconds; the daemon's adjusted time if it is known. Source: wallet2.cpp, blockchain.cpp
 * `is_tx_spendtime_unlocked`.
 */
export function isLockOpen(unlockTime: bigint, chainHeight: number, now: number): boolean {
  return isHeightLock(unlockTime)
    ? BigInt(chainHeight - 1 + UNLOCK_LEEWAY_BLOCKS) >= unlockTime
    : BigInt(Math.floor(now) + UNLOCK_LEEWAY_SECONDS) >= unlockTime;
}
