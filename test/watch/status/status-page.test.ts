import { describe, expect, it } from '@jest/globals';
import { NO_SUMS } from '../../../src/services/history/payment-sums.js';
import { NO_PAYOUTS } from '../../../src/services/payouts/payout-figures.js';
import type { ReceivingAddress } from '../../../src/watch/status/receiving.js';
import { statusPage } from '../../../src/watch/status/status-page.js';
import type { ListedWallet, StatusView } from '../../../src/watch/status/status-view.js';

const wallet = (changes: Partial<ListedWallet> = {}): ListedWallet => ({
  ...{ name: 'w', height: 50, daemonHeight: 100, blocks: 50, isDamaged: false, progress: undefined },
  ...{ pendingPayments: 0, failedPayments: 0, webhookEvents: 0, webhookRetries: 0, lastEvent: 0 },
  ...{
    heldPayments: 0,
    lowAccounts: 0,
    unreadableInPool: 0,
    blocksAgain: 0,
    storeBytes: 1,
    logBytes: 2,
    requests: new Map(),
    today: NO_SUMS,
  },
  ...{ payouts: NO_PAYOUTS, payoutAges: new Map(), payoutObstacles: new Map() },
  ...changes,
});

const page = (changes: Partial<StatusView> = {}, address?: ReceivingAddress): string =>
  statusPage(
    {
      reasons: [],
      daemon: { address: 'a:1', hasAnswered: true, outage: 0, height: 100, synchronized: true, listed: [] },
      ...{ wallets: [], unopened: [], names: [], uptime: 7300, events: [], payments: [], lastId: 5 },
      ...{ requests: new Map(), today: NO_SUMS, cluster: undefined, work: undefined },
      payouts: undefined,
      ...changes,
    },
    { address },
  ).replace(/\s+/g, ' ');

