import { unixSeconds } from '../../util/clock.js';
import { DaemonError } from '../../daemon/errors.js';
import { sum } from '../../util/amount.js';
import { toHex } from '../../util/bytes.js';
import { txOfPayment, type SpentTx } from '../../monero/wallet/build/spent-tx.js';
import type { MadePayments } from '../../model/made-payment.js';
import type { Spender } from '../../model/spender.js';
import { faultOf, WalletError } from '../../model/wallet-error.js';
import type { OutgoingTx } from '../../monero/wallet/build/outgoing-tx.js';
import type { SignedPayment } from '../../monero/wallet/build/signed-payment.js';
import { reasonOf } from '../context/fault-reason.js';
import type { WalletContext } from '../context/wallet-context.js';
import type { SpendGuard } from './spend-guard.js';
import type { TxFacts } from './tx-facts.js';
import type { Withdrawal } from '../../model/order.js';
import type { MempoolTracker } from '../sync/mempool-tracker.js';
import type { PaymentRelay } from '../sync/payment-relay.js';
import type { WalletWriter } from '../../store/wallet-writer.js';

type Context = Pick<WalletContext, 'store' | 'daemon' | 'clock' | 'timeBounds' | 'log'>;

/** Other services of the wallet that this service calls. */
interface Services {
  readonly relay: PaymentRelay;
  readonly mempool: Pick<MempoolTracker, 'reserveLost'>;
  readonly spending: SpendGuard;
  readonly txFacts: Pick<TxFacts, 'spentBy'>;
}

type RecordedTx = OutgoingTx & { readonly blob: Uint8Array };

/**
 * State of a payment before it is recorded: not recorded yet, refused when it was first sent, recorded as failed,
 * recorded and unmined, or mined.
 */
type PriorState = 'new' | 'refused' | 'failed' | 'unmined' | 'mined';

interface Entry {
  readonly record: RecordedTx;
  readonly prior: PriorState;
  /** Amount that this record has counted against the limits of the client; absent if it was counted before. */
  readonly counted?: SpentTx;
}

/** An order with the result of its call. */
interface RecordedOrder {
  readonly entry: OrderEntry;
  readonly made: MadePayments;
}

/** Client and order that a payment is recorded for. */
interface CommitOptions {
  /** Client that pays; undefined: a client with all rights. */
  readonly spender: Spender | undefined;
  /** Order that is written in the same store transaction, and changed with payments that are withdrawn. */
  readonly order?: RecordedOrder | undefined;
}

const priorOf = (before: OutgoingTx | undefined, wasRefused: boolean): PriorState => {
  if (before !== undefined) return 'failed';
  return wasRefused ? 'refused' : 'new';
};

/**
 * True if no byte of a payment was sent. A daemon that answered may have relayed the payment, even if its answer is an
 * error.
 */
const neverLeft = (error: unknown): boolean => {
  const fault = faultOf(error);
  if (fault !== undefined) return fault.kind !== 'tx_rejected';
  return !(error instanceof DaemonError) || error.kind === 'unreachable' || error.kind === 'tls';
};

/**
 * Records signed payments and relays them. To be called under the payment lock, or while the planner holds the inputs of the
 * payments.
 */
export class PaymentLedger {
  readonly #context: Context;
  readonly #services: Services;

  constructor(context: Context, services: Services) {
    this.#context = context;
    this.#services = services;
  }

