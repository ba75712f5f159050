/*
 * Areas that the host writes to and reads from, and what works on their rows, two at once. A call takes up to 256
 * rows, an even number of them.
 */
import { addMultiplesOfG as addToPairsG, multiplyByDigits as multiplyBySecret, setSecret } from './multiples';
import { ADDEND, addPoint, compress, decompress, divideByZ, double, POINT, setIdentity, toAddend } from './point';

/** Rows of a call. */
export const MOST_ROWS: i32 = 256;

/** 32 bytes a row: compressed points in, results out, scalars. */
export const POINTS = memory.data(8192, 16);
export const RESULTS = memory.data(8192, 16);
export const SCALARS = memory.data(8192, 16);
/** 32 bytes a row, of which eight count. */
export const AMOUNTS = memory.data(8192, 16);
/** One byte a row: was it a point? */
export const VALID = memory.data(256, 16);
/** What is hashed to scalars, one message after the other: 63 bytes at most each. */
export const MESSAGES = memory.data(16128, 16);
/** Signed digits of one number, lowest first: odd and 15 at most either side, or zero. */
export const DIGITS = memory.data(264, 16);

export const SUMS = memory.data(81920, 16);
export const BASE = memory.data(640, 16);
export const TWICE = memory.data(640, 16);
const ODD = memory.data(5120, 16);

export function readPair(o: usize, row: usize): void {
  const ok = decompress(o, POINTS + (row << 5), POINTS + (row << 5) + 32);
  store<u8>(VALID + row, u8(ok & 1));
  store<u8>(VALID + row + 1, u8(ok >> 1));
}

/** sum = digits * BASE, without T. Variable time: the number is public. */
function multiplyByDigits(sum: usize, top: i32): void {
  double(sum, BASE, true);
  toAddend(TWICE, sum);
  toAddend(ODD, BASE);
  addPoint(sum, BASE, TWICE, false, true);
  toAddend(ODD + ADDEND, sum);
  for (let i: usize = 2; i < 8; i++) {
    addPoint(sum, sum, TWICE, false, true);
    toAddend(ODD + i * ADDEND, sum);
  }
  setIdentity(sum);
  for (let bit = top; bit >= 0; bit--) {
    const digit = i32(load<i8>(DIGITS + usize(bit)));
    if (bit != top) double(sum, sum, digit != 0);
    if (digit > 0) addPoint(sum, sum, ODD + (usize(digit) >> 1) * ADDEND, false, false);
    else if (digit < 0) addPoint(sum, sum, ODD + (usize(-digit) >> 1) * ADDEND, true, false);
  }
}

export function writeResults(count: i32): void {
  divideByZ(SUMS, count >> 1, POINT);
  for (let row: usize = 0; row < usize(count); row++)
    compress(RESULTS + (row << 5), SUMS + (row >> 1) * POINT, row & 1);
}

/** RESULTS = n * POINTS, n by its digits, in variable time. @param top index of the highest digit, not zero. */
export function multiplyPoints(count: i32, top: i32): void {
  for (let row: usize = 0; row < usize(count); row += 2) {
    readPair(BASE, row);
    multiplyByDigits(SUMS + (row >> 1) * POINT, top);
  }
  writeResults(count);
}

/** Takes the first of SCALARS, below 2^253, for {@link multiplyPointsBySecret}. */
export function takeSecret(): void {
  setSecret(SCALARS);
}

/**
 * RESULTS = s * POINTS, in constant time, s as it was taken last; eightfold, of the product and not of the scalar's
 * residue: points may have torsion, which the 8 clears.
 */
export function multiplyPointsBySecret(count: i32, eightfold: bool): void {
  for (let row: usize = 0; row < usize(count); row += 2) {
    const sum = SUMS + (row >> 1) * POINT;
    readPair(BASE, row);
    multiplyBySecret(sum, BASE);
    for (let i = eightfold ? 3 : 0; i > 0; i--) double(sum, sum, false);
  }
  writeResults(count);
}

/** RESULTS = POINTS + SCALARS * G, or minus. @param shared the first two points serve all rows. */
export function addMultiplesOfG(count: i32, minus: bool, shared: bool): void {
  if (shared) readPair(BASE, 0);
  for (let row: usize = 0; row < usize(count); row += 2) {
    const sum = SUMS + (row >> 1) * POINT;
    if (shared) memory.copy(sum, BASE, POINT);
    else readPair(sum, row);
  }
  addToPairsG(SUMS, SCALARS, count, minus);
  writeResults(count);
}

/** Wipes all rows but whether they were points. */
export function forgetRows(): void {
  memory.fill(DIGITS, 0, 264);
  memory.fill(POINTS, 0, 8192);
  memory.fill(SCALARS, 0, 8192);
  memory.fill(RESULTS, 0, 8192);
  memory.fill(MESSAGES, 0, 16128);
  memory.fill(AMOUNTS, 0, 8192);
  memory.fill(SUMS, 0, 81920);
  memory.fill(BASE, 0, 640);
  memory.fill(TWICE, 0, 640);
  memory.fill(ODD, 0, 5120);
}
