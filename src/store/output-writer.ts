import type { Statement } from 'better-sqlite3';
import { intToBytes } from '../crypto/scalar.js';
import type { Hash, KeyImage, PublicKey } from '../crypto/types.js';
import type { FoundSpend, OwnedOutput } from '../wallet/records.js';
import { fromFlag, toColumn, toNumber } from './columns.js';
import type { Db } from './database.js';
import type { OutputRow } from './output-row.js';
import { OutputReader, type OutputRef } from './outputs.js';

/** Handed out by `WalletFile.write` alone, as every writer. */
export class OutputWriter extends OutputReader {
  readonly #insert: Statement<unknown[]>;
  readonly #countKey: Statement<[Uint8Array], { count: number }>;
  readonly #sameKey: Statement<[Uint8Array], OutputRow>;
  readonly #setBurnt: Statement<[number, Uint8Array, number]>;
  readonly #spend: Statement<[Uint8Array, number, Uint8Array]>;
  readonly #reserve: Statement<[Uint8Array, Uint8Array, number]>;
  readonly #release: Statement<[Uint8Array]>;
  readonly #forgetFrozen: Statement<[Uint8Array, number]>;
  readonly #setFrozen: Statement<[number, Uint8Array, number]>;
  readonly #rememberFrozen: Statement<[number, number]>;
  readonly #keysBetween: Statement<[number, number], Uint8Array>;
  readonly #drop: Statement<[number, number]>;
  readonly #unspend: Record<'all' | 'unpaid', Statement<[number, number]>>;

