import type { Statement } from 'better-sqlite3';
import { intToBytes } from '../../crypto/scalar.js';
import type { Hash, KeyImage, PublicKey } from '../../crypto/types.js';
import type { FoundSpend, OwnedOutput } from '../../wallet/model/records.js';
import { fromFlag, toColumn } from '../sql/columns.js';
import type { Db } from '../file/database.js';
import { OutputReader, type OutputRef } from './outputs.js';
import { ReusedKeys, type KeptKeys } from './reused-keys.js';

type SpendColumns = Omit<FoundSpend, 'globalIndex'> & { readonly globalIndex: number | null };

/** Handed out by `WalletStore.write` alone, as every writer. */
export class OutputWriter extends OutputReader {
  readonly #insert: Statement<unknown[]>;
  readonly #reused: ReusedKeys;
  readonly #spend: Statement<[SpendColumns]>;
  readonly #reserve: Statement<[Uint8Array, Uint8Array, number]>;
  readonly #release: Statement<[Uint8Array]>;
  readonly #forgetFrozen: Statement<[Uint8Array, number]>;
  readonly #setFrozen: Statement<[number, Uint8Array, number]>;
  readonly #rememberFrozen: Statement<[number, number]>;
  readonly #drop: Statement<[number, number]>;
  readonly #dropTx: Statement<[Uint8Array]>;
  readonly #unspend: Record<'all' | 'unpaid', Statement<[number, number]>>;

