import { EXTENSION_BASE, BASE, type Curve } from '../crypto/curve/curve.js';
import { loadCurve } from '../crypto/curve/load-curve.js';
import { hashToScalar, ORDER, randomScalar, reduce, scalarBytes, bytesToInt } from '../crypto/scalar.js';
import { keccak } from '../crypto/keccak.js';
import type { KeyImage, PublicKey } from '../crypto/types.js';
import { concatBytes, equalBytes, utf8 } from '../../util/bytes.js';
import type { Rng } from '../../util/random.js';
import { extensionKey } from './opening.js';
import type { OutputSecrets } from './output-secrets.js';

/*
 * Proofs that a key image belongs to an output in the form of the fork: that the prover knows x and y with K = x·G + y·T and
 * L = x·Hp²(K). A Schnorr proof of both equations, of three scalars: challenge, response for x, response for y. The reference's
 * draft takes its proof of spend authorisation in this place (384 bytes), which is not settled: no other wallet reads these.
 */

/** Size of a proof [bytes]. */
export const IMAGE_PROOF_BYTES = 96;

const SEPARATOR = keccak(utf8('wallet-rpc key image proof of the fork v1'));

const challenge = (outputKey: PublicKey, image: KeyImage, ofKey: Uint8Array, ofImage: Uint8Array): bigint =>
  hashToScalar(SEPARATOR, outputKey, image, ofKey, ofImage);

/** Proves that a key image belongs to an output. @param secrets both scalars of the output key. */
export function proveImage(
  outputKey: PublicKey,
  image: KeyImage,
  { x, y }: Required<OutputSecrets>,
  rng: Rng,
  curve: Curve = loadCurve(),
): Uint8Array {
  const [a, b] = [randomScalar(rng), randomScalar(rng)];
  const ofX = scalarBytes(a);
  const ofKey = extensionKey({ g: a, t: b }, curve);
  const [ofImage] = curve.multiplySecret([curve.hashToPointUnbiased(outputKey)], [ofX]);
  const c = challenge(outputKey, image, ofKey, ofImage as Uint8Array);
  const proof = concatBytes(
    scalarBytes(c),
    scalarBytes(reduce(a - c * bytesToInt(x))),
    scalarBytes(reduce(b - c * bytesToInt(y))),
  );
  ofX.fill(0);
  return proof;
}

/**
 * Verifies a proof that a key image belongs to an output.
 * @param image key image in the prime-order subgroup.
 */
export function verifiesImage(
  outputKey: PublicKey,
  image: KeyImage,
  proof: Uint8Array,
  curve: Curve = loadCurve(),
): boolean {
  if (proof.length !== IMAGE_PROOF_BYTES || !curve.arePoints([outputKey, image])) return false;
  const [c, ofX, ofY] = [0, 32, 64].map((at) => bytesToInt(proof.subarray(at, at + 32))) as [
    bigint,
    bigint,
    bigint,
  ];
  if ([c, ofX, ofY].some((scalar) => scalar >= ORDER)) return false;
  const ofKey = curve.multiexp([BASE, EXTENSION_BASE, outputKey], [ofX, ofY, c]);
  const ofImage = curve.multiexp([curve.hashToPointUnbiased(outputKey), image], [ofX, c]);
  return equalBytes(scalarBytes(challenge(outputKey, image, ofKey, ofImage)), proof.subarray(0, 32));
}
