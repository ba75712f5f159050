/* What the host calls. Arguments and results lie in the areas of rows.ts; every call takes up to 256 of their rows. */
import { forgetField, prepareField } from './field';
import { forgetMap, mapToCurve, prepareMap } from './hash-to-point';
import { clear, keccak } from '../../crypto/assembly/keccak';
import { forgetCombs } from './comb';
import { addMultiplesOfG as addToPairsG, addMultiplesOfH as addToPairsH, forgetMultiples, multiplySecret } from './multiples';
import {
  fillTables,
  forgetSums,
  forgetTerms,
  MOST_TERMS,
  prepareMultiexp,
  setTwin,
  sumPairOfGroups,
  sumTerms,
  sumTwins,
} from './multiexp';
import { addPoint, double, forgetPoints, POINT, preparePoint, setIdentity, toAddend } from './point';
import {
  addMultiplesOfG,
  AMOUNTS,
  BASE,
  DIGITS,
  forgetRows,
  MESSAGES,
  POINTS,
  readPair,
  RESULTS,
  SCALARS,
  SUMS,
  TWICE,
  VALID,
  writeResults,
} from './rows';
import { hashToScalar } from './scalar';

const HASHES = memory.data(64, 16);

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
export function messagesAt(): usize {
  return MESSAGES;
}
export function digitsAt(): usize {
  return DIGITS;
}

export function prepare(): void {
  prepareField();
  preparePoint();
  prepareMap();
  prepareMultiexp();
}

export { multiplyPoints, multiplyPointsBySecret, takeSecret, addMultiplesOfG } from './rows';
export { roomToScan, derive, findHits, forgetScan } from './scan';
export { scanKeysAt, scanOutputsAt, scanDerivationsAt, scanSpendKeysAt } from './scan';
export { scanHitsAt, scanOutputKeyAt, scanOutputIndexAt, scanTagsAt } from './scan';

/** RESULTS = the first of POINTS + Hs(MESSAGES) * G. @param length bytes of a message. */
export function addHashes(count: i32, length: i32): void {
  for (let row: usize = 0; row < usize(count); row++)
    hashToScalar(SCALARS + (row << 5), MESSAGES + row * usize(length), length);
  addMultiplesOfG(count, false, true);
}

/** RESULTS = SCALARS * G + AMOUNTS * H: commitments. */
export function commit(count: i32): void {
  for (let row: usize = 0; row < usize(count); row += 2) setIdentity(SUMS + (row >> 1) * POINT);
  addToPairsG(SUMS, SCALARS, count, false);
  addToPairsH(SUMS, AMOUNTS, count);
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

/** Wipes everything that was computed from secrets, and every temporary that may hold a part of it. */
export function forget(): void {
  memory.fill(HASHES, 0, 64);
  forgetRows();
  forgetMultiples();
  forgetCombs();
  forgetSums();
  forgetMap();
  forgetPoints();
  forgetField();
  clear();
}
