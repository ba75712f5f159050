import type { Statement } from 'better-sqlite3';
import type { Db } from '../file/database.js';

/** Heights above `min`, to `max` inclusive. */
export interface HeightRange {
  readonly min: number;
  readonly max: number;
}

/** A range as a page and what follows it. */
export interface Division<Range> {
  readonly page: Range;
  readonly rest: Range;
}

/** Divides a table whose `height` is indexed into pages of whole blocks. */
export class HeightPages {
  readonly #nth: Statement<[HeightRange & { readonly skip: number }], number>;

  constructor(db: Db, table: 'owned_output' | 'received_tx' | 'outgoing_tx') {
    this.#nth = db
      .prepare<[HeightRange & { readonly skip: number }], number>(
        `SELECT height FROM ${table} WHERE height > :min AND height <= :max ORDER BY height LIMIT 1 OFFSET :skip`,
      )
      .pluck();
  }

  /** Returns the lowest height up to which a range has `rows` rows, at least 1; undefined if it has fewer. */
  end({ min, max }: HeightRange, rows: number): number | undefined {
    return this.#nth.get({ min, max, skip: rows - 1 });
  }

  /** Divides a range at its {@link end}. */
  divide(range: HeightRange, rows: number): Division<HeightRange> | undefined {
    const end = this.end(range, rows);
    return end === undefined ? undefined : { page: { ...range, max: end }, rest: { ...range, min: end } };
  }
}
