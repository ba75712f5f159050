/*
 * Pairs of points of the twisted Edwards curve -x^2 + y^2 = 1 + d*x^2*y^2 in extended coordinates X:Y:Z:T, x = X/Z, y =
 * Y/Z, T = XY/Z (Hisil, Wong, Carter, Dawson; eprint 2008/522). All coordinates are reduced elements. The formulas are
 * complete: they hold for all points, including points of small order.
 */
import {
  add,
  carryDoubling,
  carryElement,
  carrySumAndDifference,
  copy,
  ELEMENT,
  gather,
  multiply,
  multiplyColumns,
  multiplyHere,
  multiplyTwice,
  pack,
  PACKED,
  read,
  readConstant,
  save,
  select,
  setSmall,
  square,
  squareColumns,
  squareTimes,
  subtract,
} from './field';

/** Size of a pair of points [bytes]: X, Y, Z, T. */
export const POINT: usize = 4 * ELEMENT;
/** Size of an addend [bytes], the form in which a pair of points is added: Y+X, Y-X, 2Z, 2dT. */
export const ADDEND: usize = 4 * ELEMENT;

const X: usize = 0;
const Y: usize = ELEMENT;
const Z: usize = 2 * ELEMENT;
const T: usize = 3 * ELEMENT;

/** Curve constant d = -121665/121666. */
const D = memory.data(160, 16);
const TWO_D = memory.data(160, 16);
/** Square root of -1: 2^((p-1)/4). */
const SQRT_MINUS_ONE = memory.data(160, 16);

const D_BYTES = memory.data<u64>([0x75eb4dca135978a3, 0x00700a4d4141d8ab, 0x8cc740797779e898, 0x52036cee2b6ffe73]);
const SQRT_MINUS_ONE_BYTES = memory.data<u64>([0xc4ee1b274a0ea0b0, 0x2f431806ad2fe478, 0x2b4d00993dfbd7a7, 0x2b8324804fc1df0b]);

export function preparePoint(): void {
  readConstant(D, D_BYTES);
  add(TWO_D, D, D);
  carryElement(TWO_D, TWO_D);
  readConstant(SQRT_MINUS_ONE, SQRT_MINUS_ONE_BYTES);
}

/** Sets both lanes to the identity. */
export function setIdentity(o: usize): void {
  setSmall(o + X, 0);
  setSmall(o + Y, 1);
  setSmall(o + Z, 1);
  setSmall(o + T, 0);
}

const A = memory.data(160, 16);
const B = memory.data(160, 16);
const C = memory.data(160, 16);
const E = memory.data(160, 16);
const F = memory.data(160, 16);
const G = memory.data(160, 16);
const H = memory.data(160, 16);
const S = memory.data(160, 16);

/** Computes o = the point with X = EF, Y = GH, Z = FG, T = EH. */
@inline
function setFromFactors(o: usize, withT: bool): void {
  multiplyHere(o + X, E, F);
  multiplyHere(o + Y, G, H);
  multiplyHere(o + Z, F, G);
  if (withT) multiplyHere(o + T, E, H);
}

/** Computes o = 2p. @param withT true: also computes T, which an addition to o needs. */
export function double(o: usize, p: usize, withT: bool): void {
  squareColumns(A, p + X);
  squareColumns(B, p + Y);
  squareColumns(C, p + Z);
  multiplyTwice(E, p + X, p + Y);
  carryDoubling(F, G, H, A, B, C);
  setFromFactors(o, withT);
}

/** Computes o = p + q or, if `minus`, p - q. @param q addend. @param withT true: also computes T. */
export function addPoint(o: usize, p: usize, q: usize, minus: bool, withT: bool): void {
  subtract(S, p + Y, p + X);
  multiplyColumns(A, S, q + (minus ? X : Y));
  add(S, p + Y, p + X);
  multiplyColumns(B, S, q + (minus ? Y : X));
  multiplyColumns(C, p + T, q + T);
  multiplyColumns(S, p + Z, q + Z);
  carrySumAndDifference(H, E, B, A);
  carrySumAndDifference(minus ? F : G, minus ? G : F, S, C);
  setFromFactors(o, withT);
}

/**
 * Computes o = p + q.
 * @param q addend with Z = 1, whose third element is not read.
 * @param withT true: also computes T.
 */
export function addAffine(o: usize, p: usize, q: usize, withT: bool): void {
  subtract(S, p + Y, p + X);
  multiplyColumns(A, S, q + Y);
  add(S, p + Y, p + X);
  multiplyColumns(B, S, q + X);
  multiply(C, p + T, q + T);
  add(S, p + Z, p + Z);
  subtract(F, S, C);
  carryElement(F, F); // F has 3 units before
  add(G, S, C); // 3 units: its factors E and H have one
  carrySumAndDifference(H, E, B, A);
  setFromFactors(o, withT);
}

/** Computes o = the point of an addend, without T. */
export function fromAddend(o: usize, addend: usize): void {
  subtract(S, addend, addend + ELEMENT);
  carryElement(o + X, S);
  add(S, addend, addend + ELEMENT);
  carryElement(o + Y, S);
  copy(o + Z, addend + 2 * ELEMENT);
}

