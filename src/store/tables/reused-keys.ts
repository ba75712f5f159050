import type { Hash, PublicKey } from '../../monero/crypto/types.js';
import { creditsOf, type KeyOutput, type KeySpend } from '../../monero/wallet/scan/reused-keys.js';
import { toAmount, toBytes, toFlag, toNumber, type Integer, indexedKey, keyEquals } from './columns.js';
import type { SqlDatabase, SqlParameter } from '../../util/sql-database.js';
import { CHAIN_ORDER, isUnknownSpend, REUSED, type OutputRow } from './output-row.js';

const COLUMNS = `tx_hash, output_index, global_index, amount, change, height, burnt, frozen, spent_by, spent_height,
  spent_index, taken, credited, first_height, first_index`;

/** Row with the columns of {@link COLUMNS}. */
interface KeyRow extends Pick<
  OutputRow,
  | 'output_index'
  | 'global_index'
  | 'amount'
  | 'change'
  | 'height'
  | 'burnt'
  | 'frozen'
  | 'spent_height'
  | 'credited'
> {
  readonly tx_hash: Uint8Array;
  readonly spent_by: Uint8Array | null;
  readonly spent_index: Integer | null;
  readonly first_height: Integer | null;
  readonly first_index: Integer | null;
  readonly taken: Integer;
}

/** Values of the derived columns, in this order. */
type Derived = readonly [
  credited: bigint | null,
  burnt: bigint,
  frozen: bigint,
  firstHeight: bigint | null,
  firstIndex: bigint | null,
];

/** Spend of a key, which any output with this key may store. */
interface StoredSpend {
  readonly spent_by: Uint8Array;
  readonly spent_height: Integer | null;
  readonly spent_index: Integer | null;
}

/** Sums of the outputs that a mined payment spends [atomic units]. */
interface Inputs {
  /** Sum that the payment's record has. */
  readonly recorded: bigint;
  /** Sum of the effective outputs. */
  readonly effective: bigint;
}

interface SavedSpend extends StoredSpend {
  readonly public_key: Uint8Array;
}

/** A reused key with its spend, if one of its outputs stores it. */
type ReusedKeyRow = SavedSpend | (Omit<SavedSpend, 'spent_by'> & { readonly spent_by: null });

/**
 * Callback that is called before the credited amount of an output, or the sum of a payment's inputs, changes.
 * @param txHash transaction of the output, or the payment.
 */
export type OnCredit = (txHash: Hash) => void;

/** Reused keys of outputs that are about to be removed, and the spends of these keys. */
export interface SavedSpends {
  readonly keys: readonly PublicKey[];
  readonly spends: readonly SavedSpend[];
}

/**
 * Computes the derived columns of outputs with reused keys from the outputs' order in the chain, independently of the
 * order in which they were found.
 */
export class ReusedKeys {
  readonly #db: SqlDatabase;
  readonly #onCredit: OnCredit;

  constructor(db: SqlDatabase, onCredit: OnCredit = () => undefined) {
    this.#db = db;
    this.#onCredit = onCredit;
  }