  constructor(db: Db) {
    super(db);
    this.#insert = db.prepare(
      `INSERT INTO owned_output (tx_hash, output_index, global_index, public_key, key_image, amount, mask, rct, account,
         minor, derivation_key, height, unlock_time, coinbase, change)
       VALUES (?, ?, ?, ?, coalesce(?, (SELECT key_image FROM told_key_image WHERE public_key = ?)),
         ${Array(10).fill('?').join(', ')})`,
    );
    this.#reused = new ReusedKeys(db);
    // A payment that was known before stays with the output that it took.
    this.#spend = db.prepare(
      `UPDATE owned_output SET spent_by = :txHash, spent_height = :height, spent_index = :globalIndex,
         taken = taken AND spent_by IS :txHash
       WHERE key_image = :keyImage AND burnt = 0`,
    );
    this.#reserve = db.prepare(
      `UPDATE owned_output SET spent_by = ?, taken = 1
       WHERE tx_hash = ? AND output_index = ? AND spent_by IS NULL AND burnt = 0`,
    );
    this.#release = db.prepare(
      'UPDATE owned_output SET spent_by = NULL, taken = 0 WHERE spent_by = ? AND spent_height IS NULL',
    );
    this.#forgetFrozen = db.prepare('DELETE FROM frozen_output WHERE tx_hash = ? AND output_index = ?');
    this.#setFrozen = db.prepare(
      `UPDATE owned_output SET frozen = ?
       WHERE public_key = (SELECT public_key FROM owned_output WHERE tx_hash = ? AND output_index = ?)`,
    );
    this.#rememberFrozen = db.prepare(
      `INSERT INTO frozen_output (tx_hash, output_index)
         SELECT tx_hash, output_index FROM owned_output WHERE height BETWEEN ? AND ? AND frozen = 1
       ON CONFLICT DO NOTHING`,
    );
    this.#drop = db.prepare('DELETE FROM owned_output WHERE height BETWEEN ? AND ?');
    this.#dropTx = db.prepare('DELETE FROM owned_output WHERE tx_hash = ?');
    const unspend = (spentBy: string): Statement<[number, number]> =>
      db.prepare(
        `UPDATE owned_output SET spent_height = NULL, spent_index = NULL, spent_by = ${spentBy},
           taken = taken AND ${spentBy} IS NOT NULL
         WHERE spent_height BETWEEN ? AND ?`,
      );
    this.#unspend = {
      all: unspend('NULL'),
      unpaid: unspend('(SELECT tx_hash FROM outgoing_tx WHERE tx_hash = spent_by AND blob IS NOT NULL)'),
    };
  }

  add(output: OwnedOutput): void {
    this.addAll([output]);
  }

  /** Cheaper than one by one where many of them are on one key. */
  addAll(outputs: readonly OwnedOutput[]): void {
    for (const output of outputs) this.#insertRow(output);
    this.#reused.settleEach(outputs.map(({ publicKey }) => publicKey));
    for (const output of outputs)
      if (this.#forgetFrozen.run(output.txHash, output.outputIndex).changes > 0) this.setFrozen(output, true);
  }

  #insertRow(output: OwnedOutput): void {
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

  /** Freezes or thaws every output on the key: one of them stands for all. */
  setFrozen({ txHash, outputIndex }: OutputRef, frozen: boolean): void {
    this.#setFrozen.run(fromFlag(frozen), txHash, outputIndex);
  }

  /** Whatever spent it, according to the wallet, did not. */
  markUnspent({ txHash, outputIndex, publicKey }: OwnedOutput): void {
    this.db
      .prepare(
        `UPDATE owned_output SET spent_by = NULL, spent_height = NULL, spent_index = NULL, taken = 0
         WHERE tx_hash = ? AND output_index = ?`,
      )
      .run(txHash, outputIndex);
    this.#reused.settleEach([publicKey]);
  }

  /** A transaction that the wallet has not seen spends it. @param mined in a block, not in the pool. */
  markSpentByUnknown({ txHash, outputIndex }: OutputRef, mined: boolean): void {
    this.db
      .prepare(
        `UPDATE owned_output SET spent_by = zeroblob(32), spent_height = ?, taken = 1
         WHERE tx_hash = ? AND output_index = ? AND spent_by IS NULL AND burnt = 0`,
      )
      .run(mined ? 0 : null, txHash, outputIndex);
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

  markSpent({ keyImage, txHash, height, globalIndex }: FoundSpend): void {
    this.#spend.run({ keyImage, txHash, height, globalIndex: globalIndex ?? null });
    this.#reused.settleKeyImage(keyImage);
  }

  /** @throws Error when one is spent or reserved already. */
  reserve(outputs: readonly OutputRef[], txHash: Hash): void {
    for (const output of outputs)
      if (this.#reserve.run(txHash, output.txHash, output.outputIndex).changes !== 1)
        throw new Error('an output to be reserved is not free');
  }

  /**
   * Reserves outputs for a payment by their key images. Those spent already stay as they are.
   * @param seen the payment is in the pool: later outputs on its keys cannot be what it spends.
   */
  reserveByKeyImages(
    keyImages: readonly KeyImage[],
    txHash: Hash,
    { seen }: { readonly seen: boolean },
  ): void {
    const reserve = this.db.prepare(
      'UPDATE owned_output SET spent_by = ?, taken = ? WHERE key_image = ? AND spent_by IS NULL AND burnt = 0',
    );
    for (const keyImage of keyImages) reserve.run(txHash, fromFlag(seen), keyImage);
  }

  /** Frees what an unconfirmed payment reserved. */
  release(txHash: Hash): void {
    const reused = this.#reused.heldBackBy(txHash);
    this.#release.run(txHash);
    for (const key of reused) this.#reused.settle(key);
  }

  /** Removes the outputs of a transaction. The ones that were frozen are frozen when they are found again. */
  removeTx(txHash: Hash): void {
    this.freezeUnseen(this.ofTx(txHash).filter(({ frozen }) => frozen));
    this.#remove(this.#reused.ofTx(txHash), () => this.#dropTx.run(txHash));
  }

  /**
   * Forgets outputs of blocks from one height to another, and spends there. What was frozen is so when it is found
   * again.
   * @param freeInputs else a payment that can be relayed again keeps its inputs.
   */
  detach(from: number, to: number, freeInputs = false): void {
    this.#rememberFrozen.run(from, to);
    const unspent = this.#reused.spentBetween(from, to);
    this.#unspend[freeInputs ? 'all' : 'unpaid'].run(from, to);
    this.#remove(this.#reused.between(from, to), () => this.#drop.run(from, to));
    for (const key of unspent) this.#reused.settle(key);
  }

  /** Derives the shares of all outputs on reused keys anew. */
  settleReusedKeys(): void {
    this.#reused.settleAll();
  }

  #remove(kept: KeptKeys, remove: () => void): void {
    remove();
    this.#reused.restore(kept);
  }
}
