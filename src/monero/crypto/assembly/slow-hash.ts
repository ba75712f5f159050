/*
 * The memory-hard part of CryptoNight, variant 0, for crypto/slow-hash.ts, of one message, or of two messages at once.
 * The caller splits the long loops into calls: the engine switches to optimised code only between calls. Source:
 * slow-hash.c `cn_slow_hash`.
 */
import { absorbFull, absorbLast, clear, permute, RATE, STATE } from './keccak';
import * as sliced from './sliced-aes';
import * as table from './table-aes';
import { highRound, lowRound, ROW_BYTES, schedule } from './table-aes';

export { boxAt, prepare } from './table-aes';

const PAD_BYTES: i32 = 1 << 21;
/**
 * Scratchpads of two hashes. Before a scratchpad is filled, the host writes the message into it, one part at a time.
 */
const PADS = memory.data(4194304, 64);
/** Mask for the offset of a 16-byte block within a scratchpad. */
const OFFSET: u32 = 0x1ffff0;
/** For each of the two hashes: its state, then `a` and `b`. */
const HASHES = memory.data(512, 64);
const HASH_BYTES: usize = 256;
const STATE_BYTES: usize = 200;
/**
 * Offsets within the data of a hash: key that fills its scratchpad, key that drains the scratchpad, the text that both
 * keys encipher, `a` and `b`.
 */
const FILL_KEY: usize = 0;
const DRAIN_KEY: usize = 32;
const TEXT: usize = 64;
const AB: usize = 208;

/** Returns the address of the scratchpad of a hash. @param hash 0 or 1. */
export function padAt(hash: i32): usize {
  return PADS + usize(hash * PAD_BYTES);
}
/** Returns the size of a scratchpad [bytes]. */
export function padBytes(): i32 {
  return PAD_BYTES;
}
/** Returns the address of the state of a hash. @param hash 0 or 1. */
export function stateAt(hash: i32): usize {
  return HASHES + usize(hash) * HASH_BYTES;
}

/** Returns the number of bytes that one permutation absorbs. */
export function rate(): i32 {
  return RATE;
}

/** Absorbs the first `length` bytes of a scratchpad; `length` must be a multiple of {@link rate}. */
export function absorb(hash: i32, length: i32): void {
  absorbFull(padAt(hash), length);
}

/** Absorbs the last part of the message, then initialises the state, `a` and `b`. */
export function absorbEnd(hash: i32, length: i32): void {
  const pad = padAt(hash), state = stateAt(hash);
  const taken = absorbFull(pad, length);
  absorbLast(pad + usize(taken), length - taken);
  memory.copy(state, STATE, STATE_BYTES);
  clear();
  for (let i: usize = 0; i < 32; i += 8) store<u64>(state + AB + i, load<u64>(state + i) ^ load<u64>(state + 32 + i));
}

/** Sets the round keys of the row, and starts the row with the text in the state. */
function startRow(state: usize, key: usize): void {
  schedule(state + key);
  if (ASC_FEATURE_SIMD) {
    sliced.sliceKeys();
    sliced.clearRow();
  } else {
    table.clearRow();
  }
  addRow(state + TEXT);
}

function addRow(blocks: usize): void {
  if (ASC_FEATURE_SIMD) sliced.addRow(blocks);
  else table.addRow(blocks);
}

function encipherRow(): void {
  if (ASC_FEATURE_SIMD) sliced.encipherRow();
  else table.encipherRow();
}

function writeRow(blocks: usize): void {
  if (ASC_FEATURE_SIMD) sliced.writeRow(blocks);
  else table.writeRow(blocks);
}

/**
 * Fills the scratchpad of a hash from the offset `from` to the offset `to`. Each row of eight blocks is the encrypted
 * preceding row.
 */
