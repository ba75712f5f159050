import { describe, expect, it } from '@jest/globals';
import type { Loose } from '../support/network/json-rpc.js';
import { ApprovalModel, type ApprovalRule } from './approval-model.js';
import type { PayoutEvent } from './payout-states.js';

const CREATOR = 'clerk';
const CREATED = 1_800_000_000;
const RULE: ApprovalRule = { above: 50, approvals: 2, delay: 0, own: false };

/** Rules, and approvals: who gives them, when after the creation, and whether they are answered. */
interface Story {
  readonly rules: readonly ApprovalRule[];
  readonly approvals: readonly (readonly [by: string, seconds: number, isGiven?: boolean])[];
  /** Time of the sending after the creation [s]. */
  readonly sentAfter?: number;
  /** Rules that the file has later, and whether the server has certainly read them. */
  readonly later?: { readonly rules: readonly ApprovalRule[]; readonly isRead: boolean };
}

const event = (id: number, type: string, seconds: number, was?: string): PayoutEvent => ({
  ...{ id, type: `payout.${type}`, timestamp: new Date(1000 * (CREATED + seconds)).toISOString() },
  data: { payout_id: 'w', amount: 100, account_index: 1, ...(was === undefined ? {} : { was }) },
});

/** Sends a payout of 100 of account 1. @returns the violations, and the model. */
function send({ rules, approvals, sentAfter = 1000, later }: Story): [string[], ApprovalModel] {
  const found: string[] = [];
  const model = new ApprovalModel(rules, (text) => found.push(text));
  model.enter(event(1, 'awaiting_approval', 0), CREATOR);
  for (const [by, seconds, isGiven = true] of approvals)
    model.answer('w', model.ask('w', by, CREATED + seconds), isGiven);
  if (later !== undefined) {
    model.mayBecome(later.rules);
    if (later.isRead) model.became();
  }
  model.enter(event(2, 'sending', sentAfter, 'queued'), CREATOR);
  return [found, model];
}

const BOTH = [
  ['anna', 10],
  ['bert', 20],
] as const;
const STRICTER = [{ ...RULE, approvals: 3 }];

describe('a payout is sent rightly', () => {
  it.each<[what: string, story: Story]>([
    ['with all approvals', { rules: [RULE], approvals: BOTH }],
    ['without a rule', { rules: [], approvals: [] }],
    ['below the amount of a rule', { rules: [{ ...RULE, above: 100 }], approvals: [] }],
    ['if the rule is of another account', { rules: [{ ...RULE, accounts: [0] }], approvals: [] }],
    ['if the rule is of another creator', { rules: [{ ...RULE, creator: 'other' }], approvals: [] }],
    ['once its delay is over', { rules: [{ ...RULE, delay: 980 }], approvals: BOTH }],
    [
      'with the approval of its creator, where that counts',
      {
        rules: [{ ...RULE, own: true }],
        approvals: [
          ['anna', 10],
          [CREATOR, 20],
        ],
      },
    ],
    [
      'under the former rule while the file is read again',
      { rules: [RULE], approvals: BOTH, later: { rules: STRICTER, isRead: false } },
    ],
  ])('%s', (_, story) => {
    expect(send(story)[0]).toEqual([]);
  });
});

describe('a payout is found to be sent wrongly', () => {
  it.each<[what: string, story: Story]>([
    ['with one of two approvals', { rules: [RULE], approvals: [['anna', 10]] }],
    [
      'with a refused approval',
      {
        rules: [RULE],
        approvals: [
          ['anna', 10],
          ['bert', 20, false],
        ],
      },
    ],
    [
      'with two approvals of one client',
      {
        rules: [RULE],
        approvals: [
          ['anna', 10],
          ['anna', 20],
        ],
      },
    ],
    [
      'with an approval of its creator',
      {
        rules: [RULE],
        approvals: [
          ['anna', 10],
          [CREATOR, 20],
        ],
      },
    ],
    [
      'with an approval of its creator that one of two rules allows',
      {
        rules: [RULE, { ...RULE, own: true }],
        approvals: [
          ['anna', 10],
          [CREATOR, 20],
        ],
      },
    ],
    ['before its delay is over', { rules: [{ ...RULE, delay: 990 }], approvals: BOTH }],
    ['before a delay without approvals', { rules: [{ ...RULE, approvals: 0, delay: 1200 }], approvals: [] }],
    [
      'by a rule that holds no more',
      { rules: [RULE], approvals: BOTH, later: { rules: STRICTER, isRead: true } },
    ],
    [
      'against all rules that may hold',
      { rules: [{ ...RULE, approvals: 4 }], approvals: BOTH, later: { rules: STRICTER, isRead: false } },
    ],
  ])('%s', (_, story) => {
    expect(send(story)[0]).toHaveLength(1);
  });

  it('if its set is laid out for another wallet', () => {
    const [found, model] = send({ rules: [RULE], approvals: BOTH });
    model.mayBecome(STRICTER);
    model.became();
    model.enter(event(3, 'awaiting_signature', 1100, 'queued'), CREATOR);
    expect(found).toHaveLength(1);
  });
});

describe('the approvals of a list', () => {
  const history = (...names: readonly string[]): Loose[] => names.map((by) => ({ action: 'approved', by }));
  const listed = { payout_id: 'w', state: 'confirmed', history: history('anna', 'bert') };

  it.each<[what: string, change: object, violations: number]>([
    ['are right', {}, 0],
    ['lack one', { history: history('anna') }, 1],
    ['have one that nobody gave', { history: history('anna', 'bert', 'carl') }, 1],
    ['have one twice', { history: history('anna', 'bert', 'bert') }, 1],
    ['end with a rejection of nobody', { state: 'rejected' }, 1],
  ])('%s', (_, change, violations) => {
    const [found, model] = send({ rules: [RULE], approvals: BOTH });
    model.compare({ ...listed, ...change });
    expect(found).toHaveLength(violations);
  });
});

describe('the limit of a creator', () => {
  const DAY = 86_400;
  const row = (payout_id: string, created_at: number, change: object = {}): Loose => ({
    ...{ payout_id, created_at, created_by: CREATOR, state: 'queued', amount: 60, fee: 'payee' },
    ...change,
  });

  it.each<[what: string, rows: readonly Loose[], violations: number]>([
    ['is not exceeded by one payout', [row('a', 0)], 0],
    ['is exceeded by two within a day', [row('b', DAY - 1), row('a', 0)], 1],
    ['is not exceeded by one on each of two days', [row('b', DAY), row('a', 0)], 0],
    ['is not exceeded by one that was given back', [row('b', 5), row('a', 0, { state: 'rejected' })], 0],
    ['is exceeded by one that was paid', [row('b', 5), row('a', 0, { state: 'confirmed' })], 1],
    ['is not exceeded by payouts of others', [row('b', 5), row('a', 0, { created_by: 'anna' })], 0],
    ['counts the largest share of the fee', [row('a', 0, { fee: 'wallet', max_fee: 41 })], 1],
  ])('%s', (_, rows, violations) => {
    const found: string[] = [];
    new ApprovalModel([], (text) => found.push(text)).checkLimit(rows, CREATOR, 100);
    expect(found).toHaveLength(violations);
  });
});
