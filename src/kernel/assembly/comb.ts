/*
 * Multiples of a pair of points by many secret scalars. The doublings are done once, for tables of each point; each
 * scalar then costs one addition for every 6 bits and 42 doublings at most. The sequence of instructions and of memory
 * accesses is the same for all scalars.
 *
 * Signed comb (Hamburg, "Fast and compact elliptic-curve cryptography", eprint 2012/309). An odd scalar s below 2^D is
 * the sum of e(i) * 2^i with digits e(i) = 2k(i) - 1 of -1 or 1, where k(i) are the bits of k = (s + 2^D - 1) / 2.
 * Digit i belongs to column i mod c and to tooth i / c; 6 consecutive teeth are a comb. The table of a comb with the
 * first tooth t holds the 32 sums
 *   +-2^(c*t) * P  +-2^(c*(t+1)) * P  +-2^(c*(t+2)) * P  +-2^(c*(t+3)) * P  +-2^(c*(t+4)) * P  +2^(c*(t+5)) * P.
 * A column costs a doubling and, for each comb, the addition of a sum or of its negative. No digit is zero.
 */
import { selectFromWindow } from './field';
import { addAffine, ADDEND, addPoint, divideByZ, double, POINT, setIdentity, toAddend } from './point';
import { addOrderIfEven } from './scalar';
import { MULTIPLES, setMultiple, WINDOW, writeWindow } from './window';

const TEETH: i32 = 6;
const MOST_COMBS: i32 = 4;
/** Most scalars of a call. */
export const MOST_SCALARS: i32 = 128;

/** Number of combs and of columns: their product is at least 43, so that D is at least 258. */
let combs: i32 = 0;
let columns: i32 = 0;
let scalarCount: i32 = 0;

/** A window for each comb: those of the first point, then those of the second. */
const TABLES = memory.data(30720, 16);
/** Sums of teeth before the division by Z. */
const SUMS = memory.data(81920, 16);
const BASE = memory.data(640, 16);
/** All teeth of a comb except the last, and their doubles, as addends. */
const TOOTH = memory.data(3200, 16);
const TWICE = memory.data(3200, 16);

/** Scalars whose sums are selected together. */
const GROUP: i32 = 16;
/** Rows of 16 digits: for each group, column and comb. */
const DIGITS = memory.data(5632, 16);
/** Selected sums of a group, one pair after the other. */
const SELECTED = memory.data(5120, 16);
/** An odd scalar of 32 bytes, followed by zeros. */
const ODD = memory.data(40, 16);

@inline
function rowOf(group: i32, column: i32, comb: i32): usize {
  return DIGITS + (usize((group * columns + column) * combs + comb) << 4);
}

/**
 * Sets the scalars of {@link multiplyBySecrets}. More combs cost more time for each point and save doublings for each
 * scalar; the thresholds are measured.
 * @param scalars 32 bytes each, below l. @param count up to {@link MOST_SCALARS}.
 */
export function recodeSecrets(scalars: usize, count: i32): void {
  scalarCount = count;
  combs = count <= 5 ? 1 : count <= 16 ? 2 : 4;
  columns = (43 + combs - 1) / combs;
  memory.fill(DIGITS, 0, 5632);
  for (let n = 0; n < count; n++) {
    addOrderIfEven(ODD, scalars + (usize(n) << 5));
    for (let column = 0; column < columns; column++)
      for (let comb = 0; comb < combs; comb++)
        store<i8>(rowOf(n / GROUP, column, comb) + usize(n & (GROUP - 1)), digitOf(column, comb));
  }
}

