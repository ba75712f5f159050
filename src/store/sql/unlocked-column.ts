import {
  MAX_BLOCK_NUMBER,
  SPENDABLE_AGE_BLOCKS,
  UNLOCK_LEEWAY_BLOCKS,
  UNLOCK_LEEWAY_SECONDS,
} from '../../monero/cryptonote/constants.js';

/** Height and time at which unlock times are evaluated. */
export interface ChainView {
  /** Number of blocks of the chain. */
  readonly chainHeight: number;
  /** Present time [Unix s]. */
  readonly now: number;
}

/**
 * Returns the rule of `isUnlocked` in `cryptonote/unlock-time.ts` as SQL expression with the parameters
 * `:chainHeight` and `:now`. An unlock time above SQLite's largest integer is read as that integer, which never unlocks
 * either.
 */
export const unlockedColumn = (height: string, unlockTime: string): string =>
  `${height} + ${SPENDABLE_AGE_BLOCKS} <= :chainHeight
   AND CAST(${unlockTime} AS INTEGER) <= iif(CAST(${unlockTime} AS INTEGER) < ${MAX_BLOCK_NUMBER},
     :chainHeight - 1 + ${UNLOCK_LEEWAY_BLOCKS}, :now + ${UNLOCK_LEEWAY_SECONDS})`;

/**
 * SQL conditions of outputs that may be locked, with the parameters of `LockableHeights`: one for each index that finds
 * them.
 */
export const MAYBE_LOCKED = {
  recent: "height >= :sinceHeight AND (height >= :youngHeight OR unlock_time <> '0')",
  older: "height < :sinceHeight AND unlock_time <> '0' AND NOT coinbase AND spent_height IS NULL",
} as const;