export function fill(hash: i32, from: i32, to: i32): void {
  if (from == 0) startRow(stateAt(hash), FILL_KEY);
  const end = padAt(hash) + usize(to);
  for (let row = padAt(hash) + usize(from); row < end; row += ROW_BYTES) {
    encipherRow();
    writeRow(row);
  }
}

/**
 * Returns a + the high half of x*y. Few operations follow the last multiplication, because the next memory access
 * waits for the sum.
 */
@inline
function addHighProduct(a: u64, x: u64, y: u64): u64 {
  const xl = x & 0xffffffff, xh = x >> 32;
  const yl = y & 0xffffffff, yh = y >> 32;
  const middle = xh * yl + ((xl * yl) >> 32);
  return a + xh * yh + (middle >> 32) + ((xl * yh + (middle & 0xffffffff)) >> 32);
}

/**
 * Runs an iteration: an AES round of the block at one address, then a product with the block at the next address. Takes
 * and returns the low half of `a`, on which the next address depends. The other values stay in memory at `ab`: two
 * hashes need more registers than there are.
 */
@inline
function step(a0: u64, pad: usize, ab: usize): u64 {
  let at = pad + usize(u32(a0) & OFFSET);
  const c0 = a0 ^ lowRound(at);
  const c1 = load<u64>(ab, 8) ^ highRound(at);
  store<u64>(at, load<u64>(ab, 16) ^ c0);
  store<u64>(at, load<u64>(ab, 24) ^ c1, 8);
  store<u64>(ab, c0, 16);
  store<u64>(ab, c1, 24);

  at = pad + usize(u32(c0) & OFFSET);
  const d0 = load<u64>(at), d1 = load<u64>(at, 8);
  // The high half of the product is added to the low half of `a`, and the low half to the high half.
  a0 = addHighProduct(a0, c0, d0);
  const a1 = load<u64>(ab, 8) + c0 * d0;
  store<u64>(at, a0);
  store<u64>(at, a1, 8);
  store<u64>(ab, a1 ^ d1, 8);
  return a0 ^ d0;
}

/** Runs `times` iterations of the first hash. */
export function mix(times: i32): void {
  let a0 = load<u64>(HASHES, AB);
  for (let i = 0; i < times; i++) a0 = step(a0, PADS, HASHES + AB);
  store<u64>(HASHES, a0, AB);
}

/** Runs `times` iterations of both hashes together, so that one computes while the other waits for its scratchpad. */
export function mixBoth(times: i32): void {
  const second = HASHES + HASH_BYTES;
  let a0 = load<u64>(HASHES, AB), b0 = load<u64>(second, AB);
  for (let i = 0; i < times; i++) {
    a0 = step(a0, PADS, HASHES + AB);
    b0 = step(b0, PADS + usize(PAD_BYTES), second + AB);
  }
  store<u64>(HASHES, a0, AB);
  store<u64>(second, b0, AB);
}

/**
 * Drains the scratchpad of a hash from the offset `from` to the offset `to`. The call that reaches the end also
 * finishes the state for the digest.
 */
export function drain(hash: i32, from: i32, to: i32): void {
  const state = stateAt(hash), end = padAt(hash) + usize(to);
  if (from == 0) startRow(state, DRAIN_KEY);
  for (let row = padAt(hash) + usize(from); row < end; row += ROW_BYTES) {
    addRow(row);
    encipherRow();
  }
  if (to < PAD_BYTES) return;
  writeRow(state + TEXT);
  memory.copy(STATE, state, STATE_BYTES);
  permute();
  memory.copy(state, STATE, STATE_BYTES);
}

/** Wipes every value that was computed from the messages. @param hashes number of hashes, 1 or 2. */
export function forget(hashes: i32): void {
  clear();
  table.clearKeys();
  if (ASC_FEATURE_SIMD) {
    sliced.clearKeys();
    sliced.clearRow();
  } else {
    table.clearRow();
  }
  memory.fill(HASHES, 0, 2 * HASH_BYTES);
  memory.fill(PADS, 0, usize(hashes * PAD_BYTES));
}
