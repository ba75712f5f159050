import type { MinedPaymentFacts, PaymentFacts, TransferFacts } from '../../model/events.js';
import type { Hash } from '../../monero/crypto/types.js';
import type { SqlDatabase, SqlParameter } from '../../util/sql-database.js';
import { type Integer, toAmount, toBytes, toColumn, toFlag, toNumber } from './columns.js';
import type { SubaddressIndex } from '../../monero/cryptonote/types.js';

/** Columns of a payment in the tables that contain reported facts. */
interface PaymentFactRow {
  readonly tx_hash: Uint8Array;
  readonly account: Integer;
  readonly minor: Integer;
  readonly amount: Integer;
  readonly timestamp: Integer;
  readonly unlock_time: string;
  readonly payment_id: Uint8Array | null;
}

const toPaymentFacts = (row: PaymentFactRow, coinbase: boolean): PaymentFacts => ({
  txHash: toBytes<'Hash'>(row.tx_hash),
  subaddress: { major: toNumber(row.account), minor: toNumber(row.minor) },
  amount: toAmount(row.amount),
  timestamp: toNumber(row.timestamp),
  unlockTime: BigInt(row.unlock_time),
  coinbase,
  ...(row.payment_id === null ? {} : { paymentId: Uint8Array.from(row.payment_id) }),
});

/** Columns of a transfer of the wallet, with the sum of its outputs that return to the paying account. */
export interface TransferFactRow {
  readonly tx_hash: Uint8Array;
  readonly account: Integer;
  readonly amount_in: Integer;
  readonly change: Integer;
  readonly fee: Integer;
}

export const toTransferFacts = (row: TransferFactRow): TransferFacts => ({
  txHash: toBytes<'Hash'>(row.tx_hash),
  account: toNumber(row.account),
  amountIn: toAmount(row.amount_in),
  change: toAmount(row.change),
  fee: toAmount(row.fee),
});

interface PaymentRow extends PaymentFactRow {
  readonly height: Integer;
  readonly coinbase: Integer;
}

interface TransferRow extends TransferFactRow {
  readonly height: Integer | null;
}

/** A reported transfer, which has no `height` if it was unmined. */
export type ReportedTransfer = TransferFacts & { readonly height?: number };

const toPayment = (row: PaymentRow): MinedPaymentFacts => ({
  ...toPaymentFacts(row, toFlag(row.coinbase)),
  height: toNumber(row.height),
});

const toTransfer = (row: TransferRow): ReportedTransfer => ({
  ...toTransferFacts(row),
  ...(row.height === null ? {} : { height: toNumber(row.height) }),
});

/** Mined payments that were reported before a rescan; each payment is kept until the rescan has passed its height. */
export class ReportedPayments {
  readonly #db: SqlDatabase;

  constructor(db: SqlDatabase) {
    this.#db = db;
  }

  get isEmpty(): boolean {
    return this.#db.row('SELECT 1 FROM reported_payment LIMIT 1') === undefined;
  }

  /**
   * Copies the payments in blocks from a height on, except payments that an earlier rescan has copied and not passed
   * yet.
   */
  keep(from: number): void {
    this.#db.run(
      `INSERT OR IGNORE INTO reported_payment
         SELECT t.tx_hash, o.account, o.minor, t.height, sum(coalesce(o.credited, o.amount)) AS total, t.timestamp,
           t.unlock_time, t.coinbase, t.payment_id
         FROM received_tx t CROSS JOIN owned_output o USING (tx_hash) WHERE o.change = 0 AND t.height >= ?
         GROUP BY t.tx_hash, o.account, o.minor HAVING total > 0`,
      from,
    );
  }

  /** Deletes a payment and returns it; undefined if there is no such payment. */
  take({ txHash, subaddress }: Pick<PaymentFacts, 'txHash' | 'subaddress'>): MinedPaymentFacts | undefined {
    const row = this.#db.bigints.row<PaymentRow>(
      'DELETE FROM reported_payment WHERE tx_hash = ? AND account = ? AND minor = ? RETURNING *',
      txHash,
      subaddress.major,
      subaddress.minor,
    );
    return row && toPayment(row);
  }

  /** Deletes the payments at the heights from `from` to `to`, both inclusive, and returns them by ascending height. */
  takeRange(from: number, to: number): MinedPaymentFacts[] {
    return this.#db.bigints
      .rows<PaymentRow>('DELETE FROM reported_payment WHERE height BETWEEN ? AND ? RETURNING *', from, to)
      .map(toPayment)
      .sort((a, b) => a.height - b.height);
  }
}

