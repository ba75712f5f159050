import { doubled, SBOX } from './aes-box.js';
import type { Hash } from './types.js';

/** Size of the state [bytes]: a matrix of 8×8 bytes, stored by columns. */
const SIZE = 64;
const ROUNDS = 10;

/** Number of bytes by which ShiftBytes rotates each row to the left, in P and in Q. */
const SHIFT_P = [0, 1, 2, 3, 4, 5, 6, 7] as const;
const SHIFT_Q = [1, 3, 5, 7, 0, 2, 4, 6] as const;

/** First row of the circulant matrix of MixBytes. */
const MIX = [2, 2, 3, 4, 5, 3, 5, 7] as const;

/** `MULTIPLES[m][b] = m·b` in GF(2^8), m ≤ 7. */
const MULTIPLES = Array.from({ length: 8 }, (_, m) =>
  Uint8Array.from({ length: 256 }, (_, b) => {
    const twice = doubled(b);
    return (m & 1 ? b : 0) ^ (m & 2 ? twice : 0) ^ (m & 4 ? doubled(twice) : 0);
  }),
);

function addRoundConstant(state: Uint8Array, round: number, isQ: boolean): void {
  if (isQ) for (let i = 0; i < SIZE; i++) state[i] = ~(state[i] as number);
  const row = isQ ? 7 : 0;
  for (let column = 0; column < 8; column++) {
    const at = 8 * column + row;
    state[at] = (state[at] as number) ^ (column << 4) ^ round;
  }
}

/** Applies the permutation P, or Q if `isQ`. */
function permute(input: Uint8Array, isQ: boolean): Uint8Array {
  const shift = isQ ? SHIFT_Q : SHIFT_P;
  const state = Uint8Array.from(input);
  const shifted = new Uint8Array(SIZE);
  for (let round = 0; round < ROUNDS; round++) {
    addRoundConstant(state, round, isQ);
    for (let i = 0; i < SIZE; i++) {
      const row = i % 8;
      const from = (8 * ((i >> 3) + (shift[row] as number)) + row) % SIZE;
      shifted[i] = SBOX[state[from] as number] as number;
    }
    for (let i = 0; i < SIZE; i++) {
      const row = i % 8;
      const column = i - row;
      let mixed = 0;
      for (let k = 0; k < 8; k++)
        mixed ^= (MULTIPLES[MIX[(k - row + 8) % 8] as number] as Uint8Array)[
          shifted[column + k] as number
        ] as number;
      state[i] = mixed;
    }
  }
  return state;
}

const xorInto = (target: Uint8Array, source: Uint8Array): void => {
  for (let i = 0; i < SIZE; i++) target[i] = (target[i] as number) ^ (source[i] as number);
};

/** Computes Grøstl-256, in the tweaked version of the SHA-3 finals. Source: groestl.c; grostl.info specification. */
export function groestl256(data: Uint8Array): Hash {
  // The padding consists of one byte 0x80, zeros, and the number of blocks as a big-endian u64.
  const blocks = Math.ceil((data.length + 9) / SIZE);
  const padded = new Uint8Array(blocks * SIZE);
  padded.set(data);
  padded[data.length] = 0x80;
  new DataView(padded.buffer).setBigUint64(padded.length - 8, BigInt(blocks));

  const chain = new Uint8Array(SIZE);
  chain[SIZE - 2] = 1; // initial value: the output length 256 in bits, big-endian
  for (let at = 0; at < padded.length; at += SIZE) {
    const block = padded.subarray(at, at + SIZE);
    const q = permute(block, true);
    const mixed = Uint8Array.from(block);
    xorInto(mixed, chain);
    xorInto(chain, permute(mixed, false));
    xorInto(chain, q);
  }
  xorInto(chain, permute(chain, false));
  return chain.slice(SIZE - 32) as Hash;
}
