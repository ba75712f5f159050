import type { Hash } from './types.js';

const BLOCK = 64;
const ROUNDS = 72;
const MASK = (1n << 64n) - 1n;

/** Rotations of the four MIX pairs, for each round modulo 8. */
const ROTATIONS = [
  [46n, 36n, 19n, 37n],
  [33n, 27n, 14n, 42n],
  [17n, 49n, 36n, 39n],
  [44n, 9n, 54n, 56n],
  [39n, 30n, 34n, 24n],
  [13n, 50n, 10n, 17n],
  [25n, 29n, 39n, 43n],
  [8n, 35n, 56n, 22n],
] as const;
const PERMUTATION = [2, 1, 4, 7, 6, 5, 0, 3] as const;
const KEY_PARITY = 0x1bd11bdaa9fc1a22n;

/** Block types of the tweak. */
const CONFIGURATION = 4n;
const MESSAGE = 48n;
const OUTPUT = 63n;

const rotated = (word: bigint, by: bigint): bigint => ((word << by) | (word >> (64n - by))) & MASK;

/** Encrypts a block with Threefish-512. */
function encipher(key: readonly bigint[], tweak: readonly bigint[], plain: readonly bigint[]): bigint[] {
  const keys = [...key, key.reduce((parity, word) => parity ^ word, KEY_PARITY)];
  const tweaks = [...tweak, (tweak[0] as bigint) ^ (tweak[1] as bigint)];
  const addSubkey = (words: readonly bigint[], s: number): bigint[] =>
    words.map((word, i) => {
      let sum = word + (keys[(s + i) % 9] as bigint);
      if (i === 5) sum += tweaks[s % 3] as bigint;
      if (i === 6) sum += tweaks[(s + 1) % 3] as bigint;
      if (i === 7) sum += BigInt(s);
      return sum & MASK;
    });
  let words: readonly bigint[] = plain;
  for (let round = 0; round < ROUNDS; round++) {
    const mixed = round % 4 === 0 ? addSubkey(words, round / 4) : [...words];
    ROTATIONS[(round % 8) as 0].forEach((by, pair) => {
      const right = mixed[2 * pair + 1] as bigint;
      const left = ((mixed[2 * pair] as bigint) + right) & MASK;
      mixed[2 * pair] = left;
      mixed[2 * pair + 1] = rotated(right, by) ^ left;
    });
    words = PERMUTATION.map((from) => mixed[from] as bigint);
  }
  return addSubkey(words, ROUNDS / 4);
}

/**
 * Processes one message by unique block iteration (UBI).
 * @param chain chaining value before.
 * @param type block type.
 * @returns the chaining value after the message.
 */
function iterate(chain: readonly bigint[], message: Uint8Array, type: bigint): readonly bigint[] {
  const padded = new Uint8Array(BLOCK * Math.max(1, Math.ceil(message.length / BLOCK)));
  padded.set(message);
  const view = new DataView(padded.buffer);
  for (let at = 0; at < padded.length; at += BLOCK) {
    const words = Array.from({ length: 8 }, (_, i) => view.getBigUint64(at + 8 * i, true));
    const first = at === 0 ? 1n << 62n : 0n;
    const final = at + BLOCK === padded.length ? 1n << 63n : 0n;
    const position = BigInt(Math.min(at + BLOCK, message.length));
    const cipher = encipher(chain, [position, first | final | (type << 56n)], words);
    chain = cipher.map((word, i) => word ^ (words[i] as bigint));
  }
  return chain;
}

/** Chaining value after the configuration block: schema "SHA3", version 1, 256 bits of output. */
const INITIAL: readonly bigint[] = ((): readonly bigint[] => {
  const configuration = new Uint8Array(32);
  configuration.set([0x53, 0x48, 0x41, 0x33, 1]);
  new DataView(configuration.buffer).setUint32(8, 256, true);
  return iterate(new Array<bigint>(8).fill(0n), configuration, CONFIGURATION);
})();

/** Computes Skein-512-256, version 1.3. Source: skein.c; the Skein specification 1.3. */
export function skein512For256(data: Uint8Array): Hash {
  const words = iterate(iterate(INITIAL, data, MESSAGE), new Uint8Array(8), OUTPUT);
  const digest = new Uint8Array(32);
  const view = new DataView(digest.buffer);
  words.slice(0, 4).forEach((word, i) => {
    view.setBigUint64(8 * i, word, true);
  });
  return digest as Hash;
}
