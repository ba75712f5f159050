import { intToBytes, bytesToInt } from '../crypto/scalar.js';
import { Point } from '../crypto/curve/point.js';

const { Fp } = Point;
const SIGN = 1n << 255n;

/**
 * Converts compressed Edwards points to the x coordinates of the equivalent points of Curve25519: `(1 + y) / (1 − y)`; 0 for the
 * identity, which has no x coordinate. One inversion serves all.
 * @param points 32 bytes each that are points; they are not checked. Source: x25519.cpp `edwards_bytes_to_x25519_vartime`.
 */
export function toMontgomeryEach(points: readonly Uint8Array[]): Uint8Array[] {
  const ys = points.map((point) => Fp.create(bytesToInt(point) & (SIGN - 1n)));
  const inverses = Fp.invertBatch(ys.map((y) => Fp.sub(1n, y)));
  return ys.map((y, i) => intToBytes(Fp.mul(Fp.add(1n, y), inverses[i] ?? 0n)));
}

/** Converts a single point: see {@link toMontgomeryEach}. */
export const toMontgomery = (point: Uint8Array): Uint8Array => toMontgomeryEach([point])[0] as Uint8Array;
