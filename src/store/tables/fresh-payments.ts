import type { Statement } from '../../util/sql-database.js';
import type { PaymentFacts } from '../../model/events.js';
import type { Db } from '../file/database.js';

type Key = Pick<PaymentFacts, 'txHash' | 'subaddress'>;

/** Payments that were reported for the first time while the chain was shorter than before. */
export class FreshPayments {
  readonly #add: Statement<[Uint8Array, number, number]>;
  readonly #tipOf: Statement<[Uint8Array, number, number], number>;
  readonly #raise: Statement<[number, number]>;
  readonly #remove: Statement<[Uint8Array, number, number]>;
  readonly #clear: Statement<[]>;

  constructor(db: Db) {
    const key = 'tx_hash = ? AND account = ? AND minor = ?';
    this.#add = db.prepare(
      'INSERT INTO fresh_payment (tx_hash, account, minor, tip) VALUES (?, ?, ?, -1) ON CONFLICT DO NOTHING',
    );
    this.#tipOf = db
      .prepare<[Uint8Array, number, number], number>(`SELECT tip FROM fresh_payment WHERE ${key}`)
      .pluck();
    this.#raise = db.prepare('UPDATE fresh_payment SET tip = ? WHERE tip < ?');
    this.#remove = db.prepare(`DELETE FROM fresh_payment WHERE ${key}`);
    this.#clear = db.prepare('DELETE FROM fresh_payment');
  }

  add({ txHash, subaddress: { major, minor } }: Key): void {
    this.#add.run(txHash, major, minor);
  }

  /**
   * Returns the height of a former tip up to which the stages of a payment were reported, -1 without one; undefined if the
   * payment is none of these.
   */
  tipOf({ txHash, subaddress: { major, minor } }: Key): number | undefined {
    return this.#tipOf.get(txHash, major, minor);
  }

  /** Records that the chain becomes shorter. @param tip height of its tip before. */
  raise(tip: number): void {
    this.#raise.run(tip, tip);
  }

  remove({ txHash, subaddress: { major, minor } }: Key): void {
    this.#remove.run(txHash, major, minor);
  }

  clear(): void {
    this.#clear.run();
  }
}
