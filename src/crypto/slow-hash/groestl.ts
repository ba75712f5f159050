import { multiplyGf, SBOX } from './aes-round.js';

const ROUNDS = 10;
const SHIFT = { p: [0, 1, 2, 3, 4, 5, 6, 7], q: [1, 3, 5, 7, 0, 2, 4, 6] };
const MIX = [2, 2, 3, 4, 5, 3, 5, 7];

/** One of the two permutations of the 8x8 state; byte `8·column + row`. */
function permute(input: Uint8Array, which: 'p' | 'q'): Uint8Array {
  let state = Uint8Array.from(input);
  for (let round = 0; round < ROUNDS; round++) {
    for (let column = 0; column < 8; column++) {
      const at = 8 * column;
      if (which === 'p') state[at] = (state[at] ?? 0) ^ (column << 4) ^ round;
      else {
        for (let row = 0; row < 8; row++) state[at + row] = (state[at + row] ?? 0) ^ 0xff;
        state[at + 7] = (state[at + 7] ?? 0) ^ (column << 4) ^ round;
      }
    }
    const shifted = new Uint8Array(64);
    for (let column = 0; column < 8; column++)
      for (let row = 0; row < 8; row++) {
        const from = 8 * ((column + (SHIFT[which][row] ?? 0)) % 8) + row;
        shifted[8 * column + row] = SBOX[state[from] ?? 0] ?? 0;
      }
    state = new Uint8Array(64);
    for (let column = 0; column < 8; column++)
      for (let row = 0; row < 8; row++) {
        let mixed = 0;
        for (let k = 0; k < 8; k++) mixed ^= multiplyGf(shifted[8 * column + ((row + k) % 8)] ?? 0, MIX[k] ?? 0);
        state[8 * column + row] = mixed;
      }
  }
  return state;
}

const xor = (a: Uint8Array, b: Uint8Array): Uint8Array => a.map((byte, i) => byte ^ (b[i] ?? 0));

/** Grøstl-256. */
export function groestl256(data: Uint8Array): Uint8Array {
  const blocks = Math.ceil((data.length + 9) / 64);
  const padded = new Uint8Array(64 * blocks);
  padded.set(data);
  padded[data.length] = 0x80;
  new DataView(padded.buffer).setUint32(padded.length - 4, blocks);
  let chain: Uint8Array = new Uint8Array(64);
  chain[62] = 1;
  for (let i = 0; i < padded.length; i += 64) {
    const block = padded.subarray(i, i + 64);
    chain = xor(xor(permute(xor(chain, block), 'p'), permute(block, 'q')), chain);
  }
  return xor(permute(chain, 'p'), chain).slice(32);
}