  constructor(db: Db) {
    super(db);
    this.#insert = db.prepare(
      `INSERT INTO owned_output (tx_hash, output_index, global_index, public_key, key_image, amount, mask, rct, account,
         minor, derivation_key, height, unlock_time, coinbase, change)
       VALUES (?, ?, ?, ?, coalesce(?, (SELECT key_image FROM told_key_image WHERE public_key = ?)),
         ${Array(10).fill('?').join(', ')})`,
    );
    this.#countKey = db.prepare('SELECT count(*) AS count FROM owned_output WHERE public_key = ?');
    this.#sameKey = this.rows(
      'SELECT * FROM owned_output WHERE public_key = ? ORDER BY amount DESC, height, tx_hash, output_index',
    );
    this.#setBurnt = db.prepare('UPDATE owned_output SET burnt = ? WHERE tx_hash = ? AND output_index = ?');
    this.#spend = db.prepare('UPDATE owned_output SET spent_by = ?, spent_height = ? WHERE key_image = ?');
    this.#reserve = db.prepare(
      'UPDATE owned_output SET spent_by = ? WHERE tx_hash = ? AND output_index = ? AND spent_by IS NULL',
    );
    this.#release = db.prepare(
      'UPDATE owned_output SET spent_by = NULL WHERE spent_by = ? AND spent_height IS NULL',
    );
    this.#forgetFrozen = db.prepare('DELETE FROM frozen_output WHERE tx_hash = ? AND output_index = ?');
    this.#setFrozen = db.prepare('UPDATE owned_output SET frozen = ? WHERE tx_hash = ? AND output_index = ?');
    this.#rememberFrozen = db.prepare(
      `INSERT INTO frozen_output (tx_hash, output_index)
         SELECT tx_hash, output_index FROM owned_output WHERE height BETWEEN ? AND ? AND frozen = 1
       ON CONFLICT DO NOTHING`,
    );
    this.#keysBetween = db
      .prepare<[number, number], Uint8Array>(
        'SELECT public_key FROM owned_output WHERE height BETWEEN ? AND ?',
      )
      .pluck();
    this.#drop = db.prepare('DELETE FROM owned_output WHERE height BETWEEN ? AND ?');
    const unspend = (spentBy: string): Statement<[number, number]> =>
      db.prepare(
        `UPDATE owned_output SET spent_height = NULL, spent_by = ${spentBy} WHERE spent_height BETWEEN ? AND ?`,
      );
    this.#unspend = {
      all: unspend('NULL'),
      unpaid: unspend('(SELECT tx_hash FROM outgoing_tx WHERE tx_hash = spent_by AND blob IS NOT NULL)'),
    };
  }

  add(output: OwnedOutput): void {
    this.#insert.run(
      output.txHash,
      output.outputIndex,
      output.globalIndex,
      output.publicKey,
      output.keyImage ?? null,
      output.publicKey,
      toColumn(output.amount),
      intToBytes(output.mask),
      fromFlag(output.rct),
      output.subaddress.major,
      output.subaddress.minor,
      output.derivationKey,
      output.height,
      output.unlockTime.toString(),
      fromFlag(output.coinbase),
      fromFlag(output.change),
    );
    this.#markBurnt(output.publicKey);
    if (this.#forgetFrozen.run(output.txHash, output.outputIndex).changes > 0) this.setFrozen(output, true);
  }

  /** Freezes outputs as soon as they are found. */
  freezeUnseen(outputs: readonly OutputRef[]): void {
    const remember = this.db.prepare(
      'INSERT INTO frozen_output (tx_hash, output_index) VALUES (?, ?) ON CONFLICT DO NOTHING',
    );
    for (const { txHash, outputIndex } of outputs) remember.run(txHash, outputIndex);
  }

  /** Follows what is known now of who paid it. */
  setChange({ txHash, outputIndex, change }: OwnedOutput): void {
    this.db
      .prepare('UPDATE owned_output SET change = ? WHERE tx_hash = ? AND output_index = ?')
      .run(fromFlag(change), txHash, outputIndex);
  }

  setFrozen({ txHash, outputIndex }: OutputRef, frozen: boolean): void {
    this.#setFrozen.run(fromFlag(frozen), txHash, outputIndex);
  }

  /** Whatever spent it, according to the wallet, did not. */
  markUnspent({ txHash, outputIndex }: OutputRef): void {
    this.db
      .prepare(
        'UPDATE owned_output SET spent_by = NULL, spent_height = NULL WHERE tx_hash = ? AND output_index = ?',
      )
      .run(txHash, outputIndex);
  }

  /** A transaction that the wallet has not seen spends it. @param mined in a block, not in the pool. */
  markSpentByUnknown({ txHash, outputIndex }: OutputRef, mined: boolean): void {
    this.db
      .prepare(
        `UPDATE owned_output SET spent_by = zeroblob(32), spent_height = ?
         WHERE tx_hash = ? AND output_index = ? AND spent_by IS NULL`,
      )
      .run(mined ? 0 : null, txHash, outputIndex);
  }

  /** Of outputs with one key only the largest can be spent. */
  #markBurnt(publicKey: PublicKey): void {
    if (this.#countKey.get(publicKey)?.count === 1) return;
    this.#sameKey
      .all(publicKey)
      .forEach((row, i) => this.#setBurnt.run(fromFlag(i > 0), row.tx_hash, toNumber(row.output_index)));
  }

  /** @param keyImage of every output with the key. */
  setKeyImage(publicKey: PublicKey, keyImage: KeyImage): void {
    this.db.prepare('UPDATE owned_output SET key_image = ? WHERE public_key = ?').run(keyImage, publicKey);
  }

  /** What a transaction of ours paid back to the account is no income. */
  markChange(txHash: Hash, account: number): void {
    this.db
      .prepare('UPDATE owned_output SET change = 1 WHERE tx_hash = ? AND account = ?')
      .run(txHash, account);
  }

  markSpent({ keyImage, txHash, height }: FoundSpend): void {
    this.#spend.run(txHash, height, keyImage);
  }

  /** @throws Error when one is spent or reserved already. */
  reserve(outputs: readonly OutputRef[], txHash: Hash): void {
    for (const output of outputs)
      if (this.#reserve.run(txHash, output.txHash, output.outputIndex).changes !== 1)
        throw new Error('an output to be reserved is not free');
  }

  /** {@link reserve} for a payment that another wallet with our keys made. Those spent already stay as they are. */
  reserveByKeyImages(keyImages: readonly KeyImage[], txHash: Hash): void {
    const reserve = this.db.prepare(
      'UPDATE owned_output SET spent_by = ? WHERE key_image = ? AND spent_by IS NULL',
    );
    for (const keyImage of keyImages) reserve.run(txHash, keyImage);
  }

  /** Frees what an unconfirmed payment reserved. */
  release(txHash: Hash): void {
    this.#release.run(txHash);
  }

  /**
   * Forgets outputs of blocks from one height to another, and spends there; keys that were shared are judged
   * anew. What was frozen is so when it is found again.
   * @param freeInputs else a payment that can be relayed again keeps its inputs.
   */
  detach(from: number, to: number, freeInputs = false): void {
    this.#rememberFrozen.run(from, to);
    const lost = this.#keysBetween.all(from, to);
    this.#drop.run(from, to);
    for (const key of lost) {
      const [first] = this.#sameKey.all(key);
      if (first !== undefined) this.#setBurnt.run(0, first.tx_hash, toNumber(first.output_index));
    }
    this.#unspend[freeInputs ? 'all' : 'unpaid'].run(from, to);
  }
}
