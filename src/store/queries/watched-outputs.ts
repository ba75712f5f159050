import type { Statement } from 'better-sqlite3';
import type { Db } from '../file/database.js';

/** In hex, as {@link WatchTable} packs it. */
const recordOf = (key: string): string =>
  `format('%s%016x%08x%08x%08x', hex(${key}), amount, account, minor, height)`;

/** Few outputs are burnt. */
const BURNT = 'INDEXED BY owned_output_burnt';

interface Packed {
  readonly packed: string | null;
}

/** What a scanner looks out for among the inputs of transactions, packed for a `WatchTable`. */
export class WatchReader {
  readonly #named: Statement<[number], Packed>;
  readonly #unnamed: Statement<[], Packed>;
  readonly #burntNamed: Statement<[], Packed>;
  readonly #burntUnnamed: Statement<[], Packed>;
  readonly #anyUnnamed: Statement<[number | null], unknown>;

  constructor(db: Db) {
    const records = <P extends unknown[]>(key: string, condition: string, index = ''): Statement<P, Packed> =>
      db.prepare<P, Packed>(
        `SELECT group_concat(${recordOf(key)}, '') AS packed FROM owned_output ${index} WHERE ${condition}`,
      );
    // Of outputs that a block spends, those whose spending may be undone or is known by hearsay only.
    this.#named = records(
      'key_image',
      'burnt = 0 AND key_image IS NOT NULL AND (spent_height IS NULL OR spent_height >= ? OR spent_by = zeroblob(32))',
    );
    this.#unnamed = records('public_key', 'burnt = 0 AND key_image IS NULL');
    this.#burntNamed = records('key_image', 'burnt = 1 AND key_image IS NOT NULL', BURNT);
    this.#burntUnnamed = records('public_key', 'burnt = 1 AND key_image IS NULL', BURNT);
    this.#anyUnnamed = db.prepare<[number | null], unknown>(
      'SELECT 1 FROM owned_output WHERE key_image IS NULL AND burnt = 0 AND account = coalesce(?, account) LIMIT 1',
    );
  }

  /** Outputs whose spending can be recognised, by key image. @param since height below which no block is undone. */
  named(since: number): Uint8Array {
    return unhex(this.#named.get(since));
  }

  /** Outputs whose key images are not known, by output key. */
  unnamed(): Uint8Array {
    return unhex(this.#unnamed.get());
  }

  /** Other outputs on the keys of {@link named}, which are watched in their place after a reorganisation. */
  burntNamed(): Uint8Array {
    return unhex(this.#burntNamed.get());
  }

  /** Other outputs on the keys of {@link unnamed}. */
  burntUnnamed(): Uint8Array {
    return unhex(this.#burntUnnamed.get());
  }

  /** Is there an output whose key image is not known? @param account absent: of any. */
  anyUnnamed(account?: number): boolean {
    return this.#anyUnnamed.get(account ?? null) !== undefined;
  }
}

const unhex = (row: Packed | undefined): Uint8Array => Buffer.from(row?.packed ?? '', 'hex');
