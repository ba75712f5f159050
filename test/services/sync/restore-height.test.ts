import { afterEach, describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import type { Hash } from '../../../src/monero/crypto/types.js';
import type { Daemon, DaemonBlockHeader, DaemonInfo } from '../../../src/daemon/daemon.js';
import { DaemonError } from '../../../src/daemon/errors.js';
import { ZERO } from '../../../src/util/amount.js';
import { faultOf, TestWallet } from '../../support/wallets/test-wallet.js';

/** Answers as a daemon whose blocks have these times. @param claims other facts that it states. */
const chainOf = (times: readonly number[], claims: Partial<DaemonInfo> = {}): Partial<Daemon> => {
  const header = (height: number): Promise<DaemonBlockHeader> => {
    const timestamp = times[height];
    return timestamp === undefined
      ? Promise.reject(new DaemonError('rejected', 'too high'))
      : Promise.resolve({ height, timestamp } as DaemonBlockHeader);
  };
  return {
    getInfo: () =>
      Promise.resolve({ height: times.length, synchronized: true, targetHeight: 0, ...claims } as DaemonInfo),
    getBlockHeader: header,
    getLastBlockHeader: () =>
      times.length === 0 ? Promise.resolve({ height: -1 } as DaemonBlockHeader) : header(times.length - 1),
  };
};

/** Times of blocks, of which the last ones were mined after a wallet was created. */
const timesAround = (created: number, before: number, after: number): number[] =>
  Array.from({ length: before + after }, (_, height) => created + 120 * (height - before));

let wallet: TestWallet;
afterEach(() => wallet.close());

/** First height that the last refresh scanned at least. */
const scannedFrom = (): unknown => wallet.refresher.callsOf('refresh').at(-1);
const startHeight = (height: number): unknown => [expect.objectContaining({ startHeight: height })];
const attach = (height: number): void =>
  wallet.store.write((w) =>
    w.applyPage({
      ...{ startHeight: height, hashes: [new Uint8Array(32).fill(height % 256) as Hash] },
      ...{ received: [], outputs: [], spends: [], outgoing: [], subaddresses: [], lastBlockReward: ZERO },
    }),
  );

describe('the restore height', () => {
  it('is that of the store', () => {
    wallet = new TestWallet();
    expect(wallet.sync.restoreHeight).toBe(0);
  });

  it('of a wallet that was created offline is a day before, below the tip, and is kept', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(10_000), { minLength: 1, maxLength: 120 }),
        fc.integer({ min: -50, max: 60 }),
        async (steps, blocks) => {
          const offline = new TestWallet({ restoreHeight: undefined });
          let time = offline.time - 86_400 - blocks * 5000;
          const times = steps.map((step) => (time += step));
          offline.answers = chainOf(times);
          expect(offline.sync.restoreHeight).toBeUndefined();
          await offline.sync.refresh();
          const dated = times.filter((one) => one < offline.time - 86_400).length - 1;
          const expected = Math.max(0, Math.min(dated, times.length - 60));
          expect(offline.sync.restoreHeight).toBe(expected);
          expect(offline.refresher.callsOf('refresh')).toEqual([[{ history: [], startHeight: expected }]]);
          offline.close();
        },
      ),
      { numRuns: 12 },
    );
  });

  it('is not found where the daemon has no blocks, and is looked for again', async () => {
    wallet = new TestWallet({ restoreHeight: undefined });
    wallet.answers = chainOf([]);
    await expect(wallet.sync.refresh()).rejects.toMatchObject({ name: 'DaemonError', kind: 'malformed' });
    expect([wallet.sync.restoreHeight, wallet.refresher.calls]).toEqual([undefined, []]);
    wallet.answers = chainOf([5]);
    await wallet.sync.refresh();
    expect(wallet.sync.restoreHeight).toBe(0);
  });

  it('is not looked for any more in a wallet that is closed meanwhile', async () => {
    wallet = new TestWallet({ restoreHeight: undefined });
    wallet.answers = {
      ...chainOf([5]),
      getInfo: () => (wallet.close(), chainOf([5]).getInfo?.() ?? Promise.reject(new Error('no answer'))),
    };
    expect(await faultOf(() => wallet.sync.refresh())).toEqual({ kind: 'no_wallet' });
  });
});

