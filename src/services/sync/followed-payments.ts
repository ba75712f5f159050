import type { ImportedKeyImage } from '../../monero/wallet/scan/key-images.js';
import type { WalletContext } from '../context/wallet-context.js';
import type { LostPayments } from './lost-payments.js';
import type { MempoolTracker } from './mempool-tracker.js';
import { newestBlockOf } from './newest-block.js';
import type { SignedSets } from './signed-sets.js';
import type { Hash } from '../../monero/crypto/types.js';
import { DaemonError } from '../../daemon/errors.js';
import { CachedRead } from '../../store/cached-read.js';

type Context = Pick<WalletContext, 'assertOpen' | 'daemon' | 'store'>;

/** Sibling services. */
interface Parts {
  readonly mempool: MempoolTracker;
  readonly lostPayments: LostPayments;
  readonly signedSets: SignedSets;
}

/** Follows the unmined payments of a wallet after the pool was read. */
export class FollowedPayments {
  readonly #context: Context;
  readonly #parts: Parts;
  readonly #contested: ContestedPayments;

  constructor(context: Context, parts: Parts) {
    this.#context = context;
    this.#parts = parts;
    this.#contested = new ContestedPayments(context);
  }

  /**
   * Handles payments that the pool lacks: removes incoming payments, relays own payments again or fails them, and finds
   * payments of orders that other wallets signed. If a block was found since the chain was read, which may contain
   * them, leaves the decision to the next refresh. To be called after the pool was read.
   * @param daemon name of the daemon from which chain and pool were read.
   * @returns key images that became known.
   */
  async follow(daemon: string | undefined): Promise<readonly ImportedKeyImage[]> {
    const { mempool, lostPayments, signedSets } = this.#parts;
    mempool.reserveLost();
    const isDecided = !mempool.lacksPayments || mempool.decide(await newestBlockOf(this.#context, daemon));
    if (isDecided) await lostPayments.follow(mempool.present);
    await this.#contested.follow();
    return signedSets.follow();
  }
}

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

  /** Returns the transactions that the mempool contests; an empty list if the daemon does not answer. */
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