/** Transfers that were reported before a rescan; each transfer is kept until the rescan has passed its height. */
export class ReportedTransfers {
  readonly #db: SqlDatabase;

  constructor(db: SqlDatabase) {
    this.#db = db;
  }

  get isEmpty(): boolean {
    return this.#db.row('SELECT 1 FROM reported_transfer LIMIT 1') === undefined;
  }

  add({ txHash, height, account, amountIn, change, fee }: ReportedTransfer): void {
    this.#db.run(
      `INSERT OR REPLACE INTO reported_transfer (tx_hash, height, account, amount_in, change, fee)
       VALUES (?, ?, ?, ?, ?, ?)`,
      txHash,
      height ?? null,
      account,
      toColumn(amountIn),
      toColumn(change),
      toColumn(fee),
    );
  }

  has(txHash: Hash): boolean {
    return this.#db.row('SELECT 1 FROM reported_transfer WHERE tx_hash = ?', txHash) !== undefined;
  }

  /** Deletes a transfer and returns it; undefined if there is no such transfer. */
  take(txHash: Hash): ReportedTransfer | undefined {
    return this.#takeWhere('tx_hash = ?', txHash)[0];
  }

  /** Deletes the transfers at the heights from `from` to `to`, both inclusive, and returns them. */
  takeRange(from: number, to: number): ReportedTransfer[] {
    return this.#takeWhere('height BETWEEN ? AND ?', from, to);
  }

  /** Deletes the transfers that were unmined and returns them. */
  takeUnmined(): ReportedTransfer[] {
    return this.#takeWhere('height IS NULL');
  }

  #takeWhere(condition: string, ...params: readonly SqlParameter[]): ReportedTransfer[] {
    return this.#db.bigints
      .rows<TransferRow>(`DELETE FROM reported_transfer WHERE ${condition} RETURNING *`, ...params)
      .map(toTransfer);
  }
}

interface SeenRow extends PaymentFactRow {
  readonly event: Integer;
  readonly gone_height: Integer | null;
  readonly misses: Integer;
}

/** A payment that is reported as seen and is not mined. */
export interface SeenPayment {
  readonly facts: PaymentFacts;
  /** Id of the `payment.seen` event. */
  readonly event: number;
  /** Height of the tip when a read of the mempool first missed the payment; absent while the mempool contains it. */
  readonly goneHeight?: number;
  /** Number of later reads of the mempool that missed the payment, with a tip above that height. */
  readonly misses: number;
}

type Key = Pick<PaymentFacts, 'txHash' | 'subaddress'>;

/** SQL condition of one payment. */
const BY_KEY = 'tx_hash = ? AND account = ? AND minor = ?';

const toSeen = (row: SeenRow): SeenPayment => ({
  facts: toPaymentFacts(row, false),
  event: toNumber(row.event),
  ...(row.gone_height === null ? {} : { goneHeight: toNumber(row.gone_height) }),
  misses: toNumber(row.misses),
});

/**
 * Payments that are reported as seen and are not mined: they are in the mempool, or have left it and are not decided
 * yet.
 */
export class SeenPayments {
  readonly #db: SqlDatabase;

  constructor(db: SqlDatabase) {
    this.#db = db;
  }

  get isEmpty(): boolean {
    return this.#db.row('SELECT 1 FROM seen_payment LIMIT 1') === undefined;
  }

  list(): SeenPayment[] {
    return this.#db.bigints.rows<SeenRow>('SELECT * FROM seen_payment ORDER BY event').map(toSeen);
  }

