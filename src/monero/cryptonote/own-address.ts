import type { AccountKeys } from './account-keys.js';
import { isPrimary, subaddressKeys } from './subaddress-keys.js';
import type { Address, NetworkType, SubaddressIndex } from './types.js';

/**
 * Address of an account by its index: the standard address at {0, 0}, a subaddress elsewhere. The spend secret is not
 * needed.
 * @throws RangeError when the public spend key is not a point, the view secret not canonical or an index not a u32.
 * @example
 * formatAddress(ownAddress(account, 'mainnet', { major: 0, minor: 1 })) === address; // => true
 */
export const ownAddress = (
  { spendPublicKey, viewSecret }: Pick<AccountKeys, 'spendPublicKey' | 'viewSecret'>,
  network: NetworkType,
  index: SubaddressIndex,
): Address => ({
  network,
  kind: isPrimary(index) ? 'standard' : 'subaddress',
  ...subaddressKeys(spendPublicKey, viewSecret, index),
});
