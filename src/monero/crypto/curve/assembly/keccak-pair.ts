/*
 * Keccak-256 of two messages at once, one in each vector lane, with the padding of the original submission. Messages
 * are shorter than the rate of 136 bytes. Source: keccak.c.
 */
import { RATE, ROUND_CONSTANTS } from '../../assembly/keccak';

/** States of both messages: 25 pairs of words. */
const STATE = memory.data(400, 16);
/** States after an odd number of rounds. */
const ODD_STATE = memory.data(400, 16);

@inline
function word(a: usize, i: i32): v128 {
  return v128.load(a + (i << 4));
}

@inline
function rotated(a: v128, bits: i32): v128 {
  return v128.or(i64x2.shl(a, bits), i64x2.shr_u(a, 64 - bits));
}

/** Returns the parity of column x. */
@inline
function parity(a: usize, x: i32): v128 {
  return v128.xor(v128.xor(v128.xor(word(a, x), word(a, x + 5)), v128.xor(word(a, x + 10), word(a, x + 15))), word(a, x + 20));
}

/** Computes the step chi of row y and stores the row. */
@inline
function storeRow(o: usize, y: i32, b0: v128, b1: v128, b2: v128, b3: v128, b4: v128): void {
  const at = o + 80 * y;
  v128.store(at + 16, v128.xor(b1, v128.andnot(b3, b2)));
  v128.store(at + 32, v128.xor(b2, v128.andnot(b4, b3)));
  v128.store(at + 48, v128.xor(b3, v128.andnot(b0, b4)));
  v128.store(at + 64, v128.xor(b4, v128.andnot(b1, b0)));
  v128.store(at, v128.xor(b0, v128.andnot(b2, b1)));
}

/** Computes o = a after one round. @param o must not overlap a. */
@inline
function round(o: usize, a: usize, constant: u64): void {
  const c0 = parity(a, 0), c1 = parity(a, 1), c2 = parity(a, 2), c3 = parity(a, 3), c4 = parity(a, 4);
  const d0 = v128.xor(c4, rotated(c1, 1));
  const d1 = v128.xor(c0, rotated(c2, 1));
  const d2 = v128.xor(c1, rotated(c3, 1));
  const d3 = v128.xor(c2, rotated(c4, 1));
  const d4 = v128.xor(c3, rotated(c0, 1));
  // Difference of theta, rotation of rho and index of pi in one step.
  storeRow(
    o,
    0,
    v128.xor(word(a, 0), d0),
    rotated(v128.xor(word(a, 6), d1), 44),
    rotated(v128.xor(word(a, 12), d2), 43),
    rotated(v128.xor(word(a, 18), d3), 21),
    rotated(v128.xor(word(a, 24), d4), 14),
  );
  v128.store(o, v128.xor(v128.load(o), i64x2.splat(constant)));
  storeRow(
    o,
    1,
    rotated(v128.xor(word(a, 3), d3), 28),
    rotated(v128.xor(word(a, 9), d4), 20),
    rotated(v128.xor(word(a, 10), d0), 3),
    rotated(v128.xor(word(a, 16), d1), 45),
    rotated(v128.xor(word(a, 22), d2), 61),
  );
  storeRow(
    o,
    2,
    rotated(v128.xor(word(a, 1), d1), 1),
    rotated(v128.xor(word(a, 7), d2), 6),
    rotated(v128.xor(word(a, 13), d3), 25),
    rotated(v128.xor(word(a, 19), d4), 8),
    rotated(v128.xor(word(a, 20), d0), 18),
  );
  storeRow(
    o,
    3,
    rotated(v128.xor(word(a, 4), d4), 27),
    rotated(v128.xor(word(a, 5), d0), 36),
    rotated(v128.xor(word(a, 11), d1), 10),
    rotated(v128.xor(word(a, 17), d2), 15),
    rotated(v128.xor(word(a, 23), d3), 56),
  );
  storeRow(
    o,
    4,
    rotated(v128.xor(word(a, 2), d2), 62),
    rotated(v128.xor(word(a, 8), d3), 55),
    rotated(v128.xor(word(a, 14), d4), 39),
    rotated(v128.xor(word(a, 15), d0), 41),
    rotated(v128.xor(word(a, 21), d1), 2),
  );
}

/** Hashes the messages that were set in both lanes. */
export function keccakPair(): void {
  for (let i: usize = 0; i < 24; i += 2) {
    round(ODD_STATE, STATE, load<u64>(ROUND_CONSTANTS + (i << 3)));
    round(STATE, ODD_STATE, load<u64>(ROUND_CONSTANTS + (i << 3), 8));
  }
}

/** Sets the message of a lane for {@link keccakPair}. @param length length of the message [bytes], below 136. */
export function setMessage(lane: usize, from: usize, length: i32): void {
  const state = STATE + (lane << 3);
  for (let i: usize = 0; i < 25; i++) store<u64>(state + (i << 4), 0);
  let at: usize = 0;
  for (; at + 8 <= usize(length); at += 8) store<u64>(state + (at << 1), load<u64>(from + at));
  let last: u64 = 1;
  for (let end = usize(length); end > at; ) last = (last << 8) | u64(load<u8>(from + --end));
  store<u64>(state + (at << 1), last);
  const end = state + (usize(RATE - 8) << 1);
  store<u64>(end, load<u64>(end) | 0x8000000000000000);
}

/** Returns the first byte of the hash in a lane. */
@inline
export function firstByte(lane: usize): u8 {
  return load<u8>(STATE + (lane << 3));
}

/** Writes the hash in a lane, 32 bytes. */
export function writeHash(o: usize, lane: usize): void {
  for (let i: usize = 0; i < 32; i += 8) store<u64>(o + i, load<u64>(STATE + (lane << 3) + (i << 1)));
}

/** Wipes the state, which contains the messages or their hashes. */
export function wipePair(): void {
  memory.fill(STATE, 0, 400);
  memory.fill(ODD_STATE, 0, 400);
}
