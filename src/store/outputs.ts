import type { Statement } from 'better-sqlite3';
import type { Hash, KeyImage, PublicKey } from '../crypto/types.js';
import type { OwnedOutput } from '../wallet/records.js';
import type { Db } from './database.js';
import { toOutput, type OutputRow } from './output-row.js';

/** Names one output. */
export interface OutputRef {
  readonly txHash: Hash;
  readonly outputIndex: number;
}

/** As the chain has them: within a block, outputs are numbered in the order of its transactions. */
const CHAIN_ORDER = 'ORDER BY height, global_index, tx_hash, output_index';

export class OutputReader {
  protected readonly db: Db;
  readonly #byKeyImage: Statement<[Uint8Array], OutputRow>;
  readonly #byRef: Statement<[Uint8Array, number], OutputRow>;
  readonly #watch: Statement<[], OutputRow>;
  readonly #count: Statement<[], { count: number }>;
  readonly #before: Statement<[number, number, number], { count: number }>;

  constructor(db: Db) {
    this.db = db;
    this.#byKeyImage = this.rows('SELECT * FROM owned_output WHERE key_image = ? ORDER BY burnt');
    this.#byRef = this.rows('SELECT * FROM owned_output WHERE tx_hash = ? AND output_index = ?');
    this.#watch = this.rows('SELECT * FROM owned_output WHERE key_image IS NOT NULL AND burnt = 0');
    this.#count = db.prepare('SELECT count(*) AS count FROM owned_output WHERE burnt = 0');
    this.#before = db.prepare(
      'SELECT count(*) AS count FROM owned_output WHERE burnt = 0 AND (height < ? OR (height = ? AND global_index < ?))',
    );
  }

  /** The output that a key image spends; of several, the one that can be spent. */
  byKeyImage(keyImage: KeyImage): OwnedOutput | undefined {
    const row = this.#byKeyImage.get(keyImage);
    return row && toOutput(row);
  }

  byRef({ txHash, outputIndex }: OutputRef): OwnedOutput | undefined {
    const row = this.#byRef.get(txHash, outputIndex);
    return row && toOutput(row);
  }

  /** What nothing mined spends and can be spent, frozen outputs left out. @param account absent: every one. */
  held(account?: number): OwnedOutput[] {
    const rows = this.rows<unknown[]>(
      `SELECT * FROM owned_output
       WHERE spent_height IS NULL AND burnt = 0 AND frozen = 0 ${account === undefined ? '' : 'AND account = ?'}
       ORDER BY height, tx_hash, output_index`,
    );
    return rows.all(...(account === undefined ? [] : [account])).map(toOutput);
  }

  /** All that can be spent or were, in the order of the chain: the order of {@link placeOf}. */
  inOrder(): OwnedOutput[] {
    return this.rows<[]>(`SELECT * FROM owned_output WHERE burnt = 0 ${CHAIN_ORDER}`).all().map(toOutput);
  }

  /** How many {@link inOrder} gives. */
  count(): number {
    return this.#count.get()?.count ?? 0;
  }

  /** The output with a key; of several, the one that can be spent. */
  byPublicKey(publicKey: PublicKey): OwnedOutput | undefined {
    const row = this.rows<[Uint8Array]>('SELECT * FROM owned_output WHERE public_key = ? ORDER BY burnt').get(
      publicKey,
    );
    return row && toOutput(row);
  }

  /** Outputs that a transaction spends, or reserves. */
  spentBy(txHash: Hash): OwnedOutput[] {
    return this.rows<[Uint8Array]>('SELECT * FROM owned_output WHERE spent_by = ? ORDER BY burnt, height')
      .all(txHash)
      .map(toOutput);
  }

  /** Outputs of a transaction. */
  ofTx(txHash: Hash): OwnedOutput[] {
    return this.rows<[Uint8Array]>('SELECT * FROM owned_output WHERE tx_hash = ?').all(txHash).map(toOutput);
  }

  /** Those whose spending can be recognised, burnt ones left out. */
  withKeyImage(): (OwnedOutput & { readonly keyImage: KeyImage })[] {
    return this.#watch.all().flatMap((row) => {
      const output = toOutput(row);
      return output.keyImage === undefined ? [] : [{ ...output, keyImage: output.keyImage }];
    });
  }

  /** How many outputs the chain gave us before it: where upstream's list of them has it. */
  placeOf({ height, globalIndex }: OwnedOutput): number {
    return this.#before.get(height, height, globalIndex)?.count ?? 0;
  }

  has({ txHash, outputIndex }: OutputRef): boolean {
    return (
      this.db
        .prepare('SELECT 1 FROM owned_output WHERE tx_hash = ? AND output_index = ?')
        .get(txHash, outputIndex) !== undefined
    );
  }

  /** None of them is spent, reserved or frozen. */
  areFree(outputs: readonly OutputRef[]): boolean {
    const free = this.db.prepare<[Uint8Array, number], { found: number }>(
      `SELECT 1 AS found FROM owned_output
       WHERE tx_hash = ? AND output_index = ? AND spent_by IS NULL AND frozen = 0`,
    );
    return outputs.every(({ txHash, outputIndex }) => free.get(txHash, outputIndex) !== undefined);
  }

  /** Those whose key image is not known. */
  blind(): OwnedOutput[] {
    return this.rows(`SELECT * FROM owned_output WHERE key_image IS NULL ${CHAIN_ORDER}`).all().map(toOutput);
  }

  protected rows<P extends unknown[]>(sql: string): Statement<P, OutputRow> {
    return this.db.prepare<P, OutputRow>(sql).safeIntegers();
  }
}
