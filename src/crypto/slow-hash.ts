import { blake256 } from '@noble/hashes/blake1.js';
import { keccakP } from '@noble/hashes/sha3.js';
import { T0, T1, T2, T3, tenRoundKeys } from './aes-tables.js';
import { groestl256 } from './groestl.js';
import { jh256 } from './jh.js';
import { skein512For256 } from './skein.js';
import type { Hash } from './types.js';

/** Bound once: a look-up of the global in the loop is ten times the whole hash inside a vm context. */
const { imul } = Math;

/** Scratchpad in 32-bit words: 2 MiB. */
const PAD_WORDS = 1 << 19;
/** Byte address of a 16-byte block within the scratchpad. */
const ADDRESS = 0x1ffff0;
const ITERATIONS = 1 << 19;
/** The eight AES blocks that fill and drain the scratchpad together. */
const TEXT_WORDS = 32;
/** Bytes of a Keccak state that one permutation absorbs. */
const RATE = 136;
const STATE_BYTES = 200;

/** The digest of the whole state, chosen by its two lowest bits. */
const FINISHERS: readonly ((state: Uint8Array) => Uint8Array)[] = [
  (state) => blake256(state),
  groestl256,
  jh256,
  skein512For256,
];

/** Keccak-1600 of `data`: the whole state, as 50 little-endian words. Source: hash.c `hash_process`. */
function absorb(data: Uint8Array): Uint32Array {
  const padded = new Uint8Array(RATE * (Math.floor(data.length / RATE) + 1));
  padded.set(data);
  padded[data.length] = 0x01;
  padded[padded.length - 1] = (padded[padded.length - 1] as number) | 0x80;
  const view = new DataView(padded.buffer);
  const state = new Uint32Array(STATE_BYTES / 4);
  for (let at = 0; at < padded.length; at += RATE) {
    for (let i = 0; i < RATE / 4; i++) state[i] = (state[i] as number) ^ view.getUint32(at + 4 * i, true);
    keccakP(state);
  }
  padded.fill(0);
  return state;
}

/** Ten AES rounds on each block of `text`, without the initial key addition. Source: aesb.c `aesb_pseudo_round`. */
function encipher(text: Int32Array, keys: Int32Array): void {
  for (let at = 0; at < TEXT_WORDS; at += 4) {
    let x0 = text[at] as number;
    let x1 = text[at + 1] as number;
    let x2 = text[at + 2] as number;
    let x3 = text[at + 3] as number;
    for (let k = 0; k < 40; k += 4) {
      const y0 =
        (T0[x0 & 255] as number) ^
        (T1[(x1 >>> 8) & 255] as number) ^
        (T2[(x2 >>> 16) & 255] as number) ^
        (T3[x3 >>> 24] as number) ^
        (keys[k] as number);
      const y1 =
        (T0[x1 & 255] as number) ^
        (T1[(x2 >>> 8) & 255] as number) ^
        (T2[(x3 >>> 16) & 255] as number) ^
        (T3[x0 >>> 24] as number) ^
        (keys[k + 1] as number);
      const y2 =
        (T0[x2 & 255] as number) ^
        (T1[(x3 >>> 8) & 255] as number) ^
        (T2[(x0 >>> 16) & 255] as number) ^
        (T3[x1 >>> 24] as number) ^
        (keys[k + 2] as number);
      x3 =
        (T0[x3 & 255] as number) ^
        (T1[(x0 >>> 8) & 255] as number) ^
        (T2[(x1 >>> 16) & 255] as number) ^
        (T3[x2 >>> 24] as number) ^
        (keys[k + 3] as number);
      x0 = y0;
      x1 = y1;
      x2 = y2;
    }
    text[at] = x0;
    text[at + 1] = x1;
    text[at + 2] = x2;
    text[at + 3] = x3;
  }
}

/** High word of a 32×32-bit product, from 16-bit halves. */
function highProduct(x: number, y: number): number {
  const xl = x & 0xffff;
  const xh = x >>> 16;
  const yl = y & 0xffff;
  const yh = y >>> 16;
  const cross = imul(xl, yh);
  const other = imul(xh, yl);
  const middle = (imul(xl, yl) >>> 16) + (cross & 0xffff) + (other & 0xffff);
  return (imul(xh, yh) + (cross >>> 16) + (other >>> 16) + (middle >>> 16)) | 0;
}

/** 1 when `sum`, an unsigned 32-bit sum with `addend`, has wrapped. */
const carryOf = (sum: number, addend: number): number => (sum >>> 0 < addend >>> 0 ? 1 : 0);

/**
 * The memory-hard part: 2^19 times one AES round at an address and one 64×64-bit product at the next.
 * @param seed the words of `a`, then those of `b`.
 */
