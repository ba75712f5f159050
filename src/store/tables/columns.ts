import {
  MAX_BLOCK_NUMBER,
  SPENDABLE_AGE_BLOCKS,
  UNLOCK_LEEWAY_BLOCKS,
  UNLOCK_LEEWAY_SECONDS,
} from '../../monero/cryptonote/constants.js';
import { amount, type Amount } from '../../util/amount.js';
import type { Bytes } from '../../util/bytes.js';

/** An integer in a row, read as bigint by `bigints` of a database. */
export type Integer = bigint;

/** Returns an SQL expression that reads an integer as a number instead of a bigint; the integer must be below 2^53. */
export const small = (column: string): string => `CAST(${column} AS REAL)`;

/** Largest integer that SQLite stores. */
const I64_MAX = (1n << 63n) - 1n;

/**
 * Converts an amount to a column value.
 * @throws RangeError for an amount above the largest integer of SQLite, which would be rounded.
 */
export function toColumn(value: Amount): bigint {
  if (value > I64_MAX) throw new RangeError('the amount exceeds the largest one that the store can hold');
  return value;
}

export const toAmount = (column: Integer): Amount => amount(column);

/** Copies bytes out of a Buffer of SQLite and stamps them with their role. */
export const toBytes = <K extends string>(column: Uint8Array): Bytes<K> => new Uint8Array(column) as Bytes<K>;

export const toNumber = (column: Integer): number => Number(column);
export const toFlag = (column: Integer): boolean => column !== 0n;
export const fromFlag = (flag: boolean): number => (flag ? 1 : 0);

/**
 * Returns an SQL expression for the first 8 bytes of a key image or output key, which are indexed
 * (`migrations/025-short-key-indexes.sql`).
 */
export const indexedKey = (key: string): string => `substr(${key}, 1, 8)`;

/** A column of `owned_output` that has an index of its first 8 bytes. */
type KeyColumn = 'key_image' | 'public_key';

/**
 * Returns an SQL condition that a key equals a value; the index of the first 8 bytes finds the rows.
 * @param value a named parameter or a column. For `?` two equal values must be bound.
 */
export const keyEquals = (column: KeyColumn | `${string}.${KeyColumn}`, value: string): string =>
  `${indexedKey(column)} = ${indexedKey(value)} AND ${column} = ${value}`;

/** SQL condition that the key image of an output is unknown; the index of key images finds the rows. */
export const WITHOUT_KEY_IMAGE = `${indexedKey('key_image')} IS NULL`;

/** Height and time at which unlock times are evaluated. */
export interface ChainView {
  /** Number of blocks of the chain. */
  readonly chainHeight: number;
  /** Present time [Unix s]. */
  readonly now: number;
}

/**
 * Returns the rule of `isUnlocked` in `cryptonote/unlock-time.ts` as SQL expression with the parameters `:chainHeight`
 * and `:now`. An unlock time above SQLite's largest integer is read as the largest integer, which also never unlocks.
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
