/* Scan of a batch: derives keys, compares view tags and computes spend keys. Its memory follows all other areas. */
import { MOST_SCALARS, multiplyBySecrets, prepareCombs, recodeSecrets } from './comb';
import { setDerivation, setViewTag, wipeMessage } from './derivation';
import { firstByte, keccakPair } from './keccak-pair';
import { growMemory, freeAreaAt } from './multiexp';
import { addMultiplesOfG, MOST_ROWS } from './multiples';
import { decompress, double, gatherPoints, PACKED_POINT, packPoint, POINT } from './point';
import {
  BASE,
  multiplyPointsBySecret,
  POINTS,
  readPair,
  RESULTS,
  SCALARS,
  SUMS,
  recodeSecret,
  VALID,
  writeResults,
} from './rows';
import { hashToScalars } from './scalar';
import { NO_VIEW_TAG } from '../../../format';

let base: usize = 0;
let keys: i32 = 0;
let outputs: i32 = 0;
let secrets: i32 = 0;

/** Returns the address of the transaction keys R. */
export function scanKeysAt(): usize {
  return base;
}
/** Returns the address of the derivations D = 8*a*R of all keys, for one view secret key after the other. */
@inline
function derivationAt(secret: i32, key: i32): usize {
  return scanKeysAt() + (usize(keys) << 5) + (usize(secret * keys + key) << 5);
}
/** Returns the address of the output keys P. */
export function scanOutputsAt(): usize {
  return derivationAt(secrets, 0);
}
/** Returns the address of D for each hit. */
export function scanDerivationsAt(): usize {
  return scanOutputsAt() + (usize(outputs) << 5);
}
/** Returns the address of P - Hs(D, i)*G for each hit. */
export function scanSpendKeysAt(): usize {
  return scanDerivationsAt() + (usize(outputs) << 5);
}
/** Returns the address of the output indices of the hits, 4 bytes each. */
export function scanHitsAt(): usize {
  return scanSpendKeysAt() + (usize(outputs) << 5);
}
/** Returns the address of the list that contains for each output the index of the key to try, 4 bytes each. */
export function scanOutputKeyAt(): usize {
  return scanHitsAt() + (usize(outputs) << 2);
}
/** Returns the address of the list that contains for each output its index in its transaction, 4 bytes each. */
export function scanOutputIndexAt(): usize {
  return scanOutputKeyAt() + (usize(outputs) << 2);
}
/** Returns the address of the view tags of the outputs, 2 bytes each. */
export function scanTagsAt(): usize {
  return scanOutputIndexAt() + (usize(outputs) << 2);
}
/** Returns the address of the flags of the keys: 1 for a key that is a point, otherwise 0. */
function validAt(): usize {
  return scanTagsAt() + (usize(outputs) << 1);
}
/** Size of a decompressed output key [bytes]: flags in byte 0, the packed P from byte 8 on. */
const DECOMPRESSED: usize = 8 + PACKED_POINT;
/** Flag of an output key that was decompressed before; the next bit is set if P is a point. */
const KNOWN: u8 = 1;

/**
 * Returns the address of an output's decompressed P. P is decompressed at the first call, and kept only if there are
 * several view secret keys.
 */
@inline
function decompressedAt(output: u32): usize {
  return validAt() + usize(keys) + usize(output) * DECOMPRESSED;
}
function endOfScan(): usize {
  return decompressedAt(secrets > 1 ? outputs : 0);
}

/**
 * Reserves memory for a batch.
 * @param secretCount number of view secret keys, from 1 to 128.
 * @returns false if there is no more memory.
 */
export function reserveScan(keyCount: i32, outputCount: i32, secretCount: i32): bool {
  if (secretCount > MOST_SCALARS) return false;
  base = freeAreaAt();
  keys = keyCount;
  outputs = outputCount;
  secrets = secretCount;
  return growMemory(endOfScan());
}

/** Computes D of all keys with each of SCALARS, which contains the view secret keys. */
export function derive(): void {
  if (secrets == 1) deriveWithOne();
  else deriveWithMany();
}

function deriveWithOne(): void {
  recodeSecret();
  for (let start = 0; start < keys; start += MOST_ROWS) {
    const count = min(MOST_ROWS, keys - start);
    memory.copy(POINTS, scanKeysAt() + (usize(start) << 5), usize(count) << 5);
    multiplyPointsBySecret(count + (count & 1), true);
    memory.copy(derivationAt(0, start), RESULTS, usize(count) << 5);
    memory.copy(validAt() + usize(start), VALID, count);
  }
}

