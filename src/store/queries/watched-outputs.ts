import type { Statement } from 'better-sqlite3';
import type { Db } from '../file/database.js';
import { WITHOUT_KEY_IMAGE } from '../sql/key-index.js';

/** SQL expression of a record in hex, in the format of {@link WatchTable}. */
const recordOf = (key: string): string =>
  `format('%s%016x%08x%08x%08x', hex(${key}), amount, account, minor, height)`;

/** SQL expression of a record in hex, in the format of `unpackBlindOutputs`. */
const BLIND_RECORD = `format('%016x%016x%08x', iif(rct, 0, amount), global_index, height)`;

/** Rows of outputs that are read at once. */
const ROWS_AT_ONCE = 2048;

/** Index of burnt outputs, which are few. */
const BURNT = 'INDEXED BY owned_output_burnt';

interface Packed {
  readonly packed: string | null;
}

/** Rows of outputs, by their numbers: above the first, up to the second inclusive. */
export type RowRange = readonly [above: number, upTo: number];

/** Range of all rows. */
const EVERY_ROW: RowRange = [-1, Number.MAX_SAFE_INTEGER];

const IN_ROWS = 'rowid > ? AND rowid <= ?';

/** Outputs that a scanner watches for spends, packed for a `WatchTable`. */
export class WatchReader {
  readonly #last: Statement<[], number | null>;
  readonly #withKeyImage: Statement<[number, ...RowRange], Packed>;
  readonly #withoutKeyImage: Statement<RowRange & unknown[], Packed>;
  readonly #blind: Statement<RowRange & unknown[], Packed>;
  readonly #burntWithKeyImage: Statement<[], Packed>;
  readonly #burntWithoutKeyImage: Statement<[], Packed>;
  readonly #anyWithoutKeyImage: Statement<[number | null], unknown>;

  constructor(db: Db) {
    const packed = <P extends unknown[]>(record: string, rows: string): Statement<P, Packed> =>
      db.prepare<P, Packed>(`SELECT group_concat(${record}, '') AS packed FROM owned_output ${rows}`);
    const records = <P extends unknown[]>(key: string, condition: string, index = ''): Statement<P, Packed> =>
      packed<P>(recordOf(key), `${index} WHERE ${condition}`);
    this.#last = db.prepare<[], number | null>('SELECT max(rowid) FROM owned_output').pluck();
    // Includes spent outputs if their spend may be undone by a reorganisation, or its transaction was not seen.
    this.#withKeyImage = records(
      'key_image',
      `burnt = 0 AND key_image IS NOT NULL AND (spent_height IS NULL OR spent_height >= ? OR spent_by = zeroblob(32))
       AND ${IN_ROWS}`,
    );
    this.#withoutKeyImage = records('public_key', `burnt = 0 AND ${WITHOUT_KEY_IMAGE} AND ${IN_ROWS}`);
    this.#blind = packed(BLIND_RECORD, `WHERE ${WITHOUT_KEY_IMAGE} AND ${IN_ROWS}`);
    this.#burntWithKeyImage = records('key_image', 'burnt = 1 AND key_image IS NOT NULL', BURNT);
    this.#burntWithoutKeyImage = records('public_key', 'burnt = 1 AND key_image IS NULL', BURNT);
    this.#anyWithoutKeyImage = db.prepare<[number | null], unknown>(
      `SELECT 1 FROM owned_output
       WHERE ${WITHOUT_KEY_IMAGE} AND burnt = 0 AND account = coalesce(?, account) LIMIT 1`,
    );
  }

  /** Divides all rows into ranges that are read in some milliseconds each. */
  ranges(): readonly RowRange[] {
    const last = this.#last.get() ?? 0;
    return Array.from({ length: Math.ceil((last + 1) / ROWS_AT_ONCE) }, (_, i) => [
      ROWS_AT_ONCE * i - 1,
      ROWS_AT_ONCE * (i + 1) - 1,
    ]);
  }

  /** Outputs with a known key image, by key image. @param since height below which no block is undone. */
  withKeyImage(since: number, rows = EVERY_ROW): Uint8Array {
    return unhex(this.#withKeyImage.get(since, ...rows));
  }

  /** Outputs without a known key image, by output key. */
  withoutKeyImage(rows = EVERY_ROW): Uint8Array {
    return unhex(this.#withoutKeyImage.get(...rows));
  }

  /** Outputs without a known key image, burnt ones included, by their places in rings. */
  blind(rows = EVERY_ROW): Uint8Array {
    return unhex(this.#blind.get(...rows));
  }

  /** Burnt outputs on the keys of {@link withKeyImage}, which may replace them after a reorganisation. */
  burntWithKeyImage(): Uint8Array {
    return unhex(this.#burntWithKeyImage.get());
  }

  /** Burnt outputs on the keys of {@link withoutKeyImage}. */
  burntWithoutKeyImage(): Uint8Array {
    return unhex(this.#burntWithoutKeyImage.get());
  }

  /** True if an output has no known key image. @param account absent: every account. */
  anyWithoutKeyImage(account?: number): boolean {
    return this.#anyWithoutKeyImage.get(account ?? null) !== undefined;
  }
}

const unhex = (row: Packed | undefined): Uint8Array => Buffer.from(row?.packed ?? '', 'hex');
