import { MAX_BLOCK_NUMBER, UNLOCK_LEEWAY_BLOCKS, UNLOCK_LEEWAY_SECONDS } from './constants.js';

/** True for a lock by height: below {@link MAX_BLOCK_NUMBER}; other unlock times are Unix seconds. */
export const isHeightLock = (unlockTime: bigint): boolean => unlockTime < BigInt(MAX_BLOCK_NUMBER);

/**
 * True when the transaction's unlock time has passed; wallets and daemons apply the same rule.
 * @param chainHeight number of blocks. @param now Unix seconds, the daemon's adjusted time if known.
 * Source: wallet2.cpp, blockchain.cpp `is_tx_spendtime_unlocked`.
 */
export function isLockOpen(unlockTime: bigint, chainHeight: number, now: number): boolean {
  return isHeightLock(unlockTime)
    ? BigInt(chainHeight - 1 + UNLOCK_LEEWAY_BLOCKS) >= unlockTime
    : BigInt(Math.floor(now) + UNLOCK_LEEWAY_SECONDS) >= unlockTime;
}
