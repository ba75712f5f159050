/*
 * Multiples of a pair of points by many secret scalars. The doublings are done once, for tables of each point; each
 * scalar then costs one addition for every 6 bits and 42 doublings at most. The sequence of instructions and of memory
 * accesses is the same for all scalars.
 *
 * Signed comb (Hamburg, eprint 2012/309, section 3.3). An odd scalar s below 2^D is the sum of e(i) * 2^i with digits
 * e(i) = 2k(i) - 1 of -1 or 1, where k = (s + 2^D - 1) / 2. The D digits are divided among combs of 6 teeth: digit
 * i = column + COLUMNS * (tooth + 6 * comb). The table of a comb holds all sums of its teeth
 *   +-2^(COLUMNS * 6 * comb) * P  +-2^(COLUMNS * (6 * comb + 1)) * P  ...  +2^(COLUMNS * (6 * comb + 5)) * P,
 * the last of them positive. A column costs a doubling and, for each comb, the addition of a sum or of its negative.
 */
import { selectFromWindow } from './field';
import { addAffine, ADDEND, addPoint, divideByZ, double, POINT, setIdentity, toAddend } from './point';
import { addOrderIfEven } from './scalar';
import { MULTIPLES, setMultiple, WINDOW, writeWindow } from './window';

const TEETH: i32 = 6;
const MOST_COMBS: i32 = 4;
/** Scalars at most. */
export const MOST_SCALARS: i32 = 128;

/** Combs of a point, and digits of a tooth: their product is at least 43, so that D is at least 258. */
let combs: i32 = 0;
let columns: i32 = 0;
let scalarCount: i32 = 0;

/** Windows of both points: those of the first, then those of the second. */
const TABLES = memory.data(30720, 16);
const SUMS = memory.data(81920, 16);
const BASE = memory.data(640, 16);
/** Teeth of a comb but the last, and twice each, ready to be added. */
const TOOTH = memory.data(3200, 16);
const TWICE = memory.data(3200, 16);

/** Scalars whose digits are looked up together. */
const GROUP: i32 = 16;
/** Rows of 16 digits: a group after the other, of each group a row for every comb of every column. */
const DIGITS = memory.data(5632, 16);
/** The selected sums of a group, a pair after the other. */
const SELECTED = memory.data(5120, 16);
/** A scalar made odd, and zeros above it. */
const ODD = memory.data(40, 16);

@inline
function rowOf(group: i32, column: i32, comb: i32): usize {
  return DIGITS + (usize((group * columns + column) * combs + comb) << 4);
}

/**
 * Takes the scalars of {@link multiplyBySecrets}. More combs cost a longer preparation of each point and save
 * doublings of each scalar; the limits are measured.
 * @param scalars 32 bytes each, below l. @param count up to {@link MOST_SCALARS}.
 */
export function takeSecrets(scalars: usize, count: i32): void {
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

/** Digit of a column: from 1 to 32 the number of a sum of teeth, or below zero its negative. */
function digitOf(column: i32, comb: i32): i8 {
  let bits = 0;
  for (let tooth = 0; tooth < TEETH; tooth++) {
    const i = column + columns * (tooth + TEETH * comb);
    // k is s/2, rounded down, and its highest bit set, of which s has none.
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

/** Makes the tables of a pair of points. */
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

/** Writes the 32 sums of the teeth of a comb: bit n of a sum's index says that tooth n is positive. */
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
 * products = s*p without T, p of the main subgroup, for all scalars s, two a pair of points; the last one's second lane
 * is undefined when their number is odd.
 * @param lane of p in the pair whose tables were made last.
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

/** Wipes digits, and the sums that they selected. The tables are those of public points. */
export function forgetCombs(): void {
  memory.fill(DIGITS, 0, 5632);
  memory.fill(SELECTED, 0, 5120);
  memory.fill(ODD, 0, 40);
}
