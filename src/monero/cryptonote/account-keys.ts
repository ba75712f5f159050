import { keccak } from '../crypto/keccak.js';
import { reduceBytes, scalarBytes } from '../crypto/scalar.js';
import { publicKeyOf } from '../crypto/derivation.js';
import type { PublicKey, SecretKey } from '../crypto/types.js';
import { bytes32 } from '../../util/bytes.js';

/**
 * The keys of one account; the spend secret key is absent in a view-only account.
 * @example
 * const keys: AccountKeys = accountKeysOf(randomSecretKey(systemRng));
 * keys.viewPublicKey.length; // => 32
 */
export interface AccountKeys {
  readonly spendPublicKey: PublicKey;
  readonly viewPublicKey: PublicKey;
  readonly viewSecret: SecretKey;
  /** Spend secret key; absent in a view-only account. */
  readonly spendSecret?: SecretKey;
}

/**
 * Computes the spend secret key `b = seed mod ℓ`.
 * @param seed 32 bytes, any value.
 * @throws RangeError for another length. Source: crypto.cpp `generate_keys`.
 * @example
 * const secret = spendSecretFromSeed(decodeMnemonic(words).seed);
 * equalBytes(secret, account.spendSecret); // => true
 */
export const spendSecretFromSeed = (seed: Uint8Array): SecretKey =>
  scalarBytes(reduceBytes(bytes32(seed, 'seed')));

/**
 * Computes the view secret key `a = keccak(b) mod ℓ`. A wallet with this view key is deterministic: its mnemonic
 * restores both keys. Source: account.cpp `generate`.
 * @example
 * equalBytes(viewSecretFromSpend(account.spendSecret), account.viewSecret); // => true
 */
export const viewSecretFromSpend = (spendSecret: SecretKey): SecretKey =>
  scalarBytes(reduceBytes(keccak(spendSecret)));

/**
 * Computes all keys of a deterministic account from its spend secret key. @throws RangeError unless it is below ℓ.
 * @example
 * const keys = accountKeysOf(account.spendSecret);
 * equalBytes(keys.viewSecret, account.viewSecret); // => true
 */
export function accountKeysOf(spendSecret: SecretKey): AccountKeys {
  const viewSecret = viewSecretFromSpend(spendSecret);
  return {
    spendPublicKey: publicKeyOf(spendSecret),
    viewPublicKey: publicKeyOf(viewSecret),
    viewSecret,
    spendSecret,
  };
}
