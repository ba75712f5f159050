import { fromHex } from '../../util/bytes.js';

const ROUNDS = 42;
const SBOXES = [
  [9, 0, 4, 11, 13, 12, 3, 15, 1, 10, 2, 6, 7, 5, 8, 14],
  [3, 12, 6, 13, 5, 7, 1, 9, 15, 2, 0, 4, 11, 10, 14, 8],
];
/** Fraction of √2: the constant of the first round. */
const FIRST_CONSTANT = '6a09e667f3bcc908b2fb1366ea957d3e3adec17512775099da2f590b0667322a';

const mix = (a: number): number => ((a << 1) ^ (a >> 3) ^ ((a >> 2) & 2)) & 0xf;

/** Substitution, mixing of pairs and permutation of 4-bit elements; bit i of `select` chooses the box. */
function round(elements: Uint8Array, select: (i: number) => number): Uint8Array {
  const n = elements.length;
  const mixed = elements.map((element, i) => SBOXES[select(i)]?.[element] ?? 0);
  for (let i = 0; i < n; i += 2) {
    const b = (mixed[i + 1] ?? 0) ^ mix(mixed[i] ?? 0);
    mixed[i + 1] = b;
    mixed[i] = (mixed[i] ?? 0) ^ mix(b);
  }
  const swapPairs = (from: number, step: number, of: Uint8Array): void => {
    for (let i = from; i < n; i += step) [of[i], of[i + 1]] = [of[i + 1] ?? 0, of[i] ?? 0];
  };
  swapPairs(2, 4, mixed);
  const permuted = new Uint8Array(n);
  for (let i = 0; i < n / 2; i++) {
    permuted[i] = mixed[2 * i] ?? 0;
    permuted[i + n / 2] = mixed[2 * i + 1] ?? 0;
  }
  swapPairs(n / 2, 2, permuted);
  return permuted;
}

/** Round constants: each is the smaller round function applied to the one before. */
const CONSTANTS: readonly Uint8Array[] = ((): Uint8Array[] => {
  let constant = Uint8Array.from(fromHex(FIRST_CONSTANT).reduce<number[]>((all, byte) => [...all, byte >> 4, byte & 0xf], []));
  return Array.from({ length: ROUNDS }, () => {
    const current = constant;
    constant = Uint8Array.from(round(constant, () => 0));
    return current;
  });
})();

const bit = (bytes: Uint8Array, i: number): number => ((bytes[i >> 3] ?? 0) >> (7 - (i & 7))) & 1;

function bijection(state: Uint8Array): Uint8Array {
  const grouped = Uint8Array.from({ length: 256 }, (_, i) =>
    (bit(state, i) << 3) | (bit(state, i + 256) << 2) | (bit(state, i + 512) << 1) | bit(state, i + 768),
  );
  let elements = Uint8Array.from({ length: 256 }, (_, i) => grouped[(i >> 1) + (i & 1) * 128] ?? 0);
  for (const constant of CONSTANTS) elements = Uint8Array.from(round(elements, (i) => ((constant[i >> 2] ?? 0) >> (3 - (i & 3))) & 1));
  const out = new Uint8Array(128);
  elements.forEach((element, k) => {
    const i = (k >> 1) + (k & 1) * 128;
    for (let plane = 0; plane < 4; plane++) {
      const at = i + 256 * plane;
      out[at >> 3] = (out[at >> 3] ?? 0) | (((element >> (3 - plane)) & 1) << (7 - (at & 7)));
    }
  });
  return out;
}

function compress(chain: Uint8Array, block: Uint8Array): Uint8Array {
  const state = Uint8Array.from(chain);
  block.forEach((byte, i) => (state[i] = (state[i] ?? 0) ^ byte));
  const mixed = bijection(state);
  block.forEach((byte, i) => (mixed[64 + i] = (mixed[64 + i] ?? 0) ^ byte));
  return mixed;
}

/** JH-256. */
export function jh256(data: Uint8Array): Uint8Array {
  // The length has a block of its own unless the data fills its last one.
  const padded = new Uint8Array(64 * (Math.ceil(data.length / 64) + 1));
  padded.set(data);
  padded[data.length] = 0x80;
  new DataView(padded.buffer).setUint32(padded.length - 4, 8 * data.length);
  let chain: Uint8Array = new Uint8Array(128);
  chain[0] = 1;
  chain = compress(chain, new Uint8Array(64));
  for (let i = 0; i < padded.length; i += 64) chain = compress(chain, padded.subarray(i, i + 64));
  return chain.slice(96);
}
