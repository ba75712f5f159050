import type { Statement } from '../../util/sql-database.js';
import type { Hash } from '../../monero/crypto/types.js';
import type { MadePayment, MadePayments } from '../../model/made-payment.js';
import type { Order, OrderPlace, OrderRequest, OrderTx, Withdrawal } from '../../model/order.js';
import type { Db } from '../file/database.js';
import { toBytes } from '../sql/columns.js';
import { factsOf, toOrderTx, WITHDRAWALS, type OrderRow, type OrderTxRow } from './order-row.js';

/** SQL condition that a transaction belongs to an order. */
export const OF_ORDER = 'tx_hash IN (SELECT tx_hash FROM order_tx WHERE tx_hash IS NOT NULL)';

/** Reads orders: payments that were requested with an idempotency key. */
export class OrderReader {
  protected readonly db: Db;
  readonly #byKey: Statement<[string], OrderRow>;
  readonly #before: Statement<[number, number], OrderRow>;
  readonly #transactions: Statement<[number], OrderTxRow>;
  readonly #unsettled: Statement<[], OrderTxRow>;
  readonly #reported: Statement<[Uint8Array], { readonly height: number | null }>;

  constructor(db: Db) {
    this.db = db;
    this.#byKey = db.prepare('SELECT * FROM payment_order WHERE idempotency_key = ?');
    this.#before = db.prepare(
      'SELECT * FROM payment_order WHERE sequence < ? ORDER BY sequence DESC LIMIT ?',
    );
    this.#transactions = db.prepare('SELECT * FROM order_tx WHERE sequence = ? ORDER BY position, attempt');
    this.#unsettled = db.prepare('SELECT * FROM order_tx WHERE rings IS NOT NULL AND settled = 0');
    this.#reported = db.prepare('SELECT height FROM reported_transfer WHERE tx_hash = ?');
  }

  byKey(key: string): Order | undefined {
    const row = this.#byKey.get(key);
    return row && this.#toOrder(row);
  }

  /**
   * Returns orders that were accepted before another order, latest first.
   * @param sequence number of that order, exclusive.
   */
  before(sequence: number, limit: number): Order[] {
    return this.#before.all(sequence, limit).map((row) => this.#toOrder(row));
  }

  /** Returns the attempts that other wallets may still sign and that are not settled. */
  unsettled(): OrderTx[] {
    return this.#unsettled.all().map(toOrderTx);
  }

  /**
   * Returns where a transaction was before a rescan, while the rescan has not passed its height; undefined for all
   * other transactions.
   * @returns an object without `height` for a transaction that was unmined.
   */
  beforeRescan(txHash: Hash): { readonly height?: number } | undefined {
    const row = this.#reported.get(txHash);
    return row && (row.height === null ? {} : { height: row.height });
  }

  #toOrder(row: OrderRow): Order {
    return {
      sequence: row.sequence,
      key: row.idempotency_key,
      method: row.method,
      requestHash: toBytes<'Hash'>(row.request_hash),
      created: row.created,
      transactions: this.#transactions.all(row.sequence).map(toOrderTx),
      ...(row.unsigned_set === null ? {} : { unsignedSet: Uint8Array.from(row.unsigned_set) }),
      ...(row.multisig_set === null ? {} : { multisigSet: Uint8Array.from(row.multisig_set) }),
    };
  }
}

/** A new order together with its result. */
export interface NewOrder extends OrderRequest {
  /** Time of acceptance [Unix s]. */
  readonly created: number;
  readonly made: MadePayments;
  /** True if its transactions are recorded as payments. */
  readonly sent: boolean;
}

/** A new attempt to make a transaction of an order. */
export interface NewAttempt extends OrderPlace {
  readonly made: MadePayment;
  /** True if its transaction is recorded as a payment. */
  readonly sent: boolean;
  /** Transaction set that is to be signed, of an attempt after the first one. */
  readonly signingSet?: Uint8Array | undefined;
}

const PLACE = 'sequence = ? AND position = ? AND attempt = ?';

const valuesOf = ({ sequence, position, attempt }: OrderPlace) => [sequence, position, attempt] as const;