/** Computes o = the addend of p. */
export function toAddend(o: usize, p: usize): void {
  add(S, p + Y, p + X);
  carryElement(o, S);
  subtract(S, p + Y, p + X);
  carryElement(o + ELEMENT, S);
  add(S, p + Z, p + Z);
  carryElement(o + 2 * ELEMENT, S);
  multiply(o + 3 * ELEMENT, p + T, TWO_D);
}

/**
 * Computes o = the addend of p for {@link addAffine}; the third element is not written.
 * @param p point whose X and Y are divided by Z.
 */
export function toAffineAddend(o: usize, p: usize): void {
  add(S, p + Y, p + X);
  carryElement(o, S);
  subtract(S, p + Y, p + X);
  carryElement(o + ELEMENT, S);
  multiply(o + 3 * ELEMENT, p + X, p + Y);
  multiply(o + 3 * ELEMENT, o + 3 * ELEMENT, TWO_D);
}

const U = memory.data(160, 16);
const V = memory.data(160, 16);
const V3 = memory.data(160, 16);
const V7 = memory.data(160, 16);
const P0 = memory.data(160, 16);
const P1 = memory.data(160, 16);
const P2 = memory.data(160, 16);
const ONE = memory.data(160, 16);

/** Computes P0 = a^(2^250 - 1) and P1 = a^11. */
function power250(a: usize): void {
  square(P2, a); // a^2
  squareTimes(P0, P2, 2); // a^8
  multiply(P0, P0, a); // a^9
  multiply(P1, P0, P2); // a^11
  square(P2, P1); // a^22
  multiply(P0, P0, P2); // a^(2^5 - 1)
  squareTimes(P2, P0, 5);
  multiply(P0, P2, P0); // a^(2^10 - 1)
  squareTimes(P2, P0, 10);
  multiply(P2, P2, P0); // a^(2^20 - 1)
  squareTimes(ONE, P2, 20);
  multiply(P2, ONE, P2); // a^(2^40 - 1)
  squareTimes(P2, P2, 10);
  multiply(P0, P2, P0); // a^(2^50 - 1)
  squareTimes(P2, P0, 50);
  multiply(P2, P2, P0); // a^(2^100 - 1)
  squareTimes(ONE, P2, 100);
  multiply(P2, ONE, P2); // a^(2^200 - 1)
  squareTimes(P2, P2, 50);
  multiply(P0, P2, P0); // a^(2^250 - 1)
}

/** Computes o = 1/a; 0 if a is 0. */
export function invert(o: usize, a: usize): void {
  power250(a);
  squareTimes(P2, P0, 5);
  multiply(o, P2, P1);
}

/** Computes o = a^((p-5)/8). */
export function power58(o: usize, a: usize): void {
  power250(a);
  squareTimes(P2, P0, 2);
  multiply(o, P2, a);
}

/** Returns the address of the square root of -1, 2^((p-1)/4). */
export function rootOfMinusOne(): usize {
  return SQRT_MINUS_ONE;
}

const CANONICAL = memory.data(32);

/** Returns true if the fully reduced value in a lane is zero. */
export function isZero(a: usize, lane: usize): bool {
  save(CANONICAL, a, lane);
  return (load<u64>(CANONICAL) | load<u64>(CANONICAL + 8) | load<u64>(CANONICAL + 16) | load<u64>(CANONICAL + 24)) == 0;
}

/** Returns true if the fully reduced value in a lane is odd. */
export function isOdd(a: usize, lane: usize): bool {
  save(CANONICAL, a, lane);
  return (load<u8>(CANONICAL) & 1) != 0;
}

/** Returns true if 32 bytes without their sign bit are a number below p. */
function isCanonical(bytes: usize): bool {
  const high = load<u64>(bytes + 24) & 0x7fffffffffffffff;
  return !(
    high == 0x7fffffffffffffff &&
    load<u64>(bytes + 16) == u64.MAX_VALUE &&
    load<u64>(bytes + 8) == u64.MAX_VALUE &&
    load<u64>(bytes) >= 0xffffffffffffffed
  );
}

/** Computes o = d*a, with the constant d of the curve. */
export function timesD(o: usize, a: usize): void {
  multiply(o, a, D);
}

/**
 * Computes o = a square root of u/v, in variable time.
 * @returns bit 0 is set if there is one in the first lane, bit 1 for the second lane.
 */
export function rootOfQuotient(o: usize, u: usize, v: usize): i32 {
  square(V3, v);
  multiply(V3, V3, v);
  square(V7, V3);
  multiply(V7, V7, v);
  multiply(V7, V7, u); // u*v^7
  power58(P0, V7);
  multiply(o, P0, V3);
  multiply(o, o, u); // u*v^3*(u*v^7)^((p-5)/8)

  square(V3, o);
  multiply(V3, V3, v); // v*x^2 is u, -u, or neither
  subtract(P1, V3, u);
  add(P2, V3, u);
  const root0 = isZero(P1, 0), root1 = isZero(P1, 1);
  const other0 = isZero(P2, 0), other1 = isZero(P2, 1);
  multiply(P0, o, SQRT_MINUS_ONE);
  select(o, o, P0, root0, root1);
  return (root0 || other0 ? 1 : 0) | (root1 || other1 ? 2 : 0);
}

