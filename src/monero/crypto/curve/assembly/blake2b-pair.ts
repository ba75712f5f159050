/*
 * Blake2b of two messages at once, one in each vector lane, with the personalisation of the fork. Source: RFC 7693,
 * whose parameter block has the personalisation in its last 16 bytes.
 */
import { CARROT_PERSONALISATION } from '../../../fork-rules';

/** Size of a block of a message, and of the block that contains the key [bytes]. */
export const BLOCK: usize = 128;
/** Size of the states of a pair of hashes between two blocks [bytes]. */
export const CHAIN: usize = 128;

/** Initial values, and indices of message words in each of the 12 rounds, the last two of which repeat the first two. */
const IV = memory.data<u64>([
  0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
  0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
]);
const SIGMA = memory.data<u8>([
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
  14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3,
  11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4,
  7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8,
  9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13,
  2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9,
  12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11,
  13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10,
  6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5,
  10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0,
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
  14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3,
]);

/** Words of the current blocks: 16 pairs of words. */
const WORDS = memory.data(256, 16);
/** Working vector of the rounds: 16 pairs of words. */
const V = memory.data(256, 16);
/** States after the last call: 8 pairs of words. */
export const STATE = memory.data(128, 16);

/** The personalisation as two words. */
const PERSONALISATION = memory.data(16, 16);

export function prepareBlake2b(): void {
  for (let i = 0; i < CARROT_PERSONALISATION.length; i++)
    store<u8>(PERSONALISATION + usize(i), u8(CARROT_PERSONALISATION.charCodeAt(i)));
}

/**
 * Starts the hashes of both lanes.
 * @param length length of the hashes, which is a parameter of the function [bytes].
 * @param keyLength length of the key, which is the first block; 0 without a key [bytes].
 */
export function startPair(length: i32, keyLength: i32): void {
  for (let i: usize = 0; i < 8; i++) v128.store(STATE + (i << 4), i64x2.splat(load<u64>(IV + (i << 3))));
  const first = v128.load(STATE);
  v128.store(STATE, v128.xor(first, i64x2.splat(0x01010000 ^ (i64(keyLength) << 8) ^ i64(length))));
  for (let i: usize = 0; i < 2; i++) {
    const at = STATE + ((6 + i) << 4);
    v128.store(at, v128.xor(v128.load(at), i64x2.splat(load<u64>(PERSONALISATION + (i << 3)))));
  }
}

/** Sets the block of a lane. @param from 128 bytes, of which those after the end of the message are zero. */
export function setBlock(lane: usize, from: usize): void {
  for (let i: usize = 0; i < 16; i++) store<u64>(WORDS + (i << 4) + (lane << 3), load<u64>(from + (i << 3)));
}

@inline
function turned32(a: v128): v128 {
  return i8x16.shuffle(a, a, 4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11);
}
@inline
function turned24(a: v128): v128 {
  return i8x16.shuffle(a, a, 3, 4, 5, 6, 7, 0, 1, 2, 11, 12, 13, 14, 15, 8, 9, 10);
}
@inline
function turned16(a: v128): v128 {
  return i8x16.shuffle(a, a, 2, 3, 4, 5, 6, 7, 0, 1, 10, 11, 12, 13, 14, 15, 8, 9);
}
@inline
function turned63(a: v128): v128 {
  return v128.or(i64x2.add(a, a), i64x2.shr_u(a, 63));
}

/** Returns the pair of message words with index n of a round. */
@inline
function wordAt(round: usize, n: usize): v128 {
  return v128.load(WORDS + (usize(load<u8>(round + n)) << 4));
}

/** Mixes two pairs of message words into four words of the working vector. Source: RFC 7693, function G. */
@inline
function mix(ia: usize, ib: usize, ic: usize, id: usize, x: v128, y: v128): void {
  let a = v128.load(V + (ia << 4)), b = v128.load(V + (ib << 4)), c = v128.load(V + (ic << 4)), d = v128.load(V + (id << 4));
  a = i64x2.add(i64x2.add(a, b), x);
  d = turned32(v128.xor(d, a));
  c = i64x2.add(c, d);
  b = turned24(v128.xor(b, c));
  a = i64x2.add(i64x2.add(a, b), y);
  d = turned16(v128.xor(d, a));
  c = i64x2.add(c, d);
  b = turned63(v128.xor(b, c));
  v128.store(V + (ia << 4), a);
  v128.store(V + (ib << 4), b);
  v128.store(V + (ic << 4), c);
  v128.store(V + (id << 4), d);
}

/**
 * Hashes the blocks that were set in both lanes.
 * @param counted length of the message up to the end of these blocks, the block of the key included [bytes].
 * @param last true for the last blocks.
 */
export function hashBlocks(counted: i32, last: bool): void {
  memory.copy(V, STATE, 128);
  for (let i: usize = 0; i < 8; i++) v128.store(V + ((8 + i) << 4), i64x2.splat(load<u64>(IV + (i << 3))));
  v128.store(V + (12 << 4), v128.xor(v128.load(V + (12 << 4)), i64x2.splat(i64(counted))));
  if (last) v128.store(V + (14 << 4), v128.not(v128.load(V + (14 << 4))));
  for (let round: usize = SIGMA; round < SIGMA + 12 * 16; round += 16) {
    mix(0, 4, 8, 12, wordAt(round, 0), wordAt(round, 1));
    mix(1, 5, 9, 13, wordAt(round, 2), wordAt(round, 3));
    mix(2, 6, 10, 14, wordAt(round, 4), wordAt(round, 5));
    mix(3, 7, 11, 15, wordAt(round, 6), wordAt(round, 7));
    mix(0, 5, 10, 15, wordAt(round, 8), wordAt(round, 9));
    mix(1, 6, 11, 12, wordAt(round, 10), wordAt(round, 11));
    mix(2, 7, 8, 13, wordAt(round, 12), wordAt(round, 13));
    mix(3, 4, 9, 14, wordAt(round, 14), wordAt(round, 15));
  }
  for (let i: usize = 0; i < 128; i += 16)
    v128.store(STATE + i, v128.xor(v128.load(STATE + i), v128.xor(v128.load(V + i), v128.load(V + 128 + i))));
}

/** Returns word i of the hash in a lane. */
@inline
export function hashWord(lane: usize, i: usize): u64 {
  return load<u64>(STATE + (i << 4) + (lane << 3));
}

/** Wipes the blocks and the states, from which the key could be computed. */
export function wipeBlake2b(): void {
  memory.fill(WORDS, 0, 256);
  memory.fill(V, 0, 256);
  memory.fill(STATE, 0, 128);
}
