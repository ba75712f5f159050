import { createHash } from 'node:crypto';
import type { Random } from '../support/fakes/seeded-random.js';

/**
 * Seeded random choices that take nanoseconds, for mutations.
 *
 * Source: Chris Doty-Humphrey, PractRand, `sfc32`.
 */
export function quickRandom(seed: string): Omit<Random, 'text'> {
  const digest = createHash('sha256').update(seed).digest();
  let [a, b, c] = [digest.readInt32LE(0), digest.readInt32LE(4), digest.readInt32LE(8)];
  let counter = 1;
  const next = (): number => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11) | 0) + sum) | 0;
    return sum >>> 0;
  };
  for (let i = 0; i < 12; i++) next();
  const below = (limit: number): number => next() % limit;
  return {
    below,
    chance: (probability) => below(1_000_000) < probability * 1_000_000,
    pick: (values) => values[below(values.length)] ?? values[0],
  };
}
