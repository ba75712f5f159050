import type { Hash } from '../../crypto/types.js';
import { DaemonError } from '../../daemon/errors.js';
import { equalBytes, toHex } from '../../util/bytes.js';
import { KeyedMutex } from '../../util/keyed-mutex.js';
import { yieldToEventLoop } from '../../util/yield-to-event-loop.js';
import type { MadePayment, MadePayments } from '../../wallet/model/made-payment.js';
import {
  attemptState,
  orderState,
  positionsOf,
  type Order,
  type OrderPosition,
  type OrderRequest,
  type OrderState,
  type TrackedTx,
} from '../../wallet/model/order.js';
import { WalletError } from '../../wallet/model/wallet-error.js';
import type { WalletContext } from '../context/wallet-context.js';
import type { MempoolTracker } from '../sync/mempool-tracker.js';
import type { PaymentRelay } from '../sync/payment-relay.js';
import { FailedPayment } from './failed-payment.js';
import type { OrderEntry } from './order-entry.js';

type Context = Pick<WalletContext, 'assertOpen' | 'clock' | 'daemon' | 'store'>;

/** Sibling services. */
interface Services {
  readonly mempool: Pick<MempoolTracker, 'present'>;
  readonly relay: PaymentRelay;
}

/** Request for a payment under an idempotency key. */
export interface OrderTerms extends OrderRequest {
  /** Pays an order anew whose payment failed. */
  readonly retryFailed: boolean;
  /** The call returns transaction blobs. */
  readonly withBlobs: boolean;
}

/** Makes the payment of one call. */
export interface OrderMaker {
  /** @param entry is to be written with the payment; absent: none. */
  pay(entry?: OrderEntry): Promise<MadePayments>;
  /** Makes one failed transaction anew. Absent: {@link pay} relays the same transactions. */
  payAgain?(entry: OrderEntry, failed: FailedPayment): Promise<MadePayments>;
}

/** An order with the states of its transactions. */
export interface TrackedOrder {
  readonly order: Order;
  readonly state: OrderState;
  readonly positions: readonly OrderPosition[];
}

export interface OrderFilter {
  /** Absent: any. */
  readonly state?: OrderState;
  readonly limit: number;
  /** Sequence number, exclusive: orders accepted before it. */
  readonly before: number;
}

/** Orders read in one turn of the event loop. */
const PAGE = 50;

/** Payments under an idempotency key: each is made once, however often it is called. */
export class Orders {
  readonly #context: Context;
  readonly #services: Services;
  readonly #placing = new KeyedMutex();

  constructor(context: Context, services: Services) {
    this.#context = context;
    this.#services = services;
  }