  /**
   * Records payments in one store transaction, then sends them to the daemon one by one; after a crash in between, they
   * are relayed later. If one payment is refused, withdraws this payment and all later payments: new payments leave the
   * list of payments, failed payments stay failed. Keeps keys and destinations of a refused payment, since the daemon
   * may have relayed it nevertheless; deletes a payment that was never sent. Does not send a mined payment. A payment
   * that is found in pool or chain counts as relayed, even if the daemon answers with an error.
   * @throws WalletError `spend_limit` or `credential_denied` by the rules of the client, after which nothing is
   * recorded; WalletError `partly_relayed` for any failure after a payment was relayed; before that `tx_rejected`, or
   * DaemonError if the daemon certainly did not accept the first payment.
   */
  commit(payments: readonly SignedPayment[], options: CommitOptions): Promise<void> {
    return this.#services.relay.exclusive(async () => {
      const entries = this.#record(payments, options);
      const relayed: string[] = [];
      for (const [i, entry] of entries.entries()) {
        if (entry.prior === 'mined') continue;
        try {
          await this.#send(entry, entries.slice(i), options);
        } catch (error) {
          throw relayed.length === 0 ? error : this.#partlyRelayed(relayed, error);
        }
        relayed.push(toHex(entry.record.txHash));
      }
    });
  }

  /**
   * Sends one payment to the daemon. @param unsent this payment and all later payments, which are withdrawn if this
   * payment is not relayed.
   */
  async #send(entry: Entry, unsent: readonly Entry[], options: CommitOptions): Promise<void> {
    try {
      const { record, prior } = entry;
      const isNew = prior === 'new' || prior === 'refused';
      await this.#services.relay.deliver(record.txHash, record.blob, { isNew });
    } catch (error) {
      if (this.#wasRelayed(entry)) return;
      this.#withdraw(unsent, options, neverLeft(error) ? 'unsent' : 'refused');
      throw error;
    }
  }

  #record(payments: readonly SignedPayment[], { spender, order }: CommitOptions): Entry[] {
    const records = payments.map((payment) => this.#recordOf(payment));
    const { store } = this.#context;
    const { mempool, spending, txFacts } = this.#services;
    const spent =
      spender === undefined ? [] : payments.map((payment) => txFacts.spentBy(txOfPayment(payment)));
    mempool.reserveLost();
    return store.write((w) => {
      order?.entry.record(w, order.made, { sent: true });
      for (const { rings, txHash } of payments) {
        if (rings === undefined) continue;
        if (w.payouts.isExpiredSet(rings))
          throw new WalletError({
            kind: 'submission_failed',
            reason: 'the set was not signed in time, and its payouts are paid anew',
          });
        w.recogniseSigned(rings, txHash);
        w.events.payouts.release(rings);
      }
      // A payment that was relayed before does not count again, because it takes no further money.
      const relayed = records.map(({ txHash }) => {
        const state = w.outgoing.byHash(txHash)?.state;
        return state !== undefined && state !== 'failed';
      });
      const counted = spending.record(
        w,
        spender,
        spent.filter((_, i) => relayed[i] !== true),
      );
      return records.map((record, i): Entry => {
        const { inputs = [], txSecretKeys = [] } = payments[i] ?? {};
        const before = w.outgoing.byHash(record.txHash);
        const known = before?.state;
        if (known === 'confirmed') return { record, prior: 'mined' };
        if (known === 'prepared' || known === 'pending') return { record, prior: 'unmined' };
        if (!w.outputs.areFree(inputs))
          throw new WalletError({
            kind: 'tx_rejected',
            reason: 'its inputs are frozen, or spent by another payment',
          });
        const wasRefused = w.outgoing.isForgotten(record.txHash);
        // The daemon is recorded before sending, so that after a crash the payment counts as sent to this daemon.
        const sentTo = before === undefined ? this.#context.daemon.name : before.sentTo;
        w.prepare({ ...record, ...(sentTo === undefined ? {} : { sentTo }) }, inputs, txSecretKeys);
        const tx = spent[i];
        const isCounted = tx !== undefined && counted.has(toHex(tx.signingHash));
        return { record, prior: priorOf(before, wasRefused), ...(isCounted ? { counted: tx } : {}) };
      });
    });
  }

  /** True if the payment was found in pool or chain since it was recorded. */
  #wasRelayed(entry: Entry): boolean {
    const state = this.#context.store.read((r) => r.outgoing.byHash(entry.record.txHash))?.state;
    return state === 'confirmed' || (state === 'pending' && entry.prior !== 'unmined');
  }

  /**
   * Undoes {@link #record} for payments that were not relayed, except payments that were found in the pool meanwhile.
   * @param first kind of withdrawal of the first payment; the later payments were not sent.
   */
  #withdraw(entries: readonly Entry[], { spender, order }: CommitOptions, first: Withdrawal): void {
    const { store } = this.#context;
    const { relay, spending } = this.#services;
    const sent = entries[0];
    relay.withdraw(
      entries
        .filter(({ prior }) => prior !== 'unmined' && prior !== 'mined')
        .map((entry) => ({
          txHash: entry.record.txHash,
          change: () =>
            store.write((w) => {
              const { record, prior, counted } = entry;
              const { txHash } = record;
              if (w.outgoing.byHash(txHash)?.state !== 'prepared') return;
              const how = entry === sent ? first : 'unsent';
              if (prior === 'failed') w.refuseAgain(txHash);
              else if (how === 'refused' || prior === 'refused') w.refuse(txHash);
              else w.discard(txHash);
              if (order !== undefined) w.orders.withdraw(txHash, how);
              if (spender !== undefined && counted !== undefined)
                spending.withdraw(w, spender, counted.signingHash);
            }),
        })),
    );
  }

  /** Creates an error that adds the hashes of the relayed payments, so that the client does not make them again. */
  #partlyRelayed(relayed: readonly string[], cause: unknown): WalletError {
    const isExpected = faultOf(cause) !== undefined || cause instanceof DaemonError;
    if (!isExpected)
      this.#context.log.error(
        { err: cause },
        'a payment failed after earlier ones of the same call were relayed',
      );
    const { reason, text = reason } = isExpected ? reasonOf(cause) : { reason: 'internal error' };
    const names = `; relayed before it: ${relayed.join(', ')}`;
    return new WalletError({ kind: 'partly_relayed', reason: reason + names, text: text + names }, { cause });
  }

  #recordOf(payment: SignedPayment): RecordedTx {
    const { txHash, blob, account, inputs, fee, change, unlockTime, paymentId, destinations } = payment;
    return {
      txHash,
      state: 'prepared',
      account,
      fromIndices: [...new Set(inputs.map(({ subaddress }) => subaddress.minor))].sort((a, b) => a - b),
      amountIn: sum(inputs.map((output) => output.amount)),
      fee,
      change,
      unlockTime,
      ...(paymentId === undefined ? {} : { paymentId }),
      timestamp: unixSeconds(this.#context.clock),
      seen: this.#context.timeBounds.latest(),
      blob,
      destinations,
    };
  }
}

/** Writes an order in the same store transaction as its payments. */
export interface OrderEntry {
  /**
   * Writes the order. @param made result of the call.
   * @param sent true if the store transaction also records the transactions as payments, which are sent afterwards.
   */
  record(w: WalletWriter, made: MadePayments, { sent }: { readonly sent: boolean }): void;
}
