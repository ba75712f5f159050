import { fromHex } from '../../util/bytes.js';
import type { Hash } from './types.js';

const BLOCK = 64;
const ROUNDS = 42;

/** The two substitutions of a nibble, one after the other. A bit of the round constant chooses one of them. */
const BOXES = Uint8Array.of(
  ...[9, 0, 4, 11, 13, 12, 3, 15, 1, 10, 2, 6, 7, 5, 8, 14],
  ...[3, 12, 6, 13, 5, 7, 1, 9, 15, 2, 0, 4, 11, 10, 14, 8],
);

/** Multiplication by x in GF(2^4) modulo x^4 + x + 1. */
const DOUBLED = Uint8Array.from(
  { length: 16 },
  (_, nibble) => ((nibble << 1) ^ ((nibble >> 3) * 0x13)) & 0xf,
);

/** Returns the source indices of the permutation `P_d = φ_d ∘ P'_d ∘ π_d`: `out[i] = in[source[i]]`. */
function permutation(size: number): Uint8Array {
  const half = size / 2;
  const turned = (i: number): number => (i & 2 ? i ^ 1 : i);
  return Uint8Array.from({ length: size }, (_, i) =>
    i < half ? turned(2 * i) : turned(2 * ((i ^ 1) - half) + 1),
  );
}

/**
 * Applies one round to `nibbles`: substitution, the linear map on pairs, permutation.
 * @param boxes for each nibble, the offset of its substitution in `BOXES`.
 */
function round(nibbles: Uint8Array, source: Uint8Array, boxes: Uint8Array): Uint8Array {
  const size = nibbles.length;
  const mixed = new Uint8Array(size);
  for (let i = 0; i < size; i += 2) {
    const a = BOXES[(boxes[i] as number) + (nibbles[i] as number)] as number;
    const b = BOXES[(boxes[i + 1] as number) + (nibbles[i + 1] as number)] as number;
    const d = b ^ (DOUBLED[a] as number);
    mixed[i + 1] = d;
    mixed[i] = a ^ (DOUBLED[d] as number);
  }
  const permuted = new Uint8Array(size);
  for (let i = 0; i < size; i++) permuted[i] = mixed[source[i] as number] as number;
  return permuted;
}

const toNibbles = (bytes: Uint8Array): Uint8Array =>
  Uint8Array.from(
    { length: 2 * bytes.length },
    (_, i) => ((bytes[i >> 1] as number) >> (i & 1 ? 0 : 4)) & 0xf,
  );

/**
 * Substitutions of each round, as offsets in `BOXES`. The bits of the round constants choose them: the fractional part
 * of √2, then `C_{r+1} = R_6(C_r)` under the first substitution.
 */
const ROUND_BOXES: readonly Uint8Array[] = ((): Uint8Array[] => {
  const source = permutation(64);
  const first = new Uint8Array(64);
  let constant = toNibbles(fromHex('6a09e667f3bcc908b2fb1366ea957d3e3adec17512775099da2f590b0667322a'));
  return Array.from({ length: ROUNDS }, () => {
    const boxes = new Uint8Array(256);
    for (let i = 0; i < 256; i++) boxes[i] = (((constant[i >> 2] as number) >> (3 - (i & 3))) & 1) << 4;
    constant = round(constant, source, first);
    return boxes;
  });
})();

const SOURCE_256 = permutation(256);

/** Returns the index in the state of bit `k` of nibble `i`; a nibble has one bit of each quarter of the state. */
const stateBit = (i: number, k: number): number => (i >> 1) + (i & 1) * 128 + 256 * k;

/** Applies the permutation E8 to 1024 bits, in place. */
function permute(state: Uint8Array): void {
  let nibbles: Uint8Array = new Uint8Array(256);
  for (let i = 0; i < 256; i++) {
    for (let k = 0; k < 4; k++) {
      const at = stateBit(i, k);
      nibbles[i] = ((nibbles[i] as number) << 1) | (((state[at >> 3] as number) >> (7 - (at & 7))) & 1);
    }
  }
  for (const boxes of ROUND_BOXES) nibbles = round(nibbles, SOURCE_256, boxes);
  state.fill(0);
  for (let i = 0; i < 256; i++) {
    for (let k = 0; k < 4; k++) {
      const at = stateBit(i, k);
      state[at >> 3] =
        (state[at >> 3] as number) | ((((nibbles[i] as number) >> (3 - k)) & 1) << (7 - (at & 7)));
    }
  }
}

/** Applies the compression function F8, in place. */
function compress(state: Uint8Array, block: Uint8Array): void {
  for (let i = 0; i < BLOCK; i++) state[i] = (state[i] as number) ^ (block[i] as number);
  permute(state);
  for (let i = 0; i < BLOCK; i++) state[BLOCK + i] = (state[BLOCK + i] as number) ^ (block[i] as number);
}

/**
 * State before the first block of a message, for a digest of 256 bits: the digest length, compressed with an empty
 * block.
 */
const INITIAL: Uint8Array = ((): Uint8Array => {
  const state = new Uint8Array(2 * BLOCK);
  state[0] = 1;
  compress(state, new Uint8Array(BLOCK));
  return state;
})();

/** Computes JH-256, in the 42-round version of the SHA-3 finals. Source: jh.c; Hongjun Wu's specification. */
export function jh256(data: Uint8Array): Hash {
  // The padding consists of a one bit, zeros, and the message length in bits as a big-endian u128; it always adds at
  // least one block.
  const padded = new Uint8Array(BLOCK * (Math.ceil(data.length / BLOCK) + 1));
  padded.set(data);
  padded[data.length] = 0x80;
  new DataView(padded.buffer).setBigUint64(padded.length - 8, 8n * BigInt(data.length));

  const state = Uint8Array.from(INITIAL);
  for (let at = 0; at < padded.length; at += BLOCK) compress(state, padded.subarray(at, at + BLOCK));
  return state.slice(2 * BLOCK - 32) as Hash;
}
