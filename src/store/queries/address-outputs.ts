import type { Statement } from '../../util/sql-database.js';
import type { Db } from '../file/database.js';
import type { HeightRange } from '../sql/height-pages.js';

/** Position of an output in the chain order of its wallet. */
export interface OutputPlace {
  readonly height: number;
  readonly globalIndex: number;
  /** Row number, which decides between outputs of one block with equal indices, as before RingCT. */
  readonly number: number;
}

/**
 * Outputs of one list in chain order: the outputs of one address that are change, those that are not, or the outputs of
 * several addresses that take the position of another output.
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

/** Greatest row number and global index that SQLite stores as a number here: none is after them. */
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
  readonly #ofAddress: Statement<[number, number, number, ...Bounds], PlaceRow>;
  readonly #unmovedOfAddress: Statement<[number, number, number, ...Bounds], PlaceRow>;
  readonly #moved: Statement<[number, string, ...Bounds], PlaceRow>;
  readonly #anyMoved: Statement<[], unknown>;

  constructor(db: Db) {
    const ofAddress = (condition: string): Statement<[number, number, number, ...Bounds], PlaceRow> =>
      db
        .prepare<[number, number, number, ...Bounds], PlaceRow>(
          `SELECT height, global_index, rowid FROM owned_output INDEXED BY owned_output_by_place
           WHERE minor = ? AND account = ? AND change = ? ${condition}
             AND (height, global_index, rowid) > (?, ?, ?) AND height <= ?
           ORDER BY height, global_index, rowid LIMIT ?`,
        )
        .raw();
    this.#ofAddress = ofAddress('');
    this.#unmovedOfAddress = ofAddress('AND first_height IS NULL');
    this.#moved = db
      .prepare<[number, string, ...Bounds], PlaceRow>(
        `SELECT first_height, first_index, rowid FROM owned_output INDEXED BY owned_output_moved
         WHERE first_height IS NOT NULL AND account = ? AND minor IN (SELECT value FROM json_each(?))
           AND (first_height, first_index, rowid) > (?, ?, ?) AND first_height <= ?
         ORDER BY first_height, first_index, rowid LIMIT ?`,
      )
      .raw();
    this.#anyMoved = db.prepare('SELECT 1 FROM owned_output WHERE first_height IS NOT NULL LIMIT 1');
  }

  /** Returns true if any output with a reused key takes the position of the first output with that key. */
  anyMoved(): boolean {
    return this.#anyMoved.get() !== undefined;
  }

  /** Returns a part of a list of an account's outputs, in its order. */
  part(account: number, list: OutputList, part: ListPart): OutputPlace[] {
    const bounds = boundsOf(part);
    if ('moved' in list) return this.#moved.all(account, JSON.stringify(list.moved), ...bounds).map(toPlace);
    const statement = list.unmoved ? this.#unmovedOfAddress : this.#ofAddress;
    return statement.all(list.minor, account, Number(list.change), ...bounds).map(toPlace);
  }
}
