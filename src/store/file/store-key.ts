import { keccak } from '../../crypto/keccak.js';
import type { SecretKey } from '../../crypto/types.js';
import { utf8 } from '../../util/bytes.js';

const TAG = utf8('wallet-rpc store key');

/** Key of a wallet's store, from its own secret keys: a change of password leaves the store as it is. */
export const storeKey = (viewSecret: SecretKey, spendSecret: SecretKey | undefined): Uint8Array =>
  keccak(TAG, viewSecret, spendSecret ?? new Uint8Array());