function deriveWithMany(): void {
  for (let output = 0; output < outputs; output++) store<u8>(decompressedAt(output), 0);
  recodeSecrets(SCALARS, secrets);
  // Number of rows of a key; even, because products are computed in pairs.
  const width = secrets + (secrets & 1);
  const most = (MOST_ROWS / width) & ~1;
  for (let start = 0; start < keys; start += most) {
    const count = min(most, keys - start);
    memory.copy(POINTS, scanKeysAt() + (usize(start) << 5), usize(count) << 5);
    for (let row = 0; row < count; row += 2) multiplyPair(row, width);
    writeResults((count + (count & 1)) * width);
    memory.copy(validAt() + usize(start), VALID, count);
    for (let row = 0; row < count; row++)
      for (let secret = 0; secret < secrets; secret++)
        copyRow(derivationAt(secret, start + row), RESULTS + (usize(row * width + secret) << 5));
  }
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
function copyRow(to: usize, from: usize): void {
  v128.store(to, v128.load(from));
  v128.store(to + 16, v128.load(from, 16));
}

@inline
function keyOf(output: u32): u32 {
  return load<u32>(scanOutputKeyAt() + (usize(output) << 2));
}

@inline
function indexOf(output: u32): u32 {
  return load<u32>(scanOutputIndexAt() + (usize(output) << 2));
}

@inline
function tagOf(output: u32): u32 {
  return load<u16>(scanTagsAt() + (usize(output) << 1));
}

/** Returns true if the key to try for an output is a point. */
@inline
function hasKey(output: u32): bool {
  const key = keyOf(output);
  return key < u32(keys) && load<u8>(validAt() + usize(key)) != 0;
}

/**
 * Sets the message of a lane for the view tag of an output.
 * @returns false if the output has no view tag, or no valid key.
 */
@inline
function setTag(lane: usize, secret: i32, output: u32): bool {
  if (tagOf(output) == NO_VIEW_TAG || !hasKey(output)) return false;
  setViewTag(lane, derivationAt(secret, i32(keyOf(output))), indexOf(output));
  return true;
}

/**
 * Returns true if the view tag of an output equals the first byte of the hash in a lane, or if the output has no view
 * tag. False if the key to try is not a point.
 */
@inline
function tagMatches(lane: usize, output: u32): bool {
  const tag = tagOf(output);
  return hasKey(output) && (tag == NO_VIEW_TAG || tag == u32(firstByte(lane)));
}

/** Reads P of two hits into SUMS and VALID. @param second row of the second hit. */
function readOutputs(row: i32, indices: usize, second: i32): void {
  const sum = SUMS + usize(row >> 1) * POINT;
  const p = load<u32>(indices + (usize(row) << 2)), q = load<u32>(indices + (usize(second) << 2));
  const first = decompressedAt(p), other = decompressedAt(q);
  const shared = secrets > 1;
  if (shared && load<u8>(first) & load<u8>(other) & KNOWN) {
    gatherPoints(sum, first + 8, other + 8);
    store<u8>(VALID + usize(row), load<u8>(first) >> 1);
    store<u8>(VALID + usize(row + 1), load<u8>(other) >> 1);
    return;
  }
  const points = decompress(sum, scanOutputsAt() + (usize(p) << 5), scanOutputsAt() + (usize(q) << 5));
  store<u8>(VALID + usize(row), u8(points & 1));
  store<u8>(VALID + usize(row + 1), u8(points >> 1));
  if (!shared) return;
  packPoint(first + 8, sum, 0);
  packPoint(other + 8, sum, 1);
  store<u8>(first, KNOWN | (u8(points & 1) << 1));
  store<u8>(other, KNOWN | (u8(points >> 1) << 1));
}

/** Sets the message of a lane for the scalar of the hit in a row. */
@inline
function setHit(lane: usize, secret: i32, indices: usize, row: i32): void {
  const output = load<u32>(indices + (usize(row) << 2));
  setDerivation(lane, derivationAt(secret, i32(keyOf(output))), indexOf(output));
}

/** Writes the derivations and the spend keys of the hits whose P is a point. @returns the number of these hits. */
function computeSpendKeys(secret: i32, hits: i32): i32 {
  let found: usize = 0;
  for (let start = 0; start < hits; start += MOST_ROWS) {
    const count = min(MOST_ROWS, hits - start);
    const indices = scanHitsAt() + (usize(start) << 2);
    for (let row = 0; row < count; row += 2) readOutputs(row, indices, min(row + 1, count - 1));
    for (let row = 0; row < count; row += 2) {
      const scalar = SCALARS + (usize(row) << 5);
      setHit(0, secret, indices, row);
      setHit(1, secret, indices, min(row + 1, count - 1));
      hashToScalars(scalar, scalar + 32);
    }
    addMultiplesOfG(SUMS, SCALARS, count + (count & 1), true);
    writeResults(count + (count & 1));
    for (let row: usize = 0; row < usize(count); row++) {
      if (!load<u8>(VALID + row)) continue;
      const output = load<u32>(indices + (row << 2));
      store<u32>(scanHitsAt() + (found << 2), output);
      memory.copy(scanDerivationsAt() + (found << 5), derivationAt(secret, i32(keyOf(output))), 32);
      memory.copy(scanSpendKeysAt() + (found << 5), RESULTS + (row << 5), 32);
      found++;
    }
  }
  return i32(found);
}

/**
 * Finds the hits of a view secret key after {@link derive}.
 * @param secret index of the key in SCALARS.
 * @returns the number of hits.
 */
export function findHits(secret: i32): i32 {
  let hits: usize = 0;
  for (let output: u32 = 0; output < u32(outputs); output += 2) {
    const isPair = output + 1 < u32(outputs);
    const first = setTag(0, secret, output);
    const second = isPair && setTag(1, secret, output + 1);
    if (first || second) keccakPair();
    if (tagMatches(0, output)) store<u32>(scanHitsAt() + (hits++ << 2), output);
    if (isPair && tagMatches(1, output + 1)) store<u32>(scanHitsAt() + (hits++ << 2), output + 1);
  }
  return computeSpendKeys(secret, i32(hits));
}

/** Wipes the memory of the batch. */
export function wipeScan(): void {
  memory.fill(base, 0, endOfScan() - base);
  wipeMessage();
}
