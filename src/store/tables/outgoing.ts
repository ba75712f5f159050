import type { Hash } from '../../monero/crypto/types.js';
import { SETTLED_DEPTH, type FoundOutgoing } from '../../monero/wallet/scan/findings.js';
import type { Destination, OutgoingState, OutgoingTx } from '../../monero/wallet/build/outgoing-tx.js';
import type { PaymentFacts } from '../../monero/wallet/reference-cache/imported-wallet.js';
import { toAmount, toBytes, toColumn, toNumber, type Integer } from './columns.js';
import type { SqlDatabase, SqlParameter } from '../../util/sql-database.js';
import { divide, type Division, type HeightRange } from './pages.js';
import { OF_ORDER } from './orders.js';
import { REUSED } from './output-row.js';

interface OutgoingRow {
  readonly tx_hash: Uint8Array;
  readonly state: OutgoingState;
  readonly account: Integer;
  readonly from_indices: string;
  readonly amount_in: Integer;
  readonly fee: Integer;
  readonly change: Integer;
  readonly change_at_payment: Integer | null;
  readonly unlock_time: string;
  readonly payment_id: Uint8Array | null;
  readonly timestamp: Integer;
  readonly height: Integer | null;
  readonly blob: Uint8Array | null;
  readonly seen: Integer | null;
  readonly sent_to: string | null;
}

interface DestinationRow {
  readonly address: string;
  readonly amount: Integer;
}

/** Sum of the outputs that a payment spends [atomic units], and 1 if any of their keys is reused; NULL without outputs. */
interface InputsRow {
  readonly total: Integer | null;
  readonly reused: Integer | null;
}

interface FactRow {
  readonly change: Integer | null;
  readonly change_at_payment: Integer | null;
  readonly payment_id: Uint8Array | null;
}

/** Conditions that listed payments must meet. */
export interface OutgoingFilter {
  readonly states: readonly OutgoingState[];
  /** Lower bound of the heights, exclusive; applies to mined payments only. */
  readonly minHeight?: number;
  /** Upper bound of the heights, inclusive; applies to mined payments only. */
  readonly maxHeight?: number;
  readonly account?: number;
  /** Minor indices; the payment must spend from at least one of these addresses. */
  readonly minors?: readonly number[];
}

const indicesOf = ({ from_indices }: OutgoingRow): number[] =>
  from_indices === '' ? [] : from_indices.split(',').map(Number);

const COLUMNS =
  'tx_hash, state, account, from_indices, amount_in, fee, change, change_at_payment, unlock_time, payment_id, timestamp, height, blob, seen, sent_to';

/** Reads payments that the wallet makes. */
export class OutgoingReader {
  protected readonly db: SqlDatabase;

  constructor(db: SqlDatabase) {
    this.db = db;
  }

  byHash(txHash: Hash): OutgoingTx | undefined {
    const [row] = this.#select('WHERE tx_hash = ?', txHash);
    return row && this.#toOutgoing(row);
  }

  /** Returns the hashes of the wallet's transactions in blocks at or above a height. */
  hashesFrom(height: number): Hash[] {
    return this.db
      .values<Uint8Array>('SELECT tx_hash FROM outgoing_tx WHERE height >= ?', height)
      .map((hash) => toBytes<'Hash'>(hash));
  }

  /**
   * Divides a range after approximately the given number of mined transactions, at a boundary between blocks; undefined
   * if the range has fewer.
   */
  divide(range: HeightRange, transactions: number): Division<HeightRange> | undefined {
    return divide(this.db, 'sent', range, transactions);
  }

  /** Returns true if any payment is prepared, pending or failed. */
  hasUnmined(): boolean {
    return this.db.row("SELECT 1 FROM outgoing_tx WHERE state <> 'confirmed' LIMIT 1") !== undefined;
  }

  /** Counts the transactions that are not mined, by state. */
  unminedCounts(): { readonly pending: number; readonly failed: number } {
    const counts = new Map(
      this.db.arrays.rows<[state: string, count: number]>(
        "SELECT state, count(*) FROM outgoing_tx WHERE state <> 'confirmed' GROUP BY state",
      ),
    );
    return { pending: counts.get('pending') ?? 0, failed: counts.get('failed') ?? 0 };
  }

