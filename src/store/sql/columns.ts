import { amount, type Amount } from '../../util/amount.js';
import type { Bytes } from '../../util/bytes.js';

/** Integers come as bigint from statements with safe integers on. */
export type Integer = bigint;

/** SQLite's integers end at 2^63 - 1. */
const I64_MAX = (1n << 63n) - 1n;

/** @throws RangeError for an amount that the column cannot hold: never rounded. */
export function toColumn(value: Amount): bigint {
  if (value > I64_MAX) throw new RangeError('amount beyond what the store can hold');
  return value;
}

export const toAmount = (column: Integer): Amount => amount(column);

/** Copies a Buffer out of SQLite's hands under its role. */
export const toBytes = <K extends string>(column: Uint8Array): Bytes<K> => new Uint8Array(column) as Bytes<K>;

export const toNumber = (column: Integer): number => Number(column);
export const toFlag = (column: Integer): boolean => column !== 0n;
export const fromFlag = (flag: boolean): number => (flag ? 1 : 0);
