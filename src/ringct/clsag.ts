import { hashToPoint } from '../crypto/hash-to-point.js';
import {
  decompress,
  G,
  inMainSubgroup,
  multiply,
  multiplyBy8,
  tryDecompress,
  type Point,
} from '../crypto/point.js';
import { bytesToInt, hashToScalar, ORDER, randomScalar, reduce, scalarBytes } from '../crypto/scalar.js';
import type { Commitment, Hash, KeyImage } from '../crypto/types.js';
import { paddedName } from '../util/bytes.js';
import type { Rng } from '../util/random.js';
import { keptMultiples, multiexp } from './multiexp.js';
import type { Clsag, ProofPoint, ProofScalar, RingMember } from './types.js';

/*
 * Concise linkable ring signatures (Goodell, Noether, Blue; eprint 2019/654), in the paper's letters: a ring of
 * keys P and of commitments C less the pseudo output; the signer knows p and z with P_l = p·G, C_l = z·G.
 * Source: rctSigs.cpp `CLSAG_Gen`, `verRctCLSAGSimple`.
 */

const AGGREGATE_KEYS = paddedName('CLSAG_agg_0');
const AGGREGATE_COMMITMENTS = paddedName('CLSAG_agg_1');
const ROUND = paddedName('CLSAG_round');
const G_MULTIPLES = keptMultiples(G);
/** 1/8 modulo ℓ. */
export const INV_8 = ((): bigint => {
  // 8·x = 1 modulo ℓ.
  let k = 0n;
  while ((k * ORDER + 1n) % 8n !== 0n) k++;
  return (k * ORDER + 1n) / 8n;
})();

export interface ClsagRequest {
  readonly message: Hash;
  readonly ring: readonly RingMember[];
  /** Which member is ours. */
  readonly realIndex: number;
  /** Its secret key p. */
  readonly secretKey: bigint;
  /** Blinding scalar of its commitment. */
  readonly realMask: bigint;
  /** Blinding scalar of the pseudo output, which holds the same amount. */
  readonly pseudoOutMask: bigint;
  readonly pseudoOut: Commitment;
  readonly rng: Rng;
}

export interface ClsagClaim {
  readonly message: Hash;
  readonly ring: readonly RingMember[];
  readonly clsag: Clsag;
  readonly keyImage: KeyImage;
  readonly pseudoOut: Commitment;
}

/** The challenges that hold a signature together. @param D divided by 8. */
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
    round: (L: Point, R: Point): bigint =>
      hashToScalar(ROUND, ...keys, ...commitments, pseudoOut, message, L.toBytes(), R.toBytes()),
  };
}

/** @throws RangeError when a ring member is not on the curve, or the request contradicts itself. */
export function signClsag(request: ClsagRequest): { readonly clsag: Clsag; readonly keyImage: KeyImage } {
  const { message, ring, realIndex, secretKey: p, pseudoOut, rng } = request;
  const own = ring[realIndex];
  if (own === undefined) throw new RangeError('the real member is not in the ring');
  const z = reduce(request.realMask - request.pseudoOutMask);
  const offset = decompress(pseudoOut);
  const P = ring.map(({ publicKey }) => decompress(publicKey));
  const C = ring.map(({ commitment }) => decompress(commitment).subtract(offset));
  const bases = ring.map(({ publicKey }) => hashToPoint(publicKey));
  const base = bases[realIndex] as Point;
  if (!multiply(G, p).equals(P[realIndex] as Point))
    throw new RangeError('the secret key is not that of the real member');
  if (z === 0n) throw new RangeError('the pseudo output must not repeat the commitment of the real member');
  if (!multiply(G, z).equals(C[realIndex] as Point))
    throw new RangeError('the masks do not fit the commitments');

  const image = multiply(base, p);
  const full = multiply(base, z);
  const keyImage = image.toBytes() as KeyImage;
  const D = multiply(full, INV_8).toBytes();
  const { muP, muC, round } = challenger(message, ring, keyImage, D, pseudoOut);
  const [imageMultiples, fullMultiples] = [keptMultiples(image), keptMultiples(full)];

  const n = ring.length;
  const s: bigint[] = Array.from({ length: n }, () => randomScalar(rng));
  const nonce = randomScalar(rng);
  let c = round(multiply(G, nonce), multiply(base, nonce));
  let c1 = c;
  for (let step = 1; step < n; step++) {
    const i = (realIndex + step) % n;
    if (i === 0) c1 = c;
    const [cP, cC] = [reduce(muP * c), reduce(muC * c)];
    c = round(
      multiexp([G_MULTIPLES, P[i] as Point, C[i] as Point], [s[i] ?? 0n, cP, cC]),
      multiexp([bases[i] as Point, imageMultiples, fullMultiples], [s[i] ?? 0n, cP, cC]),
    );
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

/** Checks a signature; whatever is not well-formed is false. */
export function verifyClsag({ message, ring, clsag, keyImage, pseudoOut }: ClsagClaim): boolean {
  const n = ring.length;
  if (n === 0 || clsag.s.length !== n) return false;
  const s = clsag.s.map(bytesToInt);
  const c1 = bytesToInt(clsag.c1);
  if (s.some((scalar) => scalar >= ORDER) || c1 >= ORDER) return false;
  const image = tryDecompress(keyImage);
  const divided = tryDecompress(clsag.D);
  const offset = tryDecompress(pseudoOut);
  const P = ring.map(({ publicKey }) => tryDecompress(publicKey));
  const commitments = ring.map(({ commitment }) => tryDecompress(commitment));
  if (image === undefined || divided === undefined || offset === undefined) return false;
  if (P.includes(undefined) || commitments.includes(undefined)) return false;
  const full = multiplyBy8(divided);
  if (image.is0() || full.is0() || !inMainSubgroup(image)) return false;

  const { muP, muC, round } = challenger(message, ring, keyImage, clsag.D, pseudoOut);
  const [imageMultiples, fullMultiples] = [keptMultiples(image), keptMultiples(full)];
  let c = c1;
  for (let i = 0; i < n; i++) {
    const [cP, cC] = [reduce(muP * c), reduce(muC * c)];
    const base = hashToPoint((ring[i] as RingMember).publicKey);
    c = round(
      multiexp(
        [G_MULTIPLES, P[i] as Point, (commitments[i] as Point).subtract(offset)],
        [s[i] ?? 0n, cP, cC],
      ),
      multiexp([base, imageMultiples, fullMultiples], [s[i] ?? 0n, cP, cC]),
    );
    if (c === 0n) return false;
  }
  return c === c1;
}
