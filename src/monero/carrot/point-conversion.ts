import { intToBytes, bytesToInt } from '../crypto/scalar.js';
import { Point } from '../crypto/curve/point.js';

const { Fp } = Point;
const SIGN = 1n << 255n;

/**
 * Converts a compressed Edwards point to the x coordinate of the equivalent point of Curve25519: `(1 + y) / (1 − y)`; 0 for
 * the identity, which has no x coordinate.
 * @param point 32 bytes that are a point; they are not checked. Source: x25519.cpp `edwards_bytes_to_x25519_vartime`.
 */
export function toMontgomery(point: Uint8Array): Uint8Array {
  const y = Fp.create(bytesToInt(point) & (SIGN - 1n));
  const below = Fp.sub(1n, y);
  return intToBytes(Fp.is0(below) ? 0n : Fp.mul(Fp.add(1n, y), Fp.inv(below)));
}
