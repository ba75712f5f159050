import type { Statement } from 'better-sqlite3';
import type { Db } from '../file/database.js';
import { WITHOUT_KEY_IMAGE } from '../sql/key-index.js';

/** SQL expression of a record in hex, in the format of {@link WatchTable}. */
const recordOf = (key: string): string =>
  `format('%s%016x%08x%08x%08x', hex(${key}), amount, account, minor, height)`;

/** Index of burnt outputs, which are few. */
const BURNT = 'INDEXED BY owned_output_burnt';

interface Packed {
  readonly packed: string | null;
}

/** Outputs that a scanner watches for spends, packed for a `WatchTable`. */
export class WatchReader {
  readonly #withKeyImage: Statement<[number], Packed>;
  readonly #withoutKeyImage: Statement<[], Packed>;
  readonly #burntWithKeyImage: Statement<[], Packed>;
  readonly #burntWithoutKeyImage: Statement<[], Packed>;
  readonly #anyWithoutKeyImage: Statement<[number | null], unknown>;

  constructor(db: Db) {
    const records = <P extends unknown[]>(key: string, condition: string, index = ''): Statement<P, Packed> =>
      db.prepare<P, Packed>(
        `SELECT group_concat(${recordOf(key)}, '') AS packed FROM owned_output ${index} WHERE ${condition}`,
      );
    // Includes spent outputs if their spend may be undone by a reorganisation, or its transaction was not seen.
    this.#withKeyImage = records(
      'key_image',
      'burnt = 0 AND key_image IS NOT NULL AND (spent_height IS NULL OR spent_height >= ? OR spent_by = zeroblob(32))',
    );
    this.#withoutKeyImage = records('public_key', `burnt = 0 AND ${WITHOUT_KEY_IMAGE}`);
    this.#burntWithKeyImage = records('key_image', 'burnt = 1 AND key_image IS NOT NULL', BURNT);
    this.#burntWithoutKeyImage = records('public_key', 'burnt = 1 AND key_image IS NULL', BURNT);
    this.#anyWithoutKeyImage = db.prepare<[number | null], unknown>(
      `SELECT 1 FROM owned_output
       WHERE ${WITHOUT_KEY_IMAGE} AND burnt = 0 AND account = coalesce(?, account) LIMIT 1`,
    );
  }

  /** Outputs with a known key image, by key image. @param since height below which no block is undone. */
  withKeyImage(since: number): Uint8Array {
    return unhex(this.#withKeyImage.get(since));
  }

  /** Outputs without a known key image, by output key. */
  withoutKeyImage(): Uint8Array {
    return unhex(this.#withoutKeyImage.get());
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
