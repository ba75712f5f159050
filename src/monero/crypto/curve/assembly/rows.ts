/*
 * Memory areas that the host writes and reads, and operations on their rows, in pairs. A call takes an even number of
 * rows, up to 256.
 */
import { save } from './field';
import { multiplyByLadder } from './ladder';
import { addMultiplesOfG as addToPairsG, addMultiplesOfT, multiplyByDigits as multiplyBySecret, setSecret } from './multiples';
import { ADDEND, addPoint, compress, decompress, divideByZ, double, POINT, setIdentity, toAddend } from './point';

/** Compressed points, compressed results and scalars; each row has 32 bytes. */
export const POINTS = memory.data(8192, 16);
export const RESULTS = memory.data(8192, 16);
export const SCALARS = memory.data(8192, 16);
/**
 * Amounts, or scalars for a second generator; each row has 32 bytes, of which an amount occupies the first eight.
 */
export const AMOUNTS = memory.data(8192, 16);
/** For each row, 1 if the row of POINTS is a point, otherwise 0. */
export const VALID = memory.data(256, 16);
/** Messages that are hashed to scalars, of up to 63 bytes each, one after the other. */
export const MESSAGES = memory.data(16128, 16);
/** Digits of one number in non-adjacent form, lowest first; each is zero, or odd and from -15 to 15. */
export const DIGITS = memory.data(264, 16);

/** Points before the division by Z; one pair for every two rows. */
export const SUMS = memory.data(81920, 16);
export const BASE = memory.data(640, 16);
export const TWICE = memory.data(640, 16);
/** Odd multiples of BASE, as addends. */
const ODD = memory.data(5120, 16);

/** Computes o = the points of two rows, and sets VALID for these rows. */
export function readPair(o: usize, row: usize): void {
  const ok = decompress(o, POINTS + (row << 5), POINTS + (row << 5) + 32);
  store<u8>(VALID + row, u8(ok & 1));
  store<u8>(VALID + row + 1, u8(ok >> 1));
}

/** Computes sum = n * BASE without T; n is given by DIGITS. Takes variable time, because n is public. */
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

/** Computes RESULTS = SUMS, compressed. */
export function writeResults(count: i32): void {
  divideByZ(SUMS, count >> 1, POINT);
  for (let row: usize = 0; row < usize(count); row++)
    compress(RESULTS + (row << 5), SUMS + (row >> 1) * POINT, row & 1);
}

/** Computes RESULTS = SUMS, where these are fractions X/Z as of {@link multiplyByLadder}. */
export function writeFractions(count: i32): void {
  divideByZ(SUMS, count >> 1, POINT);
  for (let row: usize = 0; row < usize(count); row++)
    save(RESULTS + (row << 5), SUMS + (row >> 1) * POINT, row & 1);
}

/** Computes RESULTS = SCALARS * POINTS by X25519 without clamping, in constant time; POINTS are u-coordinates. */
export function multiplyFractions(count: i32): void {
  for (let row: usize = 0; row < usize(count); row += 2) {
    const u = POINTS + (row << 5), scalar = SCALARS + (row << 5);
    multiplyByLadder(SUMS + (row >> 1) * POINT, u, u + 32, scalar, scalar + 32);
  }
  writeFractions(count);
}

/**
 * Computes RESULTS = n * POINTS, in variable time; n is given by DIGITS.
 * @param top index of the highest nonzero digit.
 */
export function multiplyPoints(count: i32, top: i32): void {
  for (let row: usize = 0; row < usize(count); row += 2) {
    readPair(BASE, row);
    multiplyByDigits(SUMS + (row >> 1) * POINT, top);
  }
  writeResults(count);
}

/** Sets the scalar of {@link multiplyPointsBySecret}: the first of SCALARS, below 2^253. */
export function recodeSecret(): void {
  setSecret(SCALARS);
}

/**
 * Computes RESULTS = s * POINTS or, if `eightfold`, 8 * s * POINTS, in constant time; s is the scalar of {@link
 * recodeSecret}. The 8 multiplies the product and not s modulo l, because points may have a torsion part, which the 8
 * clears.
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

/**
 * Computes RESULTS = POINTS + SCALARS * G or, if `minus`, POINTS - SCALARS * G.
 * @param shared true: the first two points are used for all rows.
 */
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

/** Computes RESULTS = POINTS + SCALARS * G + AMOUNTS * T. */
export function addMultiplesOfBoth(count: i32): void {
  for (let row: usize = 0; row < usize(count); row += 2) readPair(SUMS + (row >> 1) * POINT, row);
  addToPairsG(SUMS, SCALARS, count, false);
  addMultiplesOfT(SUMS, AMOUNTS, count);
  writeResults(count);
}

/** Wipes all rows except VALID, which the host reads afterwards. */
export function wipeRows(): void {
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
