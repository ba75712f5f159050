import type { Loose, Reply, WalletCalls } from '../support/network/json-rpc.js';
import type { Random } from '../support/fakes/seeded-random.js';
import { EventLedger } from '../support/wallets/event-ledger.js';
import { readWireEvent } from '../soak/wire-events.js';
import type { Truth } from './truth.js';

/** Payment that a client orders from the wallet that is lied to. */
export interface Order {
  readonly key: string;
  readonly amount: number;
  /** Hash of the transaction, once the order is answered. */
  txid?: string;
  isRefused?: boolean;
}

const XMR = 1_000_000_000_000;
const HIGHEST_FEE = XMR / 100;
/** Largest number of events of one answer. */
const EVENTS = 1000;

const rowsOf = (rows: unknown): Loose[] => (rows ?? []) as Loose[];
const indexOf = ({ subaddr_index: { major, minor } }: Loose): string => `${String(major)}/${String(minor)}`;

/** Records of the clients of a wallet: orders, payment requests and events, which are compared with the truth. */
export class Records {
  readonly #truth: Truth;
  readonly #violate: (text: string) => void;
  /** Orders by their amount, which no other order has. */
  readonly #orders = new Map<number, Order>();
  /** Indices of the addresses of payment requests, by the id of the request. */
  readonly #requests = new Map<string, string>();
  readonly #ledger = new EventLedger();

  constructor(truth: Truth, violate: (text: string) => void) {
    this.#truth = truth;
    this.#violate = violate;
  }

  /** Makes an order, with an amount that no other one has. */
  order(random: Random): Order {
    const amount = XMR / 100 + 1000 * this.#orders.size + random.below(1000);
    const order = { key: `order ${this.#orders.size}`, amount };
    this.#orders.set(amount, order);
    return order;
  }

  /** Notes the answer to an order; undefined: there was none. */
  answer(order: Order, reply: Reply | undefined): void {
    const txid = reply?.result?.['tx_hash'];
    if (typeof txid !== 'string') return void (order.isRefused = reply?.error !== undefined);
    if (order.txid !== undefined && order.txid !== txid)
      this.#violate(`paid twice: ${order.key} has the answers ${order.txid} and ${txid}`);
    order.txid = txid;
  }

  /** Lists the orders that have no answer. */
  unanswered(): Order[] {
    return [...this.#orders.values()].filter(
      ({ txid, isRefused }) => txid === undefined && isRefused !== true,
    );
  }

  /** Notes a payment request that the wallet has created. */
  addRequest(created: Loose): void {
    this.#requests.set(String(created.request_id), indexOf(created));
  }

  /** Counts the payments that the events have, and no block. */
  async undecided(wallet: WalletCalls): Promise<number> {
    await this.#readEvents(wallet);
    return [...this.#ledger.payments.values()].filter(({ height }) => height === undefined).length;
  }

  /** Compares everything with the truth. */
  async compare(wallet: WalletCalls): Promise<void> {
    this.#compareOrders();
    await this.#compareRequests(wallet);
    await this.#compareEvents(wallet);
  }

  #compareOrders(): void {
    const paid = rowsOf(this.#truth.latest.transfers.out);
    for (const { amount, fee } of paid) {
      if (!this.#orders.has(Number(amount)))
        this.#violate(`lost: a payment of ${String(amount)} was never ordered`);
      if (Number(fee) > HIGHEST_FEE) this.#violate(`lost: a fee of ${String(fee)}`);
    }
    for (const { key, amount, txid } of this.#orders.values()) {
      const hashes = paid.filter((row) => Number(row.amount) === amount).map((row) => String(row.txid));
      if (hashes.length > 1) this.#violate(`paid twice: ${key} in ${hashes.join(', ')}`);
      if (txid !== undefined && hashes.length === 1 && hashes[0] !== txid)
        this.#violate(`${key} was answered with ${txid}, and paid with ${hashes.join()}`);
      if (txid !== undefined && hashes.length === 0)
        this.#violate(`${key} was answered with ${txid}, and is not paid`);
    }
  }

  async #compareRequests(wallet: WalletCalls): Promise<void> {
    const received = new Map<string, number>();
    for (const row of rowsOf(this.#truth.latest.transfers.received))
      received.set(indexOf(row), (received.get(indexOf(row)) ?? 0) + Number(row.amount));
    for (const [request_id, index] of this.#requests) {
      const request = await wallet.rpc('get_payment_request', { request_id });
      const right = received.get(index) ?? 0;
      if (Number(request.received) !== right || right > 0 !== (request.state === 'paid'))
        this.#violate(
          `the request ${request_id} is ${String(request.state)} with ${String(request.received)} in place of ${right}`,
        );
    }
  }

  /** Enters the new events into a ledger, which refuses contradictions. */
  async #readEvents(wallet: WalletCalls): Promise<void> {
    for (;;) {
      const { events } = await wallet.rpc('get_events', { after: this.#ledger.last, limit: EVENTS });
      if (rowsOf(events).length === 0) return;
      for (const event of rowsOf(events)) this.#enter(event);
    }
  }

  /** Compares the events with the truth. */
  async #compareEvents(wallet: WalletCalls): Promise<void> {
    await this.#readEvents(wallet);
    const received = new Set(rowsOf(this.#truth.latest.transfers.received).map(({ txid }) => String(txid)));
    for (const [key, { amount }] of this.#ledger.payments)
      if (!received.has(key.slice(0, 64)))
        this.#violate(`the events have the payment ${key} of ${amount}, and nothing takes it back`);
    const { balance } = this.#truth.latest.balance as Loose;
    if (this.#ledger.sum !== BigInt(balance as number))
      this.#violate(`the sum of the events is ${this.#ledger.sum}, the balance is ${String(balance)}`);
  }

  #enter(event: Loose): void {
    const { type, data } = event;
    const hash = String(data.tx_hash);
    if (/^payment\.(?:mined|confirmed|unlocked)$/.test(String(type)) && !this.#truth.hasMined(hash))
      this.#violate(`credited: an event ${String(type)} of ${hash}, which was never mined`);
    try {
      this.#ledger.add(readWireEvent(JSON.stringify(event)));
    } catch (error) {
      this.#violate(`${String(error)}: ${JSON.stringify(event)}`);
    }
  }
}
