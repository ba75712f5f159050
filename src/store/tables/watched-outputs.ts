import type { SqlDatabase } from '../../util/sql-database.js';
import { WITHOUT_KEY_IMAGE } from './columns.js';

/** Returns an SQL expression that writes an output as a record of a {@link WatchTable}, in hex. */
const recordOf = (key: string): string =>
  `format('%s%016x%08x%08x%08x', hex(${key}), amount, account, minor, height)`;

/** SQL expression that writes an output as a record for `unpackBlindOutputs`, in hex. */
const BLIND_RECORD = `format('%016x%016x%08x', iif(rct, 0, amount), global_index, height)`;

/** Number of output rows that are read at once: a millisecond of work, for which a request may have to wait. */
const ROWS_AT_ONCE = 512;

/** Makes SQLite use the index of burnt outputs, which are few. */
const BURNT = 'INDEXED BY owned_output_burnt';

/** Range of output rows by row number: above the first number, up to and including the second. */
export type RowRange = readonly [above: number, upTo: number];

/** Range of all rows. */
const EVERY_ROW: RowRange = [-1, Number.MAX_SAFE_INTEGER];

const IN_ROWS = 'rowid > ? AND rowid <= ?';

/** Reads the outputs whose spends a scanner must recognise, packed for a `WatchTable`. */
export class WatchReader {
  readonly #db: SqlDatabase;

  constructor(db: SqlDatabase) {
    this.#db = db;
  }

  /** Divides all rows into ranges, each of which is read in a millisecond. */
  ranges(): readonly RowRange[] {
    const last = this.#db.value<number | null>('SELECT max(rowid) FROM owned_output') ?? 0;
    return Array.from({ length: Math.ceil((last + 1) / ROWS_AT_ONCE) }, (_, i) => [
      ROWS_AT_ONCE * i - 1,
      ROWS_AT_ONCE * (i + 1) - 1,
    ]);
  }

  /**
   * Returns outputs with a known key image, packed by key image.
   * @param since height below which no block can be undone.
   */
  withKeyImage(since: number, rows = EVERY_ROW): Uint8Array {
    // Spent outputs are also read if a reorganisation may undo their spend, or if the spending transaction was not
    // seen.
    return this.#packed(
      recordOf('key_image'),
      `WHERE burnt = 0 AND key_image IS NOT NULL
         AND (spent_height IS NULL OR spent_height >= ? OR spent_by = zeroblob(32)) AND ${IN_ROWS}`,
      since,
      ...rows,
    );
  }

  /** Returns outputs without a known key image, packed by output key. */
  withoutKeyImage(rows = EVERY_ROW): Uint8Array {
    const condition = `WHERE burnt = 0 AND ${WITHOUT_KEY_IMAGE} AND ${IN_ROWS}`;
    return this.#packed(recordOf('public_key'), condition, ...rows);
  }

  /**
   * Returns outputs without a known key image, including burnt outputs, by the amount and global index with which rings
   * name them.
   */
  blind(rows = EVERY_ROW): Uint8Array {
    return this.#packed(BLIND_RECORD, `WHERE ${WITHOUT_KEY_IMAGE} AND ${IN_ROWS}`, ...rows);
  }

  /**
   * Returns burnt outputs with the same keys as outputs of {@link withKeyImage}; after a reorganisation, a burnt output
   * may take the place of such an output.
   */
  burntWithKeyImage(): Uint8Array {
    return this.#packed(recordOf('key_image'), `${BURNT} WHERE burnt = 1 AND key_image IS NOT NULL`);
  }

  /** Returns burnt outputs with the same keys as outputs of {@link withoutKeyImage}. */
  burntWithoutKeyImage(): Uint8Array {
    return this.#packed(recordOf('public_key'), `${BURNT} WHERE burnt = 1 AND key_image IS NULL`);
  }

  /**
   * Returns true if at least one output of the old form has no known key image.
   * @param account index of the account; absent: every account.
   */
  anyLegacyWithoutKeyImage(account?: number): boolean {
    const output = this.#db.row(
      `SELECT 1 FROM owned_output
       WHERE ${WITHOUT_KEY_IMAGE} AND burnt = 0 AND carrot IS NULL AND account = coalesce(?, account) LIMIT 1`,
      account ?? null,
    );
    return output !== undefined;
  }

  /**
   * Returns records of outputs.
   * @param record SQL that writes one record in hex.
   * @param rows SQL that selects the outputs.
   */
  #packed(record: string, rows: string, ...params: readonly number[]): Uint8Array {
    const hex = this.#db.value<string | null>(
      `SELECT group_concat(${record}, '') FROM owned_output ${rows}`,
      ...params,
    );
    return Buffer.from(hex ?? '', 'hex');
  }
}