  /** Returns the prepared and pending transactions with a blob that no output is reserved for, oldest first. */
  unreserved(): { readonly txHash: Hash; readonly blob: Uint8Array }[] {
    return this.db
      .rows<{ readonly tx_hash: Uint8Array; readonly blob: Uint8Array }>(
        `SELECT tx_hash, blob FROM outgoing_tx WHERE state <> 'confirmed' AND state IN ('prepared', 'pending')
           AND blob IS NOT NULL AND NOT EXISTS (SELECT 1 FROM owned_output WHERE spent_by = outgoing_tx.tx_hash)
         ORDER BY timestamp, tx_hash`,
      )
      .map(({ tx_hash, blob }) => ({ txHash: toBytes<'Hash'>(tx_hash), blob }));
  }

  /** Returns the mined transactions by ascending height, then the other transactions, oldest first. */
  list({ states, minHeight, maxHeight, account, minors }: OutgoingFilter): OutgoingTx[] {
    const mined = states.includes('confirmed')
      ? this.#select(
          'WHERE height > ? AND height <= ? ORDER BY height, tx_hash',
          minHeight ?? -1,
          maxHeight ?? Number.MAX_SAFE_INTEGER,
        )
      : [];
    const unmined = states.some((state) => state !== 'confirmed')
      ? this.#select("WHERE state <> 'confirmed' ORDER BY timestamp, tx_hash")
      : [];
    const wanted = minors && new Set(minors);
    return [...mined, ...unmined.filter(({ state }) => states.includes(state))]
      .filter((row) => account === undefined || toNumber(row.account) === account)
      .filter((row) => wanted === undefined || indicesOf(row).some((minor) => wanted.has(minor)))
      .map((row) => this.#toOutgoing(row));
  }

  #select(tail: string, ...params: readonly SqlParameter[]): OutgoingRow[] {
    return this.db.bigints.rows<OutgoingRow>(`SELECT ${COLUMNS} FROM outgoing_tx ${tail}`, ...params);
  }

  #toOutgoing(row: OutgoingRow): OutgoingTx {
    return {
      txHash: toBytes<'Hash'>(row.tx_hash),
      state: row.state,
      account: toNumber(row.account),
      fromIndices: indicesOf(row),
      amountIn: toAmount(row.amount_in),
      fee: toAmount(row.fee),
      change: toAmount(row.change),
      ...(row.change_at_payment === null ? {} : { changeAtPayment: toAmount(row.change_at_payment) }),
      unlockTime: BigInt(row.unlock_time),
      ...(row.payment_id === null ? {} : { paymentId: Uint8Array.from(row.payment_id) }),
      timestamp: toNumber(row.timestamp),
      ...(row.height === null ? {} : { height: toNumber(row.height) }),
      ...(row.blob === null ? {} : { blob: Uint8Array.from(row.blob) }),
      ...(row.seen === null ? {} : { seen: toNumber(row.seen) }),
      ...(row.sent_to === null ? {} : { sentTo: row.sent_to }),
      destinations: this.db.bigints
        .rows<DestinationRow>(
          'SELECT address, amount FROM outgoing_destination WHERE tx_hash = ? ORDER BY position',
          row.tx_hash,
        )
        .map((to) => ({ address: to.address, amount: toAmount(to.amount) })),
    };
  }
}

/**
 * States that a payment may leave for another state. A payment leaves `confirmed` only if its block is detached: {@link
 * OutgoingWriter.detach}.
 */
const ENTERED_FROM: Record<'pending' | 'failed', readonly OutgoingState[]> = {
  pending: ['prepared', 'failed'],
  failed: ['prepared', 'pending'],
};

/**
 * True if every output belongs to the paying account; the paid amount is then 0. Source: wallet2.cpp
 * `process_new_transaction`.
 */
const isToOurselves = (tx: Pick<FoundOutgoing, 'amountIn' | 'change' | 'fee'>): boolean =>
  tx.amountIn === tx.change + tx.fee;

