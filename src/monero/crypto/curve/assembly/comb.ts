/*
 * Multiples of a pair of points by many secret scalars. The doublings are done once, for tables of each point; each
 * scalar then costs 42 or 43 additions and at most 41 doublings. The sequence of instructions and of memory accesses is the
 * same for all scalars.
 *
 * Signed comb (Hamburg, "Fast and compact elliptic-curve cryptography", eprint 2012/309). An odd scalar s below 2^253
 * is the sum of e(i) * 2^i, i = 0 to 252, with digits e(i) = 2k(i) - 1 of -1 or 1, where k(i) are the bits of
 * k = (s + 2^253 - 1) / 2. The last digit is 1. An even scalar is the negative of l - s, which is odd; this holds for points of
 * the main subgroup. For points with a torsion part, the product with s is exactly the one with s + 1, less the point.
 * Digit i < 252 belongs to column i mod c and to tooth i / c; 6 consecutive teeth are a comb. The table of a comb with
 * the first tooth t holds the 32 sums
 *   +-2^(c*t) * P  +-2^(c*(t+1)) * P  +-2^(c*(t+2)) * P  +-2^(c*(t+3)) * P  +-2^(c*(t+4)) * P  +2^(c*(t+5)) * P.
 * A column costs a doubling and, for each comb, the addition of a sum or of its negative. No digit is zero. The first
 * column starts with the last digit's part, 2^(253-c) * P, or with its negative.
 */
import { chooseLanes, ELEMENT, gather, negateLanes, pack, selectFrom32, setSmall } from './field';
import { addAffine, ADDEND, addPoint, divideByZ, double, POINT, toAddend } from './point';
import { oddScalar, raiseToOdd } from './scalar';
import { ENTRY, MOST_MULTIPLES, setMultiple, UNDIVIDED, writeWindow } from './window';

const TEETH: i32 = 6;
/** Number of sums of a comb, which are the entries of its window, and size of a window [bytes]. */
const MULTIPLES: i32 = 32;
const WINDOW: usize = usize(MULTIPLES) * ENTRY;
/** Number of columns times number of combs. */
const DIGITS_PER_SCALAR: i32 = 42;
const MOST_COMBS: i32 = 6;
/** Number of combs whose sums are divided by Z with a common inversion. */
const TOGETHER: i32 = MOST_MULTIPLES / MULTIPLES;
/** Largest number of scalars in a call. */
export const MOST_SCALARS: i32 = 128;

let combs: i32 = 0;
let columns: i32 = 0;
let scalarCount: i32 = 0;
/** True for products that are exact for points with a torsion part. */
let isExact: bool = false;

/** Windows of all combs: the windows of the first point, then the windows of the second point. */
const TABLES = memory.data(46080, 16);
const BASE = memory.data(640, 16);
/** The teeth of a comb except the last, and their doubles, as addends. */
const TOOTH = memory.data(3200, 16);
const TWICE = memory.data(3200, 16);
/** Part of the last digit, 2^(253-c) * P, for the point of one lane; the same in both lanes. */
const START = memory.data(640, 16);
const PACKED_COORDINATE = memory.data(40, 16);
/** The pair of points itself, and the point of one lane as an addend, the same in both lanes. */
const ORIGIN = memory.data(640, 16);
const OWN = memory.data(640, 16);
/** The identity as an addend. */
const NOTHING = memory.data(640, 16);

export function prepareIdentity(): void {
  setSmall(NOTHING, 1);
  setSmall(NOTHING + ELEMENT, 1);
  setSmall(NOTHING + 2 * ELEMENT, 2);
}

/** Number of scalars whose sums are selected together. */
const GROUP: i32 = 16;
/** Digits in rows of 16, one row for each group, column and comb. */
const DIGITS = memory.data(5376, 16);
/** For each scalar, -1 if it is even, otherwise 0. */
const NEGATIVE = memory.data(128, 16);
/** For each scalar, -1 if it is even and products are exact, otherwise 0. */
const EXCEEDED = memory.data(128, 16);
/** Selected sums of a group, one pair of points after the other. */
const SELECTED = memory.data(5120, 16);
/** Scalar after it was made odd. */
const ODD = memory.data(32, 16);

