import { AlternativeTable } from './alternatives.js';
import { BlockTable } from './blocks.js';
import { SqlDatabase } from '../../util/sql-database.js';
import { copyDatabase, openDatabase } from './database.js';
import { OutputTable } from './outputs.js';
import { PoolTable } from './pool.js';
import { ServedBlocks } from './served-blocks.js';
import { TransactionTable } from './transactions.js';
import type { KeyImage } from '../../monero/crypto/types.js';

/** Database of a regtest daemon, as one object for each table. */
export class ChainStore {
  readonly blocks: BlockTable;
  readonly transactions: TransactionTable;
  readonly outputs: OutputTable;
  readonly keyImages: KeyImageTable;
  readonly alternatives: AlternativeTable;
  readonly pool: PoolTable;
  readonly served: ServedBlocks;
  readonly #db: SqlDatabase;

  /**
   * @param of directory of the database, or an open database; undefined: the database is kept in memory.
   * @throws NewerSchemaError if a newer version of this program wrote it.
   */
  constructor(of?: string | SqlDatabase) {
    this.#db = of instanceof SqlDatabase ? of : openDatabase(of);
    this.blocks = new BlockTable(this.#db);
    this.transactions = new TransactionTable(this.#db);
    this.outputs = new OutputTable(this.#db);
    this.keyImages = new KeyImageTable(this.#db);
    this.alternatives = new AlternativeTable(this.#db);
    this.pool = new PoolTable(this.#db);
    this.served = new ServedBlocks(this.#db);
  }

  /** Returns a copy in memory. */
  copy(): ChainStore {
    return new ChainStore(copyDatabase(this.#db));
  }

  /** Runs `work` in a transaction, which is rolled back if `work` throws. Calls may be nested. */
  atomically<T>(work: () => T): T {
    return this.#db.transaction(work)();
  }

  /** Returns the size of the database [bytes]. */
  size(): number {
    const pragma = (name: string): number => Number(this.#db.pragma(name, { simple: true }));
    return pragma('page_count') * pragma('page_size');
  }

  close(): void {
    this.#db.close();
  }
}

/** Table of the key images that are spent in the main chain. */
class KeyImageTable {
  readonly #db: SqlDatabase;

  constructor(db: SqlDatabase) {
    this.#db = db;
  }

  has(image: KeyImage): boolean {
    return this.#db.row('SELECT 1 FROM key_image WHERE image = ?', image) !== undefined;
  }

  /** Adds a key image unless it is spent already. @param tx {@link StoredTx.id} of the spending transaction. */
  add(image: KeyImage, tx: number): void {
    this.#db.run('INSERT OR IGNORE INTO key_image VALUES (?, ?)', image, tx);
  }

  /** Removes the key images that are spent in the block at a height. */
  removeOf(height: number): void {
    this.#db.run('DELETE FROM key_image WHERE tx IN (SELECT id FROM tx WHERE height = ?)', height);
  }
}
