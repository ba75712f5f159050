import { BASE, type Curve } from '../crypto/curve/curve.js';
import { isIdentity, isInMainSubgroup } from '../crypto/curve/points.js';
import { loadCurve } from '../crypto/curve/load-curve.js';
import { bytesToInt, hashToScalar, ORDER, randomScalar, reduce, scalarBytes } from '../crypto/scalar.js';
import type { Commitment, Hash, KeyImage } from '../crypto/types.js';
import { chunks, concatBytes, equalBytes, paddedName } from '../../util/bytes.js';
import type { Rng } from '../../util/random.js';
import type { Clsag, ProofPoint, ProofScalar, RingMember } from './types.js';

/*
 * Concise linkable ring signatures (Goodell, Noether, Blue; eprint 2019/654), in the paper's letters: a ring of
 * keys P and of commitments C less the pseudo output; the signer knows p and z with P_l = p·G, C_l = z·G.
 * Source: rctSigs.cpp `CLSAG_Gen`, `verRctCLSAGSimple`.
 */

const AGGREGATE_KEYS = paddedName('CLSAG_agg_0');
const AGGREGATE_COMMITMENTS = paddedName('CLSAG_agg_1');
const ROUND = paddedName('CLSAG_round');
/** Inverse of 8 modulo ℓ, by which encoded points are multiplied. */
export const INV_8 = ((): bigint => {
  // Solves 8·x = 1 modulo ℓ.
  let k = 0n;
  while ((k * ORDER + 1n) % 8n !== 0n) k++;
  return (k * ORDER + 1n) / 8n;
})();

/** Ring, message and secret data from which a signature is made. */
export interface ClsagRequest {
  readonly message: Hash;
  readonly ring: readonly RingMember[];
  /** Index of the real ring member. */
  readonly realIndex: number;
  /** Secret key p of the real ring member. */
  readonly secretKey: bigint;
  /** Blinding scalar of the real member's commitment. */
  readonly realMask: bigint;
  /** Blinding scalar of the pseudo output, which commits to the same amount as the real member. */
  readonly pseudoOutMask: bigint;
  readonly pseudoOut: Commitment;
  readonly rng: Rng;
}

/** A signature to be verified, with its ring and message. */
export interface ClsagClaim {
  readonly message: Hash;
  readonly ring: readonly RingMember[];
  readonly clsag: Clsag;
  readonly keyImage: KeyImage;
  readonly pseudoOut: Commitment;
}

/**
 * Computes the aggregation coefficients of a signature, and returns them with the function that hashes a round.
 * @param D commitment key image, divided by 8.
 */
export function challenger(
  message: Hash,
  ring: readonly RingMember[],
  keyImage: Uint8Array,
  D: Uint8Array,
  pseudoOut: Commitment,
) {
  const keys = ring.map(({ publicKey }) => publicKey);
  const commitments = ring.map(({ commitment }) => commitment);
  return {
    muP: hashToScalar(AGGREGATE_KEYS, ...keys, ...commitments, keyImage, D, pseudoOut),
    muC: hashToScalar(AGGREGATE_COMMITMENTS, ...keys, ...commitments, keyImage, D, pseudoOut),
    round: (L: Uint8Array, R: Uint8Array): bigint =>
      hashToScalar(ROUND, ...keys, ...commitments, pseudoOut, message, L, R),
  };
}

/** Points that the rounds of a signature need; each list has one point per ring member. */
interface RingPoints {
  readonly P: readonly Uint8Array[];
  /** Commitments less the pseudo output, one per ring member. */
  readonly C: readonly Uint8Array[];
  /** Hash points Hp(P), one per ring member. */
  readonly bases: readonly Uint8Array[];
  readonly image: Uint8Array;
  /** Commitment key image, multiplied by 8: `8·D`. */
  readonly full: Uint8Array;
}

/**
 * Computes L and R of a ring member: `s·G + cP·P + cC·C` and `s·Hp(P) + cP·I + cC·8D`.
 * @throws RangeError for an index outside the ring, or an invalid point.
 */
export function ringTerms(
  { P, C, bases, image, full }: RingPoints,
  i: number,
  scalars: readonly [s: bigint, cP: bigint, cC: bigint],
  curve: Curve,
): readonly [L: Uint8Array, R: Uint8Array] {
  const [key, commitment, base] = [P[i], C[i], bases[i]];
  if (key === undefined || commitment === undefined || base === undefined)
    throw new RangeError('no such ring member');
  return curve.twinSums([BASE, key, commitment], [base, image, full], scalars);
}

