import { expect, it } from '@jest/globals';
import { KINDS } from './soak-node.js';
import { runSoak } from './soak.js';
import { TROUBLES } from './troubles.js';

/** A short run with all troubles in one round; `soak.nightly.test.ts` and `npm run soak` have the long ones. */
it('loses nothing acknowledged and pays no order twice in one round of troubles', async () => {
  const report = await runSoak({
    ...{ wallets: 2, roundMs: 2500, pauseMs: 800, blockMs: 1500, kinds: KINDS, log: () => undefined },
    ...{ seed: 'suite', only: [], dealt: 1, ms: 0, rounds: 1 },
  });
  expect(report.faults).toEqual([]);
  const missing = new Set(report.unavailable.map(({ trouble }) => trouble));
  const run = report.rounds.flatMap(({ troubles }) => troubles);
  const names = TROUBLES.map(({ name }) => name);
  expect(new Set(run)).toEqual(new Set(names.filter((name) => !missing.has(name))));
  for (const number of [report.rounds.at(-1)?.facts, report.rounds.at(-1)?.paid])
    expect(number).toBeGreaterThan(0);
});
