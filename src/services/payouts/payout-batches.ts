import { keccak } from '../../monero/crypto/keccak.js';
import type { Hash } from '../../monero/crypto/types.js';
import { formatAddress } from '../../monero/cryptonote/address.js';
import { feeShares } from '../../monero/wallet/select/fees.js';
import type { Payee } from '../../monero/wallet/select/transfer-request.js';
import type { MadePayment, MadePayments } from '../../model/made-payment.js';
import type { OrderTx } from '../../model/order.js';
import { MOST_ATTEMPTS, type Payout, type PayoutShare } from '../../model/payout.js';
import type { WalletWriter } from '../../store/wallet-writer.js';
import { trackOrder } from '../../store/tables/order-tracker.js';
import type { UnsignedBatch } from '../../store/tables/payout-row.js';
import { ZERO, type Amount } from '../../util/amount.js';
import { toHex, utf8 } from '../../util/bytes.js';
import { unixSeconds } from '../../util/clock.js';
import type { WalletContext } from '../context/wallet-context.js';
import { FailedPayment } from '../payments/failed-payment.js';
import { setToSign, type Orders } from '../payments/orders.js';
import type { Transfers } from '../payments/transfers.js';
import type { Candidate, Composition } from './batch-composer.js';
import type { PayoutApprovals } from './payout-approvals.js';

type Context = Pick<WalletContext, 'clock' | 'exportFormat' | 'exports' | 'payoutSettings' | 'rng' | 'store'>;

/** Other services of the wallet that this service calls. */
interface Services {
  readonly approvals: PayoutApprovals;
  readonly orders: Orders;
  readonly transfers: Transfers;
}

/** Number of payouts that one transaction ends. */
const ENDS_AT_ONCE = 200;

/** A batch whose set another wallet is to sign. */
export interface UnsignedSet extends UnsignedBatch {
  /** Idempotency key of its order. */
  readonly batchId: string;
  readonly unsignedSet: Uint8Array;
  readonly fee: Amount;
  readonly payouts: readonly { readonly payout: Payout; readonly received: Amount; readonly fee: Amount }[];
}

/** Name of the method in the orders that are batches. */
export const BATCH_METHOD = 'payouts';

/**
 * Error inside the transaction that records a batch, if one of its payouts may no longer be sent, or if the account
 * pauses.
 */
export class PayoutTaken extends Error {
  override readonly name = 'PayoutTaken';
}

/** Makes the payments of batches: each is an order, which names its payouts in the same store transaction. */
export class PayoutBatches {
  readonly #context: Context;
  readonly #services: Services;

  constructor(context: Context, services: Services) {
    this.#context = context;
    this.#services = services;
  }

  /**
   * Pays the payouts of a composed batch in one transaction.
   * @param onHeld called when its inputs are held, before it is signed; the next one may be paid then. Not called for a
   * batch that must exclude failed ones or that another wallet signs: it is paid alone.
   * @throws PayoutTaken; WalletError `needs_split`, `max_fee_exceeded`, `order_failed`, and those of a payment;
   * DaemonError
   */
  async pay(account: number, composition: Composition, onHeld: () => void): Promise<MadePayments> {
    const { orders, transfers } = this.#services;
    const { batch, prices, changeOutputs, savesOutputs = false, maxFee } = composition;
    const { rng } = this.#context;
    const payees = batch.map(({ address, payout }): Payee => ({
      address,
      text: formatAddress(address),
      amount: payout.amount,
    }));
    const feeFrom = batch.flatMap(({ payout }, i) => (payout.feePayer === 'payee' ? [i] : []));
    const earlier = this.#earlierOf(batch);
    const request = {
      ...{ account, changeOutputs, savesOutputs, feeFrom, feeAmongAll: true, unlockTime: 0n },
      priority: prices?.priority ?? 0,
      ...(maxFee === undefined ? {} : { maxFee }),
      ...{ doNotRelay: false, withMetadata: false, spender: undefined, onHeld },
    };
    const terms = {
      key: `payouts-${toHex(rng(16))}`,
      method: BATCH_METHOD,
      requestHash: hashOf(batch),
      ...{ retryFailed: false, withBlobs: false },
    };
    return orders.place(terms, {
      pay: (order) =>
        transfers.payTogether({ ...request, ...(order === undefined ? {} : { order }) }, payees, earlier),
      recordWith: (w, sequence, { payments: [payment] }) => {
        if (payment !== undefined) this.#record(w, sequence, account, batch, payment);
      },
    });
  }

