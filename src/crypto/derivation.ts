import { concatBytes } from '../util/bytes.js';
import { encode, varintNumber } from '../util/codec.js';
import type { Rng } from '../util/random.js';
import type { Curve } from './curve.js';
import { hashToPoint } from './hash-to-point.js';
import { keccak } from './keccak.js';
import { decompress, G, IDENTITY, multiply, multiplyBy8, type Point } from './point.js';
import { hashToScalar, randomScalar, reduce, scalarBytes, toScalar } from './scalar.js';
import type { KeyDerivation, KeyImage, PublicKey, SecretKey } from './types.js';

const VIEW_TAG_SALT = new TextEncoder().encode('view_tag');

const IDENTITY_BYTES = IDENTITY.toBytes();

/** Encodes a point as a public key of 32 bytes. */
export const toPublicKey = (point: Point): PublicKey => point.toBytes() as PublicKey;

/** `s·G`. @throws RangeError unless the scalar is canonical. Source: crypto.cpp `secret_key_to_public_key`. */
export const publicKeyOf = (secret: SecretKey): PublicKey => toPublicKey(multiply(G, toScalar(secret)));

/** A function with the results and errors of {@link publicKeyOf}. */
export type PublicKeyOf = typeof publicKeyOf;

/** {@link publicKeyOf} for each secret, computed as a batch. */
export const publicKeysOf = (secrets: readonly SecretKey[], curve: Curve): PublicKey[] =>
  curve.addSecretMultiples(
    secrets.map(() => IDENTITY_BYTES),
    secrets,
  ) as PublicKey[];

export const randomSecretKey = (rng: Rng): SecretKey => scalarBytes(randomScalar(rng));

/**
 * Key derivation `D = 8·s·P`, shared by sender and receiver; the 8 clears torsion.
 * @throws RangeError when the key is not a point. Source: crypto.cpp `generate_key_derivation`.
 */
export function keyDerivation(publicKey: PublicKey, secret: SecretKey): KeyDerivation {
  return multiplyBy8(multiply(decompress(publicKey), toScalar(secret))).toBytes() as KeyDerivation;
}

/**
 * {@link keyDerivation} of several keys, each with its secret.
 * @throws RangeError when a key is not a point.
 */
export const keyDerivations = (
  pairs: readonly (readonly [PublicKey, SecretKey])[],
  curve: Curve,
): KeyDerivation[] =>
  curve.multiplySecret(
    curve.multiplyEach(
      pairs.map(([key]) => key),
      8n,
    ),
    pairs.map(([, secret]) => secret),
  ) as KeyDerivation[];

/** `Hs(D || i)`. Source: crypto.cpp `derivation_to_scalar`. */
export function derivationToScalar(derivation: KeyDerivation, outputIndex: number): bigint {
  return hashToScalar(derivation, encode(varintNumber, outputIndex));
}

/** Output key `Hs(D || i)·G + B`. @throws RangeError when B is not a point. */
export function derivePublicKey(
  derivation: KeyDerivation,
  outputIndex: number,
  spendPublicKey: PublicKey,
): PublicKey {
  return toPublicKey(
    multiply(G, derivationToScalar(derivation, outputIndex)).add(decompress(spendPublicKey)),
  );
}

/** Output secret `Hs(D || i) + b`. @throws RangeError unless b is canonical. */
export function deriveSecretKey(
  derivation: KeyDerivation,
  outputIndex: number,
  spendSecret: SecretKey,
): SecretKey {
  return scalarBytes(reduce(derivationToScalar(derivation, outputIndex) + toScalar(spendSecret)));
}

/** Spend key of the address that an output pays, `P - Hs(D || i)·G`. @throws RangeError when P is not a point. */
export function deriveSubaddressPublicKey(
  outputKey: PublicKey,
  derivation: KeyDerivation,
  outputIndex: number,
): PublicKey {
  return toPublicKey(
    decompress(outputKey).subtract(multiply(G, derivationToScalar(derivation, outputIndex))),
  );
}

/** First byte of `keccak("view_tag" || D || i)`. Source: crypto.cpp `derive_view_tag`. */
export function viewTag(derivation: KeyDerivation, outputIndex: number): number {
  return keccak(concatBytes(VIEW_TAG_SALT, derivation, encode(varintNumber, outputIndex)))[0] ?? 0;
}

/** `x·Hp(X)`. @throws RangeError unless x is canonical. Source: crypto.cpp `generate_key_image`. */
export function keyImage(outputKey: PublicKey, outputSecret: SecretKey): KeyImage {
  return multiply(hashToPoint(outputKey), toScalar(outputSecret)).toBytes() as KeyImage;
}
