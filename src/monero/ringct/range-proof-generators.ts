import { AMOUNT_BASE, BASE, type Basis, type Curve } from '../crypto/curve/curve.js';
import { keccak } from '../crypto/keccak.js';
import { reduce } from '../crypto/scalar.js';
import { utf8 } from '../../util/bytes.js';
import { encode, varintNumber } from '../../util/codec.js';

const GENERATOR_SALT = utf8('bulletproof_plus');

const BASES = [BASE, AMOUNT_BASE];
/** Index of the first generator in a basis: after {@link BASES} follow H₀, G₀, H₁, G₁, … */
const FIRST = BASES.length;

/**
 * Two bases of each curve arithmetic: one with all generators, which are computed when they are first needed, and one
 * for folded generators.
 */
const bases = new WeakMap<Curve, { readonly all: Basis; readonly folded: Basis }>();

function basesOf(curve: Curve): { readonly all: Basis; readonly folded: Basis } {
  const known = bases.get(curve);
  if (known !== undefined) return known;
  const made = { all: curve.basis(), folded: curve.basis() };
  made.all.add(BASES);
  bases.set(curve, made);
  return made;
}

/**
 * Returns the basis with at least `count` generators of each kind. Source: bulletproofs_plus.cc `get_exponent`,
 * `init_exponents`.
 */
export function generators(curve: Curve, count: number): Basis {
  const basis = basesOf(curve).all;
  const existing = basis.size - FIRST;
  const names = Array.from({ length: Math.max(0, 2 * count - existing) }, (_, i) =>
    keccak(AMOUNT_BASE, GENERATOR_SALT, encode(varintNumber, existing + i)),
  );
  if (names.length > 0) basis.add(curve.hashToPoints(names));
  return basis;
}

/**
 * Generators in one round, as sums of points of a basis. The basis consists of blocks of `size` generators each: the
 * i-th generator is the sum of the i-th points of all blocks, each multiplied by the factor of its block.
 */
export interface Generators {
  readonly basis: Basis;
  readonly size: number;
  /** Factors of the points in G and in H, one per block. */
  readonly g: readonly bigint[];
  readonly h: readonly bigint[];
}

/** Joins scalars in the order of the basis' points: G, H, then H₀, G₀, H₁, G₁, … */
export function interleaved(ofG: bigint, ofH: bigint, g: readonly bigint[], h: readonly bigint[]): bigint[] {
  const scalars = [ofG, ofH];
  for (const [i, scalar] of g.entries()) scalars.push(h[i] ?? 0n, scalar);
  return scalars;
}

/**
 * Returns the scalars of the basis' points, from the scalars of the low half of the generators, or of the high half.
 */
export const inHalf = (
  factors: readonly bigint[],
  which: 'low' | 'high',
  scalars: readonly bigint[],
): bigint[] => {
  const zeros = scalars.map(() => 0n);
  return factors.flatMap((factor) => {
    const products = scalars.map((scalar) => reduce(factor * scalar));
    return which === 'low' ? [...products, ...zeros] : [...zeros, ...products];
  });
};

/**
 * Returns the factors after a round has halved the generators: each new generator is `low` times a generator of the low
 * half plus `high` times a generator of the high half.
 */
export const halved = (factors: readonly bigint[], low: bigint, high: bigint): bigint[] =>
  factors.flatMap((factor) => [reduce(factor * low), reduce(factor * high)]);

/** Repeats the factor of each block for all of its points. */
const ofPoints = (factors: readonly bigint[], size: number): bigint[] =>
  factors.flatMap((factor) => Array.from({ length: size }, () => factor));

/** Evaluates the sums as the points of a new basis, which is faster once each generator is a sum of many points. */
export function folded({ basis, size, g, h }: Generators, curve: Curve): Generators {
  const sums = basis.foldedSums(FIRST, 2 * size, interleaved(0n, 0n, ofPoints(g, size), ofPoints(h, size)));
  // The new basis contains the evaluated points and no longer depends on the former basis.
  const fewer = basesOf(curve).folded;
  fewer.clear();
  fewer.add([...BASES, ...sums]);
  return { basis: fewer, size, g: [1n], h: [1n] };
}
