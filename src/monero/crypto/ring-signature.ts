import { concatBytes } from '../../util/bytes.js';
import type { Rng } from '../../util/random.js';
import { zip } from '../../util/zip.js';
import { BASE, type Curve } from './curve/curve.js';
import { loadCurve } from './curve/load-curve.js';
import { Nonces } from './nonces.js';
import { bytesToInt, hashToScalar, ORDER, randomScalar, reduce, scalarBytes } from './scalar.js';
import type { Hash, KeyImage, PublicKey, SecretKey, Signature } from './types.js';

/** Returns one link of the ring, `L = c·P + r·G` and `R = c·I + r·Hp(P)`, joined as in the challenge. */
function link(key: PublicKey, image: KeyImage, c: bigint, r: bigint, curve: Curve): Uint8Array {
  const [base] = curve.hashToPoints([key]) as [Uint8Array];
  return concatBytes(...curve.twinSums([key, BASE], [image, base], [c, r]));
}

/**
 * Makes a ring signature as used before RingCT: one pair `c`, `r` per ring member, with Σc = Hs(hash || L₀ || R₀ || …).
 * @param image key image `x·Hp(ring[realIndex])`.
 * @param secret secret key `x` of `ring[realIndex]`.
 * @throws RangeError if an index, key, image or the secret key is invalid. Source: crypto.cpp
 * `generate_ring_signature`.
 */
export function signRing(
  prefixHash: Hash,
  image: KeyImage,
  ring: readonly PublicKey[],
  secret: SecretKey,
  realIndex: number,
  rng: Rng,
  curve: Curve = loadCurve(),
): Signature[] {
  const realKey = ring[realIndex];
  if (realKey === undefined) throw new RangeError(`real index ${realIndex} outside a ring of ${ring.length}`);
  if (!curve.arePoints([image, ...ring])) throw new RangeError('not a point');
  const nonces = new Nonces(1, rng, curve);
  const commitment = concatBytes(...nonces.ofBase(), ...nonces.ofHashes([realKey]));
  let others = 0n;
  const links: Uint8Array[] = [];
  const signatures = ring.map((key, i) => {
    if (i === realIndex) {
      links.push(commitment);
      return undefined;
    }
    const c = randomScalar(rng);
    const r = randomScalar(rng);
    links.push(link(key, image, c, r, curve));
    others += c;
    return concatBytes(scalarBytes(c), scalarBytes(r)) as Signature;
  });
  const challenge = reduce(hashToScalar(prefixHash, ...links) - others);
  const [own] = nonces.respond([{ challenge, secret }]);
  return signatures.map((made) => made ?? (own as Signature));
}

/** A key that signs in a ring of one member. */
export interface LoneKey {
  readonly hash: Hash;
  readonly publicKey: PublicKey;
  readonly secret: SecretKey;
}

/**
 * Makes ring signatures in the format of {@link signRing}, each in a ring of one member, computed as a batch.
 * @throws RangeError for an invalid secret key.
 */
export function signAlone(keys: readonly LoneKey[], rng: Rng, curve: Curve = loadCurve()): Signature[] {
  const nonces = new Nonces(keys.length, rng, curve);
  const right = nonces.ofHashes(keys.map(({ publicKey }) => publicKey));
  return nonces.respond(
    zip(keys, nonces.ofBase(), right).map(([{ hash, secret }, L, R]) => ({
      challenge: hashToScalar(hash, L, R),
      secret,
    })),
  );
}

/**
 * Verifies a ring signature.
 * @returns false also for a wrong number of signatures and for invalid keys, image or scalars. The caller must check
 * that the key image lies in the prime-order subgroup. Source: crypto.cpp `check_ring_signature`.
 */
export function checkRing(
  prefixHash: Hash,
  image: KeyImage,
  ring: readonly PublicKey[],
  signatures: readonly Uint8Array[],
  curve: Curve = loadCurve(),
): boolean {
  if (signatures.length !== ring.length || !curve.arePoints([image, ...ring])) return false;
  let sum = 0n;
  const links: Uint8Array[] = [];
  for (const [i, key] of ring.entries()) {
    const bytes = signatures[i];
    if (bytes?.length !== 64) return false;
    const c = bytesToInt(bytes.subarray(0, 32));
    const r = bytesToInt(bytes.subarray(32));
    if (c >= ORDER || r >= ORDER) return false;
    links.push(link(key, image, c, r, curve));
    sum += c;
  }
  return hashToScalar(prefixHash, ...links) === reduce(sum);
}
