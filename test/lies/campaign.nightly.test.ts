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

/** Lies of a run of three rounds: one that hides what is spent, one about a reward, and one about a sent payment. */
const CHOSEN = ['20,removed-key-image=1,no-prunable-hash', '20,raised-reward', '80,refused-payment'];

it('credits, loses and frees nothing while daemons lie, and an honest daemon takes over', async () => {
  const deck = deckOf({ work: false, only: CHOSEN });
  const report = await runLies({
    ...{ seed: 'suite', deck, first: 1, rounds: deck.length, ms: Infinity, args: [] },
    ...{ log: () => undefined, repeat: String },
  });
  expect(report.violations).toEqual([]);
  expect(report.lies.map(({ lie }) => lie)).toEqual(deck.map(({ what }) => what).sort());
  for (const name of ['removed-key-image', 'raised-reward'])
    expect(report.lies.find(({ lie }) => lie.includes(name))).toMatchObject({ disproved: 1, replaced: 1 });
});

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
