import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Daemon } from '../../../src/daemon/daemon.js';
import { faultOf, TestWallet } from '../../support/test-wallet.js';

/** Answers as a daemon whose blocks have these times. */
const chainOf = (times: readonly number[]): Partial<Daemon> => ({
  getInfo: () => Promise.resolve({ height: times.length } as Awaited<ReturnType<Daemon['getInfo']>>),
  getBlockHeader: (height) =>
    Promise.resolve({ height, timestamp: times[height] } as Awaited<ReturnType<Daemon['getBlockHeader']>>),
});

describe('the restore height', () => {
  it('is that of the store', () => {
    const wallet = new TestWallet();
    expect(wallet.sync.restoreHeight).toBe(0);
    wallet.close();
  });

  it('of a wallet that was created offline is the last block older than a day before, and is kept', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(10_000), { minLength: 1, maxLength: 40 }),
        fc.integer({ min: -50, max: 60 }),
        async (steps, blocks) => {
          const offline = new TestWallet({ restoreHeight: undefined });
          let time = offline.time - 86_400 - blocks * 5000;
          const times = steps.map((step) => (time += step));
          offline.answers = chainOf(times);
          expect(offline.sync.restoreHeight).toBeUndefined();
          await offline.sync.refresh();
          const expected = Math.max(0, times.filter((one) => one < offline.time - 86_400).length - 1);
          expect(offline.sync.restoreHeight).toBe(expected);
          expect(offline.refresher.callsOf('refresh')).toEqual([[{ history: [], startHeight: expected }]]);
          offline.answers = {};
          await offline.sync.refresh();
          offline.close();
        },
      ),
      { numRuns: 12 },
    );
  });

  it('is not found where the daemon has no blocks, and is looked for again', async () => {
    const offline = new TestWallet({ restoreHeight: undefined });
    offline.answers = chainOf([]);
    await expect(offline.sync.refresh()).rejects.toMatchObject({ name: 'DaemonError', kind: 'malformed' });
    expect([offline.sync.restoreHeight, offline.refresher.calls]).toEqual([undefined, []]);
    offline.answers = chainOf([5]);
    await offline.sync.refresh();
    expect(offline.sync.restoreHeight).toBe(0);
    offline.close();
  });

  it('is not looked for any more in a wallet that is closed meanwhile', async () => {
    const offline = new TestWallet({ restoreHeight: undefined });
    offline.answers = {
      ...chainOf([5]),
      getInfo: () => (offline.close(), chainOf([5]).getInfo?.() ?? Promise.reject(new Error('no answer'))),
    };
    expect(await faultOf(() => offline.sync.refresh())).toEqual({ kind: 'no_wallet' });
  });
});
