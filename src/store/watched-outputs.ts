import type { Statement } from 'better-sqlite3';
import type { Db } from './database.js';

/** In hex, as {@link WatchTable} packs it. */
const recordOf = (key: string): string =>
  `format('%s%016x%08x%08x%08x', hex(${key}), amount, account, minor, height)`;

interface Packed {
  readonly packed: string | null;
}

/** What a scanner looks out for among the inputs of transactions, packed for a `WatchTable`. */
export class WatchReader {
  readonly #named: Statement<[number], Packed>;
  readonly #unnamed: Statement<[], Packed>;
  readonly #anyUnnamed: Statement<[number | null], unknown>;

  constructor(db: Db) {
    const records = <P extends unknown[]>(key: string, condition: string): Statement<P, Packed> =>
      db.prepare<P, Packed>(
        `SELECT group_concat(${recordOf(key)}, '') AS packed FROM owned_output WHERE burnt = 0 AND ${condition}`,
      );
    // Of outputs that a block spends, those whose spending may be undone or is known by hearsay only.
    this.#named = records(
      'key_image',
      'key_image IS NOT NULL AND (spent_height IS NULL OR spent_height >= ? OR spent_by = zeroblob(32))',
    );
    this.#unnamed = records('public_key', 'key_image IS NULL');
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

  /** Is there an output whose key image is not known? @param account absent: of any. */
  anyUnnamed(account?: number): boolean {
    return this.#anyUnnamed.get(account ?? null) !== undefined;
  }
}

const unhex = (row: Packed | undefined): Uint8Array => Buffer.from(row?.packed ?? '', 'hex');
