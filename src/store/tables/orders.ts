import type { KeyedCall } from '../../model/keyed-call.js';
import type { MadePayment, MadePayments, MadeTx } from '../../model/made-payment.js';
import type { Order, OrderPlace, OrderTx, Withdrawal } from '../../model/order.js';
import type { Hash } from '../../monero/crypto/types.js';
import { amount } from '../../util/amount.js';
import { fromHex, toHex } from '../../util/bytes.js';
import { parseJson } from '../../util/json.js';
import { writeWholeJson } from '../../util/json-writer.js';
import type { SqlDatabase } from '../../util/sql-database.js';
import { toBytes } from './columns.js';
import { IdempotencyKeys, type RecordedCall } from './idempotency-keys.js';

/** Row of an order. */
interface OrderRow {
  readonly sequence: number;
  readonly created: number;
  readonly unsigned_set: Uint8Array | null;
  readonly multisig_set: Uint8Array | null;
}

/** One attempt to make one of the transactions of an order. */
interface OrderTxRow {
  readonly sequence: number;
  readonly position: number;
  readonly attempt: number;
  readonly tx_hash: Uint8Array | null;
  readonly withdrawn: number;
  readonly sent: number;
  readonly made: string;
  readonly blob: Uint8Array | null;
  readonly metadata: Uint8Array | null;
  readonly rings: Uint8Array | null;
  readonly rival: Uint8Array | null;
  readonly signing_set: Uint8Array | null;
}

/** JSON content of the column `made`. */
interface Facts {
  readonly destinations: readonly { readonly address: string; readonly amount: bigint }[];
  readonly fee: bigint;
  readonly weight: bigint;
  readonly key_images: readonly string[];
  readonly tx_keys: readonly string[];
  /** Output keys of the inputs; absent in rows of earlier versions. */
  readonly inputs?: readonly string[];
  /** Hash of the unsigned transaction in a wallet that cannot sign. Its blob and metadata have columns. */
  readonly unsigned_hash?: string;
}

/** Number of each {@link Withdrawal} in the column `withdrawn`; the column is 0 without a withdrawal. */
const WITHDRAWALS: Readonly<Record<Withdrawal, number>> = { refused: 1, unsent: 2 };

const withdrawalOf = ({ withdrawn }: OrderTxRow): Withdrawal | undefined => {
  if (withdrawn === 0) return undefined;
  return withdrawn === WITHDRAWALS.unsent ? 'unsent' : 'refused';
};

const factsOf = ({
  destinations,
  fee,
  weight,
  keyImages,
  inputKeys,
  txSecretKeys,
  unsigned,
}: MadePayment): string =>
  writeWholeJson({
    destinations: destinations.map(({ address, amount: value }) => ({ address, amount: value })),
    fee,
    weight,
    key_images: keyImages.map(toHex),
    tx_keys: txSecretKeys.map(toHex),
    inputs: inputKeys.map(toHex),
    ...(unsigned && { unsigned_hash: toHex(unsigned.txHash) }),
  });

const madeTx = (hash: Uint8Array, { blob, metadata }: OrderTxRow): MadeTx => ({
  txHash: toBytes<'Hash'>(hash),
  blob: Uint8Array.from(blob ?? []),
  ...(metadata === null ? {} : { metadata: Uint8Array.from(metadata) }),
});

function toMade(row: OrderTxRow): MadePayment {
  const facts = parseJson(row.made) as unknown as Facts;
  return {
    destinations: facts.destinations.map((to) => ({ address: to.address, amount: amount(to.amount) })),
    fee: amount(facts.fee),
    weight: Number(facts.weight),
    keyImages: facts.key_images.map((hex) => toBytes<'KeyImage'>(fromHex(hex))),
    inputKeys: (facts.inputs ?? []).map((hex) => toBytes<'PublicKey'>(fromHex(hex))),
    txSecretKeys: facts.tx_keys.map((hex) => fromHex(hex)),
    ...(row.rings === null ? {} : { rings: toBytes<'Hash'>(row.rings) }),
    ...(row.tx_hash === null ? {} : { signed: madeTx(row.tx_hash, row) }),
    ...(facts.unsigned_hash === undefined ? {} : { unsigned: madeTx(fromHex(facts.unsigned_hash), row) }),
  };
}