/** SQL that copies change and payment id of the payments selected by a condition to the table `outgoing_fact`. */
const KEEP_FACTS = `INSERT INTO outgoing_fact (tx_hash, change, change_at_payment, payment_id)
  SELECT tx_hash, change, change_at_payment, payment_id FROM outgoing_tx WHERE`;
/** SQL condition that the wallet has data of a payment which cannot be read from the chain. */
const HAS_FACTS = '(change_at_payment IS NOT NULL OR tx_hash IN (SELECT tx_hash FROM outgoing_destination))';
const OVER_FACTS = `ON CONFLICT DO UPDATE SET change = excluded.change,
  change_at_payment = excluded.change_at_payment, payment_id = excluded.payment_id`;

/**
 * SQL that deletes the blobs of payments up to a height. An index makes its time independent of the number of payments.
 */
export const DROP_BLOBS = 'UPDATE outgoing_tx SET blob = NULL WHERE height <= ? AND blob IS NOT NULL';

export class OutgoingWriter extends OutgoingReader {
  insert(tx: OutgoingTx): void {
    this.db.run(
      `INSERT INTO outgoing_tx (${COLUMNS}) VALUES (${Array(15).fill('?').join(', ')})`,
      tx.txHash,
      tx.state,
      tx.account,
      tx.fromIndices.join(','),
      toColumn(tx.amountIn),
      toColumn(tx.fee),
      toColumn(tx.change),
      tx.changeAtPayment === undefined ? null : toColumn(tx.changeAtPayment),
      tx.unlockTime.toString(),
      tx.paymentId ?? null,
      tx.timestamp,
      tx.height ?? null,
      tx.blob ?? null,
      tx.seen ?? null,
      tx.sentTo ?? null,
    );
    this.#addDestinations(tx.txHash, tx.destinations);
  }

  /**
   * Changes the state of an unmined payment. A mined payment stays `confirmed`.
   * @returns true if the state has changed.
   */
  setState(txHash: Hash, state: 'pending' | 'failed'): boolean {
    const { changes } = this.db.run(
      `UPDATE outgoing_tx SET state = '${state}'
       WHERE tx_hash = ? AND state IN (${ENTERED_FROM[state].map((from) => `'${from}'`).join(', ')})`,
      txHash,
    );
    return changes > 0;
  }

  /** Records that the mempool contained the payment at a time. @param time Unix seconds. */
  setSeen(txHash: Hash, time: number): void {
    this.db.run('UPDATE outgoing_tx SET seen = ? WHERE tx_hash = ?', time, txHash);
  }

  /** Records the daemon to which a payment is about to be sent. @param daemon `host:port`. */
  setSentTo(txHash: Hash, daemon: string): void {
    this.db.run('UPDATE outgoing_tx SET sent_to = ? WHERE tx_hash = ?', daemon, txHash);
  }

  /** Deletes a failed payment that is about to be made again. Its destinations are kept. */
  removeFailed(txHash: Hash): void {
    this.db.run("DELETE FROM outgoing_tx WHERE tx_hash = ? AND state = 'failed'", txHash);
  }

