import type { Hash } from '../../monero/crypto/types.js';
import type { SqlDatabase } from '../../util/sql-database.js';
import { toBytes } from './columns.js';

/** Range of heights above `min`, up to and including `max`. */
export interface HeightRange {
  readonly min: number;
  readonly max: number;
}

/** Range of mined transactions, ordered by height and hash. */
export interface TxRange extends HeightRange {
  /**
   * Hash above which transactions at height `min` also belong to the range; absent: no transaction of this height
   * belongs to it.
   */
  readonly minHash?: Hash;
  /**
   * Hash up to which transactions at height `max` belong to the range; absent: all transactions of this height belong
   * to it.
   */
  readonly maxHash?: Hash;
}

/** A page of a list, and the range that follows it; undefined at the end of the list. */
export interface Part<Page, Range> {
  readonly page: Page;
  readonly rest: Range | undefined;
}

/** A range divided into a first page and the rest. */
export interface Division<Range> {
  readonly page: Range;
  readonly rest: Range;
}

/** A value that sorts after every hash, because it has one byte more. */
const LAST_HASH = new Uint8Array(33).fill(0xff);

/** Returns the named parameters of {@link IN_TX_RANGE}. */
export const txRangeColumns = ({ min, minHash, max, maxHash }: TxRange) => ({
  min,
  minHash: minHash ?? LAST_HASH,
  max,
  maxHash: maxHash ?? LAST_HASH,
});

/**
 * SQL condition that a transaction of a table `t` is in a range. The index by height has the hash as its second column.
 */
export const IN_TX_RANGE =
  '(t.height, t.tx_hash) > (:min, :minHash) AND (t.height, t.tx_hash) <= (:max, :maxHash)';

const heightsOf = (table: 'owned_output' | 'received_tx' | 'outgoing_tx'): string =>
  `SELECT height, NULL AS tx_hash FROM ${table} WHERE height > :min AND height <= :max`;

/**
 * SQL of the positions of a list's rows in a range, in the order of the list; an index has the order. A page ends after
 * a row with a hash, or after a whole block.
 */
const POSITIONS = {
  outputs: `${heightsOf('owned_output')} ORDER BY height`,
  received: `${heightsOf('received_tx')} ORDER BY height`,
  sent: `${heightsOf('outgoing_tx')} ORDER BY height`,
  /** One row for each output of a transaction, so that the outputs of a page are limited; a page may end within a block. */
  payments: `SELECT t.height, t.tx_hash FROM received_tx t CROSS JOIN owned_output o USING (tx_hash)
    WHERE ${IN_TX_RANGE} ORDER BY t.height, t.tx_hash`,
  /** Received and own transactions, newest first. */
  newest: `${heightsOf('received_tx')} UNION ALL ${heightsOf('outgoing_tx')} ORDER BY height DESC`,
} as const;

interface Position {
  readonly height: number;
  readonly tx_hash: Uint8Array | null;
}

/** Returns the position of a row of a list. @param skip number of rows before it in the range. */
export const positionAt = (
  db: SqlDatabase,
  list: keyof typeof POSITIONS,
  range: TxRange,
  skip: number,
): Position | undefined =>
  db.row<Position>(`${POSITIONS[list]} LIMIT 1 OFFSET :skip`, { ...txRangeColumns(range), skip });

/**
 * Divides a range after the first row by which it has `rows` rows (≥ 1), and after the other rows of that transaction or
 * block.
 * @returns undefined if the range has fewer rows.
 */
export function divide(
  db: SqlDatabase,
  list: Exclude<keyof typeof POSITIONS, 'newest'>,
  range: TxRange,
  rows: number,
): Division<TxRange> | undefined {
  const last = positionAt(db, list, range, rows - 1);
  if (last === undefined) return undefined;
  const { height, tx_hash: hash } = last;
  if (hash === null) return { page: { ...range, max: height }, rest: { ...range, min: height } };
  const txHash = toBytes<'Hash'>(hash);
  return {
    page: { ...range, max: height, maxHash: txHash },
    rest: { ...range, min: height, minHash: txHash },
  };
}
