/* Scan of a batch after its keys were multiplied: compares view tags and computes spend keys. */
import { setDerivation, setViewTag, wipeMessage } from './derivation';
import { chainKeys, forkTag, hashForkTags, setForkTag, wipeForkTag } from './fork-tag';
import { firstByte, keccakPair } from './keccak-pair';
import { addMultiplesOfG, MOST_ROWS } from './multiples';
import { decompress, gatherPoints, packPoint, POINT } from './point';
import { RESULTS, SCALARS, SUMS, VALID, writeResults } from './rows';
import { hashToScalars } from './scalar';
import {
  balanceAt,
  CHAINED,
  chainAt,
  contextAt,
  decompressedAt,
  derivationAt,
  hasBalance,
  hasForkKeys,
  hasKey,
  indexOf,
  isForkKey,
  keyOf,
  keys,
  outputs,
  scanDerivationsAt,
  scanHitsAt,
  scanKindsAt,
  scanOutputsAt,
  scanSpendKeysAt,
  secrets,
  tagOf,
  wipeScanMemory,
} from './scan-memory';
import { NO_VIEW_TAG } from '../../../format';

/** Kinds of hits: of the old form, of the fork with either secret of a wallet, and of an output key that is not a point. */
const OLD: u8 = 0;
const EXTERNAL: u8 = 1;
const INTERNAL: u8 = 2;
const NO_POINT: u8 = 3;

/** Flag of an output key that was decompressed before; the next bit is set if P is a point. */
const KNOWN: u8 = 1;

/** State of the hashes with the view-balance secret of a wallet as key. */
const BALANCE_CHAIN = memory.data(64, 16);

/** Number of hits found so far. */
let hits: i32 = 0;

