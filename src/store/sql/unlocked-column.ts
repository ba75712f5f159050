import {
  MAX_BLOCK_NUMBER,
  SPENDABLE_AGE_BLOCKS,
  UNLOCK_LEEWAY_BLOCKS,
  UNLOCK_LEEWAY_SECONDS,
} from '../../cryptonote/constants.js';

/** The chain that rows are seen from. */
export interface ChainView {
  /** Number of blocks. */
  readonly chainHeight: number;
  /** Unix seconds. */
  readonly now: number;
}

/**
 * `isUnlocked` of `wallet/unlock.ts` in SQL, over the parameters `:chainHeight` and `:now`. A lock beyond SQLite's
 * integers is read as their largest, which never opens either.
 */
export const unlockedColumn = (height: string, unlockTime: string): string =>
  `${height} + ${SPENDABLE_AGE_BLOCKS} <= :chainHeight
   AND CAST(${unlockTime} AS INTEGER) <= iif(CAST(${unlockTime} AS INTEGER) < ${MAX_BLOCK_NUMBER},
     :chainHeight - 1 + ${UNLOCK_LEEWAY_BLOCKS}, :now + ${UNLOCK_LEEWAY_SECONDS})`;
