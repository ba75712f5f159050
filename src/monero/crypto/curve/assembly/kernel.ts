/* Exports for the host. Arguments and results are in the areas of rows.ts; a call takes up to 256 of their rows. */
import { prepareBlake2b, wipeBlake2b } from './blake2b-pair';
import { prepareField, wipeField } from './field';
import { prepareForkTag } from './fork-tag';
import { mapToCurve, prepareMap, wipeMap } from './hash-to-point';
import { prepareIdentity, wipeCombs } from './comb';
import { wipeLadder } from './ladder';
import { keccakPair, setMessage, wipePair, writeHash } from './keccak-pair';
import { prepareMontgomery, wipeMontgomery } from './montgomery';
import {
  addMultiplesOfG as addToPairsG,
  addMultiplesOfH as addToPairsH,
  multiplySecret,
  wipeMultiples,
} from './multiples';
import {
  fillTables,
  MOST_TERMS,
  prepareMultiexp,
  setTwin,
  sumPairOfGroups,
  sumTerms,
  sumTwins,
  wipeSums,
  wipeTerms,
} from './multiexp';
import { sumOutputSecrets, WALLET_KEYS, wipeOwnOutputs } from './own-outputs';
import { addPoint, double, POINT, preparePoint, setIdentity, toAddend, wipePoints } from './point';
import {
  addMultiplesOfG,
  AMOUNTS,
  BASE,
  DIGITS,
  MESSAGES,
  POINTS,
  readPair,
  RESULTS,
  SCALARS,
  SUMS,
  TWICE,
  VALID,
  wipeRows,
  writeResults,
} from './rows';
import { hashToScalars } from './scalar';
import { hashUnbiased, wipeUnbiased } from './unbiased-hash';

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

export function walletKeysAt(): usize {
  return WALLET_KEYS;
}

export function prepare(): void {
  prepareField();
  preparePoint();
  prepareMontgomery();
  prepareIdentity();
  prepareBlake2b();
  prepareForkTag();
  prepareMap();
  prepareMultiexp();
}

export { multiplyPoints, multiplyPointsBySecret, recodeSecret, addMultiplesOfG } from './rows';
export { addMultiplesOfBoth, multiplyFractions } from './rows';
export { derive } from './scan-derive';
export { findHits, wipeScan } from './scan';
export { reserveScan, scanKeysAt, scanOutputsAt, scanDerivationsAt, scanSpendKeysAt } from './scan-memory';
export { scanHitsAt, scanOutputKeyAt, scanOutputIndexAt, scanTagsAt } from './scan-memory';
export { scanBalancesAt, scanContextOfAt, scanContextsAt, scanHasBalanceAt, scanKindsAt } from './scan-memory';

/**
 * Computes RESULTS = P + Hs(MESSAGES) * G. P is the first of POINTS and must also be the second.
 * @param length length of a message [bytes].
 */
export function addHashes(count: i32, length: i32): void {
  for (let row: usize = 0; row < usize(count); row += 2) {
    setMessage(0, MESSAGES + row * usize(length), length);
    setMessage(1, MESSAGES + (row + 1) * usize(length), length);
    hashToScalars(SCALARS + (row << 5), SCALARS + (row << 5) + 32);
  }
  addMultiplesOfG(count, false, true);
}

/** Computes the commitments RESULTS = SCALARS * G + AMOUNTS * H. */
export function commit(count: i32): void {
  for (let row: usize = 0; row < usize(count); row += 2) setIdentity(SUMS + (row >> 1) * POINT);
  addToPairsG(SUMS, SCALARS, count, false);
  addToPairsH(SUMS, AMOUNTS, count);
  writeResults(count);
}

/** Computes o = Hp(POINTS) of two rows. */
function hashPair(o: usize, row: usize, withT: bool): void {
  const first = POINTS + (row << 5);
  setMessage(0, first, 32);
  setMessage(1, first + 32, 32);
  keccakPair();
  writeHash(HASHES, 0);
  writeHash(HASHES + 32, 1);
  mapToCurve(o, HASHES, HASHES + 32);
  double(o, o, false);
  double(o, o, false);
  double(o, o, withT);
}

/** Computes RESULTS = SCALARS * Hp(POINTS), the key images of output keys; POINTS may be any 32 bytes. */
export function multiplyHashes(count: i32): void {
  for (let row: usize = 0; row < usize(count); row += 2) {
    hashPair(BASE, row, true);
    multiplySecret(SUMS + (row >> 1) * POINT, BASE, SCALARS + (row << 5), SCALARS + (row << 5) + 32);
  }
  writeResults(count);
}

