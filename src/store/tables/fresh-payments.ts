import type { PaymentFacts } from '../../model/events.js';
import type { SqlDatabase } from '../../util/sql-database.js';

type Key = Pick<PaymentFacts, 'txHash' | 'subaddress'>;

/** SQL condition of one payment. */
const BY_KEY = 'tx_hash = ? AND account = ? AND minor = ?';

/** Payments that were reported for the first time while the chain was shorter than before. */
export class FreshPayments {
  readonly #db: SqlDatabase;

  constructor(db: SqlDatabase) {
    this.#db = db;
  }

  add({ txHash, subaddress: { major, minor } }: Key): void {
    this.#db.run(
      'INSERT INTO fresh_payment (tx_hash, account, minor, tip) VALUES (?, ?, ?, -1) ON CONFLICT DO NOTHING',
      txHash,
      major,
      minor,
    );
  }

  /**
   * Returns the height of a former tip up to which the stages of a payment were reported, -1 without one; undefined if the
   * payment is none of these.
   */
  tipOf({ txHash, subaddress: { major, minor } }: Key): number | undefined {
    return this.#db.value<number>(`SELECT tip FROM fresh_payment WHERE ${BY_KEY}`, txHash, major, minor);
  }

  /** Records that the chain becomes shorter. @param tip height of its tip before. */
  raise(tip: number): void {
    this.#db.run('UPDATE fresh_payment SET tip = ? WHERE tip < ?', tip, tip);
  }

  remove({ txHash, subaddress: { major, minor } }: Key): void {
    this.#db.run(`DELETE FROM fresh_payment WHERE ${BY_KEY}`, txHash, major, minor);
  }

  clear(): void {
    this.#db.run('DELETE FROM fresh_payment');
  }
}