function toOrderTx(row: OrderTxRow): OrderTx {
  const withdrawn = withdrawalOf(row);
  return {
    sequence: row.sequence,
    position: row.position,
    attempt: row.attempt,
    sent: row.sent !== 0,
    ...(withdrawn === undefined ? {} : { withdrawn }),
    ...(row.rival === null ? {} : { rival: toBytes<'Hash'>(row.rival) }),
    ...(row.signing_set === null ? {} : { signingSet: Uint8Array.from(row.signing_set) }),
    made: toMade(row),
  };
}

/** SQL condition that a transaction belongs to an order. */
export const OF_ORDER = 'tx_hash IN (SELECT tx_hash FROM order_tx WHERE tx_hash IS NOT NULL)';

/** Reads orders: payments that were requested with an idempotency key. */
export class OrderReader {
  protected readonly db: SqlDatabase;
  protected readonly keys: IdempotencyKeys;

  constructor(db: SqlDatabase) {
    this.db = db;
    this.keys = new IdempotencyKeys(db, 'order');
  }

  byKey(key: string): Order | undefined {
    const call = this.keys.find(key);
    if (call === undefined) return undefined;
    const row = this.db.row<OrderRow>('SELECT * FROM payment_order WHERE sequence = ?', call.sequence);
    return row && this.#toOrder(row, call);
  }

  /** Returns an order by its number; undefined if there is no such order. */
  bySequence(sequence: number): Order | undefined {
    const row = this.db.row<OrderRow>('SELECT * FROM payment_order WHERE sequence = ?', sequence);
    return row && this.#toOrder(row, this.keys.of(sequence));
  }

  /**
   * Returns orders that were accepted before another order, latest first.
   * @param sequence number of the other order, exclusive.
   */
  before(sequence: number, limit: number): Order[] {
    return this.db
      .rows<OrderRow>(
        'SELECT * FROM payment_order WHERE sequence < ? ORDER BY sequence DESC LIMIT ?',
        sequence,
        limit,
      )
      .map((row) => this.#toOrder(row, this.keys.of(row.sequence)));
  }

  /** Returns the idempotency key of the oldest order that a transaction belongs to; undefined if there is none. */
  keyOf(txHash: Hash): string | undefined {
    const sequence = this.db.value<number>('SELECT min(sequence) FROM order_tx WHERE tx_hash = ?', txHash);
    return sequence == null ? undefined : this.keys.of(sequence).key;
  }

  /**
   * Counts the orders with a payment that is in no block, and those whose latest attempt failed, without batches of payouts.
   * Reads unmined payments alone. @returns undefined without orders.
   */
  figures(): { readonly waiting: number; readonly failed: number } | undefined {
    if (this.db.row('SELECT 1 FROM payment_order LIMIT 1') === undefined) return undefined;
    const count = (condition: string): number =>
      this.db.value<number>(
        `SELECT count(DISTINCT t.sequence) FROM outgoing_tx o CROSS JOIN order_tx t ON t.tx_hash = o.tx_hash
         WHERE o.state <> 'confirmed' AND ${condition}
           AND NOT EXISTS (SELECT 1 FROM payout_batch b WHERE b.sequence = t.sequence)`,
      ) ?? 0;
    return {
      waiting: count("o.state IN ('prepared', 'pending')"),
      failed: count(`o.state = 'failed' AND NOT EXISTS (SELECT 1 FROM order_tx later
        WHERE later.sequence = t.sequence AND later.position = t.position AND later.attempt > t.attempt)`),
    };
  }

  /** Returns the attempts that other wallets may still sign and that are not settled. */
  unsettled(): OrderTx[] {
    return this.db
      .rows<OrderTxRow>('SELECT * FROM order_tx WHERE rings IS NOT NULL AND settled = 0')
      .map(toOrderTx);
  }

  /**
   * Returns the place of a transaction before a rescan, while the rescan has not passed its height; undefined for all
   * other transactions.
   * @returns an object without `height` for a transaction that was unmined.
   */
  beforeRescan(txHash: Hash): { readonly height?: number } | undefined {
    const row = this.db.row<{ readonly height: number | null }>(
      'SELECT height FROM reported_transfer WHERE tx_hash = ?',
      txHash,
    );
    return row && (row.height === null ? {} : { height: row.height });
  }

  #toOrder(row: OrderRow, call: RecordedCall): Order {
    return {
      ...call,
      created: row.created,
      transactions: this.db
        .rows<OrderTxRow>(
          'SELECT * FROM order_tx WHERE sequence = ? ORDER BY position, attempt',
          row.sequence,
        )
        .map(toOrderTx),
      ...(row.unsigned_set === null ? {} : { unsignedSet: Uint8Array.from(row.unsigned_set) }),
      ...(row.multisig_set === null ? {} : { multisigSet: Uint8Array.from(row.multisig_set) }),
    };
  }
}

