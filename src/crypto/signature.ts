import { chunks, concatBytes } from '../util/bytes.js';
import type { Rng } from '../util/random.js';
import { zip } from '../util/zip.js';
import type { Curve } from './curve.js';
import { Nonces } from './nonces.js';
import { G, multiply, multiplyPublic, tryDecompress } from './point.js';
import { bytesToInt, hashToScalar, ORDER, randomScalar, reduce, scalarBytes, toScalar } from './scalar.js';
import type { Hash, PublicKey, SecretKey, Signature } from './types.js';

/** Schnorr signature of a hash. Source: crypto.cpp `generate_signature`. */
export function signHash(hash: Hash, publicKey: PublicKey, secret: SecretKey, rng: Rng): Signature {
  for (;;) {
    const nonce = randomScalar(rng);
    const c = hashToScalar(hash, publicKey, multiply(G, nonce).toBytes());
    const r = reduce(nonce - c * toScalar(secret));
    if (c !== 0n && r !== 0n) return concatBytes(scalarBytes(c), scalarBytes(r)) as Signature;
  }
}

/** {@link signHash} with several keys, computed as a batch. */
export function signHashes(
  hash: Hash,
  keys: readonly { readonly publicKey: PublicKey; readonly secret: SecretKey }[],
  rng: Rng,
  curve: Curve,
): Signature[] {
  const nonces = new Nonces(keys.length, rng, curve);
  const signatures = nonces.respond(
    zip(keys, nonces.ofBase()).map(([{ publicKey, secret }, commitment]) => ({
      challenge: hashToScalar(hash, publicKey, commitment),
      secret,
    })),
  );
  return zip(keys, signatures).map(([{ publicKey, secret }, signature]) =>
    // A challenge or response of zero is not valid.
    chunks(signature, 32).every((scalar) => scalar.some(Boolean))
      ? signature
      : signHash(hash, publicKey, secret, rng),
  );
}

/** Source: crypto.cpp `check_signature`. */
export function checkSignature(hash: Hash, publicKey: PublicKey, signature: Uint8Array): boolean {
  const point = tryDecompress(publicKey);
  if (point === undefined || signature.length !== 64) return false;
  const c = bytesToInt(signature.subarray(0, 32));
  const r = bytesToInt(signature.subarray(32));
  if (c >= ORDER || r >= ORDER || c === 0n) return false;
  const commitment = multiplyPublic(point, c).add(multiplyPublic(G, r));
  if (commitment.is0()) return false;
  return hashToScalar(hash, publicKey, commitment.toBytes()) === c;
}
