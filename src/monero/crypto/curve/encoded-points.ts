import { bytesToInt } from '../scalar.js';
import type { Curve } from './curve.js';

/*
 * Test of encodings of points without the arithmetic of the curve: a program that only parses addresses need not load
 * this arithmetic, which is twenty times as large as all other code that it loads.
 */

const P = 2n ** 255n - 19n;
/** Coefficient of the curve `-x² + y² = 1 + d·x²·y²`. */
const D = 37095705934669439343138083508754565189542113879843219016388785533085940283555n;
const SIGN = 1n << 255n;

/** Squares a number `times` times. */
function squared(value: bigint, times: number): bigint {
  let result = value;
  for (let i = 0; i < times; i++) result = (result * result) % P;
  return result;
}

/** Returns true for a nonzero square modulo p, by Euler's criterion: its power (p - 1)/2 = 16·(2^250 - 1) + 6 is 1. */
function isSquare(value: bigint): boolean {
  // The power 2^length - 1. The length doubles at each digit of 250 in binary, and then grows by one if the digit is a
  // one.
  let ones = value;
  let length = 1;
  for (const digit of '1111010') {
    ones = (squared(ones, length) * ones) % P;
    length *= 2;
    if (digit === '0') continue;
    ones = (squared(ones, 1) * value) % P;
    length += 1;
  }
  const sixth = squared((squared(value, 1) * value) % P, 1);
  return (squared(ones, 4) * sixth) % P === 1n;
}

/**
 * Returns true for the encoding of a point, as {@link Curve.arePoints}: y ≥ p and the negative zero are refused.
 * Source: crypto-ops.c `ge_frombytes_vartime`.
 */
export function isEncodedPoint(bytes: Uint8Array): boolean {
  if (bytes.length !== 32) return false;
  const encoded = bytesToInt(bytes);
  const y = encoded & (SIGN - 1n);
  if (y >= P) return false;
  const square = (y * y) % P;
  // x² = (y² - 1) / (d·y² + 1), which is a square if the product of numerator and denominator is a square.
  const numerator = (square + P - 1n) % P;
  if (numerator === 0n) return encoded < SIGN;
  return isSquare((numerator * ((D * square + 1n) % P)) % P);
}

let faster: Curve['arePoints'] | undefined;

/**
 * Makes {@link areEncodedPoints} use the arithmetic of the curve, which this thread has loaded: the arithmetic takes
 * 1/10 of the time.
 */
export function testPointsBy(curve: Curve): Curve {
  faster = (all) => curve.arePoints(all);
  return curve;
}

/** Returns true if all byte strings are encodings of points. Takes 0.1 ms for each, unless {@link testPointsBy} was called. */
export const areEncodedPoints: Curve['arePoints'] = (all) => faster?.(all) ?? all.every(isEncodedPoint);
