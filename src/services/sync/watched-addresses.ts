import type { SubaddressIndex } from '../../monero/cryptonote/types.js';
import type { Lookahead } from '../../monero/wallet/scan/subaddress-table.js';
import type { WalletContext } from '../context/wallet-context.js';
import { lastCreatedAddresses } from './stored-scanner-state.js';
import { WalletError } from '../../model/wallet-error.js';

type Context = Pick<WalletContext, 'keystore' | 'store'>;

/** Derives and stores the keys of all addresses up to a lookahead after some addresses. */
type LookAhead = (lookahead: Lookahead, used: readonly SubaddressIndex[]) => Promise<void>;

/** Adds addresses of a wallet to the addresses that its scanner watches. Needs no daemon. */
export class WatchedAddresses {
  readonly #context: Context;
  readonly #lookAhead: LookAhead;

  constructor(context: Context, lookAhead: LookAhead) {
    this.#context = context;
    this.#lookAhead = lookAhead;
  }

  /**
   * Sets the number of addresses that are watched after the last created address, also in the keys file.
   * @throws WalletError `invalid`: see {@link assertWatchable}.
   */
  async setLookahead(lookahead: Lookahead): Promise<void> {
    assertWatchable(lookahead, lastCreatedAddresses(this.#context.store));
    await this.#context.keystore.setLookahead(lookahead);
    await this.derive();
  }

  /** Adds all addresses up to the lookahead after the created addresses. */
  derive(): Promise<void> {
    return this.deriveAfter(lastCreatedAddresses(this.#context.store));
  }

  /**
   * Adds some addresses, all addresses below them in their accounts, and the lookahead after them, unless the number of
   * watched addresses would be too large.
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

/** Largest number of watched addresses: each takes memory, and time when the wallet is opened. */
const MAX_WATCHED_ADDRESSES = 500_000;

/** Returns the last of some addresses of each account. */
function lastOfEach(subaddresses: readonly SubaddressIndex[]): SubaddressIndex[] {
  const last = new Map<number, SubaddressIndex>();
  for (const index of subaddresses)
    if (index.minor >= (last.get(index.major)?.minor ?? 0)) last.set(index.major, index);
  return [...last.values()];
}

/** True if a wallet would watch more than {@link MAX_WATCHED_ADDRESSES}. @param used last used address of each account. */
function isTooMuchToWatch(lookahead: Lookahead, used: readonly SubaddressIndex[]): boolean {
  const watched = used.reduce(
    (sum, { minor }) => sum + minor + lookahead.minor,
    lookahead.major * lookahead.minor,
  );
  return watched > MAX_WATCHED_ADDRESSES;
}

/**
 * Checks the number of addresses that a wallet would watch. @param created last created address of each account.
 * @throws WalletError `invalid` for a lookahead of 0, or more than {@link MAX_WATCHED_ADDRESSES} watched addresses.
 */
function assertWatchable(lookahead: Lookahead, created: readonly SubaddressIndex[]): void {
  if (lookahead.major === 0 || lookahead.minor === 0)
    throw new WalletError({ kind: 'invalid', reason: 'a lookahead is at least 1' });
  if (isTooMuchToWatch(lookahead, created))
    throw new WalletError({
      kind: 'invalid',
      reason: `a lookahead of that size makes more than ${MAX_WATCHED_ADDRESSES} addresses to watch`,
    });
}