/** Computes RESULTS = key images of own outputs, whose keys are POINTS: see {@link sumOutputSecrets}. */
export function ownKeyImages(count: i32): void {
  sumOutputSecrets(count);
  multiplyHashes(count);
}

/** Computes RESULTS = SCALARS * POINTS, in constant time. */
export function multiplySecrets(count: i32): void {
  for (let row: usize = 0; row < usize(count); row += 2) {
    readPair(BASE, row);
    multiplySecret(SUMS + (row >> 1) * POINT, BASE, SCALARS + (row << 5), SCALARS + (row << 5) + 32);
  }
  writeResults(count);
}

/** Computes RESULTS = Hp(POINTS); POINTS may be any 32 bytes. */
export function hashToPoints(count: i32): void {
  for (let row: usize = 0; row < usize(count); row += 2) hashPair(SUMS + (row >> 1) * POINT, row, false);
  writeResults(count);
}

/** Computes RESULTS = SCALARS * H_p^2(POINTS), the key images of outputs of the fork; POINTS may be any 32 bytes. */
export function multiplyUnbiasedHashes(count: i32): void {
  for (let row: usize = 0; row < usize(count); row += 2) {
    hashUnbiased(BASE, POINTS + (row << 5), POINTS + (row << 5) + 32, true);
    multiplySecret(SUMS + (row >> 1) * POINT, BASE, SCALARS + (row << 5), SCALARS + (row << 5) + 32);
  }
  writeResults(count);
}

/** Computes RESULTS = H_p^2(POINTS); POINTS may be any 32 bytes. */
export function hashUnbiasedToPoints(count: i32): void {
  for (let row: usize = 0; row < usize(count); row += 2)
    hashUnbiased(SUMS + (row >> 1) * POINT, POINTS + (row << 5), POINTS + (row << 5) + 32, false);
  writeResults(count);
}

/** Computes RESULTS = POINTS - Q. Q must be in both rows `count` and `count + 1` of POINTS. */
export function subtractLast(count: i32): void {
  readPair(BASE, usize(count));
  toAddend(TWICE, BASE);
  for (let row: usize = 0; row < usize(count); row += 2) {
    readPair(BASE, row);
    addPoint(SUMS + (row >> 1) * POINT, BASE, TWICE, true, false);
  }
  writeResults(count);
}

export { forkHashAt, forkInputAt, hashInput, wipeForkHash } from './fork-hash';

export { addTablesOfSums, reserveBasis, reserveTerms, resizeBasis } from './multiexp';

/**
 * Writes the tables of POINTS for {@link sum}.
 * @param index index of the first point in the basis or, if `isOther`, among the other points.
 */
export function addTables(count: i32, index: i32, isOther: bool): void {
  for (let row: usize = 0; row < usize(count); row += 2) {
    readPair(BASE, row);
    fillTables(BASE, index + i32(row), isOther);
  }
}

/**
 * Computes RESULTS = the sum of all terms, in two rows.
 * @param basisTerms number of scalars for points of the basis.
 * @param others number of scalars for other points.
 */
export function sum(basisTerms: i32, others: i32): void {
  sumTerms(SUMS, basisTerms, others);
  wipeTerms(basisTerms, others);
  writeResults(2);
}

export { startGroups } from './multiexp';

/** Computes RESULTS: in every row the sum of the basis' terms from index `first + row` on, `step` apart. */
export function sumGroups(count: i32, basisTerms: i32, first: i32, step: i32): void {
  for (let row = 0; row < count; row += 2)
    sumPairOfGroups(SUMS + usize(row >> 1) * POINT, basisTerms, first + row, step);
  writeResults(count);
}

/** Wipes the digits and scalars that {@link sumGroups} has used. */
export function endGroups(basisTerms: i32): void {
  wipeTerms(basisTerms, 0);
}

/**
 * Computes RESULTS = two sums with the same SCALARS: of the POINTS in even rows, and of the POINTS in odd rows.
 * @param terms number of terms of a sum, up to 4.
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

/** Wipes all values that were computed from secrets, and all temporary values that may contain a part of one. */
export function wipe(): void {
  memory.fill(HASHES, 0, 64);
  wipeRows();
  wipeOwnOutputs();
  wipeMultiples();
  wipeCombs();
  wipeSums();
  wipeMap();
  wipeUnbiased();
  wipeLadder();
  wipeMontgomery();
  wipeBlake2b();
  wipePoints();
  wipeField();
  wipePair();
}
