import type { Curve } from '../crypto/curve/curve.js';
import { isIdentity } from '../crypto/curve/points.js';
import { keccak } from '../crypto/keccak.js';
import { loadCurve } from '../crypto/curve/load-curve.js';
import { bytesToInt, hashToScalar, ORDER, randomScalar, reduce, scalarBytes } from '../crypto/scalar.js';
import type { Commitment } from '../crypto/types.js';
import type { Amount } from '../../util/amount.js';
import { systemRng, type Rng } from '../../util/random.js';
import { commitEach } from './commitment.js';
import {
  folded,
  generators,
  halved,
  inHalf,
  interleaved,
  type Generators,
} from './range-proof-generators.js';
import type { BulletproofPlus, ProofPoint, ProofScalar } from './types.js';

/*
 * Range proofs after "Bulletproofs+" (Chung, Han, Ju, Kim, Seo; eprint 2020/735), in the paper's letters, with the
 * transcript of the reference. Points are encoded divided by 8, so that a verifier clears torsion by multiplying.
 * Source: ringct/bulletproofs_plus.cc.
 */

/** Number of bits of an amount. */
const N = 64;
const MAX_AMOUNTS = 16;
/**
 * Number of original generators in each folded generator from which on the folded generators are computed as points.
 */
const FOLD = 8;
/** Largest number of original generators that are left as sums: computing points would take longer. */
const MIN_FOLDED = 64;
const text = new TextEncoder();

const invert = (scalar: bigint): bigint => power(scalar, ORDER - 2n);

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  for (let b = base, e = exponent; e > 0n; e >>= 1n, b = reduce(b * b))
    if (e & 1n) result = reduce(result * b);
  return result;
}

const INV_8 = invert(8n);

/** Text hash from which the first point of each transcript is computed. */
const TRANSCRIPT_SEED = keccak(text.encode('bulletproof_plus_transcript'));

class Transcript {
  #state: Uint8Array;

