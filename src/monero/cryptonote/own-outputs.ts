import type { Curve } from '../crypto/curve/curve.js';
import { loadCurve } from '../crypto/curve/load-curve.js';
import { deriveSecretKey } from '../crypto/derivation.js';
import { checkScalar, reduce, scalarBytes, toScalar } from '../crypto/scalar.js';
import type { KeyDerivation, SecretKey } from '../crypto/types.js';
import { chunks, joinBytes } from '../../util/bytes.js';
import { addressSecret } from './subaddress-keys.js';
import type { SubaddressIndex } from './types.js';

/** Outputs of the wallet, with the data from which their secret keys are computed, in flat arrays. */
export interface OwnOutputs {
  /** Output keys P, 32 bytes each. */
  readonly outputKeys: Uint8Array;
  /** Key derivations `D = 8·a·R`, 32 bytes each. Secret. */
  readonly derivations: Uint8Array;
  /** Index of each output in its transaction. */
  readonly outputIndices: Uint32Array;
  /** For each output, the major and the minor index of the paid address, two numbers. */
  readonly subaddresses: Uint32Array;
}

/** View secret key and spend secret key of a wallet, 32 bytes each. */
export interface WalletSecrets {
  readonly viewSecret: SecretKey;
  readonly spendSecret: SecretKey;
}

/**
 * Computes the secret key of an output: `Hs(8aR, i) + b`, plus the secret of the paid address unless that is the
 * primary address. Source: cryptonote_format_utils.cpp `generate_key_image_helper_precomp`.
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
 * Computes the key images `x·Hp(P)` of outputs of the wallet, joined, 32 bytes each.
 * @throws RangeError if a secret key is ℓ or more.
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
