import type { KeyImage } from '../../monero/crypto/types.js';
import type { SqlDatabase } from '../../util/sql-database.js';

/** Table of the key images that are spent in the main chain. */
export class KeyImageTable {
  readonly #db: SqlDatabase;

  constructor(db: SqlDatabase) {
    this.#db = db;
  }

  has(image: KeyImage): boolean {
    return this.#db.row('SELECT 1 FROM key_image WHERE image = ?', image) !== undefined;
  }

  /** Adds a spent key image. @param tx {@link StoredTx.id} of the spending transaction. */
  add(image: KeyImage, tx: number): void {
    this.#db.run('INSERT INTO key_image VALUES (?, ?)', image, tx);
  }

  /** Removes the key images that are spent in the block at a height. */
  removeOf(height: number): void {
    this.#db.run('DELETE FROM key_image WHERE tx IN (SELECT id FROM tx WHERE height = ?)', height);
  }
}
