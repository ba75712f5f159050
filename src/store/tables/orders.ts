import type { Statement } from 'better-sqlite3';
import type { Hash } from '../../crypto/types.js';
import { amount } from '../../util/amount.js';
import { fromHex, toHex } from '../../util/bytes.js';
import { parseJson } from '../../util/json.js';
import { writeWholeJson } from '../../util/json-writer.js';
import type { MadePayment, MadePayments } from '../../wallet/model/made-payment.js';
import type { Order, OrderRequest, OrderTx } from '../../wallet/model/order.js';
import type { Db } from '../file/database.js';
import { toBytes } from '../sql/columns.js';

interface OrderRow {
  readonly sequence: number;
  readonly idempotency_key: string;
  readonly method: string;
  readonly request_hash: Uint8Array;
  readonly created: number;
  readonly unsigned_set: Uint8Array | null;
  readonly multisig_set: Uint8Array | null;
}

interface TxRow {
  readonly position: number;
  readonly attempt: number;
  readonly tx_hash: Uint8Array | null;
  readonly withdrawn: number;
  readonly made: string;
  readonly blob: Uint8Array | null;
  readonly metadata: Uint8Array | null;
}

/** Content of the column `made`. */
interface Facts {
  readonly destinations: readonly { readonly address: string; readonly amount: bigint }[];
  readonly fee: bigint;
  readonly weight: bigint;
  readonly key_images: readonly string[];
  readonly tx_keys: readonly string[];
}

const factsOf = ({ destinations, fee, weight, keyImages, txSecretKeys }: MadePayment): string =>
  writeWholeJson({
    destinations: destinations.map(({ address, amount: value }) => ({ address, amount: value })),
    fee,
    weight,
    key_images: keyImages.map(toHex),
    tx_keys: txSecretKeys.map(toHex),
  });

function toMade(row: TxRow): MadePayment {
  const facts = parseJson(row.made) as unknown as Facts;
  return {
    destinations: facts.destinations.map((to) => ({ address: to.address, amount: amount(to.amount) })),
    fee: amount(facts.fee),
    weight: Number(facts.weight),
    keyImages: facts.key_images.map((hex) => toBytes<'KeyImage'>(fromHex(hex))),
    txSecretKeys: facts.tx_keys.map((hex) => fromHex(hex)),
    ...(row.tx_hash === null
      ? {}
      : {
          signed: {
            txHash: toBytes<'Hash'>(row.tx_hash),
            blob: Uint8Array.from(row.blob ?? []),
            ...(row.metadata === null ? {} : { metadata: Uint8Array.from(row.metadata) }),
          },
        }),
  };
}

const toTx = (row: TxRow): OrderTx => ({
  position: row.position,
  attempt: row.attempt,
  withdrawn: row.withdrawn !== 0,
  made: toMade(row),
});

/** Reads payments that have an idempotency key. */
export class OrderReader {
  protected readonly db: Db;
  readonly #byKey: Statement<[string], OrderRow>;
  readonly #before: Statement<[number, number], OrderRow>;
  readonly #transactions: Statement<[number], TxRow>;

  constructor(db: Db) {
    this.db = db;
    this.#byKey = db.prepare('SELECT * FROM payment_order WHERE idempotency_key = ?');
    this.#before = db.prepare(
      'SELECT * FROM payment_order WHERE sequence < ? ORDER BY sequence DESC LIMIT ?',
    );
    this.#transactions = db.prepare('SELECT * FROM order_tx WHERE sequence = ? ORDER BY position, attempt');
  }

  byKey(key: string): Order | undefined {
    const row = this.#byKey.get(key);
    return row && this.#toOrder(row);
  }

  /** Returns orders accepted before another one, the latest first. @param sequence exclusive. */
  before(sequence: number, limit: number): Order[] {
    return this.#before.all(sequence, limit).map((row) => this.#toOrder(row));
  }

  #toOrder(row: OrderRow): Order {
    return {
      sequence: row.sequence,
      key: row.idempotency_key,
      method: row.method,
      requestHash: toBytes<'Hash'>(row.request_hash),
      created: row.created,
      transactions: this.#transactions.all(row.sequence).map(toTx),
      ...(row.unsigned_set === null ? {} : { unsignedSet: Uint8Array.from(row.unsigned_set) }),
      ...(row.multisig_set === null ? {} : { multisigSet: Uint8Array.from(row.multisig_set) }),
    };
  }
}

/** A new order with its result. */
export interface NewOrder extends OrderRequest {
  /** Unix seconds. */
  readonly created: number;
  readonly made: MadePayments;
}

interface Attempt {
  readonly sequence: number;
  readonly position: number;
  readonly attempt: number;
}

/** Writes payments that have an idempotency key, in the transaction that records their payments. */
export class OrderWriter extends OrderReader {
  readonly #insertTx: Statement<unknown[]>;

  constructor(db: Db) {
    super(db);
    this.#insertTx = db.prepare(
      `INSERT INTO order_tx (sequence, position, attempt, tx_hash, made, blob, metadata)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
    );
  }

  /** @throws Error if the key is used already. */
  add({ key, method, requestHash, created, made }: NewOrder): void {
    const { lastInsertRowid } = this.db
      .prepare(
        `INSERT INTO payment_order (idempotency_key, method, request_hash, created, unsigned_set, multisig_set)
         VALUES (?, ?, ?, ?, ?, ?)`,
      )
      .run(key, method, requestHash, created, made.unsignedSet ?? null, made.multisigSet ?? null);
    const sequence = Number(lastInsertRowid);
    made.payments.forEach((payment, position) =>
      this.addAttempt({ sequence, position, attempt: 1 }, payment),
    );
  }

  /** Records a transaction that pays a failed one again. An empty blob is not stored. */
  addAttempt({ sequence, position, attempt }: Attempt, made: MadePayment): void {
    const { txHash, blob, metadata } = made.signed ?? {};
    const stored = blob === undefined || blob.length === 0 ? null : blob;
    this.#insertTx.run(sequence, position, attempt, txHash ?? null, factsOf(made), stored, metadata ?? null);
  }

  /**
   * Records that the daemon refused a transaction when it was first relayed. A repeated attempt is deleted; an order
   * without any other transaction is deleted, so that its key can be used again.
   */
  withdraw(txHash: Hash): void {
    const { db } = this;
    const rows = db
      .prepare<[Uint8Array], Attempt>('SELECT sequence, position, attempt FROM order_tx WHERE tx_hash = ?')
      .all(txHash);
    for (const { sequence, position, attempt } of rows) {
      const place = [sequence, position, attempt] as const;
      if (attempt > 1) {
        db.prepare('DELETE FROM order_tx WHERE sequence = ? AND position = ? AND attempt = ?').run(...place);
        continue;
      }
      db.prepare('UPDATE order_tx SET withdrawn = 1 WHERE sequence = ? AND position = ? AND attempt = ?').run(
        ...place,
      );
      db.prepare(
        `DELETE FROM payment_order WHERE sequence = ?
         AND NOT EXISTS (SELECT 1 FROM order_tx WHERE sequence = payment_order.sequence AND NOT withdrawn)`,
      ).run(sequence);
    }
  }
}
