import { DaemonError } from '../../daemon/errors.js';
import { sum } from '../../util/amount.js';
import { toHex } from '../../util/bytes.js';
import { WalletError } from '../../wallet/model/wallet-error.js';
import type { OutgoingTx } from '../../wallet/model/records.js';
import type { SignedPayment } from '../../wallet/build/signed-payment.js';
import { reasonOf } from '../context/fault-reason.js';
import type { WalletContext } from '../context/wallet-context.js';
import type { MempoolTracker } from '../sync/mempool-tracker.js';
import type { PaymentRelay } from '../sync/payment-relay.js';

type Context = Pick<WalletContext, 'store' | 'clock' | 'log'>;

/** Sibling services. */
interface Services {
  readonly relay: PaymentRelay;
  readonly mempool: Pick<MempoolTracker, 'reserveLost'>;
}

type RecordedTx = OutgoingTx & { readonly blob: Uint8Array };

/**
 * How a payment stood before it was handed over. first: unknown. again: it had failed. open: unmined, and recorded.
 * mined: in a block.
 */
type Standing = 'first' | 'again' | 'open' | 'mined';

interface Entry {
  readonly record: RecordedTx;
  readonly standing: Standing;
}

/** Records signed payments and hands them to the network. Callers see to it that only one does so at a time. */
export class PaymentLedger {
  readonly #context: Context;
  readonly #services: Services;

  constructor(context: Context, services: Services) {
    this.#context = context;
    this.#services = services;
  }

  /**
   * Records payments, all at once, then hands them to the daemon one after another: a crash in between leaves
   * payments that are relayed later. Where one is refused, it and those after it leave nothing behind if they are
   * new; those that had failed before are as they were. One that is mined already is not sent, and one that turns up
   * in pool or chain counts as relayed, whatever the daemon answers.
   * @throws WalletError `partly_relayed`, whatever failed, once one of them was relayed; before that `tx_rejected`, or
   * DaemonError where the daemon certainly did not take the first.
   */
  commit(payments: readonly SignedPayment[]): Promise<void> {
    return this.#services.relay.alone(async () => {
      const entries = this.#record(payments);
      const relayed: string[] = [];
      for (const [i, entry] of entries.entries()) {
        if (entry.standing === 'mined') continue;
        try {
          await this.#handOver(entry, entries.slice(i));
        } catch (error) {
          throw relayed.length === 0 ? error : this.#naming(relayed, error);
        }
        relayed.push(toHex(entry.record.txHash));
      }
    });
  }

  /** Hands one payment to the daemon. @param unsent withdrawn where that fails: it and the payments after it. */
  async #handOver(entry: Entry, unsent: readonly Entry[]): Promise<void> {
    try {
      await this.#services.relay.send(entry.record.txHash, entry.record.blob);
    } catch (error) {
      if (this.#isOut(entry)) return;
      this.#withdraw(unsent);
      throw error;
    }
  }

  #record(payments: readonly SignedPayment[]): Entry[] {
    const records = payments.map((payment) => this.#recordOf(payment));
    const { store } = this.#context;
    this.#services.mempool.reserveLost();
    return store.write((w) =>
      records.map((record, i): Entry => {
        const { inputs = [], txSecretKeys = [] } = payments[i] ?? {};
        const known = w.outgoing.byHash(record.txHash)?.state;
        if (known === 'confirmed') return { record, standing: 'mined' };
        if (known === 'prepared' || known === 'pending') return { record, standing: 'open' };
        if (!w.outputs.areFree(inputs))
          throw new WalletError({
            kind: 'tx_rejected',
            reason: 'its inputs are frozen, or spent by another payment',
          });
        w.prepare(record, inputs, txSecretKeys);
        return { record, standing: known === undefined ? 'first' : 'again' };
      }),
    );
  }

  /** Did the payment turn up in pool or chain since it was recorded? */
  #isOut(entry: Entry): boolean {
    const state = this.#context.store.read((r) => r.outgoing.byHash(entry.record.txHash))?.state;
    return state === 'confirmed' || (state === 'pending' && entry.standing !== 'open');
  }

  /** Undoes {@link #record} for payments that were not relayed. One that turned up in the pool meanwhile stays. */
  #withdraw(entries: readonly Entry[]): void {
    const { store } = this.#context;
    const { relay } = this.#services;
    relay.withdraw(
      entries
        .filter(({ standing }) => standing === 'first' || standing === 'again')
        .map(({ record: { txHash }, standing }) => ({
          txHash,
          change: () =>
            store.write((w) => {
              if (w.outgoing.byHash(txHash)?.state !== 'prepared') return;
              if (standing === 'first') w.discard(txHash);
              else w.fail(txHash);
            }),
        })),
    );
  }

  /** Names the payments that were relayed before a failure, so that the caller does not pay them again. */
  #naming(relayed: readonly string[], cause: unknown): WalletError {
    const isExpected = cause instanceof WalletError || cause instanceof DaemonError;
    if (!isExpected)
      this.#context.log.error({ err: cause }, 'a payment failed after others of its call were relayed');
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
      timestamp: this.#context.clock.now(),
      blob,
      destinations,
    };
  }
}
