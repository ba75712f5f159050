import type { Statement } from '../../util/sql-database.js';
import type { Hash, PublicKey } from '../../monero/crypto/types.js';
import { creditsOf, type KeyOutput, type KeySpend } from '../../monero/wallet/scan/reused-keys.js';
import { toAmount, toBytes, toFlag, toNumber, type Integer } from '../sql/columns.js';
import type { Db } from '../file/database.js';
import { indexedKey, keyEquals } from '../sql/key-index.js';
import { CHAIN_ORDER, isUnknownSpend, REUSED, type OutputRow } from './output-row.js';

const COLUMNS = [
  'tx_hash',
  'output_index',
  'global_index',
  'amount',
  'change',
  'height',
  'burnt',
  'frozen',
  'spent_by',
  'spent_height',
  'spent_index',
  'taken',
  'credited',
  'first_height',
  'first_index',
] as const;

type KeyRow = Pick<
  OutputRow,
  Exclude<
    (typeof COLUMNS)[number],
    'tx_hash' | 'spent_by' | 'spent_index' | 'taken' | 'first_height' | 'first_index'
  >
> & {
  readonly tx_hash: Uint8Array;
  readonly spent_by: Uint8Array | null;
  readonly spent_index: Integer | null;
  readonly first_height: Integer | null;
  readonly first_index: Integer | null;
  readonly taken: Integer;
};

/** Values of the derived columns, in this order. */
type Derived = readonly [
  credited: bigint | null,
  burnt: bigint,
  frozen: bigint,
  firstHeight: bigint | null,
  firstIndex: bigint | null,
];

/** Spend of a key; any one of the outputs with that key may store it. */
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
 * Computes the derived columns of outputs with reused keys from the outputs' order in the chain, whatever order they
 * were found in.
 */
export class ReusedKeys {
  readonly #onCredit: OnCredit;
  readonly #sharedSince: Statement<[number | bigint], Uint8Array>;
  readonly #outputs: Statement<[Uint8Array, Uint8Array], KeyRow>;
  readonly #update: Statement<unknown[]>;
  readonly #setSpend: Statement<unknown[]>;
  readonly #addChange: Statement<[bigint, Uint8Array]>;
  readonly #inputsOf: Statement<[Uint8Array], Inputs>;
  readonly #setInputs: Statement<[bigint, Uint8Array]>;
  readonly #all: Statement<[], Uint8Array>;
  readonly #byKeyImage: Statement<[Uint8Array, Uint8Array], Uint8Array>;
  readonly #reservedBy: Statement<[Uint8Array], Uint8Array>;
  readonly #spentBetween: Statement<[number, number], Uint8Array>;
  readonly #keysBetween: Statement<[number, number], SavedSpend>;
  readonly #keysOf: Statement<[Uint8Array], SavedSpend>;