/**
 * Decompresses two points. An encoding that is not canonical, or that is no point of the curve, becomes the identity.
 * @returns bit 0 is set if the first encoding is a point, bit 1 if the second one is. Source: crypto-ops.c
 * `ge_frombytes_vartime`.
 */
export function decompress(o: usize, first: usize, second: usize): i32 {
  read(o + Y, 0, first);
  read(o + Y, 1, second);
  carryElement(o + Y, o + Y);
  setSmall(o + Z, 1);
  square(U, o + Y);
  multiply(V, U, D);
  subtract(U, U, o + Z);
  carryElement(U, U); // u = y^2 - 1
  add(V, V, o + Z);
  carryElement(V, V); // v = d*y^2 + 1
  const roots = rootOfQuotient(o + X, U, V);

  const sign0 = (load<u8>(first + 31) >> 7) != 0, sign1 = (load<u8>(second + 31) >> 7) != 0;
  const zero0 = isZero(o + X, 0), zero1 = isZero(o + X, 1);
  setSmall(P1, 0);
  subtract(P0, P1, o + X);
  select(o + X, P0, o + X, isOdd(o + X, 0) != sign0, isOdd(o + X, 1) != sign1);

  const ok0 = (roots & 1) != 0 && !(zero0 && sign0) && isCanonical(first);
  const ok1 = (roots & 2) != 0 && !(zero1 && sign1) && isCanonical(second);
  setSmall(P1, 0);
  select(o + X, o + X, P1, ok0, ok1);
  select(o + Y, o + Y, o + Z, ok0, ok1);
  multiply(o + T, o + X, o + Y);
  return (ok0 ? 1 : 0) | (ok1 ? 2 : 0);
}

/** Size of a packed point with Z = 1 [bytes]: X and Y. */
export const PACKED_POINT: usize = 2 * PACKED;

/** Packs the point in a lane. @param p pair of points with Z = 1. */
export function packPoint(o: usize, p: usize, lane: usize): void {
  pack(o, p + X, lane);
  pack(o + PACKED, p + Y, lane);
}

/** Computes o = two packed points, one in each lane. */
export function gatherPoints(o: usize, first: usize, second: usize): void {
  gather(o + X, first, second);
  gather(o + Y, first + PACKED, second + PACKED);
  setSmall(o + Z, 1);
  multiply(o + T, o + X, o + Y);
}

const PREFIX = memory.data(20480, 16);
const INVERSE = memory.data(160, 16);
const FACTOR = memory.data(160, 16);

/**
 * Divides X and Y of points by their Z, with one inversion for all of them (Montgomery's trick).
 * @param count number of pairs, at most 128.
 * @param stride bytes between pairs.
 */
export function divideByZ(points: usize, count: i32, stride: usize): void {
  setSmall(INVERSE, 1);
  for (let i = 0; i < count; i++) {
    copy(PREFIX + usize(i) * ELEMENT, INVERSE);
    multiply(INVERSE, INVERSE, points + usize(i) * stride + Z);
  }
  invert(INVERSE, INVERSE);
  for (let i = count - 1; i >= 0; i--) {
    const point = points + usize(i) * stride;
    multiply(FACTOR, INVERSE, PREFIX + usize(i) * ELEMENT);
    multiply(INVERSE, INVERSE, point + Z);
    multiply(point + X, point + X, FACTOR);
    multiply(point + Y, point + Y, FACTOR);
  }
}

/** Compresses the point in a lane. @param p pair of points with Z = 1. */
export function compress(bytes: usize, p: usize, lane: usize): void {
  save(bytes, p + X, lane);
  const sign = load<u8>(bytes) & 1;
  save(bytes, p + Y, lane);
  store<u8>(bytes + 31, load<u8>(bytes + 31) | (sign << 7));
}

/** Wipes the temporary values of all formulas, from which the last result could be computed. */
export function wipePoints(): void {
  memory.fill(A, 0, 160);
  memory.fill(B, 0, 160);
  memory.fill(C, 0, 160);
  memory.fill(E, 0, 160);
  memory.fill(F, 0, 160);
  memory.fill(G, 0, 160);
  memory.fill(H, 0, 160);
  memory.fill(S, 0, 160);
  memory.fill(U, 0, 160);
  memory.fill(V, 0, 160);
  memory.fill(V3, 0, 160);
  memory.fill(V7, 0, 160);
  memory.fill(P0, 0, 160);
  memory.fill(P1, 0, 160);
  memory.fill(P2, 0, 160);
  memory.fill(ONE, 0, 160);
  memory.fill(CANONICAL, 0, 32);
  memory.fill(PREFIX, 0, 20480);
  memory.fill(INVERSE, 0, 160);
  memory.fill(FACTOR, 0, 160);
}
