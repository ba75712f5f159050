import { chunks, concatBytes, joinBytes } from '../../util/bytes.js';
import { encode, varintNumber } from '../../util/codec.js';
import type { Rng } from '../../util/random.js';
import { IDENTITY, type Curve } from './curve/curve.js';
import { loadCurve } from './curve/load-curve.js';
import { keccak } from './keccak.js';
import { hashToScalar, randomScalar, reduce, scalarBytes, toScalar } from './scalar.js';
import type { KeyDerivation, KeyImage, PublicKey, SecretKey } from './types.js';

const KEY_BYTES = 32;

const VIEW_TAG_SALT = new TextEncoder().encode('view_tag');

/** Computes `s·G` for each secret key. @throws RangeError unless all scalars are below ℓ. */
export const publicKeysOf = (secrets: readonly SecretKey[], curve: Curve = loadCurve()): PublicKey[] =>
  curve.addSecretMultiples(
    secrets.map(() => IDENTITY),
    secrets,
  ) as PublicKey[];

/**
 * Computes `s·G`. @throws RangeError unless the scalar is below ℓ. Source: crypto.cpp `secret_key_to_public_key`.
 * @example
 * equalBytes(publicKeyOf(account.spendSecret), account.spendPublicKey); // => true
 */
export const publicKeyOf = (secret: SecretKey, curve: Curve = loadCurve()): PublicKey =>
  publicKeysOf([secret], curve)[0] as PublicKey;

/**
 * Draws a uniform secret key; a key drawn with {@link systemRng} is fit for a new wallet. Source: crypto.cpp
 * `random_scalar`.
 * @example
 * randomSecretKey(systemRng).length; // => 32
 */
export const randomSecretKey = (rng: Rng): SecretKey => scalarBytes(randomScalar(rng));

/**
 * Computes key derivations `D = 8·s·P` of several public keys, each with its secret key; the 8 clears torsion.
 * @throws RangeError if a key is not a point, or a scalar is not below ℓ.
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
 * Computes the key derivation `D = 8·s·P`, which sender and receiver share.
 * @throws RangeError as {@link keyDerivations}. Source: crypto.cpp `generate_key_derivation`.
 */
export const keyDerivation = (
  publicKey: PublicKey,
  secret: SecretKey,
  curve: Curve = loadCurve(),
): KeyDerivation => keyDerivations([[publicKey, secret]], curve)[0] as KeyDerivation;

/** Computes the scalar `Hs(D || i)`. Source: crypto.cpp `derivation_to_scalar`. */
export function derivationToScalar(derivation: KeyDerivation, outputIndex: number): bigint {
  return hashToScalar(derivation, encode(varintNumber, outputIndex));
}

/** Computes `P + s·G`. @throws RangeError if P is not a point. */
const addMultiple = (point: PublicKey, scalar: bigint, curve: Curve): PublicKey =>
  curve.addSecretMultiples([point], [scalarBytes(scalar)])[0] as PublicKey;

/** Computes the output key `Hs(D || i)·G + B`. @throws RangeError if B is not a point. */
export const derivePublicKey = (
  derivation: KeyDerivation,
  outputIndex: number,
  spendPublicKey: PublicKey,
  curve: Curve = loadCurve(),
): PublicKey => addMultiple(spendPublicKey, derivationToScalar(derivation, outputIndex), curve);

/** Computes the secret key of an output, `Hs(D || i) + b`. @throws RangeError unless b is below ℓ. */
export function deriveSecretKey(
  derivation: KeyDerivation,
  outputIndex: number,
  spendSecret: SecretKey,
): SecretKey {
  return scalarBytes(reduce(derivationToScalar(derivation, outputIndex) + toScalar(spendSecret)));
}

/** An output to look for, with its derivation. */
interface DerivedOutput {
  readonly outputKey: PublicKey;
  readonly derivation: KeyDerivation;
  /** Index of the output in its transaction. */
  readonly outputIndex: number;
}

/**
 * Computes `P - Hs(D || i)·G` of each output, the spend key of the address that it pays.
 * @throws RangeError if P is not a point.
 */
export const deriveSubaddressPublicKeys = (
  outputs: readonly DerivedOutput[],
  curve: Curve = loadCurve(),
): PublicKey[] =>
  curve.addSecretMultiples(
    outputs.map(({ outputKey }) => outputKey),
    outputs.map(({ derivation, outputIndex }) =>
      scalarBytes(reduce(-derivationToScalar(derivation, outputIndex))),
    ),
  ) as PublicKey[];

/** Computes `P - Hs(D || i)·G`, as {@link deriveSubaddressPublicKeys}. */
export const deriveSubaddressPublicKey = (
  outputKey: PublicKey,
  derivation: KeyDerivation,
  outputIndex: number,
  curve: Curve = loadCurve(),
): PublicKey => deriveSubaddressPublicKeys([{ outputKey, derivation, outputIndex }], curve)[0] as PublicKey;

/** Computes the view tag: the first byte of `keccak("view_tag" || D || i)`. Source: crypto.cpp `derive_view_tag`. */
export function viewTag(derivation: KeyDerivation, outputIndex: number): number {
  return keccak(concatBytes(VIEW_TAG_SALT, derivation, encode(varintNumber, outputIndex)))[0] ?? 0;
}

/** Computes the key images `x·Hp(X)` of output keys, each with its secret key. @throws RangeError as {@link keyImage}. */
export const keyImages = (
  pairs: readonly (readonly [PublicKey, SecretKey])[],
  curve: Curve = loadCurve(),
): KeyImage[] => {
  const secrets = joinBytes(pairs.map(([, secret]) => secret));
  const images = curve.keyImages(joinBytes(pairs.map(([key]) => key)), secrets);
  secrets.fill(0);
  return chunks(images, KEY_BYTES).map((image) => Uint8Array.from(image) as KeyImage);
};

/**
 * Computes the key image `x·Hp(X)`.
 * @throws RangeError unless x is below ℓ. Source: crypto.cpp `generate_key_image`.
 */
export const keyImage = (
  outputKey: PublicKey,
  outputSecret: SecretKey,
  curve: Curve = loadCurve(),
): KeyImage => curve.keyImages(outputKey, outputSecret) as KeyImage;
