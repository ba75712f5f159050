import type { ImportedKeyImage } from '../../monero/wallet/model/records.js';
import type { WalletContext } from '../context/wallet-context.js';
import { ContestedPayments } from './contested-payments.js';
import type { LostPayments } from './lost-payments.js';
import type { MempoolTracker } from './mempool-tracker.js';
import { newestBlockOf } from './newest-block.js';
import type { SignedSets } from './signed-sets.js';

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
   * Handles payments that the pool lacks: removes incoming ones, relays own ones again or fails them, and finds
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
