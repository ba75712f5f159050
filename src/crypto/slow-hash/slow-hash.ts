import { blake256 } from '@noble/hashes/blake1.js';
import { keccakP } from '@noble/hashes/sha3.js';
import type { Hash } from '../types.js';
import { expandKey, T0, T1, T2, T3 } from './aes-round.js';
import { groestl256 } from './groestl.js';
import { jh256 } from './jh.js';
import { skein256 } from './skein.js';

const SCRATCHPAD_WORDS = (1 << 21) / 4;
const ITERATIONS = 1 << 19;
/** Selects a 16-byte block of the scratchpad from the low word of a block. */
const ADDRESS_MASK = 0x1ffff0;
const RATE = 136;
const FINAL_HASHES = [blake256, groestl256, jh256, skein256];

/** The whole 200-byte state of Keccak after absorbing the data. */
function keccakState(data: Uint8Array): Uint8Array {
  const state = new Uint8Array(200);
  const words = new Uint32Array(state.buffer);
  const padded = new Uint8Array((Math.floor(data.length / RATE) + 1) * RATE);
  padded.set(data);
  padded[data.length] = 1;
  padded[padded.length - 1] = (padded[padded.length - 1] ?? 0) | 0x80;
  for (let i = 0; i < padded.length; i += RATE) {
    for (let j = 0; j < RATE; j++) state[j] = (state[j] ?? 0) ^ (padded[i + j] ?? 0);
    keccakP(words);
  }
  padded.fill(0);
  return state;
}

/** High word of the product of two unsigned 32-bit words. */
function highProduct(a: number, b: number): number {
  const al = a & 0xffff;
  const ah = a >>> 16;
  const bl = b & 0xffff;
  const bh = b >>> 16;
  const low = ah * bl + ((al * bl) >>> 16);
  const mid = al * bh + (low & 0xffff);
  return (ah * bh + (low >>> 16) + (mid >>> 16)) | 0;
}

/** Ten AES rounds over each of the eight blocks of `text`. */
function pseudoRounds(text: Int32Array, key: Int32Array): void {
  for (let at = 0; at < 32; at += 4) {
    let w0 = text[at] as number;
    let w1 = text[at + 1] as number;
    let w2 = text[at + 2] as number;
    let w3 = text[at + 3] as number;
    for (let k = 0; k < 40; k += 4) {
      const n0 = (T0[w0 & 255] as number) ^ (T1[(w1 >>> 8) & 255] as number) ^ (T2[(w2 >>> 16) & 255] as number) ^ (T3[w3 >>> 24] as number) ^ (key[k] as number);
      const n1 = (T0[w1 & 255] as number) ^ (T1[(w2 >>> 8) & 255] as number) ^ (T2[(w3 >>> 16) & 255] as number) ^ (T3[w0 >>> 24] as number) ^ (key[k + 1] as number);
      const n2 = (T0[w2 & 255] as number) ^ (T1[(w3 >>> 8) & 255] as number) ^ (T2[(w0 >>> 16) & 255] as number) ^ (T3[w1 >>> 24] as number) ^ (key[k + 2] as number);
      const n3 = (T0[w3 & 255] as number) ^ (T1[(w0 >>> 8) & 255] as number) ^ (T2[(w1 >>> 16) & 255] as number) ^ (T3[w2 >>> 24] as number) ^ (key[k + 3] as number);
      w0 = n0;
      w1 = n1;
      w2 = n2;
      w3 = n3;
    }
    text[at] = w0;
    text[at + 1] = w1;
    text[at + 2] = w2;
    text[at + 3] = w3;
  }
}

