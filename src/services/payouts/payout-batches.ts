import { keccak } from '../../monero/crypto/keccak.js';
import type { Hash } from '../../monero/crypto/types.js';
import { formatAddress } from '../../monero/cryptonote/address.js';
import { feeShares } from '../../monero/wallet/select/fees.js';
import type { Payee } from '../../monero/wallet/select/transfer-request.js';
import type { MadePayment, MadePayments } from '../../model/made-payment.js';
import type { OrderTx } from '../../model/order.js';
import type { Payout, PayoutShare } from '../../model/payout.js';
import type { WalletWriter } from '../../store/wallet-writer.js';
import { ZERO } from '../../util/amount.js';
import { toHex, utf8 } from '../../util/bytes.js';
import { unixSeconds } from '../../util/clock.js';
import type { WalletContext } from '../context/wallet-context.js';
import { FailedPayment } from '../payments/failed-payment.js';
import type { Orders } from '../payments/orders.js';
import type { Transfers } from '../payments/transfers.js';
import type { Candidate, Composition } from './batch-composer.js';

type Context = Pick<WalletContext, 'clock' | 'rng' | 'store'>;

/** Other services of the wallet that this service calls. */
interface Services {
  readonly orders: Orders;
  readonly transfers: Transfers;
}

/** Name of the method in the orders that are batches. */
export const BATCH_METHOD = 'payouts';

/**
 * Error inside the transaction that records a batch, if one of its payouts is no longer queued or has expired, or if
 * the account pauses.
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
   * @throws PayoutTaken; WalletError `needs_split`, `max_fee_exceeded`, `order_failed`, and those of a payment;
   * DaemonError
   */
  async pay(account: number, { batch, prices, changeOutputs, maxFee }: Composition): Promise<MadePayments> {
    const { orders, transfers } = this.#services;
    const { rng } = this.#context;
    const payees = batch.map(({ address, payout }): Payee => ({
      address,
      text: formatAddress(address),
      amount: payout.amount,
    }));
    const feeFrom = batch.flatMap(({ payout }, i) => (payout.feePayer === 'payee' ? [i] : []));
    const request = {
      ...{ account, changeOutputs, feeFrom, feeAmongAll: true, unlockTime: 0n },
      priority: prices?.priority ?? 0,
      ...(maxFee === undefined ? {} : { maxFee }),
      ...{ doNotRelay: false, withMetadata: false, spender: undefined },
    };
    const terms = {
      key: `payouts-${toHex(rng(16))}`,
      method: BATCH_METHOD,
      requestHash: hashOf(batch),
      ...{ retryFailed: false, withBlobs: false },
    };
    return orders.place(terms, {
      pay: (order) =>
        transfers.payTogether(
          { ...request, ...(order === undefined ? {} : { order }) },
          payees,
          this.#earlierOf(batch),
        ),
      recordWith: (w, sequence, { payments: [payment] }) => {
        if (payment !== undefined) this.#record(w, sequence, account, batch, payment);
      },
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
    { destinations, fee }: MadePayment,
  ): void {
    const now = unixSeconds(this.#context.clock);
    const isPaused = w.payouts.pauseOf(account) !== undefined;
    const isTaken = ({ payout: { sequence, expires = Infinity } }: Candidate): boolean =>
      w.payouts.at(sequence).state !== 'queued' || expires <= now;
    if (isPaused || batch.some(isTaken)) throw new PayoutTaken();
    const parts = feeShares(fee, batch.length);
    const shares = batch.map(({ payout }, i): Omit<PayoutShare, 'batch'> => {
      const received = destinations[i]?.amount ?? ZERO;
      return { payout: payout.sequence, amount: received, fee: parts[i] ?? ZERO };
    });
    w.payouts.addBatch(sequence, account, now, shares);
  }
}

/** Returns a hash of the ids of the payouts of a batch. */
const hashOf = (batch: readonly Candidate[]): Hash =>
  keccak(...batch.map(({ payout }) => keccak(utf8(payout.payoutId))));
