import { describe, expect, it } from '@jest/globals';
import { requirementOf, type ApprovalRule } from '../../../src/model/payout-rule.js';
import { readCredentials } from '../../../src/rpc/access/credential-file.js';
import { amount } from '../../../src/util/amount.js';

/** Address of the cold store. */
const COLD =
  '44AFFq5kSiGBoZ4NMDwYtN18obc8AemS33DBLWs3H7otXft3XjrpDtQGv7SqSsaBYBb98uNbr2VBBEt7f2wfn3RVGQBEP3A';

const read = (...payouts: unknown[]) =>
  readCredentials(JSON.stringify({ credentials: [], payouts }), new Set<string>()).policies;

const ACCOUNTS = { wallets: ['hot'], accounts: [0] };
const SWEEP = { keep: '5', above: '5', to: COLD };

describe('a policy for payouts', () => {
  it('is read with all of its rules', () => {
    expect(
      read({
        ...{ ...ACCOUNTS, approve_above: '7', approvals: 0, delay: 60, own: true },
        ...{ sweep: SWEEP, consolidate: { above: 16, max_fee_rate: 20_000, hours: '22-05' } },
        ...{ low_water: '9', outputs: 2 },
      }),
    ).toEqual([
      {
        ...{ wallets: ['hot'], accounts: [0] },
        approval: { approveAbove: 7n, approvals: 0, delay: 60, own: true },
        sweep: { keep: 5n, above: 5n, to: COLD, interval: 3600 },
        consolidation: { above: 16, maxFeeRate: 20_000n, hours: { from: 22, to: 5 } },
        ...{ lowWater: 9n, outputs: 2 },
      },
    ]);
  });

  it('needs two approvals of every amount if it gives a delay alone', () => {
    expect(read({ wallets: ['*'], delay: 5 })).toEqual([
      { wallets: ['*'], approval: { approveAbove: 0n, approvals: 2, delay: 5, own: false } },
    ]);
    expect(read({ wallets: ['*'] })).toEqual([{ wallets: ['*'] }]);
  });

  it.each<[string, object, string]>([
    ['without wallets', { wallets: [] }, 'wallets: at least one wallet is expected'],
    ['with an unknown rule', { ...ACCOUNTS, approve: 1 }, 'Unrecognized key'],
    [
      'with an amount as a number',
      { ...ACCOUNTS, approve_above: 5 },
      'an amount in atomic units, as a string',
    ],
    ['with a negative delay', { ...ACCOUNTS, delay: -1 }, 'at least 0 is expected'],
    ['with too many approvals', { ...ACCOUNTS, approvals: 11 }, 'at most 10 is expected'],
    [
      'that sweeps below what it keeps',
      { ...ACCOUNTS, sweep: { ...SWEEP, keep: '6' } },
      'above is at least keep',
    ],
    ['that sweeps to no address', { ...ACCOUNTS, sweep: { ...SWEEP, to: 'cold' } }, 'this is no address'],
    ['that sweeps without accounts', { wallets: ['hot'], sweep: SWEEP }, 'need accounts'],
    ['that keeps outputs without accounts', { wallets: ['hot'], outputs: 5 }, 'need accounts'],
    [
      'with hours of no clock',
      { ...ACCOUNTS, consolidate: { above: 16, max_fee_rate: 1, hours: '24-05' } },
      'two hours',
    ],
    ['that joins few outputs', { ...ACCOUNTS, consolidate: { above: 15, max_fee_rate: 1 } }, 'at least 16'],
  ])('%s is refused', (_, policy, message) => {
    expect(() => read(policy)).toThrow(message);
  });
});

describe('the requirement of a payout', () => {
  const rule = (more: Partial<ApprovalRule>): ApprovalRule => ({
    ...{ approveAbove: 10n, approvals: 1, delay: 0, own: true },
    ...more,
  });

  it('is that of the strictest rule for its amount', () => {
    const rules = [
      rule({ delay: 9 }),
      rule({ approvals: 3, own: false }),
      rule({ approveAbove: 20n, delay: 99 }),
    ];
    expect(requirementOf(rules, amount(10n))).toBeUndefined();
    expect(requirementOf(rules, amount(11n))).toEqual({ approvals: 3, delay: 9, own: false });
    expect(requirementOf(rules, amount(21n))?.delay).toBe(99);
    expect(requirementOf([], amount(21n))).toBeUndefined();
  });
});
