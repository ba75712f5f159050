/*
 * The memory-hard part of CryptoNight, variant 0, for crypto/slow-hash.ts. The caller splits the long loops into
 * calls: the engine switches to optimised code only between calls.
 * Source: slow-hash.c `cn_slow_hash`.
 */
import { absorbFull, absorbLast, clear, permute, RATE, STATE } from './keccak';

const PAD_BYTES: i32 = 1 << 21;
/** Scratchpad; before it is filled it also takes the message, one part at a time. */
const PAD = memory.data(2097152, 16);
/** Mask for the offset of a 16-byte block within the scratchpad. */
const OFFSET: u32 = 0x1ffff0;
/** Size of the eight AES blocks that fill and drain the scratchpad. */
const TEXT_BYTES: usize = 128;
const TEXT: usize = STATE + 64;

const BOX = memory.data(256, 16);
/** SubBytes and MixColumns of a byte in each of four rows, as little-endian columns. */
const TABLES = memory.data(4096, 16);
/** The first ten round keys of an AES-256 schedule. */
const KEYS = memory.data(160, 16);
/** `a`, then `b`. */
const AB = memory.data(32, 16);

export function padAt(): usize {
  return PAD;
}
export function padBytes(): i32 {
  return PAD_BYTES;
}
export function boxAt(): usize {
  return BOX;
}
export function stateAt(): usize {
  return STATE;
}

@inline
function doubled(byte: u32): u32 {
  return (byte << 1) ^ ((byte >> 7) * 0x11b);
}

/** Builds the tables; the substitution of FIPS 197 must be stored at `boxAt` before. */
export function prepare(): void {
  for (let i: usize = 0; i < 256; i++) {
    const s = u32(load<u8>(BOX + i));
    const twice = doubled(s);
    const column = twice | (s << 8) | (s << 16) | ((s ^ twice) << 24);
    for (let row: usize = 0; row < 4; row++)
      store<u32>(TABLES + (row << 10) + (i << 2), rotl<u32>(column, u32(row) << 3));
  }
}

function substituted(word: u32): u32 {
  return (
    u32(load<u8>(BOX + (word & 255))) |
    (u32(load<u8>(BOX + ((word >> 8) & 255))) << 8) |
    (u32(load<u8>(BOX + ((word >> 16) & 255))) << 16) |
    (u32(load<u8>(BOX + (word >> 24))) << 24)
  );
}

/** Source: FIPS 197, 5.2. */
function schedule(key: usize): void {
  memory.copy(KEYS, key, 32);
  let constant: u32 = 1;
  for (let i: usize = 8; i < 40; i++) {
    let word = load<u32>(KEYS + ((i - 1) << 2));
    if ((i & 7) == 0) {
      word = substituted(rotr<u32>(word, 8)) ^ constant;
      constant = doubled(constant);
    } else if ((i & 7) == 4) {
      word = substituted(word);
    }
    store<u32>(KEYS + (i << 2), load<u32>(KEYS + ((i - 8) << 2)) ^ word);
  }
}

/** One column of an AES round, without the round key. The constant offset of a load costs no addition. */
@inline
function column(x0: u32, x1: u32, x2: u32, x3: u32): u32 {
  return (
    load<u32>((x0 << 2) & 0x3fc, TABLES) ^
    load<u32>((x1 >> 6) & 0x3fc, TABLES + 1024) ^
    load<u32>((x2 >> 14) & 0x3fc, TABLES + 2048) ^
    load<u32>((x3 >> 22) & 0x3fc, TABLES + 3072)
  );
}

/** Ten AES rounds, without the initial key addition. Source: aesb.c `aesb_pseudo_round`. */
function encipher(out: usize, x0: u32, x1: u32, x2: u32, x3: u32): void {
  for (let key = KEYS; key < KEYS + 160; key += 16) {
    const y0 = column(x0, x1, x2, x3) ^ load<u32>(key);
    const y1 = column(x1, x2, x3, x0) ^ load<u32>(key + 4);
    const y2 = column(x2, x3, x0, x1) ^ load<u32>(key + 8);
    x3 = column(x3, x0, x1, x2) ^ load<u32>(key + 12);
    x0 = y0;
    x1 = y1;
    x2 = y2;
  }
  store<u32>(out, x0);
  store<u32>(out + 4, x1);
  store<u32>(out + 8, x2);
  store<u32>(out + 12, x3);
}

