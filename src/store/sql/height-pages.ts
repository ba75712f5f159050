import type { SqlDatabase } from '../../util/sql-database.js';

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
