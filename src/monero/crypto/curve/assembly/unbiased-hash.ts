/*
 * Hash to a point for outputs of the fork: both halves of Blake2b with 64 bytes are mapped to the curve and added, so that the
 * sum is uniform. Source: crypto.cpp `unbiased_hash_to_ec`.
 */
import { BLOCK, hashBlocks, hashWord, setBlock, startPair } from './blake2b-pair';
import { mapToCurve } from './hash-to-point';
import { addPoint, double, toAddend } from './point';

const MESSAGE = memory.data(128, 16);
/** Hashes of both lanes, 64 bytes each. */
const HASHES = memory.data(128, 16);
const SECOND = memory.data(640, 16);
const ADDED = memory.data(640, 16);

/** Computes o = the hashes of two output keys of 32 bytes, in variable time. @param withT true: also computes T. */
export function hashUnbiased(o: usize, first: usize, second: usize, withT: bool): void {
  startPair(64, 0);
  memory.fill(MESSAGE, 0, BLOCK);
  memory.copy(MESSAGE, first, 32);
  setBlock(0, MESSAGE);
  memory.copy(MESSAGE, second, 32);
  setBlock(1, MESSAGE);
  hashBlocks(32, true);
  for (let i: usize = 0; i < 8; i++) {
    store<u64>(HASHES + (i << 3), hashWord(0, i));
    store<u64>(HASHES + 64 + (i << 3), hashWord(1, i));
  }
  mapToCurve(o, HASHES, HASHES + 64);
  mapToCurve(SECOND, HASHES + 32, HASHES + 96);
  toAddend(ADDED, SECOND);
  addPoint(o, o, ADDED, false, false);
  double(o, o, false);
  double(o, o, false);
  double(o, o, withT);
}

/** Wipes the messages and all values that were computed from them. */
export function wipeUnbiased(): void {
  memory.fill(MESSAGE, 0, 128);
  memory.fill(HASHES, 0, 128);
  memory.fill(SECOND, 0, 640);
  memory.fill(ADDED, 0, 640);
}
