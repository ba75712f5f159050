import { randomBytes } from '#platform/crypto.js';

/**
 * Source of uniformly random bytes. Passed as an argument, so that tests can use a seeded source.
 * @example
 * const zeros: Rng = (length) => new Uint8Array(length);
 * zeros(2); // => Uint8Array.of(0, 0)
 */
export type Rng = (length: number) => Uint8Array;

/**
 * Random bytes of the operating system.
 * @example
 * systemRng(16).length; // => 16
 */
export const systemRng: Rng = randomBytes;

/**
 * Returns a source that draws bytes from another source in blocks of `size`, for many small draws: a draw of 7 bytes
 * from {@link systemRng} takes 4 µs, mostly for the call. Must not be used for keys, since bytes for later draws stay
 * in memory.
 */
export function inBlocks(rng: Rng, size = 1024): Rng {
  let block: Uint8Array = new Uint8Array();
  let used = 0;
  return (length) => {
    if (length > block.length - used) {
      block = rng(Math.max(size, length));
      used = 0;
    }
    used += length;
    return block.subarray(used - length, used);
  };
}

/** Returns a uniformly random integer in [0, bound), 1 ≤ bound ≤ 2^48, by rejection sampling. */
export function uniformInt(bound: number, rng: Rng): number {
  if (!Number.isSafeInteger(bound) || bound < 1 || bound > 2 ** 48) throw new RangeError(`bound: ${bound}`);
  const limit = 2 ** 48 - (2 ** 48 % bound);
  for (;;) {
    const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = rng(6);
    const value = ((a << 16) | (b << 8) | c) * 2 ** 24 + ((d << 16) | (e << 8) | f);
    if (value < limit) return value % bound;
  }
}

/** Returns a uniformly random integer in [0, bound), 1 ≤ bound ≤ 2^64, by rejection sampling. */
export function uniformBigInt(bound: bigint, rng: Rng): bigint {
  if (bound < 1n || bound > 1n << 64n) throw new RangeError(`bound: ${bound}`);
  const limit = (1n << 64n) - ((1n << 64n) % bound);
  for (;;) {
    const value = rng(8).reduce((acc, byte) => acc * 256n + BigInt(byte), 0n);
    if (value < limit) return value % bound;
  }
}

/** Returns a uniformly random double in [0, 1) with 53 random bits. */
export function uniformDouble(rng: Rng): number {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0] = rng(7);
  const high = ((a & 0x1f) << 16) | (b << 8) | c;
  const low = ((d << 24) | (e << 16) | (f << 8) | g) >>> 0;
  return (high * 2 ** 32 + low) / 2 ** 53;
}

/** Returns a shuffled copy of a list (Fisher-Yates). */
export function shuffled<T>(items: readonly T[], rng: Rng): T[] {
  const copy = [...items];
  for (let i = copy.length - 1; i > 0; i--) {
    const j = uniformInt(i + 1, rng);
    [copy[i], copy[j]] = [copy[j] as T, copy[i] as T];
  }
  return copy;
}
