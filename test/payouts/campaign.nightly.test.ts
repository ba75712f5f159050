import { describe, expect, it } from '@jest/globals';
import type { Loose } from '../support/network/json-rpc.js';
import type { RoundSize } from './plan.js';
import { runPayouts, type PayoutCampaignOptions } from './report.js';
import type { Planting } from './world.js';

const ROUNDS = 5;
const MINUTES_MS = 20 * 60_000;

const options: Omit<PayoutCampaignOptions, 'rounds'> = {
  ...{ seed: 'night', first: 1, kills: Infinity, ms: Infinity },
  ...{ log: () => undefined, repeat: String },
};

it(
  'pays each payout once, or not at all, through rounds of trouble',
  async () => {
    const report = await runPayouts({ ...options, rounds: ROUNDS });
    expect(report.violations).toEqual([]);
    expect(report.counts.kills).toBeGreaterThanOrEqual(2 * ROUNDS);
    expect(report.ended['confirmed']).toBeGreaterThan(ROUNDS);
  },
  MINUTES_MS,
);

const TINY: RoundSize = { steps: 3, further: 1, outputs: 20, furtherOutputs: 1 };

/** Returns a planting that changes the confirmed payouts of a list. */
const inConfirmed =
  (change: (payout: Loose) => void): Planting =>
  (method, result) => {
    if (method !== 'list_payouts' && method !== 'get_payout') return;
    const payouts = (method === 'get_payout' ? [result] : (result.payouts ?? [])) as Loose[];
    for (const payout of payouts) if (payout.state === 'confirmed') change(payout);
  };

describe('a planted defect is found:', () => {
  it.each<[what: string, plant: Planting, violation: RegExp]>([
    [
      'a payout that counts as confirmed, and is not',
      (method, result) => {
        for (const payout of (method === 'list_payouts' ? (result.payouts ?? []) : []) as Loose[])
          if (payout.state === 'sent') payout.state = 'confirmed';
      },
      /listed as confirmed/,
    ],
    [
      'a payee that receives less than the payout says',
      inConfirmed((payout) => {
        if (payout.fee === 'wallet')
          [payout.received, payout.amount] = [payout.received + 1, payout.amount + 1];
      }),
      /the payees received/,
    ],
    [
      'a created payout that is lost',
      (method, result) => {
        if (method === 'list_payouts') result.payouts = (result.payouts as Loose[] | undefined)?.slice(1);
      },
      /was created, and is lost/,
    ],
  ])('%s', async (_, plant, violation) => {
    const { violations } = await runPayouts({ ...options, rounds: 1, size: TINY, plant });
    expect(violations.map(({ text }) => text)).toContainEqual(expect.stringMatching(violation));
  });
});
