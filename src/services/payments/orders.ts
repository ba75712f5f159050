import { monotonicMs, unixSeconds } from '../../util/clock.js';
import type { Hash } from '../../monero/crypto/types.js';
import { KeyedMutex } from '../../util/concurrency.js';
import { yieldToEventLoop } from '../../util/event-loop.js';
import type { MadePayment, MadePayments } from '../../model/made-payment.js';
import { assertRepeats, type KeyedCall } from '../../model/keyed-call.js';
import type { Order, OrderState, TrackedOrder } from '../../model/order.js';
import { WalletError } from '../../model/wallet-error.js';
import type { WalletContext } from '../context/wallet-context.js';
import type { WalletWriter } from '../../store/wallet-writer.js';
import type { PaymentRelay } from '../sync/payment-relay.js';
import { FailedPayment } from './failed-payment.js';
import type { OrderEntry } from './payment-ledger.js';
import { trackOrder } from '../../store/tables/order-tracker.js';
import { decode, encode, type Codec } from '../../util/codec.js';
import { unsignedTxSet } from '../../monero/wallet/exchange/cold-tx-sets.js';
import { multisigTxSet } from '../../monero/wallet/multisig/tx-set.js';

type Context = Pick<WalletContext, 'assertOpen' | 'clock' | 'exportFormat' | 'exports' | 'store'>;

/** Other services of the wallet that this service calls. */
interface Services {
  readonly relay: PaymentRelay;
}

/** Request for a payment under an idempotency key. */
export interface OrderTerms extends KeyedCall {
  /** True: pays the order again if its payment failed. */
  readonly retryFailed: boolean;
  /** True if the call returns the blobs of transactions. */
  readonly withBlobs: boolean;
}

/** Makes the payment of one call with an idempotency key. */
export interface OrderMaker {
  /** Makes the payment. @param entry writes the order with the payment; absent: the payment has no order. */
  pay(entry?: OrderEntry): Promise<MadePayments>;
  /**
   * Writes further rows in the store transaction that records the order; an error undoes the transaction.
   * @param sequence number of the order.
   */
  recordWith?(w: WalletWriter, sequence: number, made: MadePayments): void;
  /** Makes one failed transaction again; absent if {@link pay} relays the same transactions again. */
  payAgain?(entry: OrderEntry, failed: FailedPayment): Promise<MadePayments>;
}

/** Orders to list. */
export interface OrderFilter {
  /** State of the listed orders; absent: any state. */
  readonly state?: OrderState;
  readonly limit: number;
  /** Sequence number that the listed orders lie below. */
  readonly before: number;
}

/** Number of orders read in one turn of the event loop. */
const PAGE = 50;

/** Payments with an idempotency key, each of which is made only once, even if its call is repeated. */
export class Orders {
  readonly #context: Context;
  readonly #services: Services;
  readonly #placing = new KeyedMutex();

  constructor(context: Context, services: Services) {
    this.#context = context;
    this.#services = services;
  }

