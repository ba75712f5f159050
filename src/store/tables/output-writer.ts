import { intToBytes } from '../../monero/crypto/scalar.js';
import type { Hash, KeyImage, PublicKey } from '../../monero/crypto/types.js';
import type { FoundSpend, OwnedOutput } from '../../monero/wallet/scan/findings.js';
import { toCarrotColumn } from './carrot-column.js';
import { fromFlag, toColumn, keyEquals } from './columns.js';
import type { RunResult, SqlDatabase } from '../../util/sql-database.js';
import { OutputSums } from './balances.js';
import type { OutputRef } from '../../monero/wallet/select/spendable-outputs.js';
import { OutputReader } from './outputs.js';
import { ReusedKeys, type OnCredit, type SavedSpends } from './reused-keys.js';

/** Writes outputs. As every writer, it exists only for the task of `WalletStore.write`. */
export class OutputWriter extends OutputReader {
  readonly #sums: OutputSums;
  readonly #reused: ReusedKeys;

  constructor(db: SqlDatabase, onCredit?: OnCredit) {
    super(db);
    this.#sums = new OutputSums(db);
    this.#reused = new ReusedKeys(db, onCredit);
  }

  add(output: OwnedOutput): void {
    this.addAll([output]);
  }

  /** Adds outputs. If many outputs have the same key, this takes less time than {@link add} for each output. */
  addAll(outputs: readonly OwnedOutput[]): void {
    const [first, ...others] = outputs;
    if (first === undefined) return;
    const { lastInsertRowid } = this.#insertRow(first);
    for (const output of others) this.#insertRow(output);
    this.#sums.add(outputs);
    this.#reused.recomputeSince(lastInsertRowid);
    if (this.db.row('SELECT 1 FROM frozen_output LIMIT 1') === undefined) return;
    for (const output of outputs) if (this.#takeFrozen(output)) this.setFrozen(output, true);
  }

  /** Removes an output from the outputs that are to be frozen. @returns true if the output was to be frozen. */
  #takeFrozen({ txHash, outputIndex }: OutputRef): boolean {
    const { changes } = this.db.run(
      'DELETE FROM frozen_output WHERE tx_hash = ? AND output_index = ?',
      txHash,
      outputIndex,
    );
    return changes > 0;
  }

