import { keccak } from '../crypto/keccak.js';
import { reduceBytes, scalarBytes } from '../crypto/scalar.js';
import { publicKeyOf } from '../crypto/derivation.js';
import type { PublicKey, SecretKey } from '../crypto/types.js';
import { bytes32 } from '../../util/bytes.js';

/** The keys of one account. */
export interface AccountKeys {
  readonly spendPublicKey: PublicKey;
  readonly viewPublicKey: PublicKey;
  readonly viewSecret: SecretKey;
  /** Absent in a view-only account. */
  readonly spendSecret?: SecretKey;
}

/**
 * `b = seed mod ℓ`.
 * @param seed 32 bytes, any value. @throws RangeError on any other length.
 * Source: crypto.cpp `generate_keys`.
 */
export const spendSecretFromSeed = (seed: Uint8Array): SecretKey =>
  scalarBytes(reduceBytes(bytes32(seed, 'seed')));

/** `a = keccak(b) mod ℓ`: a wallet is deterministic when its view key is this one. Source: account.cpp `generate`. */
export const viewSecretFromSpend = (spendSecret: SecretKey): SecretKey =>
  scalarBytes(reduceBytes(keccak(spendSecret)));

/** All keys of a deterministic account. */
export function accountKeysOf(spendSecret: SecretKey): AccountKeys {
  const viewSecret = viewSecretFromSpend(spendSecret);
  return {
    spendPublicKey: publicKeyOf(spendSecret),
    viewPublicKey: publicKeyOf(viewSecret),
    viewSecret,
    spendSecret,
  };
}
