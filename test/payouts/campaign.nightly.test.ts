import { describe, expect, it } from '@jest/globals';
import type { Loose } from '../support/network/json-rpc.js';
import { KINDS, type Kind, type RoundSize, type Step } from './plan.js';
import { runPayouts, type PayoutCampaignOptions } from './report.js';
import type { Planting } from './world.js';

const ROUNDS = 3;
const MINUTES_MS = 20 * 60_000;

const options: Omit<PayoutCampaignOptions, 'rounds'> = {
  ...{ seed: 'night', first: 1, kills: Infinity, ms: Infinity },
  ...{ log: () => undefined, repeat: String },
};

it.each(KINDS)(
  'pays each payout once, or not at all, through rounds of trouble of the kind %s',
  async (kind) => {
    const rounds = kind === 'hot' ? ROUNDS : 1;
    const { violations, counts, ended } = await runPayouts({ ...options, rounds, kind });
    expect(violations).toEqual([]);
    expect(counts.kills).toBeGreaterThan(rounds);
    expect(counts.takeovers > 0).toBe(kind === 'cluster');
    expect(counts.approvals > 0).toBe(kind === 'approved');
    expect(counts.signedSets > 0).toBe(kind === 'view-only');
    expect(ended['confirmed']).toBeGreaterThan(rounds);
  },
  MINUTES_MS,
);

/** Steps that draw payouts to own addresses, too. */
const CREATES = Array.from({ length: 8 }, () => 'create' as const);
const TINY: RoundSize = { steps: 3, further: 1, outputs: 20, furtherOutputs: 1 };

/** Returns a planting that changes the confirmed payouts of a list. */
const inConfirmed =
  (change: (payout: Loose) => void): Planting =>
  (method, result) => {
    if (method !== 'list_payouts' && method !== 'get_payout') return;
    const payouts = (method === 'get_payout' ? [result] : (result.payouts ?? [])) as Loose[];
    for (const payout of payouts) if (payout.state === 'confirmed') change(payout);
  };

/** Makes each result of a method a success. */
const withoutErrors =
  (of: string): Planting =>
  (method, result) => {
    if (method === of) for (const one of (result.results ?? []) as Loose[]) delete one.error;
  };

/** Returns a planting of a server that creates what it has to refuse. */
function acceptingAll(): Planting {
  const accepted = new Set<unknown>();
  return (method, result) => {
    if (method === 'create_payouts')
      for (const one of (result.results ?? []) as Loose[])
        if (one.error !== undefined) {
          accepted.add(one.payout_id);
          delete one.error;
        }
    const { payouts } = result;
    if (method === 'list_payouts' && payouts?.length > 0)
      for (const payout_id of accepted) payouts.push({ ...payouts[0], payout_id });
  };
}

describe('a planted defect is found:', () => {
  it.each<[what: string, kind: Kind, steps: readonly Step[] | undefined, plant: Planting, violation: RegExp]>(
    [
      [
        'a payout that counts as confirmed, and is not',
        ...(['hot', undefined] as const),
        (method, result) => {
          for (const payout of (method === 'list_payouts' ? (result.payouts ?? []) : []) as Loose[])
            if (payout.state === 'sent') payout.state = 'confirmed';
        },
        /listed as confirmed/,
      ],
      [
        'a payee that receives less than the payout says',
        ...(['hot', undefined] as const),
        inConfirmed((payout) => {
          if (payout.fee === 'wallet' && !payout.allow_own)
            [payout.received, payout.amount] = [payout.received + 1, payout.amount + 1];
        }),
        /the payees received/,
      ],
      [
        'an own address that receives less than the payout says',
        ...(['hot', CREATES] as const),
        inConfirmed((payout) => {
          if (payout.fee === 'wallet' && payout.allow_own)
            [payout.received, payout.amount] = [payout.received + 1, payout.amount + 1];
        }),
        /the payer has no output/,
      ],
      [
        'a payout to an own address that was not allowed',
        ...(['hot', CREATES] as const),
        acceptingAll(),
        /pays an own address without allow_own/,
      ],
      [
        'a payment that no event tells of',
        ...(['hot', undefined] as const),
        (method, _, world) => {
          if (method === 'sweep_all' || method === 'list_payouts') world.sent.add('a'.repeat(64));
        },
        /was sent, and no event tells of it/,
      ],
      [
        'a created payout that is lost',
        ...(['hot', undefined] as const),
        (method, result) => {
          if (method === 'list_payouts') result.payouts = (result.payouts as Loose[] | undefined)?.slice(1);
        },
        /was created, and is lost/,
      ],
      [
        'an approval of other terms',
        ...(['approved', ['create', 'approve with a wrong hash']] as const),
        withoutErrors('approve_payouts'),
        /other terms are approved/,
      ],
      [
        'an approval by the creator',
        ...(['approved', ['create', 'approve by the creator']] as const),
        (method, result) => {
          if (method !== 'approve_payouts') return;
          for (const one of (result.results ?? []) as Loose[]) one.payout ??= { state: 'queued' };
        },
        /its creator has approved it/,
      ],
      [
        'a limit without an effect',
        ...(['approved', ['create']] as const),
        (method, result) => {
          if (method === 'create_payouts' && result.results?.[0]?.payout_id === 'beyond the limit')
            delete result.results[0].error;
        },
        /beyond the limit of \d+ is answered/,
      ],
      [
        'a limit that nothing is given back to',
        ...(['approved', ['create']] as const),
        (method, result) => {
          if (method === 'create_payouts' && result.results?.[0]?.payout_id === 'within the limit')
            result.results[0].error = { code: -61 };
        },
        /within the limit of \d+ is refused/,
      ],
    ],
  )('%s', async (_, kind, fixed, plant, violation) => {
    const size = fixed === undefined ? TINY : { ...TINY, fixed };
    const { violations } = await runPayouts({ ...options, rounds: 1, size, kind, plant });
    expect(violations.map(({ text }) => text)).toContainEqual(expect.stringMatching(violation));
  });
});