  /**
   * Records that a block contains a payment, whose spent outputs must be marked already. Data that the wallet has recorded
   * before is kept.
   */
  confirm(found: FoundOutgoing): void {
    const { txHash, height, timestamp, unlockTime } = found;
    const { tx, isReused } = this.#withInputs(found);
    if (this.byHash(txHash) === undefined)
      return this.insert({ ...this.#withFacts(tx), state: 'confirmed', destinations: [] });
    const inputs = isReused ? toColumn(tx.amountIn) : null;
    this.db.run(
      `UPDATE outgoing_tx SET state = 'confirmed', height = ?, timestamp = ?, unlock_time = ?,
         amount_in = coalesce(?, amount_in) WHERE tx_hash = ?`,
      height,
      timestamp,
      unlockTime.toString(),
      inputs,
      txHash,
    );
    if (!isToOurselves(tx)) return;
    this.db.run(
      'UPDATE outgoing_tx SET change_at_payment = coalesce(change_at_payment, change), change = ? WHERE tx_hash = ?',
      toColumn(tx.change),
      txHash,
    );
  }

  /**
   * Returns a payment with the sum of the outputs that it spends according to the store: only the store knows which of
   * several outputs with one key is effective. `isReused`: the payment spends such a key.
   */
  #withInputs<T extends Omit<FoundOutgoing, 'height'>>(
    tx: T,
  ): { readonly tx: T; readonly isReused: boolean } {
    const { total = null, reused = null } =
      this.db.bigints.row<InputsRow>(
        `SELECT sum(amount) AS total, max(${REUSED}) AS reused FROM owned_output WHERE spent_by = ?`,
        tx.txHash,
      ) ?? {};
    return { tx: total === null ? tx : { ...tx, amountIn: toAmount(total) }, isReused: reused === 1n };
  }

  /**
   * Records a payment that the mempool contains and that is not recorded, together with the data that the wallet has
   * kept of it. Its spent outputs must be marked already.
   */
  insertSeen(tx: Omit<OutgoingTx, 'state'>): void {
    this.insert({ ...this.#withFacts(this.#withInputs(tx).tx), state: 'pending' });
  }

  /** Returns a payment with the data that was kept while the payment was not recorded. */
  #withFacts<T extends Omit<FoundOutgoing, 'height'>>(found: T): T {
    const { change, changeAtPayment, paymentId } = this.#takeFacts(found.txHash);
    const toOurselves = isToOurselves(found);
    return {
      ...found,
      ...(change === undefined || toOurselves ? {} : { change }),
      ...(changeAtPayment === undefined || !toOurselves ? {} : { changeAtPayment }),
      ...(paymentId === undefined ? {} : { paymentId }),
    };
  }

  /** Returns true if a payment that is not recorded was recorded before and removed by {@link forget}. */
  isForgotten(txHash: Hash): boolean {
    return this.db.row('SELECT 1 FROM outgoing_fact WHERE tx_hash = ?', txHash) !== undefined;
  }

  /** Adds destinations to a payment without recorded destinations. */
  describe(txHash: Hash, destinations: readonly Destination[]): void {
    const known = this.byHash(txHash);
    if (known?.destinations.length === 0) this.#addDestinations(txHash, destinations);
  }

  /** Stores data of a payment that cannot be read from the chain, to be used when its block is found. */
  storeFacts({ txHash, change, paymentId, destinations }: PaymentFacts): void {
    this.db.run(
      `INSERT INTO outgoing_fact (tx_hash, change, payment_id) VALUES (?, ?, ?)
         ON CONFLICT DO UPDATE SET change = excluded.change, payment_id = excluded.payment_id`,
      txHash,
      change === undefined ? null : toColumn(change),
      paymentId ?? null,
    );
    this.#addDestinations(txHash, destinations);
  }

  #takeFacts(txHash: Hash): Pick<OutgoingTx, 'changeAtPayment' | 'paymentId'> & Pick<PaymentFacts, 'change'> {
    const row = this.db.bigints.row<FactRow>(
      'DELETE FROM outgoing_fact WHERE tx_hash = ? RETURNING change, change_at_payment, payment_id',
      txHash,
    );
    if (row === undefined) return {};
    return {
      ...(row.change === null ? {} : { change: toAmount(row.change) }),
      ...(row.change_at_payment === null ? {} : { changeAtPayment: toAmount(row.change_at_payment) }),
      ...(row.payment_id === null ? {} : { paymentId: Uint8Array.from(row.payment_id) }),
    };
  }

  #addDestinations(txHash: Hash, destinations: readonly Destination[]): void {
    destinations.forEach((to, i) =>
      this.db.run(
        'INSERT INTO outgoing_destination (tx_hash, position, address, amount) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
        txHash,
        i,
        to.address,
        toColumn(to.amount),
      ),
    );
  }

  /**
   * Deletes a payment, but keeps its destinations and the data that cannot be read from the chain. The caller must free
   * its inputs.
   */
  forget(txHash: Hash): void {
    this.db.run(`${KEEP_FACTS} tx_hash = ? ${OVER_FACTS}`, txHash);
    this.db.run('DELETE FROM outgoing_tx WHERE tx_hash = ?', txHash);
  }