@inline
function rowOf(group: i32, column: i32, comb: i32): usize {
  return DIGITS + (usize((group * columns + column) * combs + comb) << 4);
}

/**
 * Sets the scalars of {@link multiplyBySecrets}. More combs cost more time for each point and save doublings for each
 * scalar; the thresholds between them are measured.
 * @param scalars 32 bytes each, below l.
 * @param count number of scalars, up to {@link MOST_SCALARS}.
 * @param exact true for products with points that may have a torsion part, which cost one more addition.
 */
export function recodeSecrets(scalars: usize, count: i32, exact: bool): void {
  scalarCount = count;
  isExact = exact;
  combs = count <= 5 ? 1 : count <= 16 ? 2 : count <= 48 ? 3 : 6;
  columns = DIGITS_PER_SCALAR / combs;
  memory.fill(DIGITS, 0, 5376);
  memory.fill(NEGATIVE, 0, 128);
  memory.fill(EXCEEDED, 0, 128);
  for (let n = 0; n < count; n++) {
    const scalar = scalars + (usize(n) << 5);
    const even = exact ? raiseToOdd(ODD, scalar) : oddScalar(ODD, scalar);
    const negative = exact ? 0 : even;
    store<i8>(NEGATIVE + usize(n), i8(negative));
    store<i8>(EXCEEDED + usize(n), exact ? i8(even) : 0);
    for (let column = 0; column < columns; column++)
      for (let comb = 0; comb < combs; comb++)
        store<i8>(rowOf(n / GROUP, column, comb) + usize(n & (GROUP - 1)), digitOf(column, comb, negative));
  }
}

/**
 * Returns the digit of a column and comb: the number of a sum of teeth, from 1 to 32; negative if the sum is to be
 * subtracted.
 * @param negative -1 to return the opposite digit, otherwise 0.
 */
function digitOf(column: i32, comb: i32, negative: i32): i8 {
  let bits = 0;
  for (let tooth = 0; tooth < TEETH; tooth++) {
    // k equals s/2, rounded down, except for its last bit.
    const i = column + columns * (tooth + TEETH * comb) + 1;
    bits |= ((i32(load<u8>(ODD + usize(i >> 3))) >> (i & 7)) & 1) << tooth;
  }
  const minus = (bits >> (TEETH - 1)) - 1;
  const sum = ((bits ^ minus) & (MULTIPLES - 1)) + 1;
  const sign = minus ^ negative;
  return i8((sum ^ sign) - sign);
}

/** Computes the windows of a pair of points. */
export function prepareCombs(p: usize): void {
  memory.copy(BASE, p, POINT);
  memory.copy(ORIGIN, p, POINT);
  for (let first = 0; first < combs; first += TOGETHER) {
    const count = min(TOGETHER, combs - first);
    for (let comb = 0; comb < count; comb++)
      sumTeeth(UNDIVIDED + usize(comb * MULTIPLES) * POINT, first + comb == combs - 1);
    divideByZ(UNDIVIDED, count * MULTIPLES, POINT);
    for (let comb = 0; comb < count; comb++) {
      for (let i = 0; i < MULTIPLES; i++) setMultiple(i, UNDIVIDED + usize(comb * MULTIPLES + i) * POINT);
      writeWindow(tableOf(0, first + comb), MULTIPLES, 0);
      writeWindow(tableOf(1, first + comb), MULTIPLES, 1);
    }
  }
}

@inline
function tableOf(lane: i32, comb: i32): usize {
  return TABLES + usize(lane * MOST_COMBS + comb) * WINDOW;
}

/**
 * Computes the 32 sums of the teeth of a comb. Tooth i is positive in sum number n if bit i of n is set. BASE is the
 * first tooth before the call; afterwards it is the first tooth of the next comb or, after the last comb, the part of
 * the last digit.
 */
