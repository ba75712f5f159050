import type { Hash } from '../../crypto/types.js';
import type { RelayOutcome } from '../../daemon/daemon.js';
import { DaemonError } from '../../daemon/errors.js';
import { toHex } from '../../util/bytes.js';
import { Mutex } from '../../util/mutex.js';
import { WalletError } from '../../wallet/model/wallet-error.js';
import type { WalletContext } from '../context/wallet-context.js';

/** The resources of an open wallet that relaying needs. */
export type RelayContext = Pick<WalletContext, 'store' | 'daemon' | 'log'>;

/**
 * Hands recorded payments to the daemon. Only an explicit refusal is an error: a payment that may have been relayed
 * counts as made, whatever happens to the daemon's answer or to the store.
 */
export class PaymentRelay {
  readonly #context: RelayContext;
  readonly #sending = new Mutex();
  /** Refused payments, by hash in hex, whose records could not be changed yet. */
  readonly #withdrawn = new Map<string, () => void>();

  constructor(context: RelayContext) {
    this.#context = context;
  }

  /** Runs a task while no other sends payments, or decides by the answers to them. */
  alone<T>(task: () => Promise<T>): Promise<T> {
    return this.#sending.run(() => {
      this.#settleWithdrawn();
      return task();
    });
  }

  /**
   * Sends a payment, and marks it as pending where the daemon takes it.
   * @returns whether the daemon said so; false where its answer is lost.
   * @throws WalletError `tx_rejected`, and DaemonError or WalletError `no_wallet` where it certainly was not sent.
   */
  async send(txHash: Hash, blob: Uint8Array): Promise<boolean> {
    const { store, daemon, log } = this.#context;
    const txid = toHex(txHash);
    let outcome: RelayOutcome;
    try {
      outcome = await daemon.client().sendRawTransaction(blob);
    } catch (error) {
      if (isNotTaken(error)) throw error;
      const cause = error instanceof DaemonError ? { kind: error.kind, code: error.code } : { err: error };
      log.warn({ txid, ...cause }, "the daemon's answer to a payment is lost; it will be relayed again");
      return false;
    }
    if (!outcome.accepted) throw new WalletError({ kind: 'tx_rejected', reason: outcome.reason });
    try {
      store.write((w) => w.outgoing.setState(txHash, 'pending'));
    } catch (error) {
      // It is recorded as prepared: the next look into the pool, or the next relay, marks it.
      log.error({ err: error, txid }, 'a payment was relayed; the store cannot note that yet');
    }
    return true;
  }

  /**
   * Changes the records of refused payments. Where the store fails, that is done before the next payment is sent, so
   * that none of them is relayed again.
   */
  withdraw(refused: readonly { readonly txHash: Hash; readonly change: () => void }[]): void {
    for (const { txHash, change } of refused) this.#withdrawn.set(toHex(txHash), change);
    try {
      this.#settleWithdrawn();
    } catch (error) {
      this.#context.log.error({ err: error }, 'payments were refused; the store cannot note that yet');
    }
  }

  #settleWithdrawn(): void {
    for (const [name, change] of this.#withdrawn) {
      change();
      this.#withdrawn.delete(name);
    }
  }
}

/** Did a payment certainly not reach the network? */
const isNotTaken = (error: unknown): boolean =>
  error instanceof WalletError || (error instanceof DaemonError && error.notTaken);
