import type { Statement } from 'better-sqlite3';
import type { KeyImage } from '../../monero/crypto/types.js';
import type { Db } from './database.js';

/** Table of the key images that are spent in the main chain. */
export class KeyImageTable {
  readonly #has: Statement<[Uint8Array], number>;
  readonly #insert: Statement<[Uint8Array, number]>;
  readonly #removeOf: Statement<[number]>;

  constructor(db: Db) {
    this.#has = db.prepare<[Uint8Array], number>('SELECT 1 FROM key_image WHERE image = ?').pluck();
    this.#insert = db.prepare('INSERT INTO key_image VALUES (?, ?)');
    this.#removeOf = db.prepare('DELETE FROM key_image WHERE tx IN (SELECT id FROM tx WHERE height = ?)');
  }

  has(image: KeyImage): boolean {
    return this.#has.get(image) !== undefined;
  }

  /** Adds a spent key image. @param tx {@link StoredTx.id} of the spending transaction. */
  add(image: KeyImage, tx: number): void {
    this.#insert.run(image, tx);
  }

  /** Removes the key images that are spent in the block at a height. */
  removeOf(height: number): void {
    this.#removeOf.run(height);
  }
}
