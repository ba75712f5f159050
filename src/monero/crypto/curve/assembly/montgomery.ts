/*
 * Conversion between u-coordinates of Curve25519 and points of the Edwards curve: y = (u - 1)/(u + 1), u = (1 + y)/(1 - y).
 * Source: RFC 7748, section 4.1.
 */
import { add, carryElement, chooseLanes, ELEMENT, multiply, read, select, setSmall, square, subtract } from './field';
import { isZero, rootOfQuotient, timesD } from './point';

const X: usize = 0;
const Y: usize = ELEMENT;
const Z: usize = 2 * ELEMENT;
const T: usize = 3 * ELEMENT;

/** Constants; the second one is never written. */
const ONE = memory.data(160, 16);
const ZERO = memory.data(160, 16);

export function prepareMontgomery(): void {
  setSmall(ONE, 1);
}

const U = memory.data(160, 16);
const YY = memory.data(160, 16);
const ZZ = memory.data(160, 16);

/**
 * Converts two u-coordinates to a pair of points, of either sign of x, in variable time. A u-coordinate of the twist
 * becomes the identity.
 * @param first 32 bytes; bit 255 is ignored, and numbers of p or more are reduced.
 * @returns bit 0 is set if the first u-coordinate lies on the curve, bit 1 if the second one does.
 */
export function fromMontgomery(o: usize, first: usize, second: usize): i32 {
  read(U, 0, first);
  read(U, 1, second);
  carryElement(U, U);
  subtract(YY, U, ONE);
  carryElement(o + Y, YY);
  add(ZZ, U, ONE);
  carryElement(o + Z, ZZ);
  // The equation of the curve in fractions Y/Z: x^2 = (Y^2 - Z^2) / (d*Y^2 + Z^2). For u = -1, which lies on the twist, this
  // is 1/d, which is not a square.
  square(YY, o + Y);
  square(ZZ, o + Z);
  subtract(U, YY, ZZ);
  carryElement(U, U);
  timesD(YY, YY);
  add(YY, YY, ZZ);
  carryElement(YY, YY);
  const ok = rootOfQuotient(o + X, U, YY);
  const ok0 = (ok & 1) != 0, ok1 = (ok & 2) != 0;
  select(o + X, o + X, ZERO, ok0, ok1);
  select(o + Y, o + Y, ONE, ok0, ok1);
  select(o + Z, o + Z, ONE, ok0, ok1);
  multiply(o + T, o + X, o + Y);
  multiply(o + X, o + X, o + Z);
  return ok;
}

/**
 * Converts a pair of points in place to u-coordinates, fractions X/Z as of {@link multiplyByLadder}, in constant time; Y
 * has no meaning. The identity becomes 0/1.
 */
export function toMontgomery(p: usize): void {
  add(YY, p + Z, p + Y);
  subtract(ZZ, p + Z, p + Y);
  carryElement(p + X, YY);
  carryElement(p + Z, ZZ);
  replaceInfinite(p);
}

/** Replaces a fraction X/0 by 0/1, in constant time. */
export function replaceInfinite(p: usize): void {
  const none0 = -i32(isZero(p + Z, 0)), none1 = -i32(isZero(p + Z, 1));
  chooseLanes(p + X, p + X, ZERO, none0, none1);
  chooseLanes(p + Z, p + Z, ONE, none0, none1);
}

/** Wipes the temporary values of the conversions. */
export function wipeMontgomery(): void {
  memory.fill(U, 0, 160);
  memory.fill(YY, 0, 160);
  memory.fill(ZZ, 0, 160);
}
