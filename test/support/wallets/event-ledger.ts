import type { Hash } from '../../../src/monero/crypto/types.js';
import { toHex } from '../../../src/util/bytes.js';
import type { PaymentFacts, WalletEvent } from '../../../src/model/events.js';

/** A payment as its events describe it. */
export interface LedgerPayment {
  readonly amount: bigint;
  /** Id of its latest `payment.seen` or `payment.mined`. */
  readonly event: number;
  /** Absent for a payment in the mempool. */
  readonly height?: number;
  readonly confirmations: readonly number[];
  readonly unlocked: boolean;
}

export interface LedgerTransfer {
  readonly amountIn: bigint;
  readonly change: bigint;
  readonly failed: boolean;
}

const keyOf = ({ txHash, subaddress }: PaymentFacts): string =>
  `${toHex(txHash)} ${subaddress.major} ${subaddress.minor}`;

/** A reader of events: keeps payments and transfers, and refuses an event that does not fit the earlier ones. */
export class EventLedger {
  readonly payments = new Map<string, LedgerPayment>();
  readonly transfers = new Map<string, LedgerTransfer>();
  /** Amounts of the outputs that unseen transactions spend, by the id of their `output.spent`. */
  readonly spentOutputs = new Map<number, bigint>();
  last = 0;
  readonly #paymentIdOf: ((txHash: Hash) => Uint8Array | undefined) | undefined;

  /** @param paymentIdOf returns the payment id that each event of a transaction must have; absent: any. */
  constructor(paymentIdOf?: (txHash: Hash) => Uint8Array | undefined) {
    this.#paymentIdOf = paymentIdOf;
  }

  /** Sum of the payments less the transfers and the outputs that unseen transactions spend. */
  get sum(): bigint {
    let sum = 0n;
    for (const { amount } of this.payments.values()) sum += amount;
    for (const { amountIn, change, failed } of this.transfers.values()) if (!failed) sum -= amountIn - change;
    for (const amount of this.spentOutputs.values()) sum -= amount;
    return sum;
  }

  /**
   * Applies an event to the payments and transfers.
   * @throws Error for an event that repeats or contradicts an earlier one.
   */
  add(event: WalletEvent): void {
    if (event.id <= this.last) throw new Error('ids do not increase');
    this.last = event.id;
    if (event.type.startsWith('payment.')) this.#checkPaymentId(event.data as PaymentFacts);
    switch (event.type) {
      case 'payment.seen':
      case 'payment.mined':
        return this.#open(event);
      case 'payment.confirmed':
      case 'payment.unlocked':
        return this.#advance(event);
      case 'payment.reversed': {
        const payment = this.#get(event.data);
        if (payment.event !== event.data.reverses) throw new Error('a reversal names another event');
        if (payment.height !== event.data.height || payment.amount !== event.data.amount)
          throw new Error('a reversal has other facts than its payment');
        this.payments.delete(keyOf(event.data));
        return;
      }
      case 'transfer.relayed':
      case 'transfer.mined':
      case 'transfer.failed': {
        const { txHash, amountIn, change } = event.data;
        const before = this.transfers.get(toHex(txHash));
        if (event.type === 'transfer.relayed' && before?.failed === false)
          throw new Error('a transfer is relayed again');
        if (event.type === 'transfer.failed' && before?.failed === true)
          throw new Error('a transfer fails again');
        this.transfers.set(toHex(txHash), { amountIn, change, failed: event.type === 'transfer.failed' });
        return;
      }
      case 'output.spent':
        this.spentOutputs.set(event.id, event.data.amount);
        return;
      case 'output.unspent':
        if (this.spentOutputs.get(event.data.reverses) !== event.data.amount)
          throw new Error('the end of a spend names another event');
        this.spentOutputs.delete(event.data.reverses);
        return;
      case 'request.partial':
      case 'request.seen':
      case 'request.paid':
      case 'request.overpaid':
      case 'request.expired':
      case 'request.late':
      case 'request.reversed':
      case 'wallet.synced':
      case 'wallet.reorganised':
      default:
    }
  }

  #checkPaymentId({ txHash, paymentId }: PaymentFacts): void {
    if (this.#paymentIdOf === undefined) return;
    const hex = (id: Uint8Array | undefined): string => (id === undefined ? 'none' : toHex(id));
    if (hex(paymentId) !== hex(this.#paymentIdOf(txHash))) throw new Error('an event has another payment id');
  }

  #open({ id, type, data }: Extract<WalletEvent, { type: 'payment.seen' | 'payment.mined' }>): void {
    const key = keyOf(data);
    const before = this.payments.get(key);
    const seen = type === 'payment.mined' ? data.seen : undefined;
    if (before?.height !== undefined) throw new Error('a mined payment is found again');
    if (before?.event !== seen) throw new Error('a payment begins twice, or does not name its first event');
    this.payments.set(key, {
      amount: data.amount,
      event: id,
      ...(type === 'payment.mined' ? { height: data.height } : {}),
      confirmations: [],
      unlocked: false,
    });
  }

  #advance(event: Extract<WalletEvent, { type: 'payment.confirmed' | 'payment.unlocked' }>): void {
    const payment = this.#get(event.data);
    if (payment.height !== event.data.height) throw new Error('a stage has another height than its payment');
    const key = keyOf(event.data);
    if (event.type === 'payment.unlocked') {
      if (payment.unlocked) throw new Error('a payment is unlocked twice');
      this.payments.set(key, { ...payment, unlocked: true });
      return;
    }
    const { confirmations } = event.data;
    if (payment.confirmations.includes(confirmations)) throw new Error('a stage is reported twice');
    this.payments.set(key, { ...payment, confirmations: [...payment.confirmations, confirmations] });
  }

  #get(data: PaymentFacts): LedgerPayment {
    const payment = this.payments.get(keyOf(data));
    if (payment === undefined) throw new Error('an event of a payment that is not open');
    return payment;
  }
}