  constructor(db: Db, onCredit: OnCredit = () => undefined) {
    this.#onCredit = onCredit;
    const rows = <P extends unknown[], Row>(sql: string): Statement<P, Row> =>
      db.prepare<P, Row>(sql).safeIntegers();
    const keys = <P extends unknown[]>(condition: string): Statement<P, Uint8Array> =>
      db.prepare<P, Uint8Array>(`SELECT DISTINCT public_key FROM owned_output WHERE ${condition}`).pluck();
    // The condition compares the indexed first 8 bytes only. It may also hold for different keys, which costs time but
    // changes nothing.
    const isShared = `EXISTS (SELECT 1 FROM owned_output AS other
      WHERE ${indexedKey('other.public_key')} = ${indexedKey('owned_output.public_key')}
        AND other.rowid <> owned_output.rowid)`;
    this.#sharedSince = keys<[number | bigint]>(`rowid >= ? AND ${isShared}`);
    this.#outputs = rows(
      `SELECT ${COLUMNS.join(', ')} FROM owned_output WHERE ${keyEquals('public_key', '?')} ${CHAIN_ORDER}`,
    );
    this.#update = db.prepare(
      `UPDATE owned_output SET credited = ?, burnt = ?, frozen = ?, first_height = ?, first_index = ?
       WHERE tx_hash = ? AND output_index = ?`,
    );
    this.#setSpend = db.prepare(
      `UPDATE owned_output SET spent_by = ?, spent_height = ?, spent_index = ?, taken = ?
       WHERE tx_hash = ? AND output_index = ?`,
    );
    // Payments that this wallet made keep the change that was recorded when they were made.
    this.#addChange = db.prepare(
      `UPDATE outgoing_tx SET change = change + ?
       WHERE tx_hash = ? AND tx_hash NOT IN (SELECT tx_hash FROM tx_secret_key)`,
    );
    this.#inputsOf = rows(
      `SELECT amount_in AS recorded, (SELECT sum(amount) FROM owned_output WHERE spent_by = outgoing_tx.tx_hash) AS effective
       FROM outgoing_tx WHERE tx_hash = ? AND height IS NOT NULL`,
    );
    this.#setInputs = db.prepare('UPDATE outgoing_tx SET amount_in = ? WHERE tx_hash = ?');
    this.#all = keys('burnt = 1');
    this.#byKeyImage = db
      .prepare<[Uint8Array, Uint8Array], Uint8Array>(
        `SELECT public_key FROM owned_output WHERE ${keyEquals('key_image', '?')} AND burnt = 1 LIMIT 1`,
      )
      .pluck();
    this.#reservedBy = keys(`spent_by = ? AND spent_height IS NULL AND ${REUSED}`);
    this.#spentBetween = keys(`spent_height BETWEEN ? AND ? AND ${REUSED}`);
    const spends = 'SELECT public_key, spent_by, spent_height, spent_index FROM owned_output WHERE';
    this.#keysBetween = rows(`${spends} height BETWEEN ? AND ? AND ${REUSED}`);
    this.#keysOf = rows(`${spends} tx_hash = ? AND ${REUSED}`);
  }

  /** Computes the derived columns of the outputs with a key. Takes little time if there is at most one such output. */
  recompute(publicKey: Uint8Array): void {
    const outputs = this.#outputs.all(publicKey, publicKey);
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
        this.#update.run(...now, row.tx_hash, row.output_index);
      const gained = share - (row.credited ?? row.amount);
      if (gained !== 0n && toFlag(row.change)) this.#addChange.run(gained, row.tx_hash);
      if (row.spent_by !== null && i !== held) this.#put(row, undefined);
    });
    const heldOutput = outputs[held];
    if (spentOutput === undefined || heldOutput === undefined) return;
    if (heldOutput !== spentOutput) this.#put(heldOutput, spentOutput);
    this.#sumInputs(spentOutput.spent_by);
  }

  /** Records the sum of the outputs that a mined payment spends, if another of several outputs is effective now. */
  #sumInputs(txHash: Uint8Array | null): void {
    const inputs = txHash === null ? undefined : this.#inputsOf.get(txHash);
    if (txHash === null || inputs === undefined || inputs.effective === inputs.recorded) return;
    this.#onCredit(toBytes<'Hash'>(txHash));
    this.#setInputs.run(inputs.effective, txHash);
  }

  /** Calls {@link recompute} for each reused key in the rows from the given row number on. */
  recomputeSince(rowid: number | bigint): void {
    for (const key of this.#sharedSince.all(rowid)) this.recompute(key);
  }

  /** Calls {@link recompute} for every reused key. */
  recomputeAll(): void {
    for (const key of this.#all.all()) this.recompute(key);
  }

  /** Calls {@link recompute} for the reused key that has a key image, if there is one. */
  recomputeKeyImage(keyImage: Uint8Array): void {
    const key = this.#byKeyImage.get(keyImage, keyImage);
    if (key !== undefined) this.recompute(key);
  }

  /** Returns the reused keys that an unmined transaction spends. */
  reservedBy(txHash: Uint8Array): Uint8Array[] {
    return this.#reservedBy.all(txHash);
  }

  /** Returns the reused keys that are spent in blocks at the heights from `from` to `to`, both inclusive. */
  spentBetween(from: number, to: number): Uint8Array[] {
    return this.#spentBetween.all(from, to);
  }

  /**
   * Reads reused keys and their spends before the outputs of blocks are removed, to be passed to {@link restore}. Both
   * heights are inclusive.
   */
  saveBetween(from: number, to: number): SavedSpends {
    return savedSpends(this.#keysBetween.all(from, to));
  }

  /**
   * Reads reused keys and their spends before the outputs of a transaction are removed, to be passed to {@link
   * restore}.
   */
  saveOfTx(txHash: Uint8Array): SavedSpends {
    return savedSpends(this.#keysOf.all(txHash));
  }

  /**
   * Stores saved spends with remaining outputs that have the same keys, and computes the derived columns of these
   * outputs.
   */
  restore({ keys, spends }: SavedSpends): void {
    for (const spend of spends) {
      const outputs = this.#outputs.all(spend.public_key, spend.public_key);
      const [first] = outputs;
      if (first !== undefined && outputs.every(({ spent_by }) => spent_by === null)) this.#put(first, spend);
    }
    for (const key of keys) this.recompute(key);
  }

  /** Stores a spend with an output. @param spend undefined: removes the stored spend. */
  #put({ tx_hash, output_index }: KeyRow, spend: StoredSpend | KeyRow | undefined): void {
    const { spent_by = null, spent_height = null, spent_index = null } = spend ?? {};
    this.#setSpend.run(spent_by, spent_height, spent_index, 0, tx_hash, output_index);
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

const savedSpends = (
  rows: readonly (SavedSpend | (Omit<SavedSpend, 'spent_by'> & { spent_by: null }))[],
): SavedSpends => ({
  keys: rows.map(({ public_key }) => toBytes<'PublicKey'>(public_key)),
  spends: rows.filter((row): row is SavedSpend => row.spent_by !== null),
});
