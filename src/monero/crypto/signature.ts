import { chunks } from '../../util/bytes.js';
import type { Rng } from '../../util/random.js';
import { zip } from '../../util/zip.js';
import { BASE, type Curve } from './curve/curve.js';
import { loadCurve } from './curve/load-curve.js';
import { isIdentity, isPoint } from './curve/points.js';
import { Nonces } from './nonces.js';
import { bytesToInt, hashToScalar, ORDER } from './scalar.js';
import type { Hash, PublicKey, SecretKey, Signature } from './types.js';

/** Secret key that signs, and its public key. */
export interface SigningKey {
  readonly publicKey: PublicKey;
  readonly secret: SecretKey;
}

/** Makes Schnorr signatures of a hash, one with each key, computed as a batch. */
export function signHashes(
  hash: Hash,
  keys: readonly SigningKey[],
  rng: Rng,
  curve: Curve = loadCurve(),
): Signature[] {
  const nonces = new Nonces(keys.length, rng, curve);
  const signatures = nonces.respond(
    zip(keys, nonces.ofBase()).map(([{ publicKey, secret }, commitment]) => ({
      challenge: hashToScalar(hash, publicKey, commitment),
      secret,
    })),
  );
  return zip(keys, signatures).map(([key, signature]) =>
    // The reference does not accept a challenge or response of zero, so such a signature is made again.
    chunks(signature, 32).every((scalar) => scalar.some(Boolean))
      ? signature
      : signHash(hash, key, rng, curve),
  );
}

/** Makes a Schnorr signature of a hash. Source: crypto.cpp `generate_signature`. */
export const signHash = (hash: Hash, key: SigningKey, rng: Rng, curve: Curve = loadCurve()): Signature =>
  signHashes(hash, [key], rng, curve)[0] as Signature;

/**
 * Verifies a Schnorr signature of a hash.
 * @returns false also for an invalid key or scalar. Source: crypto.cpp `check_signature`.
 */
export function checkSignature(
  hash: Hash,
  publicKey: PublicKey,
  signature: Uint8Array,
  curve: Curve = loadCurve(),
): boolean {
  if (!isPoint(publicKey, curve) || signature.length !== 64) return false;
  const c = bytesToInt(signature.subarray(0, 32));
  const r = bytesToInt(signature.subarray(32));
  if (c >= ORDER || r >= ORDER || c === 0n) return false;
  const commitment = curve.multiexp([publicKey, BASE], [c, r]);
  if (isIdentity(commitment)) return false;
  return hashToScalar(hash, publicKey, commitment) === c;
}
