import { expect, it } from '@jest/globals';
import { runCampaign } from './campaign.js';

/** `npm run test:crash -- --kills 300` runs the long campaign. */
it('loses no acknowledged change through random kills of the process group', async () => {
  const report = await runCampaign({ kills: 5, seed: 'suite', log: () => undefined });
  expect(report.faults).toEqual([]);
  expect(report.kills).toBeGreaterThanOrEqual(5);
  expect(report.answered).toBeGreaterThan(0);
});
