import type { Statement } from 'better-sqlite3';
import type { UnnamedOutput, WatchedOutput } from '../wallet/watched.js';
import { toAmount, toBytes, toNumber, type Integer } from './columns.js';
import type { Db } from './database.js';

interface WatchRow {
  readonly id: Uint8Array;
  readonly amount: Integer;
  readonly account: Integer;
  readonly minor: Integer;
  readonly height: Integer;
}

const placeOf = ({ amount, account, minor, height }: WatchRow): Omit<WatchedOutput, 'keyImage'> => ({
  amount: toAmount(amount),
  subaddress: { major: toNumber(account), minor: toNumber(minor) },
  height: toNumber(height),
});

/** What a scanner looks out for among the inputs of transactions. */
export class WatchReader {
  readonly #named: Statement<[number], WatchRow>;
  readonly #unnamed: Statement<[], WatchRow>;

  constructor(db: Db) {
    const rows = <P extends unknown[]>(id: string, condition: string): Statement<P, WatchRow> =>
      db
        .prepare<P, WatchRow>(
          `SELECT ${id} AS id, amount, account, minor, height FROM owned_output WHERE burnt = 0 AND ${condition}`,
        )
        .safeIntegers();
    // Of outputs that a block spends, those whose spending may be undone or is known by hearsay only.
    this.#named = rows(
      'key_image',
      'key_image IS NOT NULL AND (spent_height IS NULL OR spent_height >= ? OR spent_by = zeroblob(32))',
    );
    this.#unnamed = rows('public_key', 'key_image IS NULL');
  }

  /** Outputs whose spending can be recognised. @param since height below which no block is undone. */
  named(since: number): WatchedOutput[] {
    return this.#named.all(since).map((row) => ({ keyImage: toBytes<'KeyImage'>(row.id), ...placeOf(row) }));
  }

  /** Outputs whose key images are not known. */
  unnamed(): UnnamedOutput[] {
    return this.#unnamed.all().map((row) => ({ publicKey: toBytes<'PublicKey'>(row.id), ...placeOf(row) }));
  }
}
