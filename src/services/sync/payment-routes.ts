import type { Hash } from '../../monero/crypto/types.js';
import { DaemonError } from '../../daemon/errors.js';
import { equalBytes, toHex } from '../../util/bytes.js';
import type { OutgoingTx } from '../../monero/wallet/build/outgoing-tx.js';
import type { OtherDaemon } from '../context/daemon-access.js';
import type { WalletContext } from '../context/wallet-context.js';

type Context = Pick<WalletContext, 'store' | 'daemon' | 'timeBounds' | 'log'>;

/** Longest time for the answer of a daemon that a payment was sent to [ms]. */
const DEADLINE_MS = 5_000;

/** Time for which a daemon that did not answer is not asked again [s]. */
const SILENCE_SECONDS = 30;

/**
 * Time between two denials after which an untrusted daemon certainly does not hold a payment [s]. The public interface
 * of a daemon hides a transaction until it leaves the stem of Dandelion++, after 39 seconds on average.
 * Source: cryptonote_config.h `CRYPTONOTE_DANDELIONPP_EMBARGO_AVERAGE`, core_rpc_server.cpp `on_get_transactions`.
 */
const DENIAL_SECONDS = 300;

/** Shortest interval between two writes of the time at which a payment was last seen [s]. */
const SEEN_SECONDS = 3600;

/** Reasons why a payment is not sent to another daemon. */
const HELD = {
  present: 'the daemon that a payment was sent to holds it; it is sent to no other',
  silent:
    'the daemon that a payment was sent to does not answer; the payment is sent to no other while that one is listed',
  denied:
    'an untrusted daemon denies that it holds a payment sent to it; it is asked again before another is used',
} as const;

/**
 * Keeps each payment at one daemon. Lets a payment go to another daemon only if the daemon to which it was sent does
 * not hold it, or is no longer listed.
 */
export class PaymentRoutes {
  readonly #context: Context;
  /** Reasons why payments wait for the daemon that they were sent to, by transaction hash [hex]. */
  readonly #held = new Map<string, keyof typeof HELD>();
  /** Time at which an untrusted daemon first denied a payment [ms of `monotonic`], by transaction hash [hex]. */
  readonly #denied = new Map<string, number>();
  /** Time at which a daemon last did not answer [ms of `monotonic`], by name of the daemon. */
  readonly #silent = new Map<string, number>();

  constructor(context: Context) {
    this.#context = context;
  }

  /** Number of payments that wait for the daemon that they were sent to. */
  get held(): number {
    return this.#held.size;
  }

  /** True if a payment was last sent to a listed daemon other than the serving daemon. */
  isElsewhere({ sentTo }: Pick<OutgoingTx, 'sentTo'>): boolean {
    return sentTo !== undefined && this.#context.daemon.other(sentTo) !== undefined;
  }

  /**
   * Decides whether a payment may be sent to the serving daemon. First asks the daemon to which the payment was sent.
   */
  async mayLeave(payment: OutgoingTx): Promise<boolean> {
    const { txHash, sentTo } = payment;
    const other = sentTo === undefined ? undefined : this.#context.daemon.other(sentTo);
    if (sentTo === undefined || other === undefined) {
      this.settle(toHex(txHash));
      return true;
    }
    const answer = await this.#ask(other, sentTo, txHash);
    const reason = answer === 'absent' ? this.#denial(other, txHash) : answer;
    if (reason === undefined) {
      this.settle(toHex(txHash));
      return true;
    }
    if (answer === 'present') this.#noteSeen(payment);
    this.#hold(toHex(txHash), reason, sentTo);
    return false;
  }

  /**
   * Checks that the daemon to which a payment was sent has confirmed that it holds the payment.
   * @param txid transaction hash [hex]. @throws DaemonError
   */
  assertPresent(txid: string): void {
    const reason = this.#held.get(txid);
    if (reason === undefined || reason === 'present') return;
    const kind = reason === 'silent' ? 'unreachable' : 'busy';
    throw new DaemonError(kind, HELD[reason], { notTaken: true });
  }

  /** Forgets a payment that does not wait any longer. @param txid transaction hash [hex]. */
  settle(txid: string): void {
    this.#held.delete(txid);
    this.#denied.delete(txid);
  }

  /** Forgets all payments except the open payments. @param open transaction hashes [hex]. */
  retain(open: ReadonlySet<string>): void {
    for (const known of [this.#held, this.#denied])
      for (const txid of known.keys()) if (!open.has(txid)) this.settle(txid);
  }

  async #ask({ client }: OtherDaemon, name: string, txHash: Hash): Promise<'present' | 'absent' | 'silent'> {
    const now = this.#context.timeBounds.monotonic();
    const silent = this.#silent.get(name);
    if (silent !== undefined && now - silent < SILENCE_SECONDS * 1000) return 'silent';
    try {
      const options = { prune: true, deadline: DEADLINE_MS };
      const { transactions } = await client.getTransactions([txHash], options);
      this.#silent.delete(name);
      return transactions.some(({ hash }) => equalBytes(hash, txHash)) ? 'present' : 'absent';
    } catch (error) {
      if (!(error instanceof DaemonError)) throw error;
      this.#silent.set(name, now);
      return 'silent';
    }
  }

  /** Records that a daemon denies a payment. @returns undefined if the daemon certainly does not hold the payment. */
  #denial({ trusted }: OtherDaemon, txHash: Hash): 'denied' | undefined {
    if (trusted) return undefined;
    const now = this.#context.timeBounds.monotonic();
    const first = this.#denied.get(toHex(txHash));
    if (first === undefined) this.#denied.set(toHex(txHash), now);
    return first !== undefined && now - first >= DENIAL_SECONDS * 1000 ? undefined : 'denied';
  }

  /** Marks a payment that its daemon holds as pending and as seen now, even if the serving daemon lacks it. */
  #noteSeen({ txHash, state, seen = 0 }: OutgoingTx): void {
    const { store, timeBounds } = this.#context;
    this.#denied.delete(toHex(txHash));
    const now = timeBounds.latest();
    if (state === 'pending' && Math.abs(now - seen) < SEEN_SECONDS) return;
    store.write((w) => {
      w.outgoing.setSeen(txHash, now);
      w.markPending(txHash);
    });
  }

  #hold(txid: string, reason: keyof typeof HELD, daemon: string): void {
    const before = this.#held.get(txid);
    this.#held.set(txid, reason);
    if (before !== reason) this.#context.log.warn({ txid, daemon }, HELD[reason]);
  }
}
