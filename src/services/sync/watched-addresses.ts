import type { SubaddressIndex } from '../../monero/cryptonote/types.js';
import type { Lookahead } from '../../monero/wallet/scan/subaddress-table.js';
import type { WalletContext } from '../context/wallet-context.js';
import { assertWatchable, isTooMuchToWatch, lastOfEach } from './lookahead-limit.js';
import { lastCreatedAddresses } from './stored-scanner-state.js';

type Context = Pick<WalletContext, 'keystore' | 'store'>;

/** Derives and stores the keys of all addresses up to a lookahead after some addresses. */
type LookAhead = (lookahead: Lookahead, used: readonly SubaddressIndex[]) => Promise<void>;

/** Adds addresses of a wallet to those that its scanner watches. Needs no daemon. */
export class WatchedAddresses {
  readonly #context: Context;
  readonly #lookAhead: LookAhead;

  constructor(context: Context, lookAhead: LookAhead) {
    this.#context = context;
    this.#lookAhead = lookAhead;
  }

  /**
   * Sets the number of addresses that are watched after the last created one, in the keys file too.
   * @throws WalletError `invalid`: see {@link assertWatchable}.
   */
  async setLookahead(lookahead: Lookahead): Promise<void> {
    assertWatchable(lookahead, lastCreatedAddresses(this.#context.store));
    await this.#context.keystore.setLookahead(lookahead);
    await this.derive();
  }

  /** Adds all addresses up to the lookahead after the created ones. */
  derive(): Promise<void> {
    return this.deriveAfter(lastCreatedAddresses(this.#context.store));
  }

  /**
   * Adds some addresses, all below them in their accounts, and the lookahead after them, unless these are too many to
   * watch.
   */
  async add(subaddresses: readonly SubaddressIndex[]): Promise<void> {
    const used = lastOfEach([...lastCreatedAddresses(this.#context.store), ...subaddresses]);
    if (!isTooMuchToWatch(this.#context.keystore.lookahead, used)) await this.deriveAfter(used);
  }

  /** Adds all addresses up to the lookahead after some addresses. */
  deriveAfter(used: readonly SubaddressIndex[]): Promise<void> {
    return this.#lookAhead(this.#context.keystore.lookahead, used);
  }
}