  /**
   * Makes a payment, or returns the result of the first call with the same key. Relays unmined transactions again
   * before it returns: after a result, the network has the transactions or they were just sent. Concurrent calls with
   * the same key wait for the first call. A call that fails before its payment is sent leaves the key free. If the
   * daemon refused the payment when it was first sent, it is made again, with a transaction that excludes the refused
   * transaction.
   * @param terms absent: a payment without a key. The hash must be the hash of the method and its parameters.
   * @throws WalletError `order_mismatch` for a key of another request, `order_failed` for a failed payment without
   * `retryFailed`; the errors of `maker`.
   */
  place(terms: OrderTerms | undefined, maker: OrderMaker): Promise<MadePayments> {
    if (terms === undefined) return maker.pay();
    const since = monotonicMs();
    return this.#placing.run(terms.key, async () => {
      this.#context.assertOpen();
      const known = this.find(terms.key);
      if (known === undefined) return maker.pay(this.#newOrder(terms, maker));
      assertRepeats(known.order, terms);
      if (known.state === 'failed') {
        if (!terms.retryFailed && !isRefused(known)) throw hasFailed();
        await this.#retry(known, maker, terms);
      }
      await this.#relayAgain(this.get(terms.key), since);
      return this.#resultOf(this.get(terms.key));
    });
  }

  /** Finds an order by its key; undefined if the key is free. */
  find(key: string): TrackedOrder | undefined {
    const order = this.#context.store.read((r) => r.orders.byKey(key));
    return order && this.#track(order);
  }

  /** Returns an order by its key. @throws WalletError `order_missing` */
  get(key: string): TrackedOrder {
    const order = this.find(key);
    if (order === undefined) throw new WalletError({ kind: 'order_missing' });
    return order;
  }

  /** Lists orders, latest first. */
  async list({ state, limit, before }: OrderFilter): Promise<TrackedOrder[]> {
    const found: TrackedOrder[] = [];
    let next = before;
    for (;;) {
      const page = this.#context.store.read((r) => r.orders.before(next, PAGE));
      for (const order of page) {
        if (found.length >= limit) return found;
        const tracked = this.#track(order);
        if (state === undefined || tracked.state === state) found.push(tracked);
        next = order.sequence;
      }
      if (page.length < PAGE) return found;
      await yieldToEventLoop();
      this.#context.assertOpen();
    }
  }

  #track(order: Order): TrackedOrder {
    return this.#context.store.read((r) => trackOrder(r, order));
  }

  #newOrder({ key, method, requestHash, withBlobs }: OrderTerms, maker: OrderMaker): OrderEntry {
    const created = unixSeconds(this.#context.clock);
    return {
      record: (w, made, { sent }) => {
        const payments = made.payments.map((payment) => storedPayment(payment, withBlobs));
        const sequence = w.orders.add({
          key,
          method,
          requestHash,
          created,
          sent,
          made: { ...made, payments },
        });
        maker.recordWith?.(w, sequence, made);
      },
    };
  }

  /** Makes every failed transaction again, one after the other. */
  async #retry(
    { order, positions }: TrackedOrder,
    maker: OrderMaker,
    { withBlobs }: OrderTerms,
  ): Promise<void> {
    if (maker.payAgain === undefined) return void (await maker.pay());
    const { sequence } = order;
    for (const { attempts, current } of positions) {
      if (current.state !== 'failed') continue;
      const attempt = Math.max(...attempts.map((tx) => tx.attempt)) + 1;
      const place = { sequence, position: current.position, attempt };
      const entry: OrderEntry = {
        record: (w, { payments: [payment], unsignedSet, multisigSet }, { sent }) => {
          if (payment === undefined) return;
          const made = storedPayment(payment, withBlobs);
          w.orders.addAttempt({ ...place, sent, made, signingSet: unsignedSet ?? multisigSet });
        },
      };
      const others = attempts.filter((tx) => tx !== current);
      await maker.payAgain(entry, new FailedPayment(this.#context, others, current));
      this.#context.assertOpen();
    }
  }

  /**
   * Relays unmined transactions again, except transactions that were sent since the call began.
   * @param since time at which the call began.
   * @throws WalletError `tx_rejected` if the daemon refuses a transaction and does not have it, `order_failed` if a
   * transaction cannot be sent; DaemonError
   */
  async #relayAgain({ positions }: TrackedOrder, since: number): Promise<void> {
    const { relay } = this.#services;
    for (const { current } of positions) {
      const txHash = current.made.signed?.txHash;
      // A transaction that is not recorded as a payment is left out, because the caller must sign or relay it.
      if (txHash === undefined || !current.isRecorded || current.state === 'mined') continue;
      await relay.exclusive(() => this.#send(txHash, since));
      this.#context.assertOpen();
    }
  }

  async #send(txHash: Hash, since: number): Promise<void> {
    const { relay } = this.#services;
    const payment = this.#context.store.read((r) => r.outgoing.byHash(txHash));
    if (payment === undefined || payment.state === 'confirmed' || payment.state === 'failed') return;
    if (relay.wasSentSince(txHash, since)) return;
    if (payment.blob !== undefined) return relay.deliver(txHash, payment.blob);
    // The daemon has the transaction already: another wallet relayed it.
    if (await relay.isHeld(txHash)) return;
    throw new WalletError({
      kind: 'order_failed',
      reason:
        'the daemon has its transaction in neither pool nor chain, and only the wallet that made it can relay it again',
    });
  }

  /**
   * Returns the result of the call with the latest attempts. @throws WalletError `order_failed` if a transaction failed
   * meanwhile.
   */
  async #resultOf(tracked: TrackedOrder): Promise<MadePayments> {
    if (tracked.state === 'failed') throw hasFailed();
    return {
      payments: tracked.positions.map(({ current }) => current.made),
      ...(await setToSign(this.#context, tracked)),
    };
  }
}

const hasFailed = (): WalletError =>
  new WalletError({
    kind: 'order_failed',
    reason: 'its payment failed: call it with retry_failed to pay it anew',
  });

/** True if the daemon refused every transaction when it was first relayed, and no transaction was seen since. */
const isRefused = ({ positions }: TrackedOrder): boolean =>
  positions.every(({ attempts }) => attempts.every((tx) => tx.withdrawn !== undefined && !tx.isRecorded));

/** Returns a payment in the form that an order stores, which has the blob only if the call returns the blob. */
const storedPayment = (made: MadePayment, withBlobs: boolean): MadePayment => {
  const { signed, unsigned, ...facts } = made;
  const blob = new Uint8Array();
  if (withBlobs) return made;
  return {
    ...facts,
    ...(signed && { signed: { ...signed, blob } }),
    ...(unsigned && { unsigned: { ...unsigned, blob } }),
  };
};

/** A transaction set of an order for another wallet to sign, with one transaction in it. */
interface SetPart {
  readonly set: Uint8Array;
  /** Index of the transaction in the set. */
  readonly index: number;
  /** True if the set has no other transaction. */
  readonly isAlone: boolean;
}

/** Kind of a transaction set. */
interface SetKind<T> {
  readonly name: 'unsignedTxs' | 'multisigTxs';
  readonly codec: Codec<T>;
}

/**
 * Returns the set for other wallets to sign: the set that the call made, or, if a transaction failed and was made
 * again, a set with the latest attempts.
 */
export async function setToSign(
  { exports, exportFormat }: Pick<WalletContext, 'exports' | 'exportFormat'>,
  { order, positions }: TrackedOrder,
): Promise<Pick<MadePayments, 'unsignedSet' | 'multisigSet'>> {
  const { unsignedSet, multisigSet } = order;
  if (positions.every(({ current }) => current.signingSet === undefined))
    return { ...(unsignedSet && { unsignedSet }), ...(multisigSet && { multisigSet }) };
  const first = unsignedSet ?? multisigSet ?? new Uint8Array();
  const unsigned = positions.filter(({ current }) => current.state === 'prepared');
  const parts = (unsigned.length === 0 ? positions : unsigned).map(({ current }): SetPart => {
    const { signingSet: own, position } = current;
    return own === undefined
      ? { set: first, index: position, isAlone: positions.length === 1 }
      : { set: own, index: 0, isAlone: true };
  });
  if (multisigSet !== undefined)
    return { multisigSet: await joined(exports, { name: 'multisigTxs', codec: multisigTxSet }, parts) };
  const codec = unsignedTxSet(exportFormat);
  return { unsignedSet: await joined(exports, { name: 'unsignedTxs', codec }, parts) };
}

/**
 * Joins transactions of several sets. Takes all other fields from the last set, whose exported outputs include the
 * outputs of the earlier sets.
 */
async function joined<T extends { readonly txs: readonly unknown[] }>(
  exports: WalletContext['exports'],
  { name, codec }: SetKind<T>,
  parts: readonly SetPart[],
): Promise<Uint8Array> {
  const [only] = parts;
  if (only?.isAlone === true && parts.length === 1) return only.set;
  const sets: T[] = [];
  for (const { set } of parts) sets.push(decode(codec, await exports.open(name, set)));
  const txs = sets.flatMap((set, i) => set.txs.slice(parts[i]?.index ?? 0).slice(0, 1));
  const last = sets.at(-1);
  if (last === undefined) throw new Error('an order without transactions has no set');
  return exports.seal(name, encode(codec, { ...last, txs }));
}
