import { bytesToInt, intToBytes, toScalar } from '../scalar.js';

const P = 2n ** 255n - 19n;
const SIGN = 1n << 255n;
/** The constant (486662 + 2) / 4. */
const A24 = 121666n;

const mod = (value: bigint): bigint => ((value % P) + P) % P;

/** Computes the power p - 2, which inverts; zero stays zero. */
function invert(value: bigint): bigint {
  let result = 1n;
  for (const bit of (P - 2n).toString(2)) {
    result = (result * result) % P;
    if (bit === '1') result = (result * value) % P;
  }
  return result;
}

/**
 * Multiplies a u-coordinate by a scalar that is not clamped, in variable time; for the curve and its twist, and for
 * points of small order. The product is 0 if it is infinite.
 * @param u 32 bytes, little-endian; bit 255 is ignored, and numbers of p or more are reduced.
 * @param scalar 32 bytes, below ℓ.
 * @throws RangeError for a scalar of ℓ or more, or another length.
 * Source: RFC 7748, section 5.
 */
export function plainX25519(u: Uint8Array, scalar: Uint8Array): Uint8Array {
  if (u.length !== 32) throw new RangeError('expected 32 bytes');
  const u1 = (bytesToInt(u) & (SIGN - 1n)) % P;
  let [x2, z2, x3, z3] = [1n, 0n, u1, 1n];
  for (const bit of toScalar(scalar).toString(2)) {
    if (bit === '1') [x2, z2, x3, z3] = [x3, z3, x2, z2];
    const [sum, difference] = [x2 + z2, mod(x2 - z2)];
    const [sum2, difference2] = [mod(sum * sum), mod(difference * difference)];
    const [da, cb] = [mod((x3 - z3) * sum), mod((x3 + z3) * difference)];
    const e = sum2 - difference2;
    [x3, z3] = [mod((da + cb) ** 2n), mod(u1 * mod((da - cb) ** 2n))];
    [x2, z2] = [mod(sum2 * difference2), mod(e * (difference2 + A24 * e))];
    if (bit === '1') [x2, z2, x3, z3] = [x3, z3, x2, z2];
  }
  return intToBytes(mod(x2 * invert(z2)));
}