  /** Deletes a payment and its destinations. The caller must free its inputs. */
  remove(txHash: Hash): void {
    this.db.run('DELETE FROM outgoing_destination WHERE tx_hash = ?', txHash);
    this.db.run('DELETE FROM outgoing_tx WHERE tx_hash = ?', txHash);
  }

  /**
   * Confirms a payment as {@link confirm}, if more of its inputs, or of the outputs that return to the paying account, may be
   * recognised than before. A payment that this wallet made keeps its recorded change.
   */
  confirmAgain(found: FoundOutgoing): void {
    const known = this.byHash(found.txHash);
    if (known !== undefined && known.amountIn < found.amountIn)
      this.db.run('DELETE FROM outgoing_tx WHERE tx_hash = ?', found.txHash);
    this.confirm(found);
    this.db.run(
      `UPDATE outgoing_tx SET change = max(change, ?)
         WHERE tx_hash = ? AND tx_hash NOT IN (SELECT tx_hash FROM tx_secret_key)
           AND tx_hash NOT IN (SELECT tx_hash FROM outgoing_destination)`,
      toColumn(found.change),
      found.txHash,
    );
  }

  /** Records a mined payment again with other inputs. Data that cannot be read from the chain is kept. */
  correct(found: FoundOutgoing): void {
    const known = this.byHash(found.txHash);
    this.withdraw(found.txHash);
    this.confirm(found);
    this.db.run(
      'UPDATE outgoing_tx SET blob = ?, seen = ?, sent_to = ? WHERE tx_hash = ?',
      known?.blob ?? null,
      known?.seen ?? null,
      known?.sentTo ?? null,
      found.txHash,
    );
  }

  /** Deletes a mined payment. If this wallet made it, the data that cannot be read from the chain is kept. */
  withdraw(txHash: Hash): void {
    this.db.run(`${KEEP_FACTS} tx_hash = ? AND ${HAS_FACTS} ${OVER_FACTS}`, txHash);
    this.db.run('DELETE FROM outgoing_tx WHERE tx_hash = ?', txHash);
  }

  /**
   * Deletes payments, destinations and payment ids. Three things are kept: unmined payments of orders; of orders, the
   * data that cannot be read from the chain; of other payments, the change if the payment went to the paying account
   * itself.
   */
  clear(): void {
    const isKept = `state <> 'confirmed' AND ${OF_ORDER}`;
    for (const sql of [
      `${KEEP_FACTS} (change_at_payment IS NOT NULL OR ${OF_ORDER}) AND NOT (${isKept}) ${OVER_FACTS}`,
      `DELETE FROM outgoing_tx WHERE NOT (${isKept})`,
      `DELETE FROM outgoing_destination WHERE NOT ${OF_ORDER}`,
      `DELETE FROM outgoing_fact WHERE change_at_payment IS NULL AND NOT ${OF_ORDER}`,
      `UPDATE outgoing_fact SET change = NULL, payment_id = NULL WHERE NOT ${OF_ORDER}`,
    ])
      this.db.run(sql);
  }

  /**
   * Undoes the blocks at the heights from `from` to `to`, both inclusive. Payments that can be relayed again become
   * `pending`; of other payments, only the data that cannot be read from the chain is kept.
   */
  detach(from: number, to: number): void {
    for (const sql of [
      `UPDATE outgoing_tx SET state = 'pending', height = NULL, change = COALESCE(change_at_payment, change)
       WHERE height BETWEEN ? AND ? AND blob IS NOT NULL`,
      `${KEEP_FACTS} height BETWEEN ? AND ? AND ${HAS_FACTS} ${OVER_FACTS}`,
      'DELETE FROM outgoing_tx WHERE height BETWEEN ? AND ?',
    ])
      this.db.run(sql, from, to);
  }

  /** Deletes the blobs of payments that are at least {@link SETTLED_DEPTH} blocks deep. */
  dropSettledBlobs(tip: number): void {
    this.db.run(DROP_BLOBS, tip - SETTLED_DEPTH);
  }
}
