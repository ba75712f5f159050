/* Products of the keys of a batch and all view secret keys: derivations 8*a*R, and shared secrets a*D by X25519. */
import { multiplyBySecrets, prepareCombs, recodeSecrets } from './comb';
import { multiplyByLadder } from './ladder';
import { fromMontgomery, toMontgomery } from './montgomery';
import { MOST_ROWS } from './multiples';
import { double, POINT } from './point';
import {
  BASE,
  multiplyPointsBySecret,
  POINTS,
  readPair,
  recodeSecret,
  RESULTS,
  SCALARS,
  SUMS,
  VALID,
  writeFractions,
  writeResults,
} from './rows';
import { derivationAt, forgetPoints, hasForkKeys, isForkKey, keys, scanKeysAt, secrets, validAt } from './scan-memory';

/** Index of the key in each row of a call. */
const ROW_KEYS = memory.data(1024, 16);
let rows: i32 = 0;

/**
 * Copies keys of one form to POINTS, and their number to `rows`.
 * @param from index of the first key to look at.
 * @param most largest number of rows.
 * @returns the index of the next key to look at.
 */
function takeKeys(from: i32, most: i32, ofFork: bool): i32 {
  rows = 0;
  let key = from;
  for (; key < keys && rows < most; key++) {
    if (isForkKey(key) != ofFork) continue;
    store<u32>(ROW_KEYS + (usize(rows) << 2), key);
    copyRow(POINTS + (usize(rows) << 5), scanKeysAt() + (usize(key) << 5));
    rows++;
  }
  return key;
}

@inline
function keyAt(row: i32): i32 {
  return load<i32>(ROW_KEYS + (usize(row) << 2));
}

@inline
function copyRow(to: usize, from: usize): void {
  v128.store(to, v128.load(from));
  v128.store(to + 16, v128.load(from, 16));
}

/** Computes the products of all keys with each of SCALARS, which contains the view secret keys. */
export function derive(): void {
  forgetPoints();
  if (secrets == 1) {
    deriveWithOne();
    if (hasForkKeys()) shareWithOne();
  } else {
    deriveWithMany();
    if (hasForkKeys()) shareWithMany();
  }
}

function deriveWithOne(): void {
  recodeSecret();
  for (let next = takeKeys(0, MOST_ROWS, false); rows > 0; next = takeKeys(next, MOST_ROWS, false)) {
    multiplyPointsBySecret(rows + (rows & 1), true);
    for (let row = 0; row < rows; row++) {
      copyRow(derivationAt(0, keyAt(row)), RESULTS + (usize(row) << 5));
      store<u8>(validAt() + usize(keyAt(row)), load<u8>(VALID + usize(row)));
    }
  }
}

/** Returns the number of rows that the products of a key take; even, because products are computed in pairs. */
@inline
function widthOfKey(): i32 {
  return secrets + (secrets & 1);
}

function deriveWithMany(): void {
  const width = widthOfKey();
  const most = (MOST_ROWS / width) & ~1;
  let next = takeKeys(0, most, false);
  if (rows > 0) recodeSecrets(SCALARS, secrets, false);
  for (; rows > 0; next = takeKeys(next, most, false)) {
    for (let row = 0; row < rows; row += 2) multiplyPair(row, width);
    writeResults((rows + (rows & 1)) * width);
    copyProducts(width);
    for (let row = 0; row < rows; row++)
      store<u8>(validAt() + usize(keyAt(row)), load<u8>(VALID + usize(row)));
  }
}

function copyProducts(width: i32): void {
  for (let row = 0; row < rows; row++)
    for (let secret = 0; secret < secrets; secret++)
      copyRow(derivationAt(secret, keyAt(row)), RESULTS + (usize(row * width + secret) << 5));
}

/** Computes SUMS = the products of two rows of POINTS with all view secret keys. */
function multiplyPair(row: i32, width: i32): void {
  readPair(BASE, row);
  // The cofactor 8 of D clears torsion, so view secret keys may be changed modulo l.
  double(BASE, BASE, false);
  double(BASE, BASE, false);
  double(BASE, BASE, true);
  prepareCombs(BASE);
  const products = SUMS + usize((row * width) >> 1) * POINT;
  multiplyBySecrets(products, 0);
  multiplyBySecrets(products + usize(width >> 1) * POINT, 1);
}

@inline
function uAt(row: i32): usize {
  return POINTS + (usize(row) << 5);
}

@inline
function scalarAt(secret: i32): usize {
  return SCALARS + (usize(secret) << 5);
}

/** Computes the shared secrets of the fork with one view secret key, by ladders. */
function shareWithOne(): void {
  for (let next = takeKeys(0, MOST_ROWS, true); rows > 0; next = takeKeys(next, MOST_ROWS, true)) {
    for (let row = 0; row < rows; row += 2)
      multiplyByLadder(SUMS + usize(row >> 1) * POINT, uAt(row), uAt(row + 1), SCALARS, SCALARS);
    writeFractions(rows + (rows & 1));
    for (let row = 0; row < rows; row++) {
      copyRow(derivationAt(0, keyAt(row)), RESULTS + (usize(row) << 5));
      store<u8>(validAt() + usize(keyAt(row)), 1);
    }
  }
}

/**
 * Computes the shared secrets of the fork with several view secret keys, by combs; those of u-coordinates on the twist by
 * ladders.
 */
function shareWithMany(): void {
  const width = widthOfKey();
  const most = (MOST_ROWS / width) & ~1;
  let next = takeKeys(0, most, true);
  if (rows > 0) recodeSecrets(SCALARS, secrets, true);
  for (; rows > 0; next = takeKeys(next, most, true)) {
    for (let row = 0; row < rows; row += 2) sharePair(row, width);
    writeFractions(rows * width);
    copyProducts(width);
    for (let row = 0; row < rows; row++) store<u8>(validAt() + usize(keyAt(row)), 1);
  }
}

/** Computes SUMS = the shared secrets of two rows of POINTS with all view secret keys. */
function sharePair(row: i32, width: i32): void {
  const onCurve = fromMontgomery(BASE, uAt(row), uAt(row + 1));
  if (onCurve) prepareCombs(BASE);
  const pairs = width >> 1;
  for (let lane = 0; lane < 2 && row + lane < rows; lane++) {
    const products = SUMS + usize(((row + lane) * width) >> 1) * POINT;
    if (onCurve & (1 << lane)) {
      multiplyBySecrets(products, lane);
      for (let pair = 0; pair < pairs; pair++) toMontgomery(products + usize(pair) * POINT);
    } else {
      const u = uAt(row + lane);
      for (let pair = 0; pair < pairs; pair++)
        multiplyByLadder(products + usize(pair) * POINT, u, u, scalarAt(2 * pair), scalarAt(2 * pair + 1));
    }
  }
}
