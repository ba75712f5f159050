import { ed25519 } from '@noble/curves/ed25519.js';
import { reduce } from '../scalar.js';
import { AMOUNT_BASE, EXTENSION_BASE } from './curve.js';

/** A point of the curve, which may have a torsion part. */
export const Point = ed25519.Point;
export type Point = InstanceType<typeof Point>;

/** Base point of the prime-order subgroup. */
export const G = Point.BASE;
// Windows of 5 bits are as fast as noble's default of 8, whose table takes 70 ms to build on every thread.
G.precompute(5);
export const IDENTITY = Point.ZERO;

/**
 * Decompresses a point as the reference does: y ≥ p and the negative zero are refused.
 * @throws RangeError when the bytes are not a point.
 * Source: crypto-ops.c `ge_frombytes_vartime`.
 */
export function decompress(bytes: Uint8Array): Point {
  try {
    return Point.fromBytes(bytes, false);
  } catch (cause) {
    throw new RangeError('not a point', { cause });
  }
}

/** Decompresses a point as {@link decompress}. @returns undefined if the bytes are not a point. */
export function tryDecompress(bytes: Uint8Array): Point | undefined {
  try {
    return Point.fromBytes(bytes, false);
  } catch {
    return undefined;
  }
}

/**
 * Computes `s·P` in constant time for a secret scalar, any residue modulo ℓ. P must lie in the prime-order subgroup, or
 * the caller must clear its torsion.
 */
export function multiply(point: Point, scalar: bigint): Point {
  const s = reduce(scalar);
  return s === 0n ? IDENTITY : point.multiply(s);
}

/** Computes `8·P`. */
export const multiplyBy8 = (point: Point): Point => point.clearCofactor();

/** The generator H of amounts, decompressed from {@link AMOUNT_BASE}. */
export const H = decompress(AMOUNT_BASE);

/** The second generator T of output keys of the fork, decompressed from {@link EXTENSION_BASE}. */
export const T = decompress(EXTENSION_BASE);
