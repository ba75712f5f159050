import { describe, expect, it } from '@jest/globals';
import { concernsOf, type ConcernParts } from '../../../src/watch/status/attention.js';
import { facts, node, quiet } from './status-fixtures.js';

const NOW = 100_000;

const concerns = (changes: Partial<ConcernParts> = {}): string[] =>
  concernsOf({ ...quiet(), facts: [], now: NOW, ...changes }).map(
    ({ isUrgent, text }) => `${isUrgent ? 'now' : 'soon'}: ${text}`,
  );

describe('what needs attention', () => {
  it('is nothing on a quiet server', () => {
    expect(concerns({ facts: [facts('a')] })).toEqual([]);
  });

  it('has every reason for which the server is not ready, and each wallet that is not open', () => {
    expect(
      concerns({
        reasons: [{ reason: 'daemon_unreachable', seconds: 75 }],
        unopened: [{ name: 'shop', cause: 'wrong_password', reason: 'invalid password' }],
      }),
    ).toEqual(['now: no answer of the daemon for 1 min', 'now: shop is not open: invalid password']);
  });

  it('has a node without peers, behind them, or without a new block', () => {
    expect(
      concerns({ daemon: node({ peers: { outgoing: 0, incoming: 3 }, lag: 4, sinceNewBlock: 1800 }) }),
    ).toEqual([
      'now: the node has no peers that it connected to',
      'now: the node lacks 4 blocks of its peers',
      'now: the node has had no new block for 30 min',
    ]);
    expect(concerns({ daemon: node({ lag: 3, sinceNewBlock: 1799, peers: undefined }) })).toEqual([]);
    const own = node({ network: 'fakechain', peers: { outgoing: 0, incoming: 0 }, sinceNewBlock: 9999 });
    expect(concerns({ daemon: own })).toEqual([]);
    // An outage is a reason of its own.
    expect(concerns({ daemon: node({ outage: 5, lag: 99 }) })).toEqual([]);
  });

  it('has the next fork, urgently if this server does not know it', () => {
    const fork = (version: number): string[] =>
      concerns({ daemon: node({ nextFork: { height: 820, version } }) });
    expect(fork(16)).toEqual([expect.stringMatching(/^soon: hard fork .* in about 1 d$/)]);
    expect(fork(17)).toEqual([expect.stringMatching(/^now: .* update this server before$/)]);
  });

  it('has the notice of a fork in place of the next fork', () => {
    const notice = {
      version: 17,
      height: 820,
      blocks: 720,
      when: 'block 820',
      isUrgent: true,
      text: 'a fork',
    };
    const nextFork = { height: 820, version: 17 };
    expect(concerns({ daemon: node({ nextFork, forks: [notice] }) })).toEqual(['now: a fork']);
    const known = [{ ...notice, isUrgent: false }];
    expect(concerns({ daemon: node({ nextFork, newestFork: 18, forks: known }) })).toEqual(['soon: a fork']);
    expect(concerns({ daemon: node({ nextFork: { height: 9000, version: 18 }, forks: [notice] }) })).toEqual([
      'now: a fork',
      expect.stringMatching(/^now: hard fork to version 18 /),
    ]);
    expect(concerns({ daemon: node({ outage: 5, forks: [notice] }) })).toEqual([]);
  });

  it('has payments in no block for half an hour, with their transactions', () => {
    const payment = { wallet: 'w', order: undefined, payouts: 0 };
    const found = concernsOf({
      ...quiet(),
      ...{ facts: [], now: NOW },
      waiting: [
        { ...payment, txHash: 'aa', made: NOW - 1800 },
        { ...payment, txHash: 'bb', made: NOW - 1799 },
      ],
    });
    expect(found).toEqual([
      {
        ...{ isUrgent: true, text: 'a payment has been in no block for 30 min' },
        item: { kind: 'transaction', wallet: 'w', id: 'aa' },
      },
    ]);
  });

  it('has payouts that wait long in the queue, for approval, or for the end of a pause', () => {
    const ages = (...all: [string, number][]) => ({
      payoutAges: new Map(all) as ReturnType<typeof facts>['payoutAges'],
    });
    expect(
      concerns({
        facts: [
          facts('a', ages(['queue', 1800])),
          facts('b', ages(['approval', 60])),
          facts('c', ages(['queue', 9])),
        ],
      }),
    ).toEqual([
      'now: a payout has waited in the queue for 30 min',
      'soon: a payout has waited for approval for 1 min',
    ]);
  });

  it('sums up what several wallets share', () => {
    const wallets = [
      facts('a', { webhookRetries: 2, disabledWebhooks: 1 }),
      facts('b', { webhookRetries: 1, heldPayments: 1, lowAccounts: 2 }),
    ];
    expect(concerns({ facts: wallets })).toEqual([
      'now: 1 payment held for a node that does not serve',
      'now: 1 webhook disabled, since the endpoint answered 410',
      'now: 3 webhook deliveries failed, to be tried again',
      'soon: 2 accounts with a balance below its limit',
    ]);
  });

  it('has a disk with a tenth of its space left, once', () => {
    const disk = { free: 9, total: 100 };
    expect(concerns({ disk })).toEqual(['soon: 9 % of the disk is free']);
    expect(concerns({ disk, reasons: [{ reason: 'disk_nearly_full', free_bytes: 9 }] })).toHaveLength(1);
  });
});
