import type { Hash } from '../../monero/crypto/types.js';
import { DaemonError } from '../../daemon/errors.js';
import { CachedRead } from '../../store/cached-read.js';
import type { WalletContext } from '../context/wallet-context.js';

type Context = Pick<WalletContext, 'store' | 'daemon' | 'assertOpen'>;

/** Largest number of transactions in one request; restricted daemons refuse more. */
const ASKED_AT_ONCE = 100;

/**
 * Asks the daemon whether its mempool has seen double spends of payments that make requests paid without a
 * confirmation: the mempool is scanned only once for each transaction, and a double spend may arrive later.
 */
export class ContestedPayments {
  readonly #context: Context;
  readonly #uncontested: CachedRead<readonly Hash[]>;

  constructor(context: Context) {
    this.#context = context;
    this.#uncontested = new CachedRead(context.store, (r) => r.requests.uncontested());
  }

  /** Records double spends that were seen since the last call. To be called after the mempool was read. */
  async follow(): Promise<void> {
    const { store, assertOpen } = this.#context;
    const open = this.#uncontested.value;
    for (let at = 0; at < open.length; at += ASKED_AT_ONCE) {
      const asked = open.slice(at, at + ASKED_AT_ONCE);
      const contested = await this.#contestedOf(asked);
      assertOpen();
      if (contested.length > 0) store.write((w) => w.events.contested(contested));
    }
  }

  /** Returns the transactions that the mempool contests; none if the daemon does not answer. */
  async #contestedOf(asked: readonly Hash[]): Promise<readonly Hash[]> {
    try {
      const { transactions } = await this.#context.daemon.client().getTransactions(asked, { prune: true });
      return transactions.flatMap(({ hash, inPool, doubleSpendSeen }) =>
        inPool && doubleSpendSeen ? [hash] : [],
      );
    } catch (error) {
      // The next refresh asks again.
      if (error instanceof DaemonError) return [];
      throw error;
    }
  }
}
