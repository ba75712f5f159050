/*
 * What the host calls. Arguments and results lie in the areas named here; every call takes up to 256 rows, an even
 * number of them, and works on two at once.
 */
import { prepareField } from './field';
import { mapToCurve, prepareMap } from './hash-to-point';
import { keccak } from '../../crypto/assembly/keccak';
import {
  addMultiplesOfG as addToPairG,
  addMultiplesOfH as addToPairH,
  forgetMultiples,
  multiplySecret,
  prepareMultiples,
} from './multiples';
import {
  fillTables,
  forgetTerms,
  MOST_TERMS,
  prepareMultiexp,
  setTwin,
  sumPairOfGroups,
  sumTerms,
  sumTwins,
} from './multiexp';
import {
  ADDEND,
  addPoint,
  compress,
  decompress,
  divideByZ,
  double,
  POINT,
  preparePoint,
  setIdentity,
  toAddend,
} from './point';
import { hashRow, ROW } from './scalar';

/** 32 bytes a row: compressed points in, results out, scalars. */
const POINTS = memory.data(8192, 16);
const RESULTS = memory.data(8192, 16);
const SCALARS = memory.data(8192, 16);
/** 32 bytes a row, of which eight count. */
const AMOUNTS = memory.data(8192, 16);
const HASHES = memory.data(64, 16);
/** One byte a row: was it a point? */
const VALID = memory.data(256, 16);
/** 64 bytes a row: what is hashed to a scalar, the last byte its length. */
const ROWS = memory.data(16384, 16);
/** Signed digits of one number, lowest first: odd and 15 at most either side, or zero. */
const DIGITS = memory.data(264, 16);

export function pointsAt(): usize {
  return POINTS;
}
export function resultsAt(): usize {
  return RESULTS;
}
export function scalarsAt(): usize {
  return SCALARS;
}
export function amountsAt(): usize {
  return AMOUNTS;
}
export function validAt(): usize {
  return VALID;
}
export function rowsAt(): usize {
  return ROWS;
}
export function digitsAt(): usize {
  return DIGITS;
}

export function prepare(): void {
  prepareField();
  preparePoint();
  prepareMap();
  prepareMultiples();
  prepareMultiexp();
}

const SUMS = memory.data(81920, 16);
const BASE = memory.data(640, 16);
const TWICE = memory.data(640, 16);
const ODD = memory.data(5120, 16);

function readPair(o: usize, row: usize): void {
  const ok = decompress(o, POINTS + (row << 5), POINTS + (row << 5) + 32);
  store<u8>(VALID + row, u8(ok & 1));
  store<u8>(VALID + row + 1, u8(ok >> 1));
}

/** sum = digits * BASE, without T. */
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

function writeResults(count: i32): void {
  divideByZ(SUMS, count >> 1, POINT);
  for (let row: usize = 0; row < usize(count); row++)
    compress(RESULTS + (row << 5), SUMS + (row >> 1) * POINT, row & 1);
}

/** RESULTS = n * POINTS, n by its digits. @param top index of the highest digit, not zero. */
export function multiplyPoints(count: i32, top: i32): void {
  for (let row: usize = 0; row < usize(count); row += 2) {
    readPair(BASE, row);
    multiplyByDigits(SUMS + (row >> 1) * POINT, top);
  }
  writeResults(count);
}

/** RESULTS = POINTS + SCALARS * G, or minus. @param shared the first two points serve all rows. */
export function addMultiplesOfG(count: i32, minus: bool, shared: bool): void {
  for (let row: usize = 0; row < usize(count); row += 2) {
    const sum = SUMS + (row >> 1) * POINT;
    if (!shared || row == 0) readPair(BASE, row);
    memory.copy(sum, BASE, POINT);
    addToPairG(sum, SCALARS + (row << 5), SCALARS + (row << 5) + 32, minus);
  }
  writeResults(count);
}

/** RESULTS = SCALARS * G + AMOUNTS * H: commitments. */
export function commit(count: i32): void {
  for (let row: usize = 0; row < usize(count); row += 2) {
    const sum = SUMS + (row >> 1) * POINT;
    setIdentity(sum);
    addToPairG(sum, SCALARS + (row << 5), SCALARS + (row << 5) + 32, false);
    addToPairH(sum, AMOUNTS + (row << 5), AMOUNTS + (row << 5) + 32);
  }
  writeResults(count);
}

