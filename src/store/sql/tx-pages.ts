import type { Statement } from 'better-sqlite3';
import type { Hash } from '../../monero/crypto/types.js';
import type { Db } from '../file/database.js';
import { toBytes } from './columns.js';
import type { Division, HeightRange } from './height-pages.js';

/** Mined transactions in the order of height and hash. */
export interface TxRange extends HeightRange {
  /** Transactions at height `min` that are above this hash belong to the range too; absent: none. */
  readonly minHash?: Hash;
  /** Hash of the last transaction at height `max`; absent: all of them. */
  readonly maxHash?: Hash;
}

/** Above all hashes: one byte longer than they are. */
const LAST_HASH = new Uint8Array(33).fill(0xff);

/** Parameters of {@link IN_TX_RANGE}. */
export type TxRangeColumns = readonly [number, Uint8Array, number, Uint8Array];

export const txRangeColumns = ({ min, minHash, max, maxHash }: TxRange): TxRangeColumns => [
  min,
  minHash ?? LAST_HASH,
  max,
  maxHash ?? LAST_HASH,
];

/** Condition for the transactions of a range, in a table `t`. An index by height has the hash as its second column. */
export const IN_TX_RANGE = '(t.height, t.tx_hash) > (?, ?) AND (t.height, t.tx_hash) <= (?, ?)';

/** Divides received transactions into pages by the number of their outputs, also within a block. */
export class TxPages {
  readonly #nth: Statement<[...TxRangeColumns, number], { height: number; tx_hash: Uint8Array }>;

  constructor(db: Db) {
    this.#nth = db.prepare(
      `SELECT t.height, t.tx_hash FROM received_tx t CROSS JOIN owned_output o USING (tx_hash)
       WHERE ${IN_TX_RANGE} ORDER BY t.height, t.tx_hash LIMIT 1 OFFSET ?`,
    );
  }

  /**
   * Divides a range into a page of the fewest transactions with as many outputs, and the rest.
   * @param outputs at least 1. @returns undefined for a range with fewer.
   */
  divide(range: TxRange, outputs: number): Division<TxRange> | undefined {
    const last = this.#nth.get(...txRangeColumns(range), outputs - 1);
    if (last === undefined) return undefined;
    const hash = toBytes<'Hash'>(last.tx_hash);
    return {
      page: { ...range, max: last.height, maxHash: hash },
      rest: { ...range, min: last.height, minHash: hash },
    };
  }
}
