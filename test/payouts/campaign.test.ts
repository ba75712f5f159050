import { expect, it } from '@jest/globals';
import type { RoundSize } from './plan.js';
import { runPayouts } from './report.js';

/* `npm run test:payouts -- --kills 300` runs the long campaign. */

const SMALL: RoundSize = { steps: 7, further: 1, outputs: 20, furtherOutputs: 1 };

it('pays each payout once, or not at all, through kills and reorganisations', async () => {
  const report = await runPayouts({
    ...{ seed: 'suite', first: 1, rounds: 1, kills: Infinity, ms: Infinity, size: SMALL, kind: 'hot' },
    ...{ log: () => undefined, repeat: String },
  });
  expect(report.violations).toEqual([]);
  expect(report.counts.kills).toBeGreaterThan(0);
  expect(report.ended['confirmed']).toBeGreaterThan(0);
});
