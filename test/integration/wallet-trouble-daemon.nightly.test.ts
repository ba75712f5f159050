import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startDaemonProxy, type DaemonProxy } from '../support/network/daemon-proxy.js';
import { until } from '../support/fakes/until.js';
import {
  moneyOf,
  moneyOfTwin,
  startCrowd,
  untilCaughtUp,
  type Crowd,
} from '../support/wallets/wallet-crowd.js';

/* A daemon that no wallet of a server can reach for some seconds. */

const names = ['one', 'two', 'three', 'four', 'five', 'six'];

/** Requests of an outage: several refreshes of every wallet. */
const FAILED_REQUESTS = 12;

/** Transactions of the pool that a wallet asks for at once. */
const POOL_BATCH = 100;

let crowd: Crowd;
let proxy: DaemonProxy;

beforeAll(async () => {
  crowd = await startCrowd(names, {
    via: async (address) => (proxy = await startDaemonProxy(address)).address,
  });
  for (const name of names) await crowd.at(name).rpc('auto_refresh', { enable: true, period: 1 });
});

afterAll(async () => {
  await crowd?.stop();
  await proxy?.stop();
});

const linesWith = (text: string): string[] =>
  crowd.server.process
    .output()
    .split('\n')
    .filter((line) => line.includes(text));

describe('a daemon that cannot be reached', () => {
  it('is one warning of the log, not one a wallet', async () => {
    let failed = 0;
    proxy.decide = () => {
      failed += 1;
      return 'drop';
    };
    await crowd.mine(2);
    await until('the outage', () => failed >= FAILED_REQUESTS);
    expect(linesWith('the daemon cannot be used')).toHaveLength(1);
    expect(linesWith('refreshing a wallet failed')).toEqual([]);
  });

  it('delays no request that needs none', async () => {
    // A request that asked the daemon would wait for ever.
    proxy.hold = () => new Promise(() => undefined);
    proxy.decide = () => 'forward';
    for (const name of names) {
      const { rpc } = crowd.at(name);
      await rpc('get_balance');
      await rpc('create_address', { label: 'without a daemon' });
      await rpc('get_transfers', { in: true });
      await rpc('sign', { data: 'x' });
    }
    proxy.decide = () => 'drop';
    proxy.hold = () => Promise.resolve();
  });

  it('fails a request that needs it with the code of the reference', async () => {
    const destinations = [{ amount: 1, address: crowd.address('two') }];
    const { call } = crowd.at('one');
    const NO_DAEMON = { code: -38, message: expect.stringContaining('no connection to daemon') };
    for (const method of ['refresh', 'rescan_spent', 'rescan_blockchain'])
      expect([method, (await call(method)).error]).toEqual([method, expect.objectContaining(NO_DAEMON)]);
    // It asks for the height first, and has no code of its own for that.
    expect((await call('transfer', { destinations })).error).toMatchObject({
      code: -4,
      message: 'Failed to get height',
    });
  });

  it('lets all wallets catch up soon after it is back', async () => {
    proxy.decide = () => 'forward';
    for (const name of names) await untilCaughtUp(crowd, name);
    // A refresh ends after its blocks are known: it reads the pool too.
    await until('the line', () => linesWith('the daemon answers again').length > 0 || undefined);
    expect(linesWith('the daemon answers again')).toHaveLength(1);
    for (const name of ['one', 'six'])
      expect(await moneyOf(crowd.at(name))).toEqual(await moneyOfTwin(crowd, name, `twin of ${name}`));
  });

  it('is named in the log with the wallet whose payment it did not answer', async () => {
    proxy.decide = (path) => (path === '/sendrawtransaction' ? 'forward-and-drop-the-answer' : 'forward');
    const destinations = [{ amount: 1, address: crowd.address('two') }];
    await crowd.at('one').rpc('transfer', { destinations });
    proxy.decide = () => 'forward';
    expect(crowd.linesOf('one', 'answer to a payment is lost')).toHaveLength(1);
  });

  it('hides no payment of the pool that was read in part', async () => {
    const { rpc, call } = crowd.at('two');
    for (const name of names) await crowd.at(name).rpc('auto_refresh', { enable: false });
    await crowd.mine(10);
    await rpc('refresh');
    const { tx_hash } = await crowd
      .at('three')
      .rpc('transfer', { destinations: [{ amount: 7, address: crowd.address('two') }] });
    // The pool seems to hold more than one request for transactions takes; the second one is not answered.
    const others = Array.from({ length: POOL_BATCH }, (_, i) => String(i).padStart(64, '0'));
    proxy.rewrite = (path, _, reply) =>
      path === '/get_transaction_pool_hashes'
        ? Buffer.from(JSON.stringify({ ...JSON.parse(reply.toString()), tx_hashes: [tx_hash, ...others] }))
        : reply;
    let asked = 0;
    proxy.decide = (path) => (path === '/gettransactions' && ++asked > 1 ? 'drop' : 'forward');
    expect((await call('get_transfers', { pool: true })).error?.code).toBe(-38);
    expect(asked).toBeGreaterThan(1);
    proxy.rewrite = (_, __, reply) => reply;
    proxy.decide = () => 'forward';
    expect((await rpc('get_transfers', { pool: true })).pool).toEqual([
      expect.objectContaining({ txid: tx_hash, amount: 7 }),
    ]);
  });
});
