import type { Statement } from '../../util/sql-database.js';
import type { Hash } from '../../monero/crypto/types.js';
import type { PaymentFacts } from '../../model/events.js';
import { toColumn, toNumber, type Integer } from '../sql/columns.js';
import type { Db } from '../file/database.js';
import { toPaymentFacts, type PaymentFactRow } from './fact-rows.js';

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
  readonly #any: Statement<[], unknown>;
  readonly #list: Statement<[], SeenRow>;
  readonly #insert: Statement<unknown[]>;
  readonly #insertOutputs: Statement<[Uint8Array, number, number]>;
  readonly #delete: Statement<[Uint8Array, number, number], SeenRow>;
  readonly #setGone: Statement<[number | null, number, Uint8Array, number, number]>;

  constructor(db: Db) {
    this.#any = db.prepare('SELECT 1 FROM seen_payment LIMIT 1');
    this.#list = db.prepare<[], SeenRow>('SELECT * FROM seen_payment ORDER BY event').safeIntegers();
    this.#insert = db.prepare(
      `INSERT INTO seen_payment (tx_hash, account, minor, amount, timestamp, unlock_time, payment_id, event)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#insertOutputs = db.prepare(
      `INSERT INTO seen_output (tx_hash, output_index, account, minor, public_key, amount)
         SELECT tx_hash, output_index, account, minor, public_key, amount FROM pool_output
         WHERE tx_hash = ? AND account = ? AND minor = ?`,
    );
    const key = 'tx_hash = ? AND account = ? AND minor = ?';
    this.#delete = db
      .prepare<[Uint8Array, number, number], SeenRow>(`DELETE FROM seen_payment WHERE ${key} RETURNING *`)
      .safeIntegers();
    this.#setGone = db.prepare(`UPDATE seen_payment SET gone_height = ?, misses = ? WHERE ${key}`);
  }

  get isEmpty(): boolean {
    return this.#any.get() === undefined;
  }

  list(): SeenPayment[] {
    return this.#list.all().map(toSeen);
  }

  /** Returns the reported payments of a transaction. */
  ofTx(txHash: Hash): SeenPayment[] {
    return this.list().filter(({ facts }) => Buffer.compare(facts.txHash, txHash) === 0);
  }

  /** Adds a payment, whose transaction the mempool contains. */
  add({ txHash, subaddress, amount, timestamp, unlockTime, paymentId }: PaymentFacts, event: number): void {
    this.#insert.run(
      ...[txHash, subaddress.major, subaddress.minor, toColumn(amount), timestamp, unlockTime.toString()],
      ...[paymentId ?? null, event],
    );
    this.#insertOutputs.run(txHash, subaddress.major, subaddress.minor);
  }

  /** Deletes a payment and returns it; undefined if it was not reported. */
  take({ txHash, subaddress: { major, minor } }: Key): SeenPayment | undefined {
    const row = this.#delete.get(txHash, major, minor);
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
    this.#setGone.run(goneHeight ?? null, misses, txHash, major, minor);
  }
}
