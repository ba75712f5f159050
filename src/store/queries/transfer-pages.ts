import type { SqlDatabase } from '../../util/sql-database.js';

interface Range {
  /** Lower bound of the heights, exclusive. */
  readonly min: number;
  /** Upper bound of the heights, inclusive. */
  readonly max: number;
}

/** Divides the history of mined transactions into pages, at boundaries between blocks. */
export class TransferPageReader {
  readonly #db: SqlDatabase;

  constructor(db: SqlDatabase) {
    this.#db = db;
  }

  /**
   * Finds the page at the upper end of a range.
   * @param limit largest number of transactions in a page, at least 1; a block with more transactions is a page of its
   * own.
   * @returns the exclusive lower bound of the page's heights; undefined if the page includes the whole range.
   */
  below(range: Range, limit: number): number | undefined {
    const next = this.#heightOf(range, limit);
    if (next === undefined) return undefined;
    if (next !== this.#heightOf(range, 0)) return next;
    const floor = next - 1;
    return this.#heightOf({ min: range.min, max: floor }, 0) === undefined ? undefined : floor;
  }

  /** Returns the height of a transaction of a range. @param skip number of transactions above it in the range. */
  #heightOf({ min, max }: Range, skip: number): number | undefined {
    const heights = (table: string): string =>
      `SELECT height FROM ${table} WHERE height > :min AND height <= :max`;
    return this.#db.value<number>(
      `${heights('received_tx')} UNION ALL ${heights('outgoing_tx')} ORDER BY height DESC LIMIT 1 OFFSET :skip`,
      { min, max, skip },
    );
  }
}
