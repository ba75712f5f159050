import { expect, it } from '@jest/globals';
import { runOrderCampaign } from './order-campaign.js';

/** Number of kills. */
const KILLS = 5;

/** `npm run test:crash -- --orders --kills 500` runs the long campaign. */
it('pays every order once through kills at any step of its call', async () => {
  const report = await runOrderCampaign({ kills: KILLS, seed: 'suite', log: () => undefined });
  expect(report.faults).toEqual([]);
  expect([report.kills, report.orders]).toEqual([KILLS, KILLS]);
});