  /** Returns the reported payments of a transaction. */
  ofTx(txHash: Hash): SeenPayment[] {
    return this.list().filter(({ facts }) => Buffer.compare(facts.txHash, txHash) === 0);
  }

  /** Adds a payment, whose transaction the mempool contains. */
  add({ txHash, subaddress, amount, timestamp, unlockTime, paymentId }: PaymentFacts, event: number): void {
    this.#db.run(
      `INSERT INTO seen_payment (tx_hash, account, minor, amount, timestamp, unlock_time, payment_id, event)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      ...[txHash, subaddress.major, subaddress.minor, toColumn(amount), timestamp, unlockTime.toString()],
      ...[paymentId ?? null, event],
    );
    this.#db.run(
      `INSERT INTO seen_output (tx_hash, output_index, account, minor, public_key, amount)
         SELECT tx_hash, output_index, account, minor, public_key, amount FROM pool_output
         WHERE tx_hash = ? AND account = ? AND minor = ?`,
      txHash,
      subaddress.major,
      subaddress.minor,
    );
  }

  /** Deletes a payment and returns it; undefined if it was not reported. */
  take({ txHash, subaddress: { major, minor } }: Key): SeenPayment | undefined {
    const row = this.#db.bigints.row<SeenRow>(
      `DELETE FROM seen_payment WHERE ${BY_KEY} RETURNING *`,
      txHash,
      major,
      minor,
    );
    return row && toSeen(row);
  }

  /**
   * Records whether the mempool contains a payment.
   * @param goneHeight see {@link SeenPayment.goneHeight}; undefined: the mempool contains it.
   */
  setGone(
    { txHash, subaddress: { major, minor } }: Key,
    goneHeight: number | undefined,
    misses: number,
  ): void {
    this.#db.run(
      `UPDATE seen_payment SET gone_height = ?, misses = ? WHERE ${BY_KEY}`,
      goneHeight ?? null,
      misses,
      txHash,
      major,
      minor,
    );
  }
}

/** Transaction and address of a payment, which identify it. */
interface PaymentKey {
  readonly txHash: Hash;
  readonly subaddress: SubaddressIndex;
}

interface LockedRow {
  readonly tx_hash: Uint8Array;
  readonly account: number;
  readonly minor: number;
}

/** Mined payments with an unlock time that are not reported as unlocked yet. */
export class LockedPayments {
  readonly #db: SqlDatabase;

  constructor(db: SqlDatabase) {
    this.#db = db;
  }

  get isEmpty(): boolean {
    return this.#db.row('SELECT 1 FROM locked_payment LIMIT 1') === undefined;
  }

  /** Adds a payment. @param opens smallest tip, and smallest time [Unix s], at which the payment is unlocked. */
  add({ txHash, subaddress }: PaymentKey, opens: { readonly height: number; readonly time: number }): void {
    this.#db.run(
      `INSERT INTO locked_payment (tx_hash, account, minor, opens_height, opens_time) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET opens_height = excluded.opens_height, opens_time = excluded.opens_time`,
      txHash,
      subaddress.major,
      subaddress.minor,
      opens.height,
      opens.time,
    );
  }

  remove({ txHash, subaddress }: PaymentKey): void {
    this.#db.run(
      'DELETE FROM locked_payment WHERE tx_hash = ? AND account = ? AND minor = ?',
      txHash,
      subaddress.major,
      subaddress.minor,
    );
  }

  /** Returns the payments that are unlocked at the given tip and time [Unix s]. */
  due(tip: number, time: number): PaymentKey[] {
    return this.#db
      .rows<LockedRow>(
        `SELECT tx_hash, account, minor FROM locked_payment WHERE opens_height <= ? AND opens_time <= ?
       ORDER BY opens_height, tx_hash, account, minor`,
        tip,
        time,
      )
      .map((row) => ({
        txHash: toBytes<'Hash'>(row.tx_hash),
        subaddress: { major: row.account, minor: row.minor },
      }));
  }
}