  /** Lists the batches whose sets another wallet is to sign, with their payouts. */
  async unsigned(): Promise<readonly UnsignedSet[]> {
    const { store } = this.#context;
    const found: UnsignedSet[] = [];
    for (const batch of store.read((r) => r.payouts.unsignedBatches())) {
      const order = store.read((r) => r.orders.bySequence(batch.sequence));
      const tracked = order && store.read((r) => trackOrder(r, order));
      if (tracked?.state !== 'prepared') continue;
      const { unsignedSet } = await setToSign(this.#context, tracked);
      const fee = tracked.positions[0]?.current.made.fee;
      if (unsignedSet === undefined || fee === undefined) continue;
      const payouts = store.read((r) =>
        r.payouts
          .sharesIn(batch.sequence)
          .map((share) => ({ payout: r.payouts.at(share.payout), received: share.amount, fee: share.fee })),
      );
      found.push({ ...batch, batchId: tracked.order.key, unsignedSet, fee, payouts });
    }
    return found;
  }

  /**
   * Ends what has waited too long: payouts that have expired, payouts of which too many batches have failed, and sets
   * that were not signed in time, whose payouts return to the queue.
   */
  endOverdue(): void {
    this.#expire();
    this.#expireUnsigned();
    this.#fail();
  }

  /** Ends waiting payouts whose expiry has passed, unless an earlier batch may still be mined. */
  #expire(): void {
    const { store, clock } = this.#context;
    const now = unixSeconds(clock);
    this.#end(
      store.read((r) => r.payouts.expiring(now, ENDS_AT_ONCE)),
      'expired',
    );
  }

  /** Ends payouts of which many batches have failed, once none of these can be mined any more. */
  #fail(): void {
    this.#end(
      this.#context.store.read((r) => r.payouts.returned(MOST_ATTEMPTS, ENDS_AT_ONCE)),
      'failed',
    );
  }

  /** Ends the payouts that no earlier batch may still pay. */
  #end(payouts: readonly Payout[], state: 'expired' | 'failed'): void {
    const ended = payouts.filter((payout) => !this.mayBeMined(payout));
    if (ended.length > 0)
      this.#context.store.write((w) => {
        for (const payout of ended) w.events.payouts.move(payout, state);
      });
  }

  /** Returns the payouts of batches whose sets were not signed in time to the queue. */
  #expireUnsigned(): void {
    const { store, clock } = this.#context;
    const now = unixSeconds(clock);
    const late = store.read((r) =>
      r.payouts.unsignedBatches(now).filter(({ sequence }) => {
        const order = r.orders.bySequence(sequence);
        return order !== undefined && trackOrder(r, order).state === 'prepared';
      }),
    );
    if (late.length > 0)
      store.write((w) => {
        for (const { sequence } of late) w.payouts.expireBatch(sequence);
      });
  }

  /** True if an earlier batch with a waiting payout can still be mined. */
  mayBeMined({ sequence }: Pick<Payout, 'sequence'>): boolean {
    return this.#attemptsOf(sequence)?.mayBeMined ?? false;
  }

  /** Returns the failed transactions that pay a payout; undefined if no batch contained it. */
  #attemptsOf(payout: number): FailedPayment | undefined {
    const attempts = this.#context.store.read((r) =>
      r.payouts
        .sharesOf(payout)
        .flatMap(
          ({ batch: sequence }): readonly OrderTx[] => r.orders.bySequence(sequence)?.transactions ?? [],
        ),
    );
    const last = attempts.at(-1);
    return last && new FailedPayment(this.#context, attempts.slice(0, -1), last);
  }

  /** Returns the failed transactions of the payouts of a batch, which the batch must exclude. */
  #earlierOf([first]: readonly Candidate[]): FailedPayment | undefined {
    return first === undefined || first.earlier === '' ? undefined : this.#attemptsOf(first.payout.sequence);
  }

  #record(
    w: WalletWriter,
    sequence: number,
    account: number,
    batch: readonly Candidate[],
    { destinations, fee, signed }: MadePayment,
  ): void {
    const { approvals } = this.#services;
    const now = unixSeconds(this.#context.clock);
    const mayBeSent = ({ payout: { sequence, expires = Infinity } }: Candidate): boolean => {
      const payout = w.payouts.at(sequence);
      return payout.state === 'queued' && expires > now && approvals.releaseOf(w, payout).kind === 'released';
    };
    if (w.payouts.pauseOf(account) !== undefined || !batch.every(mayBeSent)) throw new PayoutTaken();
    const parts = feeShares(fee, batch.length);
    const shares = batch.map(({ payout }, i): Omit<PayoutShare, 'batch'> => {
      const received = destinations[i]?.amount ?? ZERO;
      return { payout: payout.sequence, amount: received, fee: parts[i] ?? ZERO };
    });
    if (signed !== undefined) return w.payouts.addBatch({ sequence, account, created: now }, shares);
    // A set that is signed later would pay a payout that has expired.
    const ends = batch.map(({ payout: { expires: end = Infinity } }) => end);
    const expires = Math.min(now + this.#context.payoutSettings.signingTime, ...ends);
    w.payouts.addBatch({ sequence, account, created: now, expires }, shares);
  }
}

/** Returns a hash of the ids of the payouts of a batch. */
const hashOf = (batch: readonly Candidate[]): Hash =>
  keccak(...batch.map(({ payout }) => keccak(utf8(payout.payoutId))));