  /** Inserts the row of an output, with a copy of the size of its transaction, which is stored. */
  #insertRow(output: OwnedOutput): RunResult {
    return this.db.run(
      `INSERT INTO owned_output (tx_hash, output_index, global_index, public_key, key_image, amount, mask, rct, account,
         minor, derivation_key, height, unlock_time, coinbase, change, carrot, tx_size)
       VALUES (?, ?, ?, ?, coalesce(?, (SELECT key_image FROM told_key_image WHERE public_key = ?)),
         ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, (SELECT size FROM received_tx WHERE tx_hash = ?))`,
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
      output.carrot === undefined ? null : toCarrotColumn(output.carrot),
      output.txHash,
    );
  }

  /** Records outputs that are to be frozen as soon as they are found in the chain. */
  freezeUnseen(outputs: readonly OutputRef[]): void {
    for (const { txHash, outputIndex } of outputs)
      this.db.run(
        'INSERT INTO frozen_output (tx_hash, output_index) VALUES (?, ?) ON CONFLICT DO NOTHING',
        txHash,
        outputIndex,
      );
  }

  /** Updates whether an output is change, which depends on the recognised inputs of its transaction. */
  setChange({ txHash, outputIndex, change }: OwnedOutput): void {
    this.db.run(
      'UPDATE owned_output SET change = ? WHERE tx_hash = ? AND output_index = ?',
      fromFlag(change),
      txHash,
      outputIndex,
    );
  }

  /** Freezes or thaws all outputs that have the same key as the given output. */
  setFrozen({ txHash, outputIndex }: OutputRef, frozen: boolean): void {
    this.db.run(
      `UPDATE owned_output SET frozen = :frozen
       FROM (SELECT public_key AS frozen_key FROM owned_output WHERE tx_hash = :txHash AND output_index = :outputIndex)
       WHERE ${keyEquals('public_key', 'frozen_key')}`,
      { frozen: fromFlag(frozen), txHash, outputIndex },
    );
  }

  /** Removes the recorded spend of an output. */
  markUnspent({ txHash, outputIndex, publicKey }: OutputRef & Pick<OwnedOutput, 'publicKey'>): void {
    this.db.run(
      `UPDATE owned_output SET spent_by = NULL, spent_height = NULL, spent_index = NULL, taken = 0
         WHERE tx_hash = ? AND output_index = ?`,
      txHash,
      outputIndex,
    );
    this.#reused.recompute(publicKey);
  }

  /**
   * Marks the effective output with a key as spent by a transaction that the wallet has not seen.
   * @param mined true in a block, false in the mempool.
   */
  markSpentByUnknown({ publicKey }: Pick<OwnedOutput, 'publicKey'>, mined: boolean): void {
    this.db.run(
      `UPDATE owned_output SET spent_by = zeroblob(32), spent_height = :height, taken = 1
         WHERE ${keyEquals('public_key', ':publicKey')} AND spent_by IS NULL AND burnt = 0`,
      { height: mined ? 0 : null, publicKey },
    );
  }

  /** Sets the key image of all outputs with a key. @param keyImage undefined: the key image is not known. */
  setKeyImage(publicKey: PublicKey, keyImage: KeyImage | undefined): void {
    this.db.run(
      `UPDATE owned_output SET key_image = :keyImage WHERE ${keyEquals('public_key', ':publicKey')}`,
      { keyImage: keyImage ?? null, publicKey },
    );
  }

  /** Marks the outputs of a transaction that return to the paying account as change, and no other outputs. */
  markChange(txHash: Hash, account: number): void {
    this.db.run('UPDATE owned_output SET change = account = ? WHERE tx_hash = ?', account, txHash);
  }

  /** Marks the outputs of a transaction as income, because the wallet did not make this payment. */
  unmarkChange(txHash: Hash): void {
    this.db.run('UPDATE owned_output SET change = 0 WHERE tx_hash = ?', txHash);
  }

  /**
   * Returns the global index of an output of the transaction that spends the given output; undefined if the index is
   * not known.
   */
  spentIndex({ txHash, outputIndex }: OutputRef): number | undefined {
    const index = this.db.value<number | null>(
      'SELECT spent_index FROM owned_output WHERE tx_hash = ? AND output_index = ?',
      txHash,
      outputIndex,
    );
    return index ?? undefined;
  }

  markSpent({ keyImage, txHash, height, globalIndex }: FoundSpend): void {
    // The column `taken` keeps its value if the same payment had already reserved the output.
    this.db.run(
      `UPDATE owned_output SET spent_by = :txHash, spent_height = :height, spent_index = :globalIndex,
         taken = taken AND spent_by IS :txHash
       WHERE ${keyEquals('key_image', ':keyImage')} AND burnt = 0`,
      { keyImage, txHash, height, globalIndex: globalIndex ?? null },
    );
    this.#reused.recomputeKeyImage(keyImage);
  }

  /** Reserves outputs for an unmined payment. @throws Error if an output is already spent or reserved. */
  reserve(outputs: readonly OutputRef[], txHash: Hash): void {
    for (const output of outputs) {
      const { changes } = this.db.run(
        `UPDATE owned_output SET spent_by = ?, taken = 1
         WHERE tx_hash = ? AND output_index = ? AND spent_by IS NULL AND burnt = 0`,
        txHash,
        output.txHash,
        output.outputIndex,
      );
      if (changes !== 1) throw new Error('an output to be reserved is not free');
    }
  }

  /**
   * Reserves an output that was found again for the unmined payment that spends it, unless its key is spent. A larger
   * output with the same key may have been found together with it, which the payment does not spend.
   */
  reserveAgain(output: OutputRef & Pick<OwnedOutput, 'publicKey'>, txHash: Hash): void {
    if (this.byPublicKey(output.publicKey)?.spentBy !== undefined) return;
    this.db.run(
      'UPDATE owned_output SET spent_by = ?, taken = 1 WHERE tx_hash = ? AND output_index = ?',
      txHash,
      output.txHash,
      output.outputIndex,
    );
    this.#reused.recompute(output.publicKey);
  }

  /**
   * Reserves outputs for a payment by their key images. Outputs that another known payment spends stay unchanged.
   * @param seen true if the mempool contains the payment, which then cannot spend outputs with the same keys that
   * appear later.
   */
  reserveByKeyImages(
    keyImages: readonly KeyImage[],
    txHash: Hash,
    { seen }: { readonly seen: boolean },
  ): void {
    // `seen`: the mempool contains the payment, so no other transaction spends its inputs. A recorded spend by an
    // unseen transaction is replaced.
    const isFree = seen ? '(spent_by IS NULL OR spent_by = zeroblob(32))' : 'spent_by IS NULL';
    for (const keyImage of keyImages)
      this.db.run(
        `UPDATE owned_output SET spent_by = :txHash, spent_height = NULL, taken = :taken
         WHERE ${keyEquals('key_image', ':keyImage')} AND ${isFree} AND burnt = 0`,
        { txHash, taken: fromFlag(seen), keyImage },
      );
  }

  /** Frees the outputs that an unconfirmed payment reserved. */
  release(txHash: Hash): void {
    const reused = this.#reused.reservedBy(txHash);
    this.db.run(
      'UPDATE owned_output SET spent_by = NULL, taken = 0 WHERE spent_by = ? AND spent_height IS NULL',
      txHash,
    );
    for (const key of reused) this.#reused.recompute(key);
  }

  /** Removes the outputs of a transaction. If frozen outputs are found again, they are frozen again. */
  removeTx(txHash: Hash): void {
    this.freezeUnseen(this.ofTx(txHash).filter(({ frozen }) => frozen));
    this.#remove(this.#reused.saveOfTx(txHash), () =>
      this.db.run('DELETE FROM owned_output WHERE tx_hash = ?', txHash),
    );
  }

  /**
   * Deletes the outputs and spends in the blocks at the heights from `from` to `to`, both inclusive. If frozen outputs
   * are found again, they are frozen again.
   * @param freeInputs true: also frees the inputs of payments that can be relayed again.
   */
  detach(from: number, to: number, freeInputs = false): void {
    this.db.run(
      `INSERT INTO frozen_output (tx_hash, output_index)
         SELECT tx_hash, output_index FROM owned_output WHERE height BETWEEN ? AND ? AND frozen = 1
       ON CONFLICT DO NOTHING`,
      from,
      to,
    );
    const unspent = this.#reused.spentBetween(from, to);
    this.#unspend(from, to, freeInputs);
    this.#remove(this.#reused.saveBetween(from, to), () =>
      this.db.run('DELETE FROM owned_output WHERE height BETWEEN ? AND ?', from, to),
    );
    for (const key of unspent) this.#reused.recompute(key);
  }

  #unspend(from: number, to: number, freeInputs: boolean): void {
    const spentBy = freeInputs
      ? 'NULL'
      : '(SELECT tx_hash FROM outgoing_tx WHERE tx_hash = spent_by AND blob IS NOT NULL)';
    this.db.run(
      `UPDATE owned_output SET spent_height = NULL, spent_index = NULL, spent_by = ${spentBy},
         taken = taken AND ${spentBy} IS NOT NULL
       WHERE spent_height BETWEEN ? AND ?`,
      from,
      to,
    );
  }

  /** Computes the credited amounts of all outputs with reused keys again. */
  recomputeReusedKeys(): void {
    this.#reused.recomputeAll();
  }

  #remove(saved: SavedSpends, remove: () => void): void {
    remove();
    this.#reused.restore(saved);
  }
}