  /** Computes the derived columns of the outputs with a key. Takes little time if there is at most one such output. */
  recompute(publicKey: Uint8Array): void {
    const outputs = this.#outputsOf(publicKey);
    const [first] = outputs;
    if (first === undefined) return;
    const spentOutput = outputs.find(({ spent_by }) => spent_by !== null);
    const { credited, effectiveIndex: held } = creditsOf(
      outputs.map(toKeyOutput),
      spentOutput && minedSpend(spentOutput),
    );
    const frozen = BigInt(outputs.some((row) => toFlag(row.frozen)));
    outputs.forEach((row, i) => {
      const share = credited[i] ?? row.amount;
      const moved = i === held && row !== first;
      const now: Derived = [
        share === row.amount ? null : share,
        BigInt(i !== held),
        frozen,
        moved ? first.height : null,
        moved ? first.global_index : null,
      ];
      const before: Derived = [row.credited, row.burnt, row.frozen, row.first_height, row.first_index];
      if (now[0] !== before[0]) this.#onCredit(toBytes<'Hash'>(row.tx_hash));
      if (now.some((value, column) => value !== before[column]))
        this.#db.run(
          `UPDATE owned_output SET credited = ?, burnt = ?, frozen = ?, first_height = ?, first_index = ?
       WHERE tx_hash = ? AND output_index = ?`,
          ...now,
          row.tx_hash,
          row.output_index,
        );
      const gained = share - (row.credited ?? row.amount);
      // Payments that this wallet made keep the change that was recorded when they were made.
      if (gained !== 0n && toFlag(row.change))
        this.#db.run(
          `UPDATE outgoing_tx SET change = change + ?
       WHERE tx_hash = ? AND tx_hash NOT IN (SELECT tx_hash FROM tx_secret_key)`,
          gained,
          row.tx_hash,
        );
      if (row.spent_by !== null && i !== held) this.#put(row, undefined);
    });
    const heldOutput = outputs[held];
    if (spentOutput === undefined || heldOutput === undefined) return;
    if (heldOutput !== spentOutput) this.#put(heldOutput, spentOutput);
    this.#sumInputs(spentOutput.spent_by);
  }

  /** Records the sum of the outputs that a mined payment spends, if another of several outputs is effective now. */
  #sumInputs(txHash: Uint8Array | null): void {
    if (txHash === null) return;
    const inputs = this.#db.bigints.row<Inputs>(
      `SELECT amount_in AS recorded, (SELECT sum(amount) FROM owned_output WHERE spent_by = outgoing_tx.tx_hash) AS effective
       FROM outgoing_tx WHERE tx_hash = ? AND height IS NOT NULL`,
      txHash,
    );
    if (inputs === undefined || inputs.effective === inputs.recorded) return;
    this.#onCredit(toBytes<'Hash'>(txHash));
    this.#db.run('UPDATE outgoing_tx SET amount_in = ? WHERE tx_hash = ?', inputs.effective, txHash);
  }

  /** Calls {@link recompute} for each reused key in the rows from the given row number on. */
  recomputeSince(rowid: number | bigint): void {
    // The condition compares the indexed first 8 bytes only. It may also hold for different keys, which takes time but
    // changes nothing.
    const isShared = `EXISTS (SELECT 1 FROM owned_output AS other
      WHERE ${indexedKey('other.public_key')} = ${indexedKey('owned_output.public_key')}
        AND other.rowid <> owned_output.rowid)`;
    for (const key of this.#keys(`rowid >= ? AND ${isShared}`, rowid)) this.recompute(key);
  }

  /** Calls {@link recompute} for every reused key. */
  recomputeAll(): void {
    for (const key of this.#keys('burnt = 1')) this.recompute(key);
  }

  /** Calls {@link recompute} for the reused key that has a given key image, if there is such a key. */
  recomputeKeyImage(keyImage: Uint8Array): void {
    const key = this.#db.value<Uint8Array>(
      `SELECT public_key FROM owned_output WHERE ${keyEquals('key_image', '?')} AND burnt = 1 LIMIT 1`,
      keyImage,
      keyImage,
    );
    if (key !== undefined) this.recompute(key);
  }

  /** Returns the reused keys that an unmined transaction spends. */
  reservedBy(txHash: Uint8Array): Uint8Array[] {
    return this.#keys(`spent_by = ? AND spent_height IS NULL AND ${REUSED}`, txHash);
  }

  /** Returns the reused keys that are spent in blocks at the heights from `from` to `to`, both inclusive. */
  spentBetween(from: number, to: number): Uint8Array[] {
    return this.#keys(`spent_height BETWEEN ? AND ? AND ${REUSED}`, from, to);
  }

  /**
   * Reads reused keys and their spends before the outputs of blocks are removed, to be passed to {@link restore}. Both
   * heights are inclusive.
   */
  saveBetween(from: number, to: number): SavedSpends {
    return this.#savedSpends(`height BETWEEN ? AND ? AND ${REUSED}`, from, to);
  }

  /**
   * Reads reused keys and their spends before the outputs of a transaction are removed, to be passed to {@link
   * restore}.
   */
  saveOfTx(txHash: Uint8Array): SavedSpends {
    return this.#savedSpends(`tx_hash = ? AND ${REUSED}`, txHash);
  }

  /**
   * Stores saved spends with remaining outputs that have the same keys, and computes the derived columns of these
   * outputs.
   */
  restore({ keys, spends }: SavedSpends): void {
    for (const spend of spends) {
      const outputs = this.#outputsOf(spend.public_key);
      const [first] = outputs;
      if (first !== undefined && outputs.every(({ spent_by }) => spent_by === null)) this.#put(first, spend);
    }
    for (const key of keys) this.recompute(key);
  }

  /** Returns the outputs with a key, in the order of the chain. */
  #outputsOf(publicKey: Uint8Array): KeyRow[] {
    return this.#db.bigints.rows<KeyRow>(
      `SELECT ${COLUMNS} FROM owned_output WHERE ${keyEquals('public_key', '?')} ${CHAIN_ORDER}`,
      publicKey,
      publicKey,
    );
  }

  /** Returns the keys of the outputs that meet an SQL condition, each once. */
  #keys(condition: string, ...params: readonly SqlParameter[]): Uint8Array[] {
    return this.#db.values<Uint8Array>(
      `SELECT DISTINCT public_key FROM owned_output WHERE ${condition}`,
      ...params,
    );
  }

  /** Returns the keys of the outputs that meet an SQL condition, with their spends. */
  #savedSpends(condition: string, ...params: readonly SqlParameter[]): SavedSpends {
    const rows = this.#db.bigints.rows<ReusedKeyRow>(
      `SELECT public_key, spent_by, spent_height, spent_index FROM owned_output WHERE ${condition}`,
      ...params,
    );
    return {
      keys: rows.map(({ public_key }) => toBytes<'PublicKey'>(public_key)),
      spends: rows.filter((row): row is SavedSpend => row.spent_by !== null),
    };
  }

  /** Stores a spend with an output. @param spend undefined: removes the stored spend. */
  #put({ tx_hash, output_index }: KeyRow, spend: StoredSpend | KeyRow | undefined): void {
    const { spent_by = null, spent_height = null, spent_index = null } = spend ?? {};
    this.#db.run(
      `UPDATE owned_output SET spent_by = ?, spent_height = ?, spent_index = ?, taken = ?
       WHERE tx_hash = ? AND output_index = ?`,
      spent_by,
      spent_height,
      spent_index,
      0,
      tx_hash,
      output_index,
    );
  }
}

const toKeyOutput = (row: KeyRow): KeyOutput => ({
  txHash: toBytes<'Hash'>(row.tx_hash),
  amount: toAmount(row.amount),
  height: toNumber(row.height),
  globalIndex: toNumber(row.global_index),
  taken: row.spent_by !== null && toFlag(row.taken),
});

/** Returns the mined spend of an output; undefined if the spend is unmined or its transaction was not seen. */
function minedSpend({ spent_by, spent_height, spent_index }: KeyRow): KeySpend | undefined {
  if (spent_by === null || spent_height === null || isUnknownSpend(spent_by)) return undefined;
  return {
    txHash: toBytes<'Hash'>(spent_by),
    height: toNumber(spent_height),
    ...(spent_index === null ? {} : { globalIndex: toNumber(spent_index) }),
  };
}