/** Computes the points of a ring. @throws RangeError for an invalid point. */
export function ringPoints(
  ring: readonly RingMember[],
  pseudoOut: Commitment,
  image: Uint8Array,
  full: Uint8Array,
  curve: Curve,
): RingPoints {
  const P = ring.map(({ publicKey }) => publicKey);
  const commitments = ring.map(({ commitment }) => commitment);
  return { P, C: curve.subtractFromEach(commitments, pseudoOut), bases: curve.hashToPoints(P), image, full };
}

/** Computes `x·G` and `x·Hp(P)` for secret scalars x, in constant time. */
function secretMultiples(
  publicKey: Uint8Array,
  secrets: readonly bigint[],
  curve: Curve,
): { readonly ofG: Uint8Array[]; readonly ofBase: Uint8Array[] } {
  const scalars = concatBytes(...secrets.map(scalarBytes));
  const keys = concatBytes(...secrets.map(() => publicKey));
  const products = {
    ofG: chunks(
      curve.commit(
        secrets.map(() => 0n),
        scalars,
      ),
      32,
    ),
    ofBase: chunks(curve.keyImages(keys, scalars), 32),
  };
  scalars.fill(0);
  return products;
}

/** Signs with a ring. @throws RangeError if a ring member is not on the curve, or the request is inconsistent. */
export function signClsag(
  request: ClsagRequest,
  curve: Curve = loadCurve(),
): { readonly clsag: Clsag; readonly keyImage: KeyImage } {
  const { message, ring, realIndex, pseudoOut, rng } = request;
  const own = ring[realIndex];
  if (own === undefined) throw new RangeError('the real member is not in the ring');
  const p = reduce(request.secretKey);
  const z = reduce(request.realMask - request.pseudoOutMask);
  const n = ring.length;
  const s: bigint[] = Array.from({ length: n }, () => randomScalar(rng));
  const nonce = randomScalar(rng);
  const { ofG, ofBase } = secretMultiples(own.publicKey, [p, z, nonce, reduce(z * INV_8)], curve);
  const [ownKey, ownCommitment, nonceG] = ofG as [Uint8Array, Uint8Array, Uint8Array];
  const [image, full, nonceBase, D] = ofBase as [Uint8Array, Uint8Array, Uint8Array, Uint8Array];
  const points = ringPoints(ring, pseudoOut, image, full, curve);
  if (!equalBytes(ownKey, own.publicKey))
    throw new RangeError('the secret key is not that of the real member');
  if (z === 0n) throw new RangeError('the pseudo output must not repeat the commitment of the real member');
  if (!equalBytes(ownCommitment, points.C[realIndex] ?? own.commitment))
    throw new RangeError('the masks do not match the commitments');

  const keyImage = image as KeyImage;
  const { muP, muC, round } = challenger(message, ring, keyImage, D, pseudoOut);

  let c = round(nonceG, nonceBase);
  let c1 = c;
  for (let step = 1; step < n; step++) {
    const i = (realIndex + step) % n;
    if (i === 0) c1 = c;
    c = round(...ringTerms(points, i, [s[i] ?? 0n, reduce(muP * c), reduce(muC * c)], curve));
  }
  if (realIndex === 0) c1 = c;
  s[realIndex] = reduce(nonce - c * reduce(muP * p + muC * z));
  return {
    clsag: {
      s: s.map((scalar) => scalarBytes(scalar) as unknown as ProofScalar),
      c1: scalarBytes(c1) as unknown as ProofScalar,
      D: D as unknown as ProofPoint,
    },
    keyImage,
  };
}

/** Verifies a signature. @returns false also for malformed data. */
export function verifyClsag(
  { message, ring, clsag, keyImage, pseudoOut }: ClsagClaim,
  curve: Curve = loadCurve(),
): boolean {
  const n = ring.length;
  if (n === 0 || clsag.s.length !== n) return false;
  const s = clsag.s.map(bytesToInt);
  const c1 = bytesToInt(clsag.c1);
  if (s.some((scalar) => scalar >= ORDER) || c1 >= ORDER) return false;
  const D = clsag.D as unknown as Uint8Array;
  const members = ring.flatMap(({ publicKey, commitment }) => [publicKey, commitment]);
  if (!curve.arePoints([keyImage, D, pseudoOut, ...members])) return false;
  const [full = D] = curve.multiplyEach([D], 8n);
  if (isIdentity(keyImage) || isIdentity(full) || !isInMainSubgroup(keyImage, curve)) return false;

  const { muP, muC, round } = challenger(message, ring, keyImage, clsag.D, pseudoOut);
  const points = ringPoints(ring, pseudoOut, keyImage, full, curve);
  let c = c1;
  for (let i = 0; i < n; i++) {
    c = round(...ringTerms(points, i, [s[i] ?? 0n, reduce(muP * c), reduce(muC * c)], curve));
    if (c === 0n) return false;
  }
  return c === c1;
}