/** o = Hp of a pair of POINTS. */
function hashPair(o: usize, row: usize, withT: bool): void {
  const first = POINTS + (row << 5);
  keccak(HASHES, first, 32);
  keccak(HASHES + 32, first + 32, 32);
  mapToCurve(o, HASHES, HASHES + 32);
  double(o, o, false);
  double(o, o, false);
  double(o, o, withT);
}

/** RESULTS = SCALARS * Hp(POINTS), where POINTS are any 32 bytes: key images of output keys. */
export function multiplyHashes(count: i32): void {
  for (let row: usize = 0; row < usize(count); row += 2) {
    hashPair(BASE, row, true);
    multiplySecret(SUMS + (row >> 1) * POINT, BASE, SCALARS + (row << 5), SCALARS + (row << 5) + 32);
  }
  writeResults(count);
}

/** RESULTS = SCALARS * POINTS, in constant time. */
export function multiplySecrets(count: i32): void {
  for (let row: usize = 0; row < usize(count); row += 2) {
    readPair(BASE, row);
    multiplySecret(SUMS + (row >> 1) * POINT, BASE, SCALARS + (row << 5), SCALARS + (row << 5) + 32);
  }
  writeResults(count);
}

/** RESULTS = Hp(POINTS), where POINTS are any 32 bytes. */
export function hashToPoints(count: i32): void {
  for (let row: usize = 0; row < usize(count); row += 2) hashPair(SUMS + (row >> 1) * POINT, row, false);
  writeResults(count);
}

/** RESULTS = POINTS - the last two of them, which are one row `count`. */
export function subtractLast(count: i32): void {
  readPair(BASE, usize(count));
  toAddend(TWICE, BASE);
  for (let row: usize = 0; row < usize(count); row += 2) {
    readPair(BASE, row);
    addPoint(SUMS + (row >> 1) * POINT, BASE, TWICE, true, false);
  }
  writeResults(count);
}

export { keep, makeRoom, roomFor } from './multiexp';

/** Makes POINTS ready for {@link sum}. @param index place of the first, among those kept or those used once. */
export function addTables(count: i32, index: i32, once: bool): void {
  for (let row: usize = 0; row < usize(count); row += 2) {
    readPair(BASE, row);
    fillTables(BASE, index + i32(row), once);
  }
}

/** RESULTS = the sum of all terms, twice. @param used of how many kept points there are scalars. */
export function sum(used: i32, once: i32): void {
  sumTerms(SUMS, used, once);
  forgetTerms(used, once);
  writeResults(2);
}

export { startGroups } from './multiexp';

/** RESULTS = for every row the sum of the kept terms from `first + row` on, `step` apart. */
export function sumGroups(count: i32, used: i32, first: i32, step: i32): void {
  for (let row = 0; row < count; row += 2)
    sumPairOfGroups(SUMS + usize(row >> 1) * POINT, used, first + row, step);
  writeResults(count);
}

export function endGroups(used: i32): void {
  forgetTerms(used, 0);
}

/**
 * RESULTS = two sums with the same SCALARS: of POINTS of even rows, and of odd ones.
 * @param terms up to 4.
 */
export function twinSums(terms: i32): void {
  if (terms > MOST_TERMS) return;
  for (let term = 0; term < terms; term++) {
    readPair(BASE, usize(term) << 1);
    setTwin(term, BASE, SCALARS + (usize(term) << 5));
  }
  sumTwins(SUMS, terms);
  writeResults(2);
}

/** SCALARS = hashes of ROWS, reduced. */
export function hashRows(count: i32): void {
  for (let row: usize = 0; row < usize(count); row++) hashRow(SCALARS + (row << 5), ROWS + row * ROW);
}

/** RESULTS = hashes of ROWS, as they are. */
export function hashRowsPlain(count: i32): void {
  for (let row: usize = 0; row < usize(count); row++)
    keccak(RESULTS + (row << 5), ROWS + row * ROW, i32(load<u8>(ROWS + row * ROW + ROW - 1)));
}

/** Wipes what came from secrets. */
export function forget(): void {
  memory.fill(DIGITS, 0, 264);
  memory.fill(SCALARS, 0, 8192);
  memory.fill(RESULTS, 0, 8192);
  memory.fill(ROWS, 0, 16384);
  memory.fill(AMOUNTS, 0, 8192);
  memory.fill(SUMS, 0, 81920);
  forgetMultiples();
}
