import type { Hash } from '../../monero/crypto/types.js';
import type { SubaddressIndex } from '../../monero/cryptonote/types.js';
import { toBytes } from './columns.js';
import type { SqlDatabase } from '../../util/sql-database.js';

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
