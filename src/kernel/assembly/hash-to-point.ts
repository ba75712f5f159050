/* The map of 32 bytes onto the curve, two at once. Source: crypto-ops.c `ge_fromfe_frombytes_vartime`. */
import {
  add,
  choose,
  ELEMENT,
  multiply,
  read,
  readConstant,
  setSmall,
  settleElement,
  square,
  subtract,
} from './field';
import { isOdd, isZero, power58, rootOfMinusOne } from './point';

/** Of 2A(A+2), -2A(A+2), iA(A+2) and -iA(A+2), A = 486662, i the root of -1 of point.ts. */
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
const BACK = memory.data(160, 16);
const TURNED = memory.data(160, 16);
const FACTOR = memory.data(160, 16);
const Z_PART = memory.data(160, 16);
const SPARE = memory.data(160, 16);
const ONE = memory.data(160, 16);
const ZERO = memory.data(160, 16);

/** Reads 256 bits: bit 255 is 19 more. */
function read256(lane: usize, bytes: usize): void {
  read(U, lane, bytes);
  read(SPARE, lane, load<u8>(bytes + 31) >> 7 ? NINETEEN : NONE);
}

const NINETEEN = memory.data<u64>([19, 0, 0, 0]);
const NONE = memory.data<u64>([0, 0, 0, 0]);

@inline
function equals(a: usize, b: usize, lane: usize): bool {
  subtract(SPARE, a, b);
  return isZero(SPARE, lane);
}

@inline
function opposes(a: usize, b: usize, lane: usize): bool {
  add(SPARE, a, b);
  return isZero(SPARE, lane);
}

/** o = the pair of points that two strings of 32 bytes map to. Variable time. */
export function mapToCurve(o: usize, first: usize, second: usize): void {
  setSmall(ONE, 1);
  read256(0, first);
  read256(1, second);
  add(U, U, SPARE);
  settleElement(U, U);
  square(V, U);
  add(V, V, V);
  settleElement(V, V); // v = 2u^2
  add(W, V, ONE);
  settleElement(W, W); // w = v + 1
  square(X, W);
  multiply(X3, A_SQUARED, V);
  subtract(X, X, X3);
  settleElement(X, X); // x = w^2 - A^2*v

  // (w/x)^((p+3)/8) = w*x^3*(w*x^7)^((p-5)/8)
  square(X3, X);
  multiply(X3, X3, X);
  square(SPARE, X3);
  multiply(SPARE, SPARE, X);
  multiply(SPARE, SPARE, W);
  power58(ROOT, SPARE);
  multiply(ROOT, ROOT, W);
  multiply(ROOT, ROOT, X3);

  square(BACK, ROOT);
  multiply(BACK, BACK, X);
  multiply(TURNED, BACK, rootOfMinusOne());
  const same0 = equals(BACK, W, 0), same1 = equals(BACK, W, 1);
  const plain0 = same0 || opposes(BACK, W, 0), plain1 = same1 || opposes(BACK, W, 1);
  const turned0 = equals(TURNED, W, 0), turned1 = equals(TURNED, W, 1);

  // The abscissa: root*u times a root of +-2A(A+2), or root times one of +-iA(A+2).
  choose(FACTOR, ROOTS, ROOTS + ELEMENT, same0, same1);
  multiply(FACTOR, FACTOR, U);
  choose(SPARE, ROOTS + 2 * ELEMENT, ROOTS + 3 * ELEMENT, turned0, turned1);
  choose(FACTOR, FACTOR, SPARE, plain0, plain1);
  multiply(ROOT, ROOT, FACTOR);
  setSmall(ZERO, 0);
  subtract(SPARE, ZERO, ROOT);
  choose(ROOT, SPARE, ROOT, isOdd(ROOT, 0) == plain0, isOdd(ROOT, 1) == plain1);

  // z = -A*v, or -A
  choose(Z_PART, V, ONE, plain0, plain1);
  multiply(Z_PART, Z_PART, A);
  subtract(SPARE, W, Z_PART);
  settleElement(o + 2 * ELEMENT, SPARE); // Z = z + w
  add(SPARE, W, Z_PART);
  subtract(SPARE, ZERO, SPARE);
  settleElement(o + ELEMENT, SPARE); // Y = z - w
  multiply(o, ROOT, o + 2 * ELEMENT);
  multiply(o + 3 * ELEMENT, ROOT, o + ELEMENT);
}

/** Wipes the temporaries of the map. */
export function forgetMap(): void {
  memory.fill(U, 0, 160);
  memory.fill(V, 0, 160);
  memory.fill(W, 0, 160);
  memory.fill(X, 0, 160);
  memory.fill(X3, 0, 160);
  memory.fill(ROOT, 0, 160);
  memory.fill(BACK, 0, 160);
  memory.fill(TURNED, 0, 160);
  memory.fill(FACTOR, 0, 160);
  memory.fill(Z_PART, 0, 160);
  memory.fill(SPARE, 0, 160);
  memory.fill(ONE, 0, 160);
}
