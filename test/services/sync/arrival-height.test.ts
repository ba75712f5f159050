import { afterEach, beforeEach, describe, expect, it, test } from '@jest/globals';
import type { Daemon, DaemonBlockHeader, DaemonInfo } from '../../../src/daemon/daemon.js';
import { DaemonError } from '../../../src/daemon/errors.js';
import { faultOf, TestWallet } from '../../support/wallets/test-wallet.js';

/** A daemon with a block every two minutes, the last one at a time. */
const chainOf = (blocks: number, newest: number): Partial<Daemon> => {
  const header = (height: number): Promise<DaemonBlockHeader> =>
    Promise.resolve({ height, timestamp: newest - 120 * (blocks - 1 - height) } as DaemonBlockHeader);
  return {
    getInfo: () => Promise.resolve({ height: blocks, synchronized: true, targetHeight: 0 } as DaemonInfo),
    getBlockHeader: header,
    getLastBlockHeader: () => header(blocks - 1),
  };
};

let wallet: TestWallet;
beforeEach(() => {
  wallet = new TestWallet();
});
afterEach(() => wallet.close());

const arrive = (at: number): void => wallet.store.write((w) => w.meta.set('arrived_at', String(at)));
const known = (): unknown =>
  wallet.store.read((r) => [r.meta.get('arrived_at'), r.meta.get('arrival_height')]);

describe('the height at which a wallet came to this server', () => {
  it('is the tip of its first refresh, before anything is scanned, and stays', async () => {
    arrive(wallet.time - 5);
    wallet.answers = chainOf(3000, wallet.time);
    wallet.refresher.onRefresh = () => {
      expect(known()).toEqual([undefined, '3000']);
      return Promise.resolve({ blocksFetched: 0, receivedMoney: false });
    };
    await wallet.sync.refresh();
    wallet.answers = chainOf(3010, wallet.time);
    await wallet.sync.refresh();
    expect(known()).toEqual([undefined, '3000']);
  });

  test.each([3600, 86_400, 300])(
    'is an hour before its arrival where no daemon answered for %i s',
    async (ago) => {
      arrive(wallet.time - ago);
      wallet.answers = chainOf(3000, wallet.time);
      await wallet.sync.refresh();
      expect(known()).toEqual([undefined, String(2999 - Math.floor((ago + 3600) / 120))]);
    },
  );

  it('is looked for again after a failure, and not in a wallet that is closed meanwhile', async () => {
    arrive(wallet.time);
    wallet.answers = { getInfo: () => Promise.reject(new DaemonError('timeout', 'no answer')) };
    wallet.answers.getLastBlockHeader = () => Promise.reject(new DaemonError('timeout', 'no answer'));
    await expect(wallet.sync.refresh()).rejects.toThrow('no answer');
    expect(known()).toEqual([String(wallet.time), undefined]);
    const chain = chainOf(3000, wallet.time);
    wallet.answers = {
      ...chain,
      getInfo: () => (wallet.close(), chain.getInfo?.() ?? Promise.reject(new Error('no answer'))),
    };
    expect(await faultOf(() => wallet.sync.refresh())).toEqual({ kind: 'no_wallet' });
  });

  it('is none of a wallet that was created here', async () => {
    await wallet.sync.refresh();
    expect(known()).toEqual([undefined, undefined]);
  });
});
