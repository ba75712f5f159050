import type { Hash } from '../../monero/crypto/types.js';
import type { PaymentFacts } from '../../model/events.js';
import { toColumn, toNumber, type Integer } from './columns.js';
import type { SqlDatabase } from '../../util/sql-database.js';
import { toPaymentFacts, type PaymentFactRow } from './reported.js';

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
