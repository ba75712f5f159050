/*
 * Arithmetic modulo 2^255 - 19 on pairs of elements, one in each vector lane; the build selects the implementation. The
 * limbs of an element are bounded in units: a reduced element has one unit, a sum or difference has as many units as
 * both operands together, and a product takes factors of 3 units and 1.
 */
import * as fma from './field-fma';
import * as int from './field-int';
import * as fmaSelection from './selection-fma';
import * as intSelection from './selection-int';

/** Size of a pair of elements [bytes], and of the columns of a pair of products before carries. */
export const ELEMENT: usize = ASC_FEATURE_RELAXED_SIMD ? 80 : 160;

export function prepareField(): void {
  if (ASC_FEATURE_RELAXED_SIMD) fma.prepareField();
}

@inline
export function multiplyColumns(o: usize, a: usize, b: usize): void {
  if (ASC_FEATURE_RELAXED_SIMD) fma.multiplyColumns(o, a, b);
  else int.multiplyColumns(o, a, b);
}

@inline
export function squareColumns(o: usize, a: usize): void {
  if (ASC_FEATURE_RELAXED_SIMD) fma.squareColumns(o, a);
  else int.squareColumns(o, a);
}

const WORK = memory.data(160, 16);

/** Wipes the temporary values of products. */
export function wipeField(): void {
  memory.fill(WORK, 0, 160);
  if (ASC_FEATURE_RELAXED_SIMD) fma.wipeField();
  else int.wipeField();
}

/** Computes o = a*b. */
@inline
export function multiply(o: usize, a: usize, b: usize): void {
  if (ASC_FEATURE_RELAXED_SIMD) fma.multiply(o, a, b);
  else multiplyInt(o, a, b);
}
function multiplyInt(o: usize, a: usize, b: usize): void {
  int.multiplyColumns(WORK, a, b);
  int.carryColumns(o, WORK);
}

/** Computes o = a*n, of up to 3 units. @param n constant from 0 to 2^20. */
@inline
export function multiplySmall(o: usize, a: usize, n: i32): void {
  if (ASC_FEATURE_RELAXED_SIMD) fma.multiplySmall(o, a, f64(n));
  else int.multiplySmall(o, a, n);
}

/** Computes o = a*b, inlined for the formulas that take most of the time. */
@inline
export function multiplyHere(o: usize, a: usize, b: usize): void {
  if (ASC_FEATURE_RELAXED_SIMD) fma.product(o, a, b, false);
  else multiplyInt(o, a, b);
}

/** Computes o = 2*a*b, of up to 2 units, inlined. */
@inline
export function multiplyTwice(o: usize, a: usize, b: usize): void {
  if (ASC_FEATURE_RELAXED_SIMD) fma.product(o, a, b, true);
  else multiplyTwiceInt(o, a, b);
}
function multiplyTwiceInt(o: usize, a: usize, b: usize): void {
  int.multiplyColumns(WORK, a, b);
  int.carryTwice(o, WORK);
}

/** Computes o = a*a. */
@inline
export function square(o: usize, a: usize): void {
  if (ASC_FEATURE_RELAXED_SIMD) fma.square(o, a);
  else squareInt(o, a);
}
function squareInt(o: usize, a: usize): void {
  int.squareColumns(WORK, a);
  int.carryColumns(o, WORK);
}

/** Computes o = a^(2^n), n >= 1. */
@inline
export function squareTimes(o: usize, a: usize, n: i32): void {
  if (ASC_FEATURE_RELAXED_SIMD) fma.squareTimes(o, a, n);
  else squareTimesInt(o, a, n);
}
function squareTimesInt(o: usize, a: usize, n: i32): void {
  squareInt(o, a);
  for (let i = 1; i < n; i++) squareInt(o, o);
}

/** Reduces sum = c + d and difference = c - d, where c and d are columns of products. */
@inline
export function carrySumAndDifference(sum: usize, difference: usize, c: usize, d: usize): void {
  if (ASC_FEATURE_RELAXED_SIMD) fma.carrySumAndDifference(sum, difference, c, d);
  else {
    int.carrySum(sum, c, d);
    int.carryDifference(difference, c, d);
  }
}

