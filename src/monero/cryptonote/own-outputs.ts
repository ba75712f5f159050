import type { Curve } from '../crypto/curve/curve.js';
import { loadCurve } from '../crypto/curve/load-curve.js';
import { deriveSecretKey } from '../crypto/derivation.js';
import { checkScalar, reduce, scalarBytes, toScalar } from '../crypto/scalar.js';
import type { KeyDerivation, SecretKey } from '../crypto/types.js';
import { chunks, joinBytes } from '../../util/bytes.js';
import { addressSecret } from './subaddress-keys.js';
import type { SubaddressIndex } from './types.js';

/** Own outputs, with the data from which their secret keys follow, in flat arrays. */
export interface OwnOutputs {
  /** Output public keys P, 32 bytes each. */
  readonly outputKeys: Uint8Array;
  /** `D = 8·a·R`, 32 bytes each. Secret. */
  readonly derivations: Uint8Array;
  /** Index of each output in its transaction. */
  readonly outputIndices: Uint32Array;
  /** Major and minor index of the paid address, two numbers each. */
  readonly subaddresses: Uint32Array;
}

/** Secret keys of a wallet, 32 bytes each. */
export interface WalletSecrets {
  readonly viewSecret: SecretKey;
  readonly spendSecret: SecretKey;
}

/**
 * Secret key of an output: `Hs(8aR, i) + b`, plus the address's own secret unless it is the primary one.
 * Source: cryptonote_format_utils.cpp `generate_key_image_helper_precomp`.
 */
export function outputSecretKey(
  keys: WalletSecrets,
  derivation: KeyDerivation,
  outputIndex: number,
  subaddress: SubaddressIndex,
): SecretKey {
  const primary = deriveSecretKey(derivation, outputIndex, keys.spendSecret);
  return scalarBytes(reduce(toScalar(primary) + addressSecret(keys.viewSecret, subaddress)));
}

/**
 * Key images `x·Hp(P)` of own outputs, 32 bytes each, one after the other.
 * @throws RangeError when a secret is ℓ or more.
 */
export function ownKeyImages(
  { outputKeys, derivations, outputIndices, subaddresses }: OwnOutputs,
  secrets: WalletSecrets,
  curve: Curve = loadCurve(),
): Uint8Array {
  checkScalar(secrets.viewSecret);
  checkScalar(secrets.spendSecret);
  const outputSecrets = joinBytes(
    chunks(derivations, 32).map((derivation, i) => {
      const subaddress = { major: subaddresses[2 * i] ?? 0, minor: subaddresses[2 * i + 1] ?? 0 };
      return outputSecretKey(secrets, derivation as KeyDerivation, outputIndices[i] ?? 0, subaddress);
    }),
  );
  const images = curve.keyImages(outputKeys, outputSecrets);
  outputSecrets.fill(0);
  return images;
}
