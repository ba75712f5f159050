import type { Hash } from '../../monero/crypto/types.js';
import type { SqlDatabase } from '../../util/sql-database.js';
import { toBytes } from './columns.js';

/** Range of heights above `min`, up to and including `max`. */
export interface HeightRange {
  readonly min: number;
  readonly max: number;
}

/** A range divided into a first page and the rest. */
export interface Division<Range> {
  readonly page: Range;
  readonly rest: Range;
}

/** Divides the rows of a table, whose column `height` is indexed, into pages at boundaries between blocks. */
export class HeightPages {
  readonly #db: SqlDatabase;
  readonly #table: string;

  constructor(db: SqlDatabase, table: 'owned_output' | 'received_tx' | 'outgoing_tx') {
    this.#db = db;
    this.#table = table;
  }

  /**
   * Returns the lowest height up to which a range contains at least `rows` rows (≥ 1); undefined if it contains fewer.
   */
  end({ min, max }: HeightRange, rows: number): number | undefined {
    return this.#db.value<number>(
      `SELECT height FROM ${this.#table} WHERE height > :min AND height <= :max ORDER BY height LIMIT 1 OFFSET :skip`,
      { min, max, skip: rows - 1 },
    );
  }

  /** Divides a range at the height that {@link end} returns; undefined if it contains fewer rows. */
  divide(range: HeightRange, rows: number): Division<HeightRange> | undefined {
    const end = this.end(range, rows);
    return end === undefined ? undefined : { page: { ...range, max: end }, rest: { ...range, min: end } };
  }
}

/** Range of mined transactions, ordered by height and hash. */
export interface TxRange extends HeightRange {
  /** Hash above which transactions at height `min` belong to the range too; absent: none of that height do. */
  readonly minHash?: Hash;
  /** Hash up to which transactions at height `max` belong to the range; absent: all of that height do. */
  readonly maxHash?: Hash;
}

/** A value that sorts after every hash, because it has one byte more. */
const LAST_HASH = new Uint8Array(33).fill(0xff);

/** Parameters of {@link IN_TX_RANGE}: lower height and hash, upper height and hash. */
export type TxRangeColumns = readonly [number, Uint8Array, number, Uint8Array];

export const txRangeColumns = ({ min, minHash, max, maxHash }: TxRange): TxRangeColumns => [
  min,
  minHash ?? LAST_HASH,
  max,
  maxHash ?? LAST_HASH,
];

/**
 * SQL condition that a transaction of a table `t` is in a range. The index by height has the hash as its second column.
 */
export const IN_TX_RANGE = '(t.height, t.tx_hash) > (?, ?) AND (t.height, t.tx_hash) <= (?, ?)';

/** Divides received transactions into pages by the number of their outputs; a page may end within a block. */
export class TxPages {
  readonly #db: SqlDatabase;

  constructor(db: SqlDatabase) {
    this.#db = db;
  }

  /**
   * Divides a range into a page and the rest; the page has the fewest transactions that together have the given number
   * of outputs.
   * @param outputs at least 1.
   * @returns undefined if the range has fewer outputs.
   */
  divide(range: TxRange, outputs: number): Division<TxRange> | undefined {
    const last = this.#db.row<{ height: number; tx_hash: Uint8Array }>(
      `SELECT t.height, t.tx_hash FROM received_tx t CROSS JOIN owned_output o USING (tx_hash)
       WHERE ${IN_TX_RANGE} ORDER BY t.height, t.tx_hash LIMIT 1 OFFSET ?`,
      ...txRangeColumns(range),
      outputs - 1,
    );
    if (last === undefined) return undefined;
    const hash = toBytes<'Hash'>(last.tx_hash);
    return {
      page: { ...range, max: last.height, maxHash: hash },
      rest: { ...range, min: last.height, minHash: hash },
    };
  }
}