/** Reduces g = b - a, h = b + a and f = 2c - g, where a, b and c are columns of squares. */
@inline
export function carryDoubling(f: usize, g: usize, h: usize, a: usize, b: usize, c: usize): void {
  if (ASC_FEATURE_RELAXED_SIMD) fma.carryDoubling(f, g, h, a, b, c);
  else {
    int.carryDifference(g, b, a);
    int.carrySum(h, a, b);
    int.carryTwicePlusMinus(f, c, a, b);
  }
}

/** Computes o = a, reduced to one unit. @param a element of up to 8 units. */
export function carryElement(o: usize, a: usize): void {
  if (ASC_FEATURE_RELAXED_SIMD) fma.carryElement(o, a);
  else int.carryElement(o, a);
}

@inline
export function add(o: usize, a: usize, b: usize): void {
  if (ASC_FEATURE_RELAXED_SIMD) fma.add(o, a, b);
  else int.add(o, a, b);
}

@inline
export function subtract(o: usize, a: usize, b: usize): void {
  if (ASC_FEATURE_RELAXED_SIMD) fma.subtract(o, a, b);
  else int.subtract(o, a, b);
}

/** Sets both lanes to a small number. */
export function setSmall(o: usize, value: i32): void {
  if (ASC_FEATURE_RELAXED_SIMD) fma.setSmall(o, value);
  else int.setSmall(o, value);
}

/** Computes o = a. */
export function copy(o: usize, a: usize): void {
  for (let i: usize = 0; i < ELEMENT; i += 80) {
    v128.store(o + i, v128.load(a + i));
    v128.store(o + i + 16, v128.load(a + i + 16));
    v128.store(o + i + 32, v128.load(a + i + 32));
    v128.store(o + i + 48, v128.load(a + i + 48));
    v128.store(o + i + 64, v128.load(a + i + 64));
  }
}

/** Reads the low 255 bits of 32 bytes into a lane, as an element of 2 units. */
export function read(o: usize, lane: usize, bytes: usize): void {
  if (ASC_FEATURE_RELAXED_SIMD) fma.read(o, lane, bytes);
  else int.read(o, lane, bytes);
}

/** Reads the low 255 bits of 32 bytes into both lanes, and reduces them. */
export function readConstant(o: usize, bytes: usize): void {
  read(o, 0, bytes);
  read(o, 1, bytes);
  carryElement(o, o);
}

/** Computes o = a in each lane whose flag is set, b in the other lanes. */
export function select(o: usize, a: usize, b: usize, first: bool, second: bool): void {
  if (ASC_FEATURE_RELAXED_SIMD) fma.select(o, a, b, first, second);
  else int.select(o, a, b, first, second);
}

/** Negates the lanes whose mask is -1; the mask of the other lanes is 0. */
@inline
export function negateLanes(a: usize, first: i32, second: i32): void {
  if (ASC_FEATURE_RELAXED_SIMD) fmaSelection.negateLanes(a, first, second);
  else intSelection.negateLanes(a, first, second);
}

/** Exchanges a and b in the lanes whose mask is -1; the mask of the other lanes is 0. In constant time. */
@inline
export function swapLanes(a: usize, b: usize, first: i32, second: i32): void {
  if (ASC_FEATURE_RELAXED_SIMD) fmaSelection.swapLanes(a, b, first, second);
  else intSelection.swapLanes(a, b, first, second);
}

/**
 * Computes o = b in the lanes whose mask is -1, and a in the other lanes, whose mask is 0. In constant time, unlike {@link
 * select}.
 */
@inline
export function chooseLanes(o: usize, a: usize, b: usize, first: i32, second: i32): void {
  if (ASC_FEATURE_RELAXED_SIMD) fmaSelection.chooseLanes(o, a, b, first, second);
  else intSelection.chooseLanes(o, a, b, first, second);
}

/** Size of a packed element [bytes]: the limbs of one lane, one after the other. */
export const PACKED: usize = 40;

/** Packs the element in a lane. */
export function pack(compact: usize, a: usize, lane: usize): void {
  if (ASC_FEATURE_RELAXED_SIMD) fma.pack(compact, a, lane);
  else int.pack(compact, a, lane);
}

/** Computes o = two packed elements, one in each lane. */
@inline
export function gather(o: usize, first: usize, second: usize): void {
  if (ASC_FEATURE_RELAXED_SIMD) fma.gather(o, first, second);
  else int.gather(o, first, second);
}

/**
 * Selects a multiple for each of 16 digits in constant time: the whole window is read, and no branch depends on a
 * digit.
 * @param o eight pairs of points, 4 * ELEMENT apart: Y+X, Y-X and 2dT; the third element is not written.
 * @param window multiples 1 to 32, as window.ts stores them.
 * @param digits 16 bytes, from -32 to 32.
 * @param minus true: selects the negatives.
 */
