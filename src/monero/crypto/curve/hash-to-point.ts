import { forkHash } from '../fork-hash.js';
import { keccak } from '../keccak.js';
import { multiplyBy8, Point } from './point.js';
import { bytesToInt } from '../scalar.js';

const { Fp } = Point;

/** Montgomery coefficient of the birationally equivalent curve. */
const A = 486662n;
const MINUS_A = Fp.neg(A);
const MINUS_A2 = Fp.neg(A * A);
const SQRT_M1 = Fp.sqrt(Fp.neg(1n));
/** `A·(A + 2)`; the last step of the map multiplies by the square root of this number or of a multiple. */
const AA2 = A * (A + 2n);
const ROOT_2 = Fp.sqrt(Fp.create(2n * AA2));
const ROOT_MINUS_2 = Fp.sqrt(Fp.neg(2n * AA2));
/**
 * Square root of `√-1·A·(A + 2)`; the last step of the map uses this root or {@link ROOT_MINUS_I} in the twisted case.
 */
const ROOT_I = Fp.sqrt(Fp.mul(SQRT_M1, AA2));
const ROOT_MINUS_I = Fp.sqrt(Fp.neg(Fp.mul(SQRT_M1, AA2)));

/** Computes `(w/x)^((p+3)/8)`. Source: crypto-ops.c `fe_divpowm1`. */
function rootOfQuotient(w: bigint, x: bigint): bigint {
  const x3 = Fp.mul(Fp.sqr(x), x);
  const x7 = Fp.mul(Fp.sqr(x3), x);
  const power = Fp.pow(Fp.mul(w, x7), (Fp.ORDER - 5n) / 8n);
  return Fp.mul(Fp.mul(power, w), x3);
}

/**
 * Maps 32 bytes to a point of the curve, similar to Elligator, in variable time. Source: crypto-ops.c
 * `ge_fromfe_frombytes_vartime`.
 */
export function mapToCurve(bytes: Uint8Array): Point {
  const u = Fp.create(bytesToInt(bytes));
  const v = Fp.mul(2n, Fp.sqr(u));
  const w = Fp.add(v, 1n);
  const x = Fp.add(Fp.sqr(w), Fp.mul(MINUS_A2, v));
  const root = rootOfQuotient(w, x);
  const back = Fp.mul(Fp.sqr(root), x);

  let abscissa: bigint;
  let z: bigint;
  let odd: boolean;
  if (Fp.eql(back, w) || Fp.eql(back, Fp.neg(w))) {
    abscissa = Fp.mul(Fp.mul(root, Fp.eql(back, w) ? ROOT_2 : ROOT_MINUS_2), u);
    z = Fp.mul(MINUS_A, v);
    odd = false;
  } else {
    const twisted = Fp.mul(back, SQRT_M1);
    abscissa = Fp.mul(root, Fp.eql(twisted, w) ? ROOT_I : ROOT_MINUS_I);
    z = MINUS_A;
    odd = true;
  }
  if ((abscissa & 1n) !== (odd ? 1n : 0n)) abscissa = Fp.neg(abscissa);
  const Z = Fp.add(z, w);
  const Y = Fp.sub(z, w);
  return new Point(Fp.mul(abscissa, Z), Y, Z, Fp.mul(abscissa, Y));
}

/**
 * Computes the hash to a point of outputs of the fork, `8·(map(h₀) + map(h₁))`, of the halves h₀ and h₁ of a hash of 64
 * bytes. Source: crypto.cpp `unbiased_hash_to_ec`.
 */
export function hashToPointUnbiased(data: Uint8Array): Point {
  const hash = forkHash(64, data);
  return multiplyBy8(mapToCurve(hash.subarray(0, 32)).add(mapToCurve(hash.subarray(32))));
}

/** Computes `Hp(data) = 8·map(keccak(data))`. Source: crypto.cpp `hash_to_ec`, rctOps.cpp `hash_to_p3`. */
export const hashToPoint = (data: Uint8Array): Point => multiplyBy8(mapToCurve(keccak(data)));
