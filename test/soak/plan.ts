import type { Random } from '../support/fakes/seeded-random.js';
import { drawSome } from './chances.js';

/** Shares of the rounds with one, two and three troubles at once. */
export const SHARES: readonly number[] = [0.3, 0.4, 0.3];

/** Draws the troubles of a round. @param shares shares of rounds by their number of troubles, from 1 on. */
export function drawTroubles<T>(random: Random, possible: readonly T[], shares: readonly number[]): T[] {
  let left = random.below(1000) / 1000;
  let count = 1;
  for (const share of shares) {
    if (left < share) break;
    left -= share;
    count += 1;
  }
  return drawSome(random, possible, Math.min(count, shares.length));
}

/** Deals all troubles out to some rounds, each to one of them. */
export function dealTroubles<T>(random: Random, possible: readonly T[], rounds: number): T[][] {
  const all = drawSome(random, possible, possible.length);
  return Array.from({ length: rounds }, (_, round) => all.filter((__, i) => i % rounds === round));
}
