import { describe, expect, it, test } from '@jest/globals';
import { DaemonError } from '../../src/daemon/errors.js';
import { Mining } from '../../src/services/mining.js';
import { WalletError } from '../../src/model/wallet-error.js';
import { seededRng } from '../support/fakes/seeded-rng.js';
import { fault, ownKeys, ServiceWallet } from '../support/wallets/service-wallet.js';
import { holder } from '../monero/wallet/fixtures.js';

const owner = holder(seededRng('mining'));

function miner() {
  const wallet = new ServiceWallet(ownKeys(owner));
  const started: unknown[] = [];
  wallet.answers = {
    startMining: (...order) => {
      started.push(order);
      return Promise.resolve();
    },
    stopMining: () => {
      started.push('stop');
      return Promise.resolve();
    },
  };
  return { wallet, started, mining: new Mining(wallet, wallet) };
}

const order = (threads: number) => ({ threads, background: false, ignoreBattery: true });

const failures = [
  ['busy', new DaemonError('busy', 'the daemon is syncing'), 'the daemon is syncing'],
  [
    'unreachable',
    new DaemonError('unreachable', 'no connection', { code: 'ECONNREFUSED' }),
    'no connection (ECONNREFUSED)',
  ],
  ['mining already', new DaemonError('rejected', 'Already mining'), 'Already mining'],
] as const;

describe('starting to mine', () => {
  it('mines to the primary address with the options of the request', async () => {
    const { mining, started, wallet } = miner();
    await mining.start({ threads: 3, background: true, ignoreBattery: false }, 4);
    expect(started).toEqual([[wallet.accounts.address({ major: 0, minor: 0 }), 3, true, false]]);
  });

  test.each([
    [0, 8, 8],
    [-1, 8, 8],
    [9, 8, 8],
    [3, 1, 2],
  ])('refuses %i threads on a machine with %i: at most %i', async (threads, most, limit) => {
    const { mining, started } = miner();
    await expect(mining.start(order(threads), most)).rejects.toMatchObject(
      fault({
        kind: 'invalid',
        reason: `threads_count is a number from 1 to ${limit}`,
        text: 'The specified number of threads is inappropriate.',
      }),
    );
    expect(started).toEqual([]);
  });

  test.each([
    [1, 1],
    [2, 1],
    [8, 8],
  ])('allows %i threads on a machine with %i', async (threads, most) => {
    const { mining, started } = miner();
    await mining.start(order(threads), most);
    expect(started).toHaveLength(1);
  });

  test.each(failures)('is refused by a daemon that is %s', async (_, error, reason) => {
    const { mining, wallet } = miner();
    wallet.answers = { startMining: () => Promise.reject(error) };
    await expect(mining.start(order(1), 1)).rejects.toMatchObject({
      ...fault({ kind: 'mining_refused', action: 'start', reason }),
      cause: error,
    });
  });

  it('fails with no_wallet once the wallet is closed', async () => {
    const { mining, wallet } = miner();
    const closed = new WalletError({ kind: 'no_wallet' });
    wallet.answers = { startMining: () => Promise.reject(closed) };
    await expect(mining.start(order(1), 1)).rejects.toBe(closed);
  });
});

describe('stopping to mine', () => {
  it('has the daemon stop', async () => {
    const { mining, started } = miner();
    await mining.stop();
    expect(started).toEqual(['stop']);
  });

  test.each(failures)('is refused by a daemon that is %s', async (_, error, reason) => {
    const { mining, wallet } = miner();
    wallet.answers = { stopMining: () => Promise.reject(error) };
    await expect(mining.stop()).rejects.toMatchObject(
      fault({ kind: 'mining_refused', action: 'stop', reason }),
    );
  });
});
