import { seededRng } from './seeded-rng.js';

/** Seeded random choices. */
export interface Random {
  /** Integer in [0, below). */
  below(below: number): number;
  /** True with this probability. */
  chance(probability: number): boolean;
  pick<T>(values: readonly [T, ...T[]]): T;
  /** Text of 1 to 24 characters, some of them outside ASCII. */
  text(): string;
}

const ALPHABET = [...'abcdefghijklmnopqrstuvwxyz 0123456789äß€"\\\'%_日本'];

export function seededRandom(seed: string | number): Random {
  const bytes = seededRng(seed);
  const below = (limit: number): number => {
    const [a = 0, b = 0, c = 0, d = 0] = bytes(4);
    return (((a << 24) | (b << 16) | (c << 8) | d) >>> 0) % limit;
  };
  return {
    below,
    chance: (probability) => below(1_000_000) < probability * 1_000_000,
    pick: (values) => values[below(values.length)] ?? values[0],
    text: () =>
      Array.from({ length: 1 + below(24) }, () => ALPHABET[below(ALPHABET.length)] ?? 'x')
        .join('')
        .trim() || 'blank',
  };
}
