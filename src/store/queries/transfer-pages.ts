import type { Statement } from '../../util/sql-database.js';
import type { Db } from '../file/database.js';

interface Range {
  /** Lower bound of the heights, exclusive. */
  readonly min: number;
  /** Upper bound of the heights, inclusive. */
  readonly max: number;
}

/** Divides the history of mined transactions into pages, at boundaries between blocks. */
export class TransferPageReader {
  readonly #nth: Statement<[Range & { readonly skip: number }], { height: number }>;

  constructor(db: Db) {
    const heights = (table: string): string =>
      `SELECT height FROM ${table} WHERE height > :min AND height <= :max`;
    this.#nth = db.prepare(
      `${heights('received_tx')} UNION ALL ${heights('outgoing_tx')} ORDER BY height DESC LIMIT 1 OFFSET :skip`,
    );
  }

  /**
   * Finds the page at the upper end of a range.
   * @param limit largest number of transactions in a page, at least 1; a block with more transactions is a page of its
   * own.
   * @returns the exclusive lower bound of the page's heights; undefined if the page includes the whole range.
   */
  below(range: Range, limit: number): number | undefined {
    const next = this.#nth.get({ ...range, skip: limit })?.height;
    if (next === undefined) return undefined;
    const newest = this.#nth.get({ ...range, skip: 0 })?.height;
    if (next !== newest) return next;
    const floor = next - 1;
    return this.#nth.get({ min: range.min, max: floor, skip: 0 }) === undefined ? undefined : floor;
  }
}
