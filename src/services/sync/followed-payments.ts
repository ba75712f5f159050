import type { BlockRef, ImportedKeyImage } from '../../monero/wallet/model/records.js';
import type { WalletContext } from '../context/wallet-context.js';
import { ContestedPayments } from './contested-payments.js';
import type { LostPayments } from './lost-payments.js';
import type { MempoolTracker } from './mempool-tracker.js';
import type { SignedSets } from './signed-sets.js';

/** Sibling services, and the newest block of the daemon. */
interface Parts {
  readonly mempool: MempoolTracker;
  readonly lostPayments: LostPayments;
  readonly signedSets: SignedSets;
  /** Asks a daemon for its newest block; undefined if it does not answer or does not serve any more. */
  readonly tipOf: (daemon: string | undefined) => Promise<BlockRef | undefined>;
}

/** Follows the unmined payments of a wallet after the pool was read. */
export class FollowedPayments {
  readonly #parts: Parts;
  readonly #contested: ContestedPayments;

  constructor(context: Pick<WalletContext, 'assertOpen' | 'daemon' | 'store'>, parts: Parts) {
    this.#parts = parts;
    this.#contested = new ContestedPayments(context);
  }

  /**
   * Handles payments that the pool lacks: removes incoming ones, relays own ones again or fails them, and finds
   * payments of orders that other wallets signed. If a block was found since the chain was read, which may contain
   * them, leaves the decision to the next refresh. To be called after the pool was read.
   * @param daemon name of the daemon from which chain and pool were read.
   * @returns key images that became known.
   */
  async follow(daemon: string | undefined): Promise<readonly ImportedKeyImage[]> {
    const { mempool, lostPayments, signedSets, tipOf } = this.#parts;
    mempool.reserveLost();
    const isDecided = !mempool.lacksPayments || mempool.decide(await tipOf(daemon));
    if (isDecided) await lostPayments.follow(mempool.present);
    await this.#contested.follow();
    return signedSets.follow();
  }
}
