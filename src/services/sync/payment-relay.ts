import type { Hash } from '../../monero/crypto/types.js';
import type { RelayOutcome } from '../../daemon/daemon.js';
import { DaemonError } from '../../daemon/errors.js';
import { equalBytes, toHex } from '../../util/bytes.js';
import { monotonicMs } from '../../util/clock.js';
import { Mutex } from '../../util/concurrency.js';
import { faultOf, WalletError } from '../../model/wallet-error.js';
import type { WalletContext } from '../context/wallet-context.js';
import { PaymentRoutes } from './payment-routes.js';

/** Time for which the last sending of a payment is remembered [ms]. */
const RECENT_MS = 600_000;

export type RelayContext = Pick<WalletContext, 'store' | 'daemon' | 'timeBounds' | 'log' | 'holding'>;

/**
 * Result of sending a payment: the daemon accepted it; the daemon's answer was lost; the payment was not sent, because
 * another daemon may hold it.
 */
export type SendOutcome = 'accepted' | 'unanswered' | 'held';

/**
 * Sends recorded payments to the daemon. Stores the name of the daemon before a payment is sent. Only an explicit
 * refusal is an error: a payment that may have been relayed counts as made, even if the daemon's answer is lost or the
 * store fails.
 */
export class PaymentRelay {
  /** Daemons to which the payments were sent. */
  readonly routes: PaymentRoutes;
  readonly #context: RelayContext;
  readonly #sending = new Mutex();
  /** Time at which each payment was last sent [ms of `monotonicMs`], by transaction hash [hex], oldest first. */
  readonly #sent = new Map<string, number>();
  /** Changes to the records of refused payments that are not stored yet, by transaction hash [hex]. */
  readonly #withdrawn = new Map<string, () => void>();

  constructor(context: RelayContext) {
    this.#context = context;
    this.routes = new PaymentRoutes(context);
  }

  /** Runs a task that sends payments and handles the answers; only one such task runs at a time. */
  exclusive<T>(task: () => Promise<T>): Promise<T> {
    return this.#sending.run(() => {
      this.#settleWithdrawn();
      return task();
    });
  }

  /**
   * Sends a payment, and marks it as pending once the daemon accepts it, or the daemon's answer is lost, since the
   * payment then counts as made. Does not send a payment that another daemon may hold.
   * @param isNew true if the payment was never sent before.
   * @throws WalletError `tx_rejected`; DaemonError or WalletError `no_wallet` if the payment was certainly not sent.
   */
  async send(txHash: Hash, blob: Uint8Array, { isNew = false } = {}): Promise<SendOutcome> {
    const { store, daemon, log } = this.#context;
    const txid = toHex(txHash);
    const known = store.read((r) => r.outgoing.byHash(txHash));
    if (known !== undefined && !isNew && !(await this.routes.mayLeave(known))) return 'held';
    await this.#settle(txHash, known?.sentTo);
    // No `await` from here to the sending: the payment is sent to the daemon whose name is stored.
    const client = daemon.client();
    let outcome: RelayOutcome;
    try {
      outcome = await client.sendRawTransaction(blob);
    } catch (error) {
      if (isNotTaken(error)) throw error;
      const cause = error instanceof DaemonError ? { kind: error.kind, code: error.code } : { err: error };
      log.warn(
        { txid, ...cause },
        "the daemon's answer to a payment is lost; the payment will be relayed again",
      );
      this.#remember(txid);
      this.markPending(txHash);
      return 'unanswered';
    }
    if (!outcome.accepted) throw new WalletError({ kind: 'tx_rejected', reason: outcome.reason });
    this.#remember(txid);
    this.markPending(txHash);
    return 'accepted';
  }

  /**
   * Stores the name of the daemon that a payment is sent to. In a cluster, waits until a quorum has stored the payment
   * and this name, so that a process that takes the wallet over knows every payment that may have been sent.
   * @param sentTo stored name of the daemon; undefined if no name is stored.
   * @throws WalletError `not_replicated`, `wallet_elsewhere`, after which the payment is not sent.
   */
  async #settle(txHash: Hash, sentTo: string | undefined): Promise<void> {
    const { store, daemon, holding } = this.#context;
    for (let stored = sentTo; ;) {
      const { name } = daemon;
      if (name !== undefined && name !== stored) store.write((w) => w.outgoing.setSentTo(txHash, name));
      stored = name;
      await holding?.settled();
      if (daemon.name === stored) return;
    }
  }

  /**
   * Sends a payment as {@link send}, for a client: succeeds only if the payment was sent now, or if a daemon answers
   * now that it has the payment in pool or chain.
   * @throws as {@link send}; DaemonError if another daemon may hold the payment, but does not confirm it.
   */
  async deliver(txHash: Hash, blob: Uint8Array, { isNew = false } = {}): Promise<void> {
    let outcome: SendOutcome;
    try {
      outcome = await this.send(txHash, blob, { isNew });
    } catch (error) {
      const isRefused = faultOf(error)?.kind === 'tx_rejected';
      if (!isRefused || !(await this.isHeld(txHash))) throw error;
      this.markPending(txHash);
      return;
    }
    if (outcome === 'held') this.routes.assertPresent(toHex(txHash));
  }

  /** True if the daemon answers that it has a payment in pool or chain; false if the daemon does not answer. */
  async isHeld(txHash: Hash): Promise<boolean> {
    try {
      const { transactions } = await this.#context.daemon.client().getTransactions([txHash], { prune: true });
      return transactions.some(({ hash }) => equalBytes(hash, txHash));
    } catch (error) {
      if (error instanceof DaemonError) return false;
      throw error;
    }
  }

  /** True if a payment was sent since a time. @param time [ms of `monotonicMs`]. */
  wasSentSince(txHash: Hash, time: number): boolean {
    return (this.#sent.get(toHex(txHash)) ?? -Infinity) >= time;
  }

  /**
   * Marks a payment as pending, which reports it as an event. If the store fails, the payment stays recorded as prepared,
   * and is marked by the next read of the pool that lacks it.
   */
  markPending(txHash: Hash): void {
    const { store, log } = this.#context;
    try {
      store.writeRecoverable((w) => w.markPending(txHash));
    } catch (error) {
      // The payment stays recorded as prepared: the next read of the pool, or the next relay, marks it as pending.
      log.error(
        { err: error, txid: toHex(txHash) },
        'a payment was sent, but writing that to the store failed; the next refresh does it',
      );
    }
  }

  #remember(txid: string): void {
    const now = monotonicMs();
    for (const [name, time] of this.#sent) {
      if (now - time < RECENT_MS) break;
      this.#sent.delete(name);
    }
    this.#sent.delete(txid);
    this.#sent.set(txid, now);
  }

  /**
   * Changes the records of refused payments. If the store fails, changes them before the next payment is sent, so that
   * no refused payment is relayed again.
   */
  withdraw(refused: readonly { readonly txHash: Hash; readonly change: () => void }[]): void {
    for (const { txHash, change } of refused) this.#withdrawn.set(toHex(txHash), change);
    try {
      this.#settleWithdrawn();
    } catch (error) {
      this.#context.log.error(
        { err: error },
        'payments were refused, but writing that to the store failed; it is done before the next payment is sent',
      );
    }
  }

  #settleWithdrawn(): void {
    for (const [name, change] of this.#withdrawn) {
      change();
      this.#withdrawn.delete(name);
    }
  }
}

/** True if a payment certainly did not reach the network. */
const isNotTaken = (error: unknown): boolean =>
  faultOf(error) !== undefined || (error instanceof DaemonError && error.notTaken);
