import {
  MAX_BLOCK_NUMBER,
  SPENDABLE_AGE_BLOCKS,
  UNLOCK_LEEWAY_BLOCKS,
  UNLOCK_LEEWAY_SECONDS,
} from '../../monero/cryptonote/constants.js';

/** Height of the chain and time at which unlock times are evaluated. */
export interface ChainView {
  /** Number of blocks. */
  readonly chainHeight: number;
  /** Unix seconds. */
  readonly now: number;
}

/**
 * `isUnlocked` of `wallet/model/unlock-time.ts` in SQL, with the parameters `:chainHeight` and `:now`. An unlock time
 * above SQLite's largest integer is read as that one, which never unlocks either.
 */
export const unlockedColumn = (height: string, unlockTime: string): string =>
  `${height} + ${SPENDABLE_AGE_BLOCKS} <= :chainHeight
   AND CAST(${unlockTime} AS INTEGER) <= iif(CAST(${unlockTime} AS INTEGER) < ${MAX_BLOCK_NUMBER},
     :chainHeight - 1 + ${UNLOCK_LEEWAY_BLOCKS}, :now + ${UNLOCK_LEEWAY_SECONDS})`;
