import { amount, type Amount } from '../../util/amount.js';
import type { Bytes } from '../../util/bytes.js';

/** An integer in a row, read as bigint by a statement with safe integers. */
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