/** The memory-hard loop: half a million times an AES round, a 64-bit product and two writes. */
function shake(pad: Int32Array, state: Int32Array): void {
  const word = (i: number): number => state[i] as number;
  let a0 = word(0) ^ word(8);
  let a1 = word(1) ^ word(9);
  let a2 = word(2) ^ word(10);
  let a3 = word(3) ^ word(11);
  let b0 = word(4) ^ word(12);
  let b1 = word(5) ^ word(13);
  let b2 = word(6) ^ word(14);
  let b3 = word(7) ^ word(15);
  for (let i = 0; i < ITERATIONS; i++) {
    let j = (a0 & ADDRESS_MASK) >> 2;
    const m0 = pad[j] as number;
    const m1 = pad[j + 1] as number;
    const m2 = pad[j + 2] as number;
    const m3 = pad[j + 3] as number;
    const c0 = (T0[m0 & 255] as number) ^ (T1[(m1 >>> 8) & 255] as number) ^ (T2[(m2 >>> 16) & 255] as number) ^ (T3[m3 >>> 24] as number) ^ a0;
    const c1 = (T0[m1 & 255] as number) ^ (T1[(m2 >>> 8) & 255] as number) ^ (T2[(m3 >>> 16) & 255] as number) ^ (T3[m0 >>> 24] as number) ^ a1;
    const c2 = (T0[m2 & 255] as number) ^ (T1[(m3 >>> 8) & 255] as number) ^ (T2[(m0 >>> 16) & 255] as number) ^ (T3[m1 >>> 24] as number) ^ a2;
    const c3 = (T0[m3 & 255] as number) ^ (T1[(m0 >>> 8) & 255] as number) ^ (T2[(m1 >>> 16) & 255] as number) ^ (T3[m2 >>> 24] as number) ^ a3;
    pad[j] = c0 ^ b0;
    pad[j + 1] = c1 ^ b1;
    pad[j + 2] = c2 ^ b2;
    pad[j + 3] = c3 ^ b3;

    j = (c0 & ADDRESS_MASK) >> 2;
    const d0 = pad[j] as number;
    const d1 = pad[j + 1] as number;
    const d2 = pad[j + 2] as number;
    const d3 = pad[j + 3] as number;
    // (c1:c0) · (d1:d0); the high half is added to a1:a0, the low half to a3:a2.
    const mid = (highProduct(c0, d0) >>> 0) + (Math.imul(c0, d1) >>> 0) + (Math.imul(c1, d0) >>> 0);
    const high =
      (highProduct(c0, d1) >>> 0) + (highProduct(c1, d0) >>> 0) + (Math.imul(c1, d1) >>> 0) + Math.floor(mid / 0x100000000);
    const top = (highProduct(c1, d1) >>> 0) + Math.floor(high / 0x100000000);
    let sum = (a0 >>> 0) + (high >>> 0);
    const n0 = sum | 0;
    const n1 = (a1 + top + (sum > 0xffffffff ? 1 : 0)) | 0;
    sum = (a2 >>> 0) + (Math.imul(c0, d0) >>> 0);
    const n2 = sum | 0;
    const n3 = ((a3 >>> 0) + (mid >>> 0) + (sum > 0xffffffff ? 1 : 0)) | 0;
    pad[j] = n0;
    pad[j + 1] = n1;
    pad[j + 2] = n2;
    pad[j + 3] = n3;
    a0 = n0 ^ d0;
    a1 = n1 ^ d1;
    a2 = n2 ^ d2;
    a3 = n3 ^ d3;
    b0 = c0;
    b1 = c1;
    b2 = c2;
    b3 = c3;
  }
}

/**
 * CryptoNight variant 0: about 0.2 s and 2 MiB, on the calling thread. The scratchpad is wiped.
 * Source: crypto/slow-hash.c `cn_slow_hash`.
 */
export function slowHash(data: Uint8Array): Hash {
  const state = keccakState(data);
  const words = new Int32Array(state.buffer);
  const pad = new Int32Array(SCRATCHPAD_WORDS);
  const text = words.slice(16, 48);
  const fill = expandKey(state.subarray(0, 32));
  for (let i = 0; i < SCRATCHPAD_WORDS; i += 32) {
    pseudoRounds(text, fill);
    pad.set(text, i);
  }
  shake(pad, words);
  const drain = expandKey(state.subarray(32, 64));
  text.set(words.subarray(16, 48));
  for (let i = 0; i < SCRATCHPAD_WORDS; i += 32) {
    for (let j = 0; j < 32; j++) text[j] = (text[j] as number) ^ (pad[i + j] as number);
    pseudoRounds(text, drain);
  }
  words.set(text, 16);
  keccakP(new Uint32Array(state.buffer));
  pad.fill(0);
  const hash = FINAL_HASHES[(state[0] ?? 0) & 3]?.(state) as Hash;
  state.fill(0);
  return hash;
}