/** Returns the digit of a column and comb: the number of a sum of teeth, from 1 to 32, or its negative. */
function digitOf(column: i32, comb: i32): i8 {
  let bits = 0;
  for (let tooth = 0; tooth < TEETH; tooth++) {
    const i = column + columns * (tooth + TEETH * comb);
    // k is s/2, rounded down, plus 2^(D-1).
    const bit = i == columns * TEETH * combs - 1 ? 1 : oddBit(i + 1);
    bits |= bit << tooth;
  }
  const minus = (bits >> (TEETH - 1)) - 1;
  const sum = ((bits ^ minus) & (MULTIPLES - 1)) + 1;
  return i8((sum ^ minus) - minus);
}

@inline
function oddBit(i: i32): i32 {
  return (i32(load<u8>(ODD + usize(i >> 3))) >> (i & 7)) & 1;
}

/** Computes the tables of a pair of points. */
export function prepareCombs(p: usize): void {
  memory.copy(BASE, p, POINT);
  for (let comb = 0; comb < combs; comb++) sumTeeth(SUMS + usize(comb * MULTIPLES) * POINT, comb == combs - 1);
  divideByZ(SUMS, combs * MULTIPLES, POINT);
  for (let comb = 0; comb < combs; comb++) {
    for (let i = 0; i < MULTIPLES; i++) setMultiple(i, SUMS + usize(comb * MULTIPLES + i) * POINT);
    writeWindow(tableOf(0, comb), 0);
    writeWindow(tableOf(1, comb), 1);
  }
}

@inline
function tableOf(lane: i32, comb: i32): usize {
  return TABLES + usize(lane * MOST_COMBS + comb) * WINDOW;
}

/** Computes the 32 sums of the teeth of a comb: tooth n is positive if bit n of the index is set. */
function sumTeeth(sums: usize, last: bool): void {
  for (let tooth = 0; tooth < TEETH - 1; tooth++) {
    toAddend(TOOTH + usize(tooth) * ADDEND, BASE);
    double(BASE, BASE, true);
    toAddend(TWICE + usize(tooth) * ADDEND, BASE);
    for (let n = columns - 1; n > 0; n--) double(BASE, BASE, n == 1);
  }
  memory.copy(sums, BASE, POINT);
  if (!last) for (let n = columns; n > 0; n--) double(BASE, BASE, n == 1);
  for (let tooth = 0; tooth < TEETH - 1; tooth++) addPoint(sums, sums, TOOTH + usize(tooth) * ADDEND, true, true);
  for (let tooth = 0; tooth < TEETH - 1; tooth++) {
    const known = 1 << tooth;
    const twice = TWICE + usize(tooth) * ADDEND;
    for (let i = 0; i < known; i++)
      addPoint(sums + usize(known + i) * POINT, sums + usize(i) * POINT, twice, false, tooth < TEETH - 2);
  }
}

/**
 * products = s*p without T for all scalars s, one in each lane. The last lane of an odd number is the identity.
 * @param lane of p in the pair of {@link prepareCombs}; p is in the main subgroup.
 */
export function multiplyBySecrets(products: usize, lane: i32): void {
  const end = products + usize((scalarCount + 1) >> 1) * POINT;
  for (let group = 0; products < end; group++) {
    const groupEnd = min(end, products + usize(GROUP / 2) * POINT);
    for (let sum = products; sum < groupEnd; sum += POINT) setIdentity(sum);
    for (let column = columns - 1; column >= 0; column--) {
      if (column < columns - 1) for (let sum = products; sum < groupEnd; sum += POINT) double(sum, sum, true);
      for (let comb = 0; comb < combs; comb++) {
        selectFromWindow(SELECTED, tableOf(lane, comb), rowOf(group, column, comb), false);
        let selected = SELECTED;
        for (let sum = products; sum < groupEnd; sum += POINT, selected += ADDEND)
          addAffine(sum, sum, selected, comb < combs - 1);
      }
    }
    products = groupEnd;
  }
}

/** Wipes digits, and the sums that they selected. Tables remain: their points are public. */
export function wipeCombs(): void {
  memory.fill(DIGITS, 0, 5632);
  memory.fill(SELECTED, 0, 5120);
  memory.fill(ODD, 0, 40);
}
