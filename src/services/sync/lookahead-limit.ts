import type { SubaddressIndex } from '../../monero/cryptonote/types.js';
import { WalletError } from '../../model/wallet-error.js';
import type { Lookahead } from '../../monero/wallet/scan/subaddress-table.js';

/** Largest number of watched addresses: each takes memory, and time when the wallet is opened. */
const MAX_WATCHED_ADDRESSES = 500_000;

/** Returns the last of some addresses of each account. */
export function lastOfEach(subaddresses: readonly SubaddressIndex[]): SubaddressIndex[] {
  const last = new Map<number, SubaddressIndex>();
  for (const index of subaddresses)
    if (index.minor >= (last.get(index.major)?.minor ?? 0)) last.set(index.major, index);
  return [...last.values()];
}

/** True if a wallet would watch more than {@link MAX_WATCHED_ADDRESSES}. @param used last used address of each account. */
export function isTooMuchToWatch(lookahead: Lookahead, used: readonly SubaddressIndex[]): boolean {
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
export function assertWatchable(lookahead: Lookahead, created: readonly SubaddressIndex[]): void {
  if (lookahead.major === 0 || lookahead.minor === 0)
    throw new WalletError({ kind: 'invalid', reason: 'a lookahead is at least 1' });
  if (isTooMuchToWatch(lookahead, created))
    throw new WalletError({
      kind: 'invalid',
      reason: `a lookahead of that size makes more than ${MAX_WATCHED_ADDRESSES} addresses to watch`,
    });
}
