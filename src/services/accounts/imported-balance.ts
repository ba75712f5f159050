import { readCachedBalances } from '../../store/import-wallet.js';
import { CachedRead, type VersionedStore } from '../../store/cached-read.js';
import type { CachedBalances } from '../../monero/wallet/reference-cache/imported-wallet.js';
import type { BalanceTally } from './balance-tally.js';

/** Balance in the imported cache of the reference, shown until the wallet has reached the daemon's tip. */
export class ImportedBalance {
  readonly #text: CachedRead<string | undefined>;
  /** Stored text that was read last, with the balances decoded from it. */
  #read: { readonly text: string; readonly balances: CachedBalances } | undefined;

  constructor(store: VersionedStore) {
    this.#text = new CachedRead(store, (r) => r.meta.get('imported_balances'));
  }

  /**
   * Balances of the imported cache; undefined for a wallet that was not imported, and once the wallet has reached the
   * tip.
   */
  get balances(): CachedBalances | undefined {
    const text = this.#text.value;
    if (text === undefined) this.#read = undefined;
    else if (this.#read?.text !== text) this.#read = { text, balances: readCachedBalances(text) };
    return this.#read?.balances;
  }
}

/** Adds balances of a cache to a tally. @param account undefined: every account. */
export function addCached(
  tally: BalanceTally,
  { all, strict: mined }: CachedBalances,
  account: number | undefined,
  strict: boolean,
): void {
  for (const found of strict ? mined : all) {
    const { subaddress, locked, unconfirmed } = found;
    if (account !== undefined && subaddress.major !== account) continue;
    tally.add(found);
    if (locked > 0n) tally.lock(subaddress, locked, { blocks: found.blocksToUnlock, seconds: 0 });
    if (unconfirmed > 0n) tally.addUnconfirmed(subaddress, unconfirmed);
  }
}
