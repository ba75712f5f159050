import type { SubaddressIndex } from '../../monero/cryptonote/types.js';
import { WalletError } from '../../monero/wallet/model/wallet-error.js';
import type { Lookahead } from '../../monero/wallet/scan/subaddress-table.js';

/** Largest number of watched addresses: each takes memory, and time when the wallet is opened. */
const MAX_WATCHED_ADDRESSES = 500_000;

/**
 * Checks the number of addresses that a wallet would watch. @param created last created address of each account.
 * @throws WalletError `invalid` for a lookahead of 0, or more than {@link MAX_WATCHED_ADDRESSES} watched addresses.
 */
export function assertWatchable(lookahead: Lookahead, created: readonly SubaddressIndex[]): void {
  if (lookahead.major === 0 || lookahead.minor === 0)
    throw new WalletError({ kind: 'invalid', reason: 'a lookahead is at least 1' });
  const watched = created.reduce(
    (sum, { minor }) => sum + minor + lookahead.minor,
    lookahead.major * lookahead.minor,
  );
  if (watched > MAX_WATCHED_ADDRESSES)
    throw new WalletError({
      kind: 'invalid',
      reason: `a lookahead of that size makes more than ${MAX_WATCHED_ADDRESSES} addresses to watch`,
    });
}