function mix(pad: Int32Array, seed: Int32Array): void {
  let a0 = seed[0] as number;
  let a1 = seed[1] as number;
  let a2 = seed[2] as number;
  let a3 = seed[3] as number;
  let b0 = seed[4] as number;
  let b1 = seed[5] as number;
  let b2 = seed[6] as number;
  let b3 = seed[7] as number;
  for (let i = 0; i < ITERATIONS; i++) {
    let at = (a0 & ADDRESS) >>> 2;
    const x0 = pad[at] as number;
    const x1 = pad[at + 1] as number;
    const x2 = pad[at + 2] as number;
    const x3 = pad[at + 3] as number;
    const c0 =
      (T0[x0 & 255] as number) ^
      (T1[(x1 >>> 8) & 255] as number) ^
      (T2[(x2 >>> 16) & 255] as number) ^
      (T3[x3 >>> 24] as number) ^
      a0;
    const c1 =
      (T0[x1 & 255] as number) ^
      (T1[(x2 >>> 8) & 255] as number) ^
      (T2[(x3 >>> 16) & 255] as number) ^
      (T3[x0 >>> 24] as number) ^
      a1;
    const c2 =
      (T0[x2 & 255] as number) ^
      (T1[(x3 >>> 8) & 255] as number) ^
      (T2[(x0 >>> 16) & 255] as number) ^
      (T3[x1 >>> 24] as number) ^
      a2;
    const c3 =
      (T0[x3 & 255] as number) ^
      (T1[(x0 >>> 8) & 255] as number) ^
      (T2[(x1 >>> 16) & 255] as number) ^
      (T3[x2 >>> 24] as number) ^
      a3;
    pad[at] = b0 ^ c0;
    pad[at + 1] = b1 ^ c1;
    pad[at + 2] = b2 ^ c2;
    pad[at + 3] = b3 ^ c3;

    at = (c0 & ADDRESS) >>> 2;
    const d0 = pad[at] as number;
    const d1 = pad[at + 1] as number;
    const d2 = pad[at + 2] as number;
    const d3 = pad[at + 3] as number;

    // (c1:c0) · (d1:d0) = p3:p2:p1:p0
    const low = imul(c0, d1);
    const cross = imul(c1, d0);
    const p0 = imul(c0, d0);
    const partial = (highProduct(c0, d0) + low) | 0;
    const p1 = (partial + cross) | 0;
    const carry1 = carryOf(partial, low) + carryOf(p1, cross);
    const high = highProduct(c0, d1);
    const highCross = highProduct(c1, d0);
    const top = imul(c1, d1);
    const partial2 = (high + highCross) | 0;
    const partial3 = (partial2 + top) | 0;
    const p2 = (partial3 + carry1) | 0;
    const carry2 = carryOf(partial2, high) + carryOf(partial3, top) + carryOf(p2, carry1);
    const p3 = (highProduct(c1, d1) + carry2) | 0;

    // The product's high half goes to the low half of `a`, and the other way round.
    a0 = (a0 + p2) | 0;
    a1 = (a1 + p3 + carryOf(a0, p2)) | 0;
    a2 = (a2 + p0) | 0;
    a3 = (a3 + p1 + carryOf(a2, p0)) | 0;
    pad[at] = a0;
    pad[at + 1] = a1;
    pad[at + 2] = a2;
    pad[at + 3] = a3;
    a0 ^= d0;
    a1 ^= d1;
    a2 ^= d2;
    a3 ^= d3;
    b0 = c0;
    b1 = c1;
    b2 = c2;
    b3 = c3;
  }
}

/**
 * CryptoNight, the original variant; the reference stretches passwords with it. About a tenth of a second and
 * 2 MiB, which are wiped. Its memory accesses depend on the data, as its design asks for.
 * Source: slow-hash.c `cn_slow_hash`, variant 0.
 */
export function slowHash(data: Uint8Array): Hash {
  const state = absorb(data);
  const words = new Int32Array(state.buffer);
  const pad = new Int32Array(PAD_WORDS);
  const text = words.slice(16, 16 + TEXT_WORDS);

  const fillKeys = tenRoundKeys(words.subarray(0, 8));
  for (let at = 0; at < PAD_WORDS; at += TEXT_WORDS) {
    encipher(text, fillKeys);
    pad.set(text, at);
  }

  const seed = Int32Array.from({ length: 8 }, (_, i) => (words[i] as number) ^ (words[i + 8] as number));
  mix(pad, seed);

  const drainKeys = tenRoundKeys(words.subarray(8, 16));
  text.set(words.subarray(16, 16 + TEXT_WORDS));
  for (let at = 0; at < PAD_WORDS; at += TEXT_WORDS) {
    for (let i = 0; i < TEXT_WORDS; i++) text[i] = (text[i] as number) ^ (pad[at + i] as number);
    encipher(text, drainKeys);
  }
  words.set(text, 16);
  keccakP(state);

  const bytes = new Uint8Array(STATE_BYTES);
  const view = new DataView(bytes.buffer);
  state.forEach((word, i) => {
    view.setUint32(4 * i, word, true);
  });
  const finish = FINISHERS[(bytes[0] as number) & 3] as (state: Uint8Array) => Uint8Array;
  const digest = finish(bytes);
  for (const secret of [pad, text, seed, fillKeys, drainKeys, state, bytes]) secret.fill(0);
  return digest as Hash;
}
