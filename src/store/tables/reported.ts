import type { MinedPaymentFacts, PaymentFacts, TransferFacts } from '../../model/events.js';
import type { Hash } from '../../monero/crypto/types.js';
import type { SqlDatabase, SqlParameter } from '../../util/sql-database.js';
import { type Integer, toAmount, toBytes, toColumn, toFlag, toNumber } from './columns.js';

/** Columns of a payment in the tables that contain reported facts. */
export interface PaymentFactRow {
  readonly tx_hash: Uint8Array;
  readonly account: Integer;
  readonly minor: Integer;
  readonly amount: Integer;
  readonly timestamp: Integer;
  readonly unlock_time: string;
  readonly payment_id: Uint8Array | null;
}

export const toPaymentFacts = (row: PaymentFactRow, coinbase: boolean): PaymentFacts => ({
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

/** A transfer as reported; without `height` if it was unmined. */
export type ReportedTransfer = TransferFacts & { readonly height?: number };

const toPayment = (row: PaymentRow): MinedPaymentFacts => ({
  ...toPaymentFacts(row, toFlag(row.coinbase)),
  height: toNumber(row.height),
});

const toTransfer = (row: TransferRow): ReportedTransfer => ({
  ...toTransferFacts(row),
  ...(row.height === null ? {} : { height: toNumber(row.height) }),
});

/** Mined payments as they were reported before a rescan; each is kept until the rescan has passed its height. */
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

  /** Deletes a payment and returns it; undefined if there is none. */
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

/** Transfers as they were reported before a rescan; each is kept until the rescan has passed its height. */
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

  /** Deletes a transfer and returns it; undefined if there is none. */
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