function addHit(output: u32, kind: u8): void {
  store<u32>(scanHitsAt() + (usize(hits) << 2), output);
  store<u8>(scanKindsAt() + usize(hits), kind);
  hits++;
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

/** Adds the outputs whose view tag matches, in a batch of the old form. */
function matchTags(secret: i32): void {
  for (let output: u32 = 0; output < u32(outputs); output += 2) {
    const isPair = output + 1 < u32(outputs);
    const first = setTag(0, secret, output);
    const second = isPair && setTag(1, secret, output + 1);
    if (first || second) keccakPair();
    if (tagMatches(0, output)) addHit(output, OLD);
    if (isPair && tagMatches(1, output + 1)) addHit(output + 1, OLD);
  }
}

/** Hashes the shared secrets of all keys of the fork with a view secret key, and its view-balance secret. */
function chainSecrets(secret: i32): void {
  let first = -1;
  for (let key = 0; key < keys; key++) {
    if (!isForkKey(key)) continue;
    if (first < 0) {
      first = key;
      continue;
    }
    chainKeys(chainAt(first), chainAt(key), derivationAt(secret, first), derivationAt(secret, key));
    first = -1;
  }
  const balance = hasBalance(secret);
  if (first < 0 && !balance) return;
  // The last shared secret goes beside the view-balance secret; without either, the other one takes both lanes.
  const at = first < 0 ? BALANCE_CHAIN : chainAt(first);
  const shared = first < 0 ? balanceAt(secret) : derivationAt(secret, first);
  chainKeys(balance ? BALANCE_CHAIN : at, at, balance ? balanceAt(secret) : shared, shared);
}

/** Outputs and kinds of the trials in both lanes. */
const TRIALS = memory.data(16, 16);
let trials: i32 = 0;

/** Adds a trial of an output of the fork; compares the view tags of two trials at once. */
@inline
function tryFork(output: u32, kind: u8): void {
  const key = keyOf(output);
  const chain = kind == INTERNAL ? BALANCE_CHAIN : chainAt(i32(key));
  setForkTag(usize(trials), chain, contextAt(key), scanOutputsAt() + (usize(output) << 5));
  store<u32>(TRIALS + (usize(trials) << 3), output);
  store<u8>(TRIALS + (usize(trials) << 3), kind, 4);
  if (++trials == 2) matchForkTags();
}

function matchForkTags(): void {
  if (trials > 0) hashForkTags();
  for (let lane: usize = 0; lane < usize(trials); lane++) {
    const output = load<u32>(TRIALS + (lane << 3));
    if (tagOf(output) == forkTag(lane)) addHit(output, load<u8>(TRIALS + (lane << 3), 4));
  }
  trials = 0;
}

/** Adds the outputs whose view tag matches, in a batch that has keys of the fork. */
function matchBothForms(secret: i32): void {
  chainSecrets(secret);
  const balance = hasBalance(secret);
  for (let output: u32 = 0; output < u32(outputs); output++) {
    if (keyOf(output) < u32(keys) && isForkKey(keyOf(output))) {
      tryFork(output, EXTERNAL);
      if (balance) tryFork(output, INTERNAL);
      continue;
    }
    // Hits ascend: the trials before this output are decided first.
    matchForkTags();
    if (setTag(0, secret, output)) keccakPair();
    if (tagMatches(0, output)) addHit(output, OLD);
  }
  matchForkTags();
}

/** Reads P of two hits into SUMS and VALID. */
function readOutputs(row: i32, p: u32, q: u32): void {
  const sum = SUMS + usize(row >> 1) * POINT;
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

/** Places of the hits of the old form in a call. */
const PLACES = memory.data(1024, 16);

@inline
function placeAt(row: i32): usize {
  return usize(load<u32>(PLACES + (usize(row) << 2)));
}

@inline
function outputAt(place: usize): u32 {
  return load<u32>(scanHitsAt() + (place << 2));
}

/** Sets the message of a lane for the scalar of the hit in a row. */
@inline
function setHit(lane: usize, secret: i32, row: i32): void {
  const output = outputAt(placeAt(row));
  setDerivation(lane, derivationAt(secret, i32(keyOf(output))), indexOf(output));
}

/** Computes the spend keys of the hits of the old form, and marks those whose P is not a point. */
function computeSpendKeys(secret: i32): void {
  let place = 0;
  while (place < hits) {
    let count = 0;
    for (; place < hits && count < MOST_ROWS; place++)
      if (load<u8>(scanKindsAt() + usize(place)) == OLD) store<u32>(PLACES + (usize(count++) << 2), place);
    if (count == 0) break;
    for (let row = 0; row < count; row += 2) {
      const second = min(row + 1, count - 1);
      readOutputs(row, outputAt(placeAt(row)), outputAt(placeAt(second)));
      const scalar = SCALARS + (usize(row) << 5);
      setHit(0, secret, row);
      setHit(1, secret, second);
      hashToScalars(scalar, scalar + 32);
    }
    addMultiplesOfG(SUMS, SCALARS, count + (count & 1), true);
    writeResults(count + (count & 1));
    for (let row = 0; row < count; row++) {
      memory.copy(scanSpendKeysAt() + (placeAt(row) << 5), RESULTS + (usize(row) << 5), 32);
      if (!load<u8>(VALID + usize(row))) store<u8>(scanKindsAt() + placeAt(row), NO_POINT);
    }
  }
}

/** Removes the hits whose P is not a point, and writes the derivations of the others. @returns their number. */
function keepHits(secret: i32): i32 {
  let found: usize = 0;
  for (let place: usize = 0; place < usize(hits); place++) {
    const kind = load<u8>(scanKindsAt() + place);
    if (kind == NO_POINT) continue;
    const output = outputAt(place);
    store<u32>(scanHitsAt() + (found << 2), output);
    store<u8>(scanKindsAt() + found, kind);
    const shared = kind == INTERNAL ? balanceAt(secret) : derivationAt(secret, i32(keyOf(output)));
    memory.copy(scanDerivationsAt() + (found << 5), shared, 32);
    const spendKey = scanSpendKeysAt() + (found << 5);
    if (kind == OLD) memory.copy(spendKey, scanSpendKeysAt() + (place << 5), 32);
    else memory.fill(spendKey, 0, 32);
    found++;
  }
  return i32(found);
}

/**
 * Finds the hits of a view secret key after {@link derive}.
 * @param secret index of the key in SCALARS.
 * @returns the number of hits.
 */
export function findHits(secret: i32): i32 {
  hits = 0;
  trials = 0;
  if (hasForkKeys()) matchBothForms(secret);
  else matchTags(secret);
  computeSpendKeys(secret);
  return keepHits(secret);
}

/** Wipes the memory of the batch. */
export function wipeScan(): void {
  wipeScanMemory();
  memory.fill(BALANCE_CHAIN, 0, CHAINED);
  wipeMessage();
  wipeForkTag();
}
