import { expect, it } from '@jest/globals';
import { deckOf } from './plan.js';
import { runLies, type LiesOptions } from './report.js';

/* `npm run test:lies` has the long run. */

const MINUTES = 5;
/** Time for the last round of a run, and for the comparison after it [ms]. */
const LAST_MS = 5 * 60_000;

const options: Omit<LiesOptions, 'deck' | 'rounds'> = {
  ...{ seed: 'night', first: 1, ms: MINUTES * 60_000, args: [] },
  ...{ log: () => undefined, repeat: String },
};

it(
  'credits, loses and frees nothing while daemons lie',
  async () => {
    const report = await runLies({ ...options, deck: deckOf({ work: false, only: [] }), rounds: Infinity });
    expect(report.violations).toEqual([]);
    expect(report.rounds.length).toBeGreaterThan(5);
    expect(report.lies.some(({ disproved }) => disproved > 0)).toBe(true);
  },
  MINUTES * 60_000 + LAST_MS,
);

it(
  'finds payments that are credited, and spends that are believed',
  async () => {
    for (const [only, violation] of [
      ['forged-blocks', /^credited: the payment \w+ of 9000000000000 /],
      ['forged-spend', /^lost: /],
    ] as const) {
      const deck = deckOf({ work: true, only: [only] });
      const { violations } = await runLies({ ...options, deck, rounds: 1 });
      expect(violations.map(({ text }) => text)).toContainEqual(expect.stringMatching(violation));
    }
  },
  2 * LAST_MS,
);