  constructor(curve: Curve) {
    [this.#state] = curve.hashToPoints([TRANSCRIPT_SEED]) as [Uint8Array];
  }

  /** Hashes data into the transcript. @returns the new challenge. */
  update(...data: readonly Uint8Array[]): bigint {
    const challenge = hashToScalar(this.#state, ...data);
    this.#state = scalarBytes(challenge);
    return challenge;
  }

  /** Replaces the transcript by the hash of the data alone. @returns the hash as the challenge. */
  restart(data: Uint8Array): bigint {
    const challenge = hashToScalar(data);
    this.#state = scalarBytes(challenge);
    return challenge;
  }
}

/** Returns true if one proof can cover this number of amounts. */
const isCovered = (count: number): boolean => count >= 1 && count <= MAX_AMOUNTS;

/** Returns the smallest power of two that is not below the number of amounts. */
function padded(count: number): number {
  let m = 1;
  while (m < count) m *= 2;
  return m;
}

const powers = (base: bigint, count: number): bigint[] => {
  const all = [1n];
  for (let i = 1; i < count; i++) all.push(reduce((all[i - 1] ?? 0n) * base));
  return all;
};

/**
 * Returns the weights d: z²·2ⁱ for the 64 bits of the first amount; the weights of each further amount are multiplied
 * by z² again.
 */
function weights(z: bigint, m: number): bigint[] {
  const z2 = reduce(z * z);
  const d: bigint[] = [];
  for (let j = 0; j < m; j++)
    for (let i = 0; i < N; i++)
      d.push(
        j === 0 ? (i === 0 ? z2 : reduce(2n * (d[i - 1] ?? 0n))) : reduce((d[(j - 1) * N + i] ?? 0n) * z2),
      );
  return d;
}

/** Computes the weighted inner product Σ aᵢ·bᵢ·y^(i+1). */
const weightedInnerProduct = (
  a: readonly bigint[],
  b: readonly bigint[],
  yPowers: readonly bigint[],
): bigint =>
  reduce(a.reduce((sum, value, i) => sum + reduce(value * (b[i] ?? 0n)) * (yPowers[i + 1] ?? 0n), 0n));

const proofPoint = (point: Uint8Array): ProofPoint => point as unknown as ProofPoint;
const proofScalar = (scalar: bigint): ProofScalar => scalarBytes(scalar) as unknown as ProofScalar;

/** Thrown if a challenge is zero (probability 2^-252); the proof is then made again with new nonces. */
class ZeroChallenge extends Error {}

function nonZero(challenge: bigint): bigint {
  if (challenge === 0n) throw new ZeroChallenge();
  return challenge;
}

/**
 * Makes a proof that 1 to 16 amounts lie below 2^64.
 * @param masks blinding scalars, one per amount.
 * @returns the proof and the commitments `mask·G + amount·H` that it covers.
 */
export function proveRange(
  amounts: readonly Amount[],
  masks: readonly bigint[],
  rng: Rng,
  curve: Curve = loadCurve(),
): { readonly proof: BulletproofPlus; readonly commitments: readonly Commitment[] } {
  if (!isCovered(amounts.length) || amounts.length !== masks.length)
    throw new RangeError('a range proof covers 1 to 16 amounts, each with its mask');
  if (amounts.some((value) => value < 0n || value >> BigInt(N) > 0n))
    throw new RangeError('a range proof covers amounts below 2^64');
  const commitments = commitEach(amounts, masks, curve);
  for (;;) {
    try {
      return { proof: prove(amounts, masks, commitments, rng, curve), commitments };
    } catch (error) {
      if (!(error instanceof ZeroChallenge)) throw error;
    }
  }
}

function prove(
  amounts: readonly Amount[],
  masks: readonly bigint[],
  commitments: readonly Commitment[],
  rng: Rng,
  curve: Curve,
): BulletproofPlus {
  const m = padded(amounts.length);
  const mn = m * N;
  const basis = generators(curve, mn);
  const bits = Array.from(
    { length: mn },
    (_, i) => ((amounts[Math.floor(i / N)] ?? 0n) >> BigInt(i % N)) & 1n,
  );
  const V = curve.multiplyEach(commitments, INV_8);

  const transcript = new Transcript(curve);
  transcript.update(scalarBytes(hashToScalar(...V)));
  const alpha = randomScalar(rng);
  // As in the reference, only the product with the blinding scalar is computed in constant time.
  const blinding = curve.commit([0n], scalarBytes(reduce(alpha * INV_8)));
  const none = bits.map(() => 0n);
  const ofOnes = basis.multiexp(interleaved(0n, 0n, bits, none));
  const ofZeros = basis.multiexp(
    interleaved(
      0n,
      0n,
      none,
      bits.map((bit) => 1n - bit),
    ),
  );
  const A = proofPoint(curve.multiexp([ofOnes, ofZeros, blinding], [INV_8, -INV_8, 1n]));
  const y = nonZero(transcript.update(A));
  // z is the hash of y alone, and this hash is the new state of the transcript.
  const z = nonZero(transcript.restart(scalarBytes(y)));
  const z2 = reduce(z * z);
  const d = weights(z, m);
  const yPowers = powers(y, mn + 2);
  const yInversePowers = powers(invert(y), mn);

  let a = bits.map((bit) => reduce(bit - z));
  let b = bits.map((bit, i) => reduce(bit - 1n + z + (d[i] ?? 0n) * (yPowers[mn - i] ?? 0n)));
  let alpha1 = masks.reduce(
    (sum, mask, j) => sum + reduce((yPowers[mn + 1] ?? 0n) * power(z2, BigInt(j + 1))) * mask,
    alpha,
  );

  // A round replaces the generators by sums of the original generators: only the factors change. All factors include
  // the 1/8 by which encoded points are multiplied.
  let from: Generators = { basis, size: mn, g: [INV_8], h: [INV_8] };
  const L: ProofPoint[] = [];
  const R: ProofPoint[] = [];
  for (let n = mn / 2; n >= 1; n /= 2) {
    if (from.g.length >= FOLD && from.g.length * from.size > MIN_FOLDED) from = folded(from, curve);
    const { g, h } = from;
    const [aLow, aHigh, bLow, bHigh] = [a.slice(0, n), a.slice(n), b.slice(0, n), b.slice(n)];
    const yn = yPowers[n] ?? 0n;
    const ynInverse = yInversePowers[n] ?? 0n;
    const aHighY = aHigh.map((value) => reduce(value * yn));
    const cL = weightedInnerProduct(aLow, bHigh, yPowers);
    const cR = weightedInnerProduct(aHighY, bLow, yPowers);
    const dL = randomScalar(rng);
    const dR = randomScalar(rng);
    const aLowY = aLow.map((value) => reduce(value * ynInverse));
    const blinded = (value: bigint, blind: bigint, ofG: bigint[], ofH: bigint[]): ProofPoint =>
      proofPoint(from.basis.multiexp(interleaved(blind * INV_8, value * INV_8, ofG, ofH)));
    const left = blinded(cL, dL, inHalf(g, 'high', aLowY), inHalf(h, 'low', bHigh));
    const right = blinded(cR, dR, inHalf(g, 'low', aHighY), inHalf(h, 'high', bLow));
    L.push(left);
    R.push(right);
    const e = nonZero(transcript.update(left, right));
    const eInverse = invert(e);
    from = {
      basis: from.basis,
      size: n,
      g: halved(g, eInverse, reduce(ynInverse * e)),
      h: halved(h, e, eInverse),
    };
    a = aLow.map((value, i) => reduce(value * e + (aHighY[i] ?? 0n) * eInverse));
    b = bLow.map((value, i) => reduce(value * eInverse + (bHigh[i] ?? 0n) * e));
    alpha1 = reduce(alpha1 + dL * reduce(e * e) + dR * reduce(eInverse * eInverse));
  }

  const [a0 = 0n] = a;
  const [b0 = 0n] = b;
  const r = randomScalar(rng);
  const s = randomScalar(rng);
  const delta = randomScalar(rng);
  const eta = randomScalar(rng);
  const crossTerm = reduce(reduce(r * y) * b0 + reduce(s * y) * a0);
  const A1 = proofPoint(
    from.basis.multiexp(
      interleaved(
        delta * INV_8,
        crossTerm * INV_8,
        from.g.map((coefficient) => coefficient * r),
        from.h.map((coefficient) => coefficient * s),
      ),
    ),
  );
  const B = proofPoint(basis.multiexp([eta * INV_8, reduce(r * y) * s * INV_8]));
  const e = nonZero(transcript.update(A1, B));
  return {
    A,
    A1,
    B,
    r1: proofScalar(reduce(a0 * e + r)),
    s1: proofScalar(reduce(b0 * e + s)),
    d1: proofScalar(reduce(delta * e + eta + reduce(alpha1) * reduce(e * e))),
    L,
    R,
  };
}

/** A range proof to be verified, with the commitments that it covers. */
export interface RangeClaim {
  readonly proof: BulletproofPlus;
  /** Commitments that the proof covers. */
  readonly commitments: readonly Commitment[];
}

/**
 * Verifies proofs as a batch, by one equation in which each proof has a random weight.
 * @returns false if a proof is invalid or malformed.
 */
export function verifyRange(
  claims: readonly RangeClaim[],
  rng: Rng = systemRng,
  curve: Curve = loadCurve(),
): boolean {
  // The number of commitments is checked before memory is allocated for them.
  if (claims.some(({ commitments }) => !isCovered(commitments.length))) return false;
  const points: Uint8Array[] = [];
  const scalars: bigint[] = [];
  const add = (point: Uint8Array, scalar: bigint): void => {
    points.push(point);
    scalars.push(scalar);
  };
  const size = claims.reduce((most, { commitments }) => Math.max(most, padded(commitments.length) * N), 0);
  const gScalars = Array.from({ length: size }, () => 0n);
  const hScalars = Array.from({ length: size }, () => 0n);
  let baseScalar = 0n;
  let valueScalar = 0n;

  for (const { proof, commitments } of claims) {
    const read = readProof(proof, commitments, curve);
    if (read === undefined) return false;
    const { challenges, y, z, e, m } = read;
    const mn = m * N;
    const weight = randomScalar(rng);
    const inverses = challenges.map(invert);
    const yMn = power(y, BigInt(mn));
    const yMn1 = reduce(yMn * y);
    const z2 = reduce(z * z);
    const e2 = reduce(e * e);
    const [r1, s1, d1] = [proof.r1, proof.s1, proof.d1].map(bytesToInt) as [bigint, bigint, bigint];

    read.V.forEach((point, j) => add(point, reduce(-e2 * yMn1) * reduce(weight * power(z2, BigInt(j + 1)))));
    add(read.B, -weight);
    add(read.A1, reduce(-weight * e));
    add(read.A, reduce(-weight * e2));
    baseScalar = reduce(baseScalar + weight * d1);

    const d = weights(z, m);
    const sumD = reduce(d.reduce((sum, value) => sum + value, 0n));
    const sumY = reduce(
      powers(y, mn + 1)
        .slice(1)
        .reduce((sum, value) => sum + value, 0n),
    );
    const constant = reduce(reduce(z2 - z) * sumY + reduce(yMn1 * z) * sumD);
    valueScalar = reduce(valueScalar + reduce(reduce(constant * e2) + reduce(r1 * y) * s1) * weight);

    const products = foldProducts(challenges, inverses);
    let gFactor = reduce(reduce(e * r1) * weight);
    let dFactor = reduce(-e2 * reduce(weight * yMn));
    const yInverse = invert(y);
    const hFactor = reduce(reduce(e * s1) * weight);
    const shift = reduce(reduce(e2 * z) * weight);
    for (let i = 0; i < mn; i++) {
      gScalars[i] = reduce((gScalars[i] ?? 0n) + gFactor * (products[i] ?? 0n) + shift);
      hScalars[i] = reduce(
        (hScalars[i] ?? 0n) + hFactor * (products[mn - 1 - i] ?? 0n) - shift + dFactor * (d[i] ?? 0n),
      );
      gFactor = reduce(gFactor * yInverse);
      dFactor = reduce(dFactor * yInverse);
    }
    read.L.forEach((point, j) => add(point, reduce(-weight * e2) * reduce((challenges[j] ?? 0n) ** 2n)));
    read.R.forEach((point, j) => add(point, reduce(-weight * e2) * reduce((inverses[j] ?? 0n) ** 2n)));
  }

  return isIdentity(
    generators(curve, size).multiexp(
      interleaved(baseScalar, valueScalar, gScalars, hScalars),
      points,
      scalars,
    ),
  );
}

/** Returns, for each generator, the product of the challenges by which it was folded. */
function foldProducts(challenges: readonly bigint[], inverses: readonly bigint[]): bigint[] {
  let products = [1n];
  challenges.forEach((challenge, j) => {
    products = products.flatMap((product) => [
      reduce(product * (inverses[j] ?? 0n)),
      reduce(product * challenge),
    ]);
  });
  return products;
}

/** Computes the challenges of a proof again and multiplies its points by 8; undefined for a malformed proof. */
function readProof(proof: BulletproofPlus, commitments: readonly Commitment[], curve: Curve) {
  const m = padded(commitments.length);
  const rounds = Math.log2(m) + 6;
  if (proof.L.length !== rounds || proof.R.length !== rounds) return undefined;
  if ([proof.r1, proof.s1, proof.d1].some((scalar) => bytesToInt(scalar) >= ORDER)) return undefined;
  const own = [proof.A, proof.A1, proof.B, ...proof.L, ...proof.R] as unknown[] as Uint8Array[];
  if (!curve.arePoints([...commitments, ...own])) return undefined;
  const [A, A1, B, ...rest] = curve.multiplyEach(own, 8n) as [
    Uint8Array,
    Uint8Array,
    Uint8Array,
    ...Uint8Array[],
  ];

  const transcript = new Transcript(curve);
  const divided = curve.multiplyEach(commitments, INV_8);
  transcript.update(scalarBytes(hashToScalar(...divided)));
  const y = transcript.update(proof.A);
  const z = transcript.restart(scalarBytes(y));
  const challenges = proof.L.map((left, j) => transcript.update(left, proof.R[j] ?? left));
  const e = transcript.update(proof.A1, proof.B);
  if ([y, z, e, ...challenges].includes(0n)) return undefined;
  // The transcript contains V/8. Multiplying it by 8 clears torsion.
  const V = curve.multiplyEach(divided, 8n);
  return { m, y, z, e, challenges, V, A, A1, B, L: rest.slice(0, rounds), R: rest.slice(rounds) };
}