export function selectFrom32(o: usize, window: usize, digits: usize, minus: bool): void {
  selectFrom(o, window, digits, minus, 32);
}

/**
 * Selects multiples as {@link selectFrom32}.
 * @param window multiples 1 to 128.
 * @param digits 16 bytes, from -128 to 127.
 */
export function selectFrom128(o: usize, window: usize, digits: usize, minus: bool): void {
  selectFrom(o, window, digits, minus, 128);
}

@inline
function selectFrom(o: usize, window: usize, digits: usize, minus: bool, multiples: i32): void {
  const signed = v128.load(digits);
  const negative = v128.xor(i8x16.lt_s(signed, i8x16.splat(0)), i8x16.splat(minus ? -1 : 0));
  const size = i8x16.abs(signed);
  const none = i8x16.eq(size, i8x16.splat(0));
  const index = i8x16.sub(size, i8x16.splat(1));
  // In the negative of a multiple Y+X and Y-X are exchanged, and 2dT is negated.
  const rows: usize = PACKED * 2 * usize(multiples);
  if (ASC_FEATURE_RELAXED_SIMD) {
    fmaSelection.selectSumAndDifference(o, window, multiples, index, negative, none);
    fmaSelection.selectSigned(o + 3 * ELEMENT, window + rows, multiples, index, negative);
  } else {
    intSelection.selectSumAndDifference(o, window, multiples, index, negative, none);
    intSelection.selectSigned(o + 3 * ELEMENT, window + rows, multiples, index, negative);
  }
}

/**
 * Selects a multiple for each lane in constant time: all eight multiples are read, and no branch depends on a digit.
 * @param o an addend.
 * @param table multiples 1 to 8 of a pair of points, as addends.
 * @param first digit of the first lane, from -8 to 8.
 * @param second digit of the second lane.
 */
export function selectAddend(o: usize, table: usize, first: i32, second: i32): void {
  if (ASC_FEATURE_RELAXED_SIMD) fmaSelection.selectAddend(o, table, first, second);
  else intSelection.selectAddend(o, table, first, second);
}

@inline
function limb51(a: usize, lane: usize, i: i32): i64 {
  return ASC_FEATURE_RELAXED_SIMD ? fma.limb51(a, lane, i) : int.limb51(a, lane, i);
}

const MASK: i64 = (1 << 51) - 1;

/** Writes the element in a lane as 32 bytes, fully reduced modulo p. @param a element of up to 3 units. */
export function save(bytes: usize, a: usize, lane: usize): void {
  let l0 = limb51(a, lane, 0);
  let l1 = limb51(a, lane, 1);
  let l2 = limb51(a, lane, 2);
  let l3 = limb51(a, lane, 3);
  let l4 = limb51(a, lane, 4);
  // Two rounds of carries leave 0 <= value < 2^255. Every limb has 51 bits; the first limb may exceed them by 19.
  for (let round = 0; round < 2; round++) {
    l1 += l0 >> 51;
    l0 &= MASK;
    l2 += l1 >> 51;
    l1 &= MASK;
    l3 += l2 >> 51;
    l2 &= MASK;
    l4 += l3 >> 51;
    l3 &= MASK;
    l0 += 19 * (l4 >> 51);
    l4 &= MASK;
  }
  // If the value is at least p, subtract p: add 19 and drop bit 255.
  let above = (l0 + 19) >> 51;
  above = (l1 + above) >> 51;
  above = (l2 + above) >> 51;
  above = (l3 + above) >> 51;
  above = (l4 + above) >> 51;
  l0 += 19 * above;
  l1 += l0 >> 51;
  l0 &= MASK;
  l2 += l1 >> 51;
  l1 &= MASK;
  l3 += l2 >> 51;
  l2 &= MASK;
  l4 += l3 >> 51;
  l3 &= MASK;
  l4 &= MASK;
  store<u64>(bytes, u64(l0) | (u64(l1) << 51));
  store<u64>(bytes + 8, (u64(l1) >> 13) | (u64(l2) << 38));
  store<u64>(bytes + 16, (u64(l2) >> 26) | (u64(l3) << 25));
  store<u64>(bytes + 24, (u64(l3) >> 39) | (u64(l4) << 12));
}
