import { concatBytes } from '../../util/bytes.js';
import { encode, varintNumber } from '../../util/codec.js';
import type { Rng } from '../../util/random.js';
import { IDENTITY, type Curve } from './curve/curve.js';
import { loadCurve } from './curve/load-curve.js';
import { keccak } from './keccak.js';
import { hashToScalar, randomScalar, reduce, scalarBytes, toScalar } from './scalar.js';
import type { KeyDerivation, KeyImage, PublicKey, SecretKey } from './types.js';

const VIEW_TAG_SALT = new TextEncoder().encode('view_tag');

/** `s·G` for each secret. @throws RangeError unless the scalars are canonical. */
export const publicKeysOf = (secrets: readonly SecretKey[], curve: Curve = loadCurve()): PublicKey[] =>
  curve.addSecretMultiples(
    secrets.map(() => IDENTITY),
    secrets,
  ) as PublicKey[];

/** `s·G`. @throws RangeError unless the scalar is canonical. Source: crypto.cpp `secret_key_to_public_key`. */
export const publicKeyOf = (secret: SecretKey, curve: Curve = loadCurve()): PublicKey =>
  publicKeysOf([secret], curve)[0] as PublicKey;

export const randomSecretKey = (rng: Rng): SecretKey => scalarBytes(randomScalar(rng));

/**
 * Key derivations `D = 8·s·P` of several keys, each with its secret; the 8 clears torsion.
 * @throws RangeError when a key is not a point, or a scalar not canonical.
 */
export const keyDerivations = (
  pairs: readonly (readonly [PublicKey, SecretKey])[],
  curve: Curve = loadCurve(),
): KeyDerivation[] =>
  curve.multiplySecret(
    curve.multiplyEach(
      pairs.map(([key]) => key),
      8n,
    ),
    pairs.map(([, secret]) => secret),
  ) as KeyDerivation[];

/**
 * Key derivation `D = 8·s·P`, shared by sender and receiver. @throws RangeError as {@link keyDerivations}.
 * Source: crypto.cpp `generate_key_derivation`.
 */
export const keyDerivation = (
  publicKey: PublicKey,
  secret: SecretKey,
  curve: Curve = loadCurve(),
): KeyDerivation => keyDerivations([[publicKey, secret]], curve)[0] as KeyDerivation;

/** `Hs(D || i)`. Source: crypto.cpp `derivation_to_scalar`. */
export function derivationToScalar(derivation: KeyDerivation, outputIndex: number): bigint {
  return hashToScalar(derivation, encode(varintNumber, outputIndex));
}

/** `P + s·G`. @throws RangeError when P is not a point. */
const addMultiple = (point: PublicKey, scalar: bigint, curve: Curve): PublicKey =>
  curve.addSecretMultiples([point], [scalarBytes(scalar)])[0] as PublicKey;

/** Output key `Hs(D || i)·G + B`. @throws RangeError when B is not a point. */
export const derivePublicKey = (
  derivation: KeyDerivation,
  outputIndex: number,
  spendPublicKey: PublicKey,
  curve: Curve = loadCurve(),
): PublicKey => addMultiple(spendPublicKey, derivationToScalar(derivation, outputIndex), curve);

/** Output secret `Hs(D || i) + b`. @throws RangeError unless b is canonical. */
export function deriveSecretKey(
  derivation: KeyDerivation,
  outputIndex: number,
  spendSecret: SecretKey,
): SecretKey {
  return scalarBytes(reduce(derivationToScalar(derivation, outputIndex) + toScalar(spendSecret)));
}

/** Spend key of the address that an output pays, `P - Hs(D || i)·G`. @throws RangeError when P is not a point. */
export const deriveSubaddressPublicKey = (
  outputKey: PublicKey,
  derivation: KeyDerivation,
  outputIndex: number,
  curve: Curve = loadCurve(),
): PublicKey => addMultiple(outputKey, reduce(-derivationToScalar(derivation, outputIndex)), curve);

/** First byte of `keccak("view_tag" || D || i)`. Source: crypto.cpp `derive_view_tag`. */
export function viewTag(derivation: KeyDerivation, outputIndex: number): number {
  return keccak(concatBytes(VIEW_TAG_SALT, derivation, encode(varintNumber, outputIndex)))[0] ?? 0;
}

/** `x·Hp(X)`. @throws RangeError unless x is canonical. Source: crypto.cpp `generate_key_image`. */
export const keyImage = (
  outputKey: PublicKey,
  outputSecret: SecretKey,
  curve: Curve = loadCurve(),
): KeyImage => curve.keyImages(outputKey, outputSecret) as KeyImage;
