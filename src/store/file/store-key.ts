import { keccak } from '../../monero/crypto/keccak.js';
import type { SecretKey } from '../../monero/crypto/types.js';
import { utf8 } from '../../util/bytes.js';

const TAG = utf8('wallet-rpc store key');

/**
 * Derives the key of a wallet's store from the wallet's secret keys. It does not depend on the password, so a new
 * password does not require to rewrite the store.
 */
export const storeKey = (viewSecret: SecretKey, spendSecret: SecretKey | undefined): Uint8Array =>
  keccak(TAG, viewSecret, spendSecret ?? new Uint8Array());
