import type { Statement } from '../../util/sql-database.js';
import type { Hash } from '../../monero/crypto/types.js';
import type { MinedPaymentFacts, PaymentFacts, TransferFacts } from '../../model/events.js';
import { toColumn, toFlag, toNumber, type Integer } from '../sql/columns.js';
import type { Db } from '../file/database.js';
import { toPaymentFacts, toTransferFacts, type PaymentFactRow, type TransferFactRow } from './fact-rows.js';

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
  readonly #any: Statement<[], unknown>;
  readonly #keep: Statement<[number]>;
  readonly #take: Statement<[Uint8Array, number, number], PaymentRow>;
  readonly #takeRange: Statement<[number, number], PaymentRow>;

  constructor(db: Db) {
    this.#any = db.prepare('SELECT 1 FROM reported_payment LIMIT 1');
    this.#keep = db.prepare(
      `INSERT OR IGNORE INTO reported_payment
         SELECT t.tx_hash, o.account, o.minor, t.height, sum(coalesce(o.credited, o.amount)) AS total, t.timestamp,
           t.unlock_time, t.coinbase, t.payment_id
         FROM received_tx t CROSS JOIN owned_output o USING (tx_hash) WHERE o.change = 0 AND t.height >= ?
         GROUP BY t.tx_hash, o.account, o.minor HAVING total > 0`,
    );
    this.#take = db
      .prepare<[Uint8Array, number, number], PaymentRow>(
        'DELETE FROM reported_payment WHERE tx_hash = ? AND account = ? AND minor = ? RETURNING *',
      )
      .safeIntegers();
    this.#takeRange = db
      .prepare<[number, number], PaymentRow>(
        'DELETE FROM reported_payment WHERE height BETWEEN ? AND ? RETURNING *',
      )
      .safeIntegers();
  }

  get isEmpty(): boolean {
    return this.#any.get() === undefined;
  }

  /**
   * Copies the payments in blocks from a height on, except payments that an earlier rescan has copied and not passed
   * yet.
   */
  keep(from: number): void {
    this.#keep.run(from);
  }

  /** Deletes a payment and returns it; undefined if there is none. */
  take({ txHash, subaddress }: Pick<PaymentFacts, 'txHash' | 'subaddress'>): MinedPaymentFacts | undefined {
    const row = this.#take.get(txHash, subaddress.major, subaddress.minor);
    return row && toPayment(row);
  }

  /** Deletes the payments at the heights from `from` to `to`, both inclusive, and returns them by ascending height. */
  takeRange(from: number, to: number): MinedPaymentFacts[] {
    return this.#takeRange
      .all(from, to)
      .map(toPayment)
      .sort((a, b) => a.height - b.height);
  }
}

/** Transfers as they were reported before a rescan; each is kept until the rescan has passed its height. */
export class ReportedTransfers {
  readonly #any: Statement<[], unknown>;
  readonly #insert: Statement<unknown[]>;
  readonly #take: Statement<[Uint8Array], TransferRow>;
  readonly #takeRange: Statement<[number, number], TransferRow>;
  readonly #takeUnmined: Statement<[], TransferRow>;

  constructor(db: Db) {
    this.#any = db.prepare('SELECT 1 FROM reported_transfer LIMIT 1');
    this.#insert = db.prepare(
      `INSERT OR REPLACE INTO reported_transfer (tx_hash, height, account, amount_in, change, fee)
       VALUES (?, ?, ?, ?, ?, ?)`,
    );
    const taking = <P extends unknown[]>(condition: string): Statement<P, TransferRow> =>
      db
        .prepare<P, TransferRow>(`DELETE FROM reported_transfer WHERE ${condition} RETURNING *`)
        .safeIntegers();
    this.#take = taking('tx_hash = ?');
    this.#takeRange = taking('height BETWEEN ? AND ?');
    this.#takeUnmined = taking('height IS NULL');
  }

  get isEmpty(): boolean {
    return this.#any.get() === undefined;
  }

  add({ txHash, height, account, amountIn, change, fee }: ReportedTransfer): void {
    this.#insert.run(txHash, height ?? null, account, toColumn(amountIn), toColumn(change), toColumn(fee));
  }

  /** Deletes a transfer and returns it; undefined if there is none. */
  take(txHash: Hash): ReportedTransfer | undefined {
    const row = this.#take.get(txHash);
    return row && toTransfer(row);
  }

  /** Deletes the transfers at the heights from `from` to `to`, both inclusive, and returns them. */
  takeRange(from: number, to: number): ReportedTransfer[] {
    return this.#takeRange.all(from, to).map(toTransfer);
  }

  /** Deletes the transfers that were unmined and returns them. */
  takeUnmined(): ReportedTransfer[] {
    return this.#takeUnmined.all().map(toTransfer);
  }
}
