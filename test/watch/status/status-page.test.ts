import { describe, expect, it } from '@jest/globals';
import { statusPage, type Extras } from '../../../src/watch/status/status-page.js';
import type { StatusView } from '../../../src/watch/status/status-content.js';
import { walletQuery } from '../../../src/watch/status/wallet-table.js';
import { shown } from './shown-payouts.js';
import { listed, node, quiet } from './status-fixtures.js';

const page = (changes: Partial<StatusView> = {}, extras: Partial<Extras> = {}): string =>
  statusPage(quiet(changes), { seesSums: true, mayReceive: true, token: 't', ...extras }).replace(
    /\s+/g,
    ' ',
  );

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

  it('says whether the server is ready, and what needs attention, with links', () => {
    const text = page({
      reasons: [{ reason: 'store_damaged', wallets: 1 }],
      concerns: [
        { isUrgent: true, text: 'a payment <waits>', item: { kind: 'transaction', wallet: 'a&b', id: 'ff' } },
        { isUrgent: false, text: '2 accounts with a balance below its limit', isInTable: true },
      ],
    });
    expect(text).toContain('>Not ready<');
    expect(text).toContain('<span class="badge bad">Now</span> <span><bdi>a payment &lt;waits&gt;</bdi>');
    expect(text).toContain('href="/status/item?kind=transaction&amp;wallet=a%26b&amp;id=ff"');
    expect(text).toContain('<a href="/status?show=trouble#wallets">');
    expect(page()).toContain('>Ready<');
    expect(page()).toContain('<span class="badge good">Nothing</span>');
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
  ])('shows the state of the node: %j is %s', (changes, text) => {
    expect(page({ daemon: node(changes) })).toContain(`>${text}<`);
  });

  it('shows lag, version, peers and the next fork of the node, and what it does not tell', () => {
    const told = page({ daemon: node({ lag: 7, nextFork: { height: 3_000_000, version: 17 } }) });
    expect(told).toContain('<dt>Behind peers</dt> <dd>7 blocks</dd>');
    expect(told).toContain('<dt>Newest block</dt> <dd>1 min ago</dd>');
    expect(told).toContain('<dt>Peers</dt> <dd>8 out, 1 in</dd>');
    expect(told).toContain('<dt>Version</dt> <dd>0.18.4.0</dd>');
    expect(told).toContain('<dd>17 at 3,000,000</dd>');
    const notice = { version: 17, height: 7, isUrgent: false, text: '' };
    const near = { ...notice, blocks: 1, when: 'block 7, in about 2 min, on 2026-08-01' };
    expect(page({ daemon: node({ forks: [near] }) })).toContain(
      '<dt>Fork 17</dt> <dd>block 7, in about 2 min, on 2026-08-01</dd>',
    );
    expect(page({ daemon: node({ forks: [{ ...notice, blocks: 0, when: 'block 7' }] }) })).toContain(
      '<dt>Fork 17</dt> <dd>past, since block 7</dd>',
    );
    const silent = page({ daemon: node({ software: undefined, peers: undefined }) });
    expect(silent.match(/not told/g)).toHaveLength(2);
    expect(silent).toContain('<dd>none known</dd>');
  });

  it('shows the place of the daemon in the list, and the others with their blocks or problems', () => {
    const nodes = [
      { name: 'a:1', serves: false, problem: 'it is <syncing>' },
      { name: 'b:1', serves: true, height: 100 },
      { name: 'c:1', serves: false, height: 1234 },
      { name: 'd:1', serves: false, height: 1234, twins: 'one node with <b:1>' },
      { name: 'e:1', serves: false, problem: 'it is down', twins: 'one node with b:1' },
    ];
    const daemon = node({ address: 'b:1' });
    const text = page({ daemon: { ...daemon, listed: nodes } });
    expect(text).toContain('<dd>2 of 5 listed</dd>');
    expect(text).toMatch(/<dt>a:1<\/dt> <dd>it is &lt;syncing&gt;<\/dd>/);
    expect(text).toMatch(/<dt>c:1<\/dt> <dd>1,234 blocks<\/dd>/);
    expect(text).toMatch(/<dt>d:1<\/dt> <dd>1,234 blocks; one node with &lt;b:1&gt;<\/dd>/);
    expect(text).toMatch(/<dt>e:1<\/dt> <dd>it is down; one node with b:1<\/dd>/);
    expect(text).not.toContain('<dt>b:1</dt>');
    expect(page({ daemon: { ...daemon, listed: nodes.slice(1, 2) } })).not.toContain('listed');
  });

  it('shows the progress of a wallet with its rate and time left', () => {
    const progress = { name: 'w', height: 50, daemonHeight: 100, rate: 1234, secondsLeft: 3600 };
    const text = page({ wallets: [listed({ progress })], names: ['w'] });
    expect(text).toContain('50 of 100 blocks, 50.0 %, 1,234 blocks/s, 1 h left');
    expect(text).toMatch(/<progress max="100" value="50"/);
    expect(text).toContain('<tr data-behind>');
  });

  it('shows the troubles of a wallet, and what waits in it', () => {
    const troubled = listed({
      ...{ isDamaged: true, pendingPayments: 2, webhookEvents: 3, webhookRetries: 4, disabledWebhooks: 1 },
      ...{ heldPayments: 5, lowAccounts: 1, newerBlock: { height: 9, version: 17 } },
    });
    const text = page({ wallets: [troubled], names: ['w'] });
    for (const part of [
      ...['Store damaged', 'Update needed', '5 payments held by another node', 'Balance low'],
      ...['Webhook disabled', 'Webhook fails'],
      '<td data-label="In no block" class="number"> 2 </td>',
      '<td data-label="To webhooks" class="number"> 7 </td>',
    ])
      expect(text).toContain(part);
  });

  it('counts the payment requests by state, and the open ones of each wallet', () => {
    const requests = new Map([
      ['waiting', 1200],
      ['seen', 1],
      ['paid', 7],
    ] as const);
    const own = new Map([
      ['partial', 1],
      ['paid', 9],
    ] as const);
    const text = page({ requests, wallets: [listed({ requests: own })], names: ['w'] });
    expect(text).toContain('1,201 open payment requests');
    expect(text).toMatch(/<dt>Waiting<\/dt> <dd>1,200<\/dd>/);
    expect(text).toMatch(/<dt>Paid<\/dt> <dd>7<\/dd>/);
    expect(text).not.toMatch(/<dt>Expired<\/dt>/);
    expect(text).toContain('<td data-label="Open requests" class="number"> 1 </td>');
    expect(page()).toContain('There is none.');
    expect(page({ requests: undefined })).not.toContain('Payment requests');
  });

  it('shows amounts to clients that may see them alone', () => {
    const event = { id: 1, wallet: 'w', timestamp: '2026-01-01T00:00:00.000Z' } as const;
    const money = { total: 2_500_000_000_000n, unlocked: 2_000_000_000_000n };
    const view: Partial<StatusView> = {
      today: { received: 2_500_000_000_000n, requested: 2_000_000_000_000n, sent: 300_000_000_000n },
      ...{ wallets: [listed({ money })], names: ['w'] },
      payments: [{ ...event, type: 'payment.seen', data: { amount: 7_000_000_000_000n, tx_hash: 'aa' } }],
      events: [
        {
          ...event,
          type: 'balance.low',
          data: { balance: 1n, low_water: 2n, account_index: 0 },
        },
      ],
      payouts: {
        counts: new Map([['queued', 1]]),
        ...{ pauses: [], awaiting: [] },
        oldest: shown('p', {}, { waitingFor: { kind: 'unlocked', missing: 3_000_000_000_000n } as never }),
      },
    };
    const text = page(view);
    expect(text).toMatch(/<dt>Received<\/dt> <dd>2.5 XMR<\/dd>/);
    expect(text).toMatch(/<dt>For payment requests<\/dt> <dd>2 XMR<\/dd>/);
    expect(text).toMatch(/<dt>Sent<\/dt> <dd>0.3 XMR<\/dd>/);
    expect(text).toContain('<td data-label="Balance [XMR]" class="number"> 2.5000 </td>');
    expect(text).toContain('<strong>+7 XMR</strong>');
    expect(text).toContain('3 XMR more must be unlocked');
    const blind = page({ ...view, today: undefined, wallets: [listed()] }, { seesSums: false });
    expect(blind).not.toContain('XMR');
    expect(blind).not.toContain('Unlocked');
    expect(blind).toContain('Payment in the mempool');
    expect(blind).toContain('more money must be unlocked');
  });

  it('shows a wallet before its first refresh, and one in memory', () => {
    const text = page({ wallets: [listed({ name: '', daemonHeight: undefined, blocks: 0 })], names: [''] });
    expect(text).toContain('Not refreshed yet');
    expect(text).toContain('Wallet in memory');
  });

  it('leads to the other pages of the table, and keeps search, group and order', () => {
    const query = walletQuery({ wallets: 'a&b', show: 'behind', sort: 'name', page: '2' });
    const counts = { all: 1000, trouble: 3, behind: 45, waiting: 4 };
    const names = Array.from({ length: 1000 }, (_, i) => `w${i}`);
    const text = page({ wallets: [listed()], names, table: { query, counts, count: 45, pages: 3 } });
    expect(text).toContain('45 wallets of 1,000');
    expect(text).toContain('page 2 of 3');
    const rest = 'wallets=a%26b&amp;show=behind&amp;sort=name';
    expect(text).toContain(`href="/status?${rest}#wallets">Previous<`);
    expect(text).toContain(`href="/status?${rest}&amp;page=3#wallets">Next<`);
    expect(text).toContain('href="/status?wallets=a%26b&amp;show=behind#wallets">State<');
    expect(text).toContain('aria-sort="ascending"');
    expect(text).toContain('name="wallets" type="search" maxlength="200" autocomplete="off" value="a&amp;b"');
    // The form has no list of a thousand names.
    expect(text).not.toContain('w999');
  });

  it('creates addresses for clients that may', () => {
    expect(page({ names: ['w'] })).toContain('<input type="hidden" name="token" value="t" />');
    expect(page({ names: ['w'] }, { mayReceive: false })).not.toContain('Create a receiving address');
  });

  it('shows an address with its QR code, dark on light', () => {
    const text = page({ names: ['w'] }, { address: { wallet: 'w', index: 3, address: '8abc', used: false } });
    expect(text).toContain('Address 3 of w');
    expect(text).toMatch(/<svg [^>]*><rect fill="white"[^>]*\/><path fill="black" d="M/);
  });
});
