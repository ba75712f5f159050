import type { SqlDatabase } from '../../util/sql-database.js';
import type { HeightRange } from './pages.js';

/** Position of an output in the chain order of its wallet. */
export interface OutputPlace {
  readonly height: number;
  readonly globalIndex: number;
  /** Row number, which decides between outputs of one block with equal indices, as before RingCT. */
  readonly number: number;
}

/**
 * Outputs of one list in chain order: the outputs of one address that are change, the outputs of one address that are
 * not change, or the outputs of several addresses that take the position of another output.
 */
export type OutputList =
  | {
      readonly minor: number;
      readonly change: boolean;
      /** True: leaves out outputs that take the position of another output. */
      readonly unmoved: boolean;
    }
  | { readonly moved: readonly number[] };

/** Part of a list: positions after `after`, of at most `count` outputs. */
export interface ListPart {
  readonly range: HeightRange;
  /** Position after which the part begins; absent: it begins with the range. */
  readonly after?: OutputPlace | undefined;
  readonly count: number;
}

type PlaceRow = readonly [height: number, globalIndex: number, number: number];
type Bounds = readonly [height: number, globalIndex: number, number: number, max: number, count: number];

/** Greatest row number and global index that SQLite stores as a number here; no output is after it. */
const LAST = Number.MAX_SAFE_INTEGER;

const boundsOf = ({ range, after, count }: ListPart): Bounds => [
  after?.height ?? range.min,
  after?.globalIndex ?? LAST,
  after?.number ?? LAST,
  range.max,
  count,
];

const toPlace = ([height, globalIndex, number]: PlaceRow): OutputPlace => ({ height, globalIndex, number });

/** Reads the positions of the outputs of addresses from an index, without reading other outputs. */
export class AddressOutputReader {
  readonly #db: SqlDatabase;

  constructor(db: SqlDatabase) {
    this.#db = db;
  }

  /** Returns true if any output with a reused key takes the position of the first output with that key. */
  anyMoved(): boolean {
    return this.#db.row('SELECT 1 FROM owned_output WHERE first_height IS NOT NULL LIMIT 1') !== undefined;
  }

  /** Returns a part of a list of an account's outputs, in its order. */
  part(account: number, list: OutputList, part: ListPart): OutputPlace[] {
    const rows =
      'moved' in list ? this.#moved(account, list.moved, part) : this.#ofAddress(account, list, part);
    return rows.map(toPlace);
  }

  #ofAddress(
    account: number,
    { minor, change, unmoved }: Exclude<OutputList, { readonly moved: readonly number[] }>,
    part: ListPart,
  ): PlaceRow[] {
    return this.#db.arrays.rows<PlaceRow>(
      `SELECT height, global_index, rowid FROM owned_output INDEXED BY owned_output_by_place
       WHERE minor = ? AND account = ? AND change = ? ${unmoved ? 'AND first_height IS NULL' : ''}
         AND (height, global_index, rowid) > (?, ?, ?) AND height <= ?
       ORDER BY height, global_index, rowid LIMIT ?`,
      minor,
      account,
      Number(change),
      ...boundsOf(part),
    );
  }

  #moved(account: number, minors: readonly number[], part: ListPart): PlaceRow[] {
    return this.#db.arrays.rows<PlaceRow>(
      `SELECT first_height, first_index, rowid FROM owned_output INDEXED BY owned_output_moved
       WHERE first_height IS NOT NULL AND account = ? AND minor IN (SELECT value FROM json_each(?))
         AND (first_height, first_index, rowid) > (?, ?, ?) AND first_height <= ?
       ORDER BY first_height, first_index, rowid LIMIT ?`,
      account,
      JSON.stringify(minors),
      ...boundsOf(part),
    );
  }
}
