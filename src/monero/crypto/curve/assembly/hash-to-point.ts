/* Maps 32 bytes to a point of the curve, in pairs. Source: crypto-ops.c `ge_fromfe_frombytes_vartime`. */
import {
  add,
  carryElement,
  ELEMENT,
  multiply,
  read,
  readConstant,
  select,
  setSmall,
  square,
  subtract,
} from './field';
import { isOdd, isZero, power58, rootOfMinusOne } from './point';

/** Square roots of 2A(A+2), -2A(A+2), iA(A+2) and -iA(A+2), with A = 486662 and i the root of -1 of point.ts. */
const ROOT_BYTES = memory.data<u64>([
  0x2d219b7c9f83650d, 0xae21fcb9fba90820, 0x6e2bae483fe9a041, 0x32f9e1f5fba5d309,
  0xdd58968acde3bdff, 0x2e6bfb5746d58c72, 0xdf563ac8be04e61c, 0x018e04102529e4e8,
  0x7ac2e6fc494c6e67, 0x11b903f75ec0b5b6, 0xd93f0b778108bcd1, 0x65bc0cfcef982406,
  0x581b7d8717302c66, 0x4024ff4ea5964229, 0xb89546403f0da2ed, 0x674a110d14c208ef,
]);
const A_BYTES = memory.data<u64>([486662, 0, 0, 0]);
const A_SQUARED_BYTES = memory.data<u64>([236839902244, 0, 0, 0]);

const ROOTS = memory.data(640, 16);
const A = memory.data(160, 16);
const A_SQUARED = memory.data(160, 16);

export function prepareMap(): void {
  for (let i: usize = 0; i < 4; i++) readConstant(ROOTS + i * ELEMENT, ROOT_BYTES + 32 * i);
  readConstant(A, A_BYTES);
  readConstant(A_SQUARED, A_SQUARED_BYTES);
}

const U = memory.data(160, 16);
const V = memory.data(160, 16);
const W = memory.data(160, 16);
const X = memory.data(160, 16);
const X3 = memory.data(160, 16);
const ROOT = memory.data(160, 16);
const CHECK = memory.data(160, 16);
const CHECK_TIMES_I = memory.data(160, 16);
const FACTOR = memory.data(160, 16);
const Z_TERM = memory.data(160, 16);
const TEMP = memory.data(160, 16);
const ONE = memory.data(160, 16);
const ZERO = memory.data(160, 16);

/** Reads 256 bits into a lane of U; writes into TEMP the 19 for which bit 255 counts modulo p. */
function read256(lane: usize, bytes: usize): void {
  read(U, lane, bytes);
  read(TEMP, lane, load<u8>(bytes + 31) >> 7 ? NINETEEN : NONE);
}

const NINETEEN = memory.data<u64>([19, 0, 0, 0]);
const NONE = memory.data<u64>([0, 0, 0, 0]);

@inline
function equals(a: usize, b: usize, lane: usize): bool {
  subtract(TEMP, a, b);
  return isZero(TEMP, lane);
}

@inline
function isOpposite(a: usize, b: usize, lane: usize): bool {
  add(TEMP, a, b);
  return isZero(TEMP, lane);
}

/** Maps two strings of 32 bytes to a pair of points, in variable time. */
export function mapToCurve(o: usize, first: usize, second: usize): void {
  setSmall(ONE, 1);
  read256(0, first);
  read256(1, second);
  add(U, U, TEMP);
  carryElement(U, U);
  square(V, U);
  add(V, V, V);
  carryElement(V, V); // v = 2u^2
  add(W, V, ONE);
  carryElement(W, W); // w = v + 1
  square(X, W);
  multiply(X3, A_SQUARED, V);
  subtract(X, X, X3);
  carryElement(X, X); // x = w^2 - A^2*v

  // (w/x)^((p+3)/8) = w*x^3*(w*x^7)^((p-5)/8)
  square(X3, X);
  multiply(X3, X3, X);
  square(TEMP, X3);
  multiply(TEMP, TEMP, X);
  multiply(TEMP, TEMP, W);
  power58(ROOT, TEMP);
  multiply(ROOT, ROOT, W);
  multiply(ROOT, ROOT, X3);

  square(CHECK, ROOT);
  multiply(CHECK, CHECK, X);
  multiply(CHECK_TIMES_I, CHECK, rootOfMinusOne());
  const same0 = equals(CHECK, W, 0), same1 = equals(CHECK, W, 1);
  const plain0 = same0 || isOpposite(CHECK, W, 0), plain1 = same1 || isOpposite(CHECK, W, 1);
  const turned0 = equals(CHECK_TIMES_I, W, 0), turned1 = equals(CHECK_TIMES_I, W, 1);

  // x-coordinate: root*u times a root of +-2A(A+2), or root times a root of +-iA(A+2).
  select(FACTOR, ROOTS, ROOTS + ELEMENT, same0, same1);
  multiply(FACTOR, FACTOR, U);
  select(TEMP, ROOTS + 2 * ELEMENT, ROOTS + 3 * ELEMENT, turned0, turned1);
  select(FACTOR, FACTOR, TEMP, plain0, plain1);
  multiply(ROOT, ROOT, FACTOR);
  setSmall(ZERO, 0);
  subtract(TEMP, ZERO, ROOT);
  select(ROOT, TEMP, ROOT, isOdd(ROOT, 0) == plain0, isOdd(ROOT, 1) == plain1);

  // z = -A*v, or -A
  select(Z_TERM, V, ONE, plain0, plain1);
  multiply(Z_TERM, Z_TERM, A);
  subtract(TEMP, W, Z_TERM);
  carryElement(o + 2 * ELEMENT, TEMP); // Z = z + w
  add(TEMP, W, Z_TERM);
  subtract(TEMP, ZERO, TEMP);
  carryElement(o + ELEMENT, TEMP); // Y = z - w
  multiply(o, ROOT, o + 2 * ELEMENT);
  multiply(o + 3 * ELEMENT, ROOT, o + ELEMENT);
}

/** Wipes the temporary values of the map. */
export function wipeMap(): void {
  memory.fill(U, 0, 160);
  memory.fill(V, 0, 160);
  memory.fill(W, 0, 160);
  memory.fill(X, 0, 160);
  memory.fill(X3, 0, 160);
  memory.fill(ROOT, 0, 160);
  memory.fill(CHECK, 0, 160);
  memory.fill(CHECK_TIMES_I, 0, 160);
  memory.fill(FACTOR, 0, 160);
  memory.fill(Z_TERM, 0, 160);
  memory.fill(TEMP, 0, 160);
  memory.fill(ONE, 0, 160);
}