/** Writes orders in the same transaction that records their payments. */
export class OrderWriter extends OrderReader {
  readonly #insertTx: Statement<unknown[]>;
  readonly #byHash: Statement<[Uint8Array], OrderPlace & Pick<OrderTxRow, 'withdrawn' | 'sent'>>;
  readonly #byRings: Statement<[Uint8Array], OrderTxRow>;

  constructor(db: Db) {
    super(db);
    this.#insertTx = db.prepare(
      `INSERT INTO order_tx (sequence, position, attempt, tx_hash, made, blob, metadata, rings, sent, signing_set)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#byHash = db.prepare(
      'SELECT sequence, position, attempt, withdrawn, sent FROM order_tx WHERE tx_hash = ?',
    );
    this.#byRings = db.prepare('SELECT * FROM order_tx WHERE rings = ? AND settled = 0');
  }

  /** Adds an order. @throws Error if its idempotency key is already in use. */
  add({ key, method, requestHash, created, made, sent }: NewOrder): void {
    const { lastInsertRowid } = this.db
      .prepare(
        `INSERT INTO payment_order (idempotency_key, method, request_hash, created, unsigned_set, multisig_set)
         VALUES (?, ?, ?, ?, ?, ?)`,
      )
      .run(key, method, requestHash, created, made.unsignedSet ?? null, made.multisigSet ?? null);
    const sequence = Number(lastInsertRowid);
    made.payments.forEach((payment, position) =>
      this.addAttempt({ sequence, position, attempt: 1, made: payment, sent }),
    );
  }

  /**
   * Records an attempt: the first transaction of an order, or one that repeats a failed payment. An empty blob is not
   * stored.
   */
  addAttempt({ made, sent, signingSet, ...place }: NewAttempt): void {
    const { blob, metadata } = made.signed ?? made.unsigned ?? {};
    this.#insertTx.run(
      ...valuesOf(place),
      made.signed?.txHash ?? null,
      factsOf(made),
      blob === undefined || blob.length === 0 ? null : blob,
      metadata ?? null,
      made.rings ?? null,
      sent ? 1 : 0,
      signingSet ?? null,
    );
  }

  /**
   * Records the hash of a transaction that other wallets have signed, in every attempt with the same rings.
   * @returns those attempts.
   */
  sign(rings: Hash, txHash: Hash): OrderTx[] {
    const attempts = this.#byRings.all(rings).map(toOrderTx);
    for (const attempt of attempts)
      this.db.prepare(`UPDATE order_tx SET tx_hash = ? WHERE ${PLACE}`).run(txHash, ...valuesOf(attempt));
    return attempts;
  }

  /**
   * Records that another transaction, with other rings, spends an input of an attempt.
   * @param rival hash of that transaction.
   */
  setRival(place: OrderPlace, rival: Hash): void {
    this.db.prepare(`UPDATE order_tx SET rival = ? WHERE ${PLACE}`).run(rival, ...valuesOf(place));
  }

  /** Records that an attempt is settled: no reorganisation can change any more whether it is mined. */
  settle(place: OrderPlace): void {
    this.db.prepare(`UPDATE order_tx SET settled = 1 WHERE ${PLACE}`).run(...valuesOf(place));
  }

  /**
   * Records that a transaction was not relayed. An attempt that was ever refused is kept, because the daemon may have
   * relayed it nevertheless. Another attempt is deleted if it repeats an earlier one; an order is deleted if it has no
   * other transaction, so that its key can be used again.
   */
  withdraw(txHash: Hash, how: Withdrawal): void {
    const { db } = this;
    for (const place of this.#byHash.all(txHash)) {
      // The caller may hold a transaction that this server only signed or laid out.
      if (how === 'unsent' && (place.sent === 0 || place.withdrawn === WITHDRAWALS.refused)) continue;
      if (how === 'unsent' && place.attempt > 1) {
        db.prepare(`DELETE FROM order_tx WHERE ${PLACE}`).run(...valuesOf(place));
        continue;
      }
      db.prepare(`UPDATE order_tx SET withdrawn = ? WHERE ${PLACE}`).run(
        WITHDRAWALS[how],
        ...valuesOf(place),
      );
      db.prepare(
        `DELETE FROM payment_order WHERE sequence = ? AND NOT EXISTS
           (SELECT 1 FROM order_tx WHERE sequence = payment_order.sequence AND withdrawn <> ${WITHDRAWALS.unsent})`,
      ).run(place.sequence);
    }
  }
}