function sumTeeth(sums: usize, last: bool): void {
  for (let tooth = 0; tooth < TEETH - 1; tooth++) {
    toAddend(TOOTH + usize(tooth) * ADDEND, BASE);
    double(BASE, BASE, true);
    toAddend(TWICE + usize(tooth) * ADDEND, BASE);
    for (let n = columns - 1; n > 0; n--) double(BASE, BASE, n == 1);
  }
  memory.copy(sums, BASE, POINT);
  for (let n = last ? 1 : columns; n > 0; n--) double(BASE, BASE, n == 1);
  for (let tooth = 0; tooth < TEETH - 1; tooth++) addPoint(sums, sums, TOOTH + usize(tooth) * ADDEND, true, true);
  for (let tooth = 0; tooth < TEETH - 1; tooth++) {
    const known = 1 << tooth;
    const twice = TWICE + usize(tooth) * ADDEND;
    for (let i = 0; i < known; i++)
      addPoint(sums + usize(known + i) * POINT, sums + usize(i) * POINT, twice, false, tooth < TEETH - 2);
  }
}

/** Copies the point in one lane of p to both lanes of o. */
function spread(o: usize, p: usize, lane: i32): void {
  for (let at: usize = 0; at < POINT; at += ELEMENT) {
    pack(PACKED_COORDINATE, p + at, lane);
    gather(o + at, PACKED_COORDINATE, PACKED_COORDINATE);
  }
}

/** Subtracts the point itself from the products in the lanes whose scalar was raised to an odd one. */
function subtractExceeded(products: usize, end: usize, lane: i32): void {
  spread(START, ORIGIN, lane);
  toAddend(OWN, START);
  let masks = EXCEEDED;
  for (let sum = products; sum < end; sum += POINT, masks += 2) {
    const first = i32(load<i8>(masks)), second = i32(load<i8>(masks, 1));
    for (let at: usize = 0; at < ADDEND; at += ELEMENT) chooseLanes(SELECTED + at, NOTHING + at, OWN + at, first, second);
    addPoint(sum, sum, SELECTED, true, false);
  }
}

/**
 * Sets sum = START; its negative in the lanes of even scalars.
 * @param signs address of the two scalars' bytes in NEGATIVE.
 */
@inline
function start(sum: usize, signs: usize): void {
  const first = i32(load<i8>(signs)), second = i32(load<i8>(signs, 1));
  memory.copy(sum, START, POINT);
  negateLanes(sum, first, second);
  negateLanes(sum + 3 * ELEMENT, first, second);
}

/**
 * Computes products = s*p without T for all scalars s, one in each lane. If the number of scalars is odd, the last lane
 * is undefined.
 * @param lane lane of p in the pair of {@link prepareCombs}; p must lie in the main subgroup, unless products are exact.
 */
export function multiplyBySecrets(products: usize, lane: i32): void {
  spread(START, BASE, lane);
  const end = products + usize((scalarCount + 1) >> 1) * POINT;
  let signs = NEGATIVE;
  for (let sum = products; sum < end; sum += POINT, signs += 2) start(sum, signs);
  for (let column = columns - 1; column >= 0; column--) {
    if (column < columns - 1) for (let sum = products; sum < end; sum += POINT) double(sum, sum, true);
    for (let comb = 0; comb < combs; comb++) {
      const table = tableOf(lane, comb);
      let digits = rowOf(0, column, comb);
      for (let sum = products; sum < end; digits += usize(columns * combs * GROUP)) {
        selectFrom32(SELECTED, table, digits, false);
        const groupEnd = min(end, sum + usize(GROUP / 2) * POINT);
        for (let selected = SELECTED; sum < groupEnd; sum += POINT, selected += ADDEND)
          addAffine(sum, sum, selected, comb < combs - 1 || (isExact && column == 0));
      }
    }
  }
  if (isExact) subtractExceeded(products, end, lane);
}

/** Wipes the digits and the sums that they selected. The windows remain, because their points are public. */
export function wipeCombs(): void {
  memory.fill(DIGITS, 0, 5376);
  memory.fill(NEGATIVE, 0, 128);
  memory.fill(EXCEEDED, 0, 128);
  memory.fill(SELECTED, 0, 5120);
  memory.fill(ODD, 0, 32);
}
