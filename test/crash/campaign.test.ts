import { expect, it } from '@jest/globals';
import { runCampaign } from './campaign.js';
import { isNight } from '../support/jest/lanes.js';

/** Number of kills, fewer in the lane of each commit. */
const KILLS = isNight ? 5 : 2;

/** `npm run test:crash -- --kills 300` runs the long campaign. */
it('loses no acknowledged change through random kills of the process group', async () => {
  const report = await runCampaign({ kills: KILLS, seed: 'suite', log: () => undefined });
  expect(report.faults).toEqual([]);
  expect(report.kills).toBeGreaterThanOrEqual(KILLS);
  expect(report.answered).toBeGreaterThan(0);
});