/** A new order together with its result. */
export interface NewOrder extends KeyedCall {
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
  /** Transaction set that is to be signed, of an attempt after the first attempt. */
  readonly signingSet?: Uint8Array | undefined;
}

const PLACE = 'sequence = ? AND position = ? AND attempt = ?';

const valuesOf = ({ sequence, position, attempt }: OrderPlace) => [sequence, position, attempt] as const;

/** Writes orders in the same transaction that records their payments. */
export class OrderWriter extends OrderReader {
  /** Adds an order. @returns its number. @throws Error if its idempotency key is already in use. */
  add({ created, made, sent, ...call }: NewOrder): number {
    const { lastInsertRowid } = this.db.run(
      'INSERT INTO payment_order (created, unsigned_set, multisig_set) VALUES (?, ?, ?)',
      created,
      made.unsignedSet ?? null,
      made.multisigSet ?? null,
    );
    const sequence = Number(lastInsertRowid);
    this.keys.add(call, sequence);
    made.payments.forEach((payment, position) =>
      this.addAttempt({ sequence, position, attempt: 1, made: payment, sent }),
    );
    return sequence;
  }

  /**
   * Records an attempt: the first transaction of an order, or a transaction that repeats a failed payment. An empty
   * blob is not stored.
   */
  addAttempt({ made, sent, signingSet, ...place }: NewAttempt): void {
    const { blob, metadata } = made.signed ?? made.unsigned ?? {};
    this.db.run(
      `INSERT INTO order_tx (sequence, position, attempt, tx_hash, made, blob, metadata, rings, sent, signing_set)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
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
   * @returns these attempts.
   */
  sign(rings: Hash, txHash: Hash): OrderTx[] {
    const attempts = this.db
      .rows<OrderTxRow>('SELECT * FROM order_tx WHERE rings = ? AND settled = 0', rings)
      .map(toOrderTx);
    for (const attempt of attempts)
      this.db.run(`UPDATE order_tx SET tx_hash = ? WHERE ${PLACE}`, txHash, ...valuesOf(attempt));
    return attempts;
  }

  /**
   * Records that another transaction, with other rings, spends an input of an attempt.
   * @param rival hash of the other transaction.
   */
  setRival(place: OrderPlace, rival: Hash): void {
    this.db.run(`UPDATE order_tx SET rival = ? WHERE ${PLACE}`, rival, ...valuesOf(place));
  }

  /** Records that an attempt is settled: no reorganisation can change any more whether it is mined. */
  settle(place: OrderPlace): void {
    this.db.run(`UPDATE order_tx SET settled = 1 WHERE ${PLACE}`, ...valuesOf(place));
  }

  /**
   * Records that a transaction was not relayed. An attempt that was ever refused is kept, because the daemon may have
   * relayed it nevertheless. Any other attempt is deleted if it repeats an earlier attempt; an order is deleted if it
   * has no other transaction, so that its key can be used again.
   */
  withdraw(txHash: Hash, how: Withdrawal): void {
    const { db } = this;
    const attempts = db.rows<OrderPlace & Pick<OrderTxRow, 'withdrawn' | 'sent'>>(
      'SELECT sequence, position, attempt, withdrawn, sent FROM order_tx WHERE tx_hash = ?',
      txHash,
    );
    for (const place of attempts) {
      // The caller may hold a transaction that this server only signed or laid out.
      if (how === 'unsent' && (place.sent === 0 || place.withdrawn === WITHDRAWALS.refused)) continue;
      if (how === 'unsent' && place.attempt > 1) {
        db.run(`DELETE FROM order_tx WHERE ${PLACE}`, ...valuesOf(place));
        continue;
      }
      db.run(`UPDATE order_tx SET withdrawn = ? WHERE ${PLACE}`, WITHDRAWALS[how], ...valuesOf(place));
      const { changes } = db.run(
        `DELETE FROM payment_order WHERE sequence = ? AND NOT EXISTS
           (SELECT 1 FROM order_tx WHERE sequence = payment_order.sequence AND withdrawn <> ${WITHDRAWALS.unsent})`,
        place.sequence,
      );
      if (changes > 0) this.keys.free(place.sequence);
    }
  }
}
