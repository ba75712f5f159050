import { seededRandom, type Random } from '../support/fakes/seeded-random.js';

/** Seeded random choices by purpose: one purpose draws nothing from the sequence of another one. */
export class Chances {
  readonly #seed: string;
  readonly #streams = new Map<string, Random>();

  constructor(seed: string) {
    this.#seed = seed;
  }

  /** Returns the sequence of a purpose, which goes on where its last user ended. */
  of(purpose: string): Random {
    const known = this.#streams.get(purpose);
    if (known !== undefined) return known;
    const random = seededRandom(`${this.#seed}/${purpose}`);
    this.#streams.set(purpose, random);
    return random;
  }
}

/** Draws different values, in the order in which they were drawn. */
export function drawSome<T>(random: Random, values: readonly T[], count: number): T[] {
  const left = [...values];
  const drawn: T[] = [];
  while (drawn.length < count && left.length > 0) drawn.push(...left.splice(random.below(left.length), 1));
  return drawn;
}
