import { concatBytes } from '../util/bytes.js';
import type { Rng } from '../util/random.js';
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