describe('the status page', () => {
  const idle = { isCompiled: undefined, memory: undefined, hashMs: undefined, seedMs: undefined };
  const none = { checked: 0, unmet: 0, pending: 0, ended: 0, problem: undefined, ...idle };

  it('shows the checks of proof of work, and the reason for which no block is verified', () => {
    expect(page()).not.toContain('Proof of work');
    const verified = page({
      work: {
        ...{ height: 1999, knownHeight: 1999, waiting: 0 },
        process: { ...none, state: 'ready', memory: 325_058_560, hashMs: 61.4 },
      },
    });
    expect(verified).toContain('Proof of work');
    expect(verified).toContain('2,000');
    expect(verified).toContain('310 MiB');
    expect(verified).toContain('61 ms');
    const problem = 'the proof of work of block 5 cannot be checked: install the package librandomx0';
    const failed = page({
      work: { height: 4, knownHeight: 9, waiting: 2, problem, process: { ...none, state: 'failed' } },
    });
    expect(failed).toContain(problem);
    expect(failed).toContain('Blocks to verify');
  });

  it('names every reason for which the server is not ready', () => {
    const text = page({
      reasons: [
        { reason: 'opening_wallets', wallets: 1 },
        { reason: 'daemon_unreachable', seconds: 75 },
        { reason: 'wallets_behind', wallets: 2, blocks: 1500 },
        { reason: 'disk_nearly_full', free_bytes: 52_428_800 },
        { reason: 'store_damaged', wallets: 1 },
        { reason: 'wallets_not_opened', wallets: 2, causes: ['wrong_password'] },
      ],
    });
    expect(text).toContain(
      '1 wallet still to be opened; no answer of the daemon for 1 min; 2 wallets behind, by up to 1,500 blocks; ' +
        '50 MiB of disk space left; 1 wallet with a damaged store; 2 wallets not opened',
    );
    expect(text).toContain('>Not ready<');
  });

  it('shows the processes of a cluster with their wallets, and wallets without a holder', () => {
    const members = [
      { url: 'http://a:1', isAlive: true, isSelf: true, wallets: ['shop', '<hot>'], count: 2 },
      { url: 'http://b:1', isAlive: false, isSelf: false, wallets: [], count: 0 },
    ];
    const text = page({ cluster: { isReachable: true, members, orphans: ['lost'] } });
    expect(text).toContain('http://a:1 (this process)');
    expect(text).toContain('2 wallets: shop, &lt;hot&gt;');
    expect(text).toContain('does not answer');
    expect(text).toContain('1 wallet without a holder');
    expect(text).toContain('>lost<');
    expect(page({ cluster: { isReachable: false, members, orphans: [] } })).toContain(
      'Database does not answer',
    );
    expect(page()).not.toContain('Cluster');
  });

  it('names each wallet of --open that could not be opened, with the reason', () => {
    const text = page({
      unopened: [{ name: 'shop', cause: 'wrong_password', reason: 'invalid <password>' }],
    });
    expect(text).toContain('<strong>shop</strong>');
    expect(text).toContain('>Not opened<');
    expect(text).toContain('invalid &lt;password&gt;');
  });

  it.each([
    [{ address: undefined }, 'Offline'],
    [{ hasAnswered: false }, 'No answer yet'],
    [{ outage: 90 }, 'No answer for 1 min'],
    [{ synchronized: false }, 'Syncing'],
    [{}, 'Answers'],
  ])('shows the state of the daemon: %j is %s', (changes, text) => {
    const { daemon } = {
      daemon: { address: 'a:1', hasAnswered: true, outage: 0, height: 1, synchronized: true, listed: [] },
    };
    expect(page({ daemon: { ...daemon, ...changes } })).toContain(`>${text}<`);
  });

  it('shows the place of the daemon in the list, and the others with their blocks or problems', () => {
    const listed = [
      { name: 'a:1', serves: false, problem: 'it is <syncing>' },
      { name: 'b:1', serves: true, height: 100 },
      { name: 'c:1', serves: false, height: 1234 },
      { name: 'd:1', serves: false, height: 1234, twins: 'one node with <b:1>' },
      { name: 'e:1', serves: false, problem: 'it is down', twins: 'one node with b:1' },
    ];
    const daemon = { address: 'b:1', hasAnswered: true, outage: 0, height: 100, synchronized: true };
    const text = page({ daemon: { ...daemon, listed } });
    expect(text).toContain('<dd>2 of 5 listed</dd>');
    expect(text).toMatch(/<dt>a:1<\/dt> <dd>it is &lt;syncing&gt;<\/dd>/);
    expect(text).toMatch(/<dt>c:1<\/dt> <dd>1,234 blocks<\/dd>/);
    expect(text).toMatch(/<dt>d:1<\/dt> <dd>1,234 blocks; one node with &lt;b:1&gt;<\/dd>/);
    expect(text).toMatch(/<dt>e:1<\/dt> <dd>it is down; one node with b:1<\/dd>/);
    expect(text).not.toContain('<dt>b:1</dt>');
    expect(page({ daemon: { ...daemon, listed: listed.slice(1, 2) } })).not.toContain('listed');
  });

  it('shows the progress of a wallet with its rate and time left', () => {
    const progress = { name: 'w', height: 50, daemonHeight: 100, rate: 1234, secondsLeft: 3600 };
    const text = page({ wallets: [wallet({ progress })], names: ['w'] });
    expect(text).toContain('50 of 100 blocks, 50.0 %, 1,234 blocks/s, 1 h left');
    expect(text).toMatch(/<progress max="100" value="50"/);
    expect(text).toContain('<li data-behind>');
  });

  it('shows damage, unfinished payments and webhook deliveries of a wallet', () => {
    const troubled = wallet({
      ...{ isDamaged: true, pendingPayments: 2, failedPayments: 1, webhookEvents: 3, webhookRetries: 4 },
    });
    const text = page({ wallets: [troubled], names: ['w'] });
    for (const part of [
      'Store damaged',
      '2 pending payments',
      '1 failed payment<',
      '7 webhook deliveries wait',
    ])
      expect(text).toContain(part);
  });

  it('counts the payment requests by state, and the open ones of each wallet', () => {
    const requests = new Map([
      ['waiting', 1200],
      ['seen', 1],
      ['paid', 7],
    ] as const);
    const text = page({
      requests,
      wallets: [
        wallet({
          requests: new Map([
            ['partial', 1],
            ['paid', 9],
          ]),
        }),
      ],
    });
    expect(text).toContain('1,201 open payment requests');
    expect(text).toMatch(/<dt>Waiting<\/dt> <dd>1,200<\/dd>/);
    expect(text).toMatch(/<dt>Paid<\/dt> <dd>7<\/dd>/);
    expect(text).toMatch(/<dt>Expired<\/dt> <dd>0<\/dd>/);
    expect(text).toContain('>1 open payment request<');
    expect(page()).toContain('There is none.');
  });

  it('shows the sums of the day, of all wallets and of each wallet with payments', () => {
    const all = { received: 2_500_000_000_000n, requested: 2_000_000_000_000n, sent: 300_000_000_000n };
    const one = { received: 1_000_000_000_000n, requested: 0n, sent: 0n };
    const text = page({ today: all, wallets: [wallet({ today: one }), wallet({ today: all })] });
    expect(text).toMatch(/<dt>Received<\/dt> <dd>2.5 XMR<\/dd>/);
    expect(text).toMatch(/<dt>For payment requests<\/dt> <dd>2 XMR<\/dd>/);
    expect(text).toMatch(/<dt>Sent<\/dt> <dd>0.3 XMR<\/dd>/);
    expect(text).toContain('>Today: +1 XMR, −0 XMR<');
    expect(text).toContain('>Today: +2.5 XMR (2 XMR for payment requests), −0.3 XMR<');
    expect(page({ wallets: [wallet()] })).not.toContain('Today:');
  });

  it('shows a wallet before its first refresh, and one in memory', () => {
    const text = page({ wallets: [wallet({ name: '', daemonHeight: undefined, blocks: 0 })], names: [''] });
    expect(text).toContain('Not refreshed yet');
    expect(text).toContain('Wallet in memory');
  });

  it('counts the wallets that it does not list', () => {
    const names = Array.from({ length: 1000 }, (_, i) => `w${i}`);
    expect(page({ wallets: [wallet()], names })).toContain('999 other wallets lack no more blocks');
  });

  it('shows an address with its QR code, dark on light', () => {
    const text = page({ names: ['w'] }, { wallet: 'w', index: 3, address: '8abc', used: false });
    expect(text).toContain('Address 3 of w');
    expect(text).toMatch(/<svg [^>]*><rect fill="white"[^>]*\/><path fill="black" d="M/);
  });
});