/** Absorbs the first `length` bytes of the scratchpad, a whole number of permutations. */
export function absorb(length: i32): void {
  absorbFull(PAD, length);
}

/** Bytes absorbed per permutation. */
export function rate(): i32 {
  return RATE;
}

/** Absorbs the last part of the message and initialises `a` and `b`. */
export function absorbEnd(length: i32): void {
  const taken = absorbFull(PAD, length);
  absorbLast(PAD + usize(taken), length - taken);
  for (let i: usize = 0; i < 32; i += 8) store<u64>(AB + i, load<u64>(STATE + i) ^ load<u64>(STATE + 32 + i));
}

/** Fills the scratchpad from one offset to another. */
export function fill(from: i32, to: i32): void {
  if (from == 0) schedule(STATE);
  let block = PAD + usize(from);
  const end = PAD + usize(to);
  // Each block is the encrypted block eight before it; the first eight come from the state.
  let before = from == 0 ? TEXT : block - TEXT_BYTES;
  for (; block < end; block += 16, before += 16) {
    if (before == TEXT + TEXT_BYTES) before = PAD;
    encipher(block, load<u32>(before), load<u32>(before + 4), load<u32>(before + 8), load<u32>(before + 12));
  }
}

/** a + the high half of x*y. Few operations follow the last product, as the next memory access waits for the sum. */
@inline
function addHighProduct(a: u64, x: u64, y: u64): u64 {
  const xl = x & 0xffffffff, xh = x >> 32;
  const yl = y & 0xffffffff, yh = y >> 32;
  const middle = xh * yl + ((xl * yl) >> 32);
  return a + xh * yh + (middle >> 32) + ((xl * yh + (middle & 0xffffffff)) >> 32);
}

/** Runs `times` iterations: one AES round at an address, one product at the next. */
export function mix(times: i32): void {
  let a0 = load<u64>(AB), a1 = load<u64>(AB + 8);
  let b0 = load<u64>(AB + 16), b1 = load<u64>(AB + 24);
  for (let i = 0; i < times; i++) {
    let at = usize(u32(a0) & OFFSET);
    const x0 = load<u32>(at, PAD), x1 = load<u32>(at, PAD + 4);
    const x2 = load<u32>(at, PAD + 8), x3 = load<u32>(at, PAD + 12);
    const c0 = a0 ^ (u64(column(x0, x1, x2, x3)) | (u64(column(x1, x2, x3, x0)) << 32));
    const c1 = a1 ^ (u64(column(x2, x3, x0, x1)) | (u64(column(x3, x0, x1, x2)) << 32));
    store<u64>(at, b0 ^ c0, PAD);
    store<u64>(at, b1 ^ c1, PAD + 8);
    b0 = c0;
    b1 = c1;

    at = usize(u32(c0) & OFFSET);
    const d0 = load<u64>(at, PAD), d1 = load<u64>(at, PAD + 8);
    // The high half of the product is added to the low half of `a`, and the low half to the high half.
    a0 = addHighProduct(a0, c0, d0);
    a1 += c0 * d0;
    store<u64>(at, a0, PAD);
    store<u64>(at, a1, PAD + 8);
    a0 ^= d0;
    a1 ^= d1;
  }
  store<u64>(AB, a0);
  store<u64>(AB + 8, a1);
  store<u64>(AB + 16, b0);
  store<u64>(AB + 24, b1);
}

/** Drains the scratchpad from one offset to another; the last call finishes the state for the digest. */
export function drain(from: i32, to: i32): void {
  if (from == 0) schedule(STATE + 32);
  const end = PAD + usize(to);
  for (let row = PAD + usize(from); row < end; row += TEXT_BYTES) {
    for (let i: usize = 0; i < TEXT_BYTES; i += 16) {
      const text = TEXT + i, block = row + i;
      encipher(
        text,
        load<u32>(text) ^ load<u32>(block),
        load<u32>(text + 4) ^ load<u32>(block + 4),
        load<u32>(text + 8) ^ load<u32>(block + 8),
        load<u32>(text + 12) ^ load<u32>(block + 12),
      );
    }
  }
  if (to == PAD_BYTES) permute();
}

/** Wipes everything derived from the message. */
export function forget(): void {
  clear();
  memory.fill(PAD, 0, PAD_BYTES);
  memory.fill(KEYS, 0, 160);
  memory.fill(AB, 0, 32);
}