  /**
   * Makes a payment, or returns the result of the first call with its key, after relaying transactions again that the
   * network may not have. Concurrent calls with one key wait for the first one. A call that fails before its payment is
   * recorded leaves the key free.
   * @param terms absent: a payment without a key. The method, its parameters and their hash must belong together.
   * @throws WalletError `order_mismatch` for a key of another request, `order_failed` for a failed payment without
   * `retryFailed`; the errors of `maker`.
   */
  place(terms: OrderTerms | undefined, maker: OrderMaker): Promise<MadePayments> {
    if (terms === undefined) return maker.pay();
    return this.#placing.run(terms.key, async () => {
      this.#context.assertOpen();
      const known = this.find(terms.key);
      if (known === undefined) return maker.pay(this.#newOrder(terms));
      if (!equalBytes(known.order.requestHash, terms.requestHash) || known.order.method !== terms.method)
        throw new WalletError({ kind: 'order_mismatch', method: known.order.method });
      if (known.state !== 'failed') await this.#relayAgain(known);
      else if (terms.retryFailed) await this.#retry(known, maker, terms);
      else
        throw new WalletError({
          kind: 'order_failed',
          reason: 'its payment failed: call it with retry_failed to pay it anew',
        });
      return resultOf(this.find(terms.key) ?? known);
    });
  }

  /** Reads an order; undefined if its key is free. */
  find(key: string): TrackedOrder | undefined {
    const order = this.#context.store.read((r) => r.orders.byKey(key));
    return order && this.#track(order);
  }

  /** @throws WalletError `order_missing` */
  get(key: string): TrackedOrder {
    const order = this.find(key);
    if (order === undefined) throw new WalletError({ kind: 'order_missing' });
    return order;
  }

  /** Lists orders, the latest first. */
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
    const { store } = this.#context;
    const tracked = order.transactions.map((tx): TrackedTx => {
      const txHash = tx.made.signed?.txHash;
      const recorded = txHash && store.read((r) => r.outgoing.byHash(txHash));
      const state = attemptState(tx, recorded?.state);
      return { ...tx, state, ...(recorded?.height === undefined ? {} : { height: recorded.height }) };
    });
    const positions = positionsOf(tracked);
    return { order, positions, state: orderState(order, positions) };
  }

  #newOrder({ key, method, requestHash, withBlobs }: OrderTerms): OrderEntry {
    const created = this.#context.clock.now();
    return {
      record: (w, made) => {
        const payments = made.payments.map((payment) => storedPayment(payment, withBlobs));
        w.orders.add({ key, method, requestHash, created, made: { ...made, payments } });
      },
    };
  }

  /** Makes every failed transaction anew, one after the other. */
  async #retry(
    { order, positions }: TrackedOrder,
    maker: OrderMaker,
    { withBlobs }: OrderTerms,
  ): Promise<void> {
    if (maker.payAgain === undefined) return void (await maker.pay());
    const { sequence } = order;
    for (const { attempts, current } of positions) {
      if (current.state !== 'failed') continue;
      const earlier = attempts.filter((tx) => tx !== current).map(({ made }) => made);
      const place = { sequence, position: current.position, attempt: current.attempt + 1 };
      const entry: OrderEntry = {
        record: (w, { payments: [payment] }) => {
          if (payment !== undefined) w.orders.addAttempt(place, storedPayment(payment, withBlobs));
        },
      };
      await maker.payAgain(entry, new FailedPayment(this.#context, earlier, current.made));
      this.#context.assertOpen();
    }
  }

  /**
   * Relays recorded transactions again that are not known to be in the pool.
   * @throws WalletError `tx_rejected` if the daemon refuses one and does not have it; DaemonError
   */
  async #relayAgain({ positions }: TrackedOrder): Promise<void> {
    const { mempool, relay } = this.#services;
    for (const { current } of positions) {
      const txHash = current.made.signed?.txHash;
      if (txHash === undefined || (current.state !== 'prepared' && current.state !== 'relayed')) continue;
      const isKnown = mempool.present.has(toHex(txHash)) || relay.wasAcceptedRecently(txHash);
      if (current.state === 'relayed' && isKnown) continue;
      await relay.exclusive(() => this.#send(txHash));
      this.#context.assertOpen();
    }
  }

  async #send(txHash: Hash): Promise<void> {
    const { store, daemon } = this.#context;
    const payment = store.read((r) => r.outgoing.byHash(txHash));
    // Absent: made with do_not_relay. Without a blob: mined long ago, or made by another wallet.
    if (payment?.blob === undefined || payment.state === 'confirmed' || payment.state === 'failed') return;
    try {
      await this.#services.relay.send(txHash, payment.blob);
    } catch (error) {
      // It stays recorded: it was relayed before, and the daemon may refuse it because a block contains it.
      const refused = error instanceof WalletError && error.fault.kind === 'tx_rejected';
      if (!refused) {
        if (error instanceof DaemonError && payment.state === 'pending') return;
        throw error;
      }
      const { transactions } = await daemon.client().getTransactions([txHash], { prune: true });
      if (transactions.length === 0) throw error;
    }
  }
}

/** Result of the call, from the transactions in effect. */
const resultOf = ({ order, positions }: TrackedOrder): MadePayments => ({
  payments: positions.map(({ current }) => current.made),
  ...(order.unsignedSet === undefined ? {} : { unsignedSet: order.unsignedSet }),
  ...(order.multisigSet === undefined ? {} : { multisigSet: order.multisigSet }),
});

/** Payment as an order keeps it: with its blob only if the call returns it. */
const storedPayment = (made: MadePayment, withBlobs: boolean): MadePayment =>
  withBlobs || made.signed === undefined
    ? made
    : { ...made, signed: { ...made.signed, blob: new Uint8Array() } };
