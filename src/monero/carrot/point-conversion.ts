import { bytesToInt, intToBytes } from '../crypto/scalar.js';

/** Order of the field of both curves. */
const P = (1n << 255n) - 19n;
const SIGN = 1n << 255n;

const mod = (value: bigint): bigint => {
  const remainder = value % P;
  return remainder < 0n ? remainder + P : remainder;
};

/** Computes `1/a` by the extended Euclidean algorithm, in variable time. @param a not 0. */
function invert(a: bigint): bigint {
  let [rest, next] = [P, a];
  let [before, factor] = [0n, 1n];
  while (next !== 0n) {
    const quotient = rest / next;
    [rest, next] = [next, rest - quotient * next];
    [before, factor] = [factor, before - quotient * factor];
  }
  return mod(before);
}

/**
 * Converts compressed Edwards points to the x coordinates of the equivalent points of Curve25519: `(1 + y) / (1 − y)`; 0 for the
 * identity, which has no x coordinate. One inversion serves all (Montgomery's trick).
 * @param points 32 bytes each that are points; they are not checked. Source: x25519.cpp `edwards_bytes_to_x25519_vartime`.
 */
export function toMontgomeryEach(points: readonly Uint8Array[]): Uint8Array[] {
  const ys = points.map((point) => mod(bytesToInt(point) & (SIGN - 1n)));
  // The divisor of the identity is zero, and is left out.
  const divisors = ys.map((y) => mod(1n - y) || 1n);
  const products: bigint[] = [];
  let product = 1n;
  for (const divisor of divisors) {
    products.push(product);
    product = mod(product * divisor);
  }
  let inverse = invert(product);
  const quotients = new Array<Uint8Array>(points.length);
  for (let i = points.length - 1; i >= 0; i--) {
    const [y = 1n, divisor = 1n, before = 1n] = [ys[i], divisors[i], products[i]];
    quotients[i] = intToBytes(y === 1n ? 0n : mod((1n + y) * inverse * before));
    inverse = mod(inverse * divisor);
  }
  return quotients;
}

/** Converts a single point: see {@link toMontgomeryEach}. */
export const toMontgomery = (point: Uint8Array): Uint8Array => toMontgomeryEach([point])[0] as Uint8Array;