describe('the first refresh of a wallet', () => {
  it('begins at its restore height where the daemon has the block below', async () => {
    wallet = new TestWallet({ restoreHeight: 100 });
    wallet.answers = chainOf(timesAround(wallet.time, 100, 0));
    await wallet.sync.refresh();
    expect(scannedFrom()).toEqual(startHeight(100));
    expect([wallet.sync.restoreHeight, wallet.lines]).toEqual([100, []]);
  });

  test.each([
    ['overstated by 40', 2040, 2000, 10, 2000 - 720 - 1],
    ['overstated by a million', 1_002_000, 2000, 500, 2000 - 720 - 1],
    ['above a short chain', 140, 50, 60, 0],
  ])(
    'begins before the wallet was created where its height is %s, also after many blocks',
    async (_, restoreHeight, before, after, expected) => {
      wallet = new TestWallet({ restoreHeight });
      wallet.answers = chainOf(timesAround(wallet.time, before, after));
      await wallet.sync.refresh();
      expect(scannedFrom()).toEqual(startHeight(expected));
      expect(wallet.sync.restoreHeight).toBe(expected);
      expect(wallet.lines).toMatchObject([
        { level: 40, restoreHeight, blocks: before + after, scannedFrom: expected },
      ]);
      await wallet.sync.refresh();
      expect(wallet.lines).toHaveLength(1);
    },
  );

  it('does not believe a tip that the newest header contradicts', async () => {
    wallet = new TestWallet({ restoreHeight: 5000 });
    wallet.answers = chainOf(timesAround(wallet.time, 2000, 0), { height: 9000 });
    await wallet.sync.refresh();
    expect(wallet.sync.restoreHeight).toBe(2000 - 720 - 1);
  });

  it('waits while the daemon syncs towards the restore height', async () => {
    wallet = new TestWallet({ restoreHeight: 5000 });
    const syncing = { synchronized: false, targetHeight: 6000 };
    wallet.answers = chainOf(timesAround(wallet.time, 2000, 0), syncing);
    await expect(wallet.sync.refresh()).rejects.toMatchObject({ name: 'DaemonError', kind: 'busy' });
    expect([wallet.sync.restoreHeight, wallet.refresher.callsOf('refresh')]).toEqual([5000, []]);
    wallet.answers = chainOf(timesAround(wallet.time, 6000, 0));
    await wallet.sync.refresh();
    expect(scannedFrom()).toEqual(startHeight(5000));
  });
});

describe('a start height of a refresh', () => {
  it('is used where the daemon has reached it', async () => {
    wallet = new TestWallet({ restoreHeight: 100 });
    wallet.answers = chainOf(timesAround(wallet.time, 300, 0));
    await wallet.sync.refresh({ startHeight: 300 });
    expect(scannedFrom()).toEqual(startHeight(300));
    attach(150);
    await wallet.sync.refresh({ startHeight: 250 });
    expect(scannedFrom()).toEqual(startHeight(250));
  });

  test.each([301, 1_000_000])('of %i, above the tip, skips nothing, which is logged', async (asked) => {
    wallet = new TestWallet({ restoreHeight: 100 });
    wallet.answers = chainOf(timesAround(wallet.time, 300, 0));
    await wallet.sync.refresh({ startHeight: asked });
    expect(scannedFrom()).toEqual(startHeight(100));
    attach(150);
    await wallet.sync.refresh({ startHeight: asked });
    expect(scannedFrom()).toEqual(startHeight(100));
    expect(wallet.lines).toMatchObject([
      { level: 40, startHeight: asked },
      { level: 40, startHeight: asked },
    ]);
  });

  it('below the blocks of the wallet costs no request', async () => {
    wallet = new TestWallet({ restoreHeight: 100 });
    attach(150);
    await wallet.sync.refresh({ startHeight: 151 });
    expect(scannedFrom()).toEqual(startHeight(151));
  });
});

it('skips no block of a wallet with blocks, also where it lies above them', async () => {
  wallet = new TestWallet({ restoreHeight: 1_000_000 });
  attach(150);
  wallet.store.write((w) => w.meta.set('restore_height', '1000000'));
  await wallet.sync.refresh();
  expect(scannedFrom()).toEqual(startHeight(151));
});

describe('the height in the keys file', () => {
  it('follows that of the store down, never up, and not while the spend key is away', async () => {
    wallet = new TestWallet({ restoreHeight: 100 });
    wallet.answers = chainOf(timesAround(wallet.time, 300, 0));
    await wallet.keystore.setRefreshHeight(90);
    await wallet.sync.refresh();
    expect(wallet.keystore.refreshHeight).toBe(90);
    attach(40);
    await wallet.sync.refresh();
    expect(wallet.keystore.refreshHeight).toBe(40);
    attach(20);
    wallet.hide();
    await wallet.sync.refresh();
    expect(wallet.keystore.refreshHeight).toBe(40);
  });
});
