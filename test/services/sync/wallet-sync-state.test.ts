import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import type { Daemon } from '../../../src/daemon/daemon.js';
import { unpackWatchedOutputs } from '../../../src/wallet/scan/watch-table.js';
import type { WalletKeys } from '../../../src/wallet/keys.js';
import { bytes, output, page, received, unnamed } from '../../store/fixtures.js';
import { faultOf, TestWallet } from '../../support/test-wallet.js';

let wallet: TestWallet;
beforeEach(() => {
  wallet = new TestWallet();
});
afterEach(() => wallet.close());

const keysIn = (packed: Uint8Array | undefined): number[] =>
  unpackWatchedOutputs(packed ?? new Uint8Array()).map(({ key }) => key[0] ?? 0);

/** Outputs in blocks 1 to 3: with key image, before RingCT without, and without. */
const receive = (): void =>
  wallet.store.write((w) =>
    w.applyPage(
      page(0, 4, {
        received: [1, 2, 3].map((n) => received(n, n)),
        outputs: [output(1, 1, 5n), unnamed(output(2, 2, 7n, { rct: false })), unnamed(output(3, 3, 9n))],
      }),
    ),
  );
const BLIND = [
  { amount: 7n, globalIndex: 2, height: 2 },
  { amount: 0n, globalIndex: 3, height: 3 },
];

describe('the state that the scanner starts from', () => {
  it('leaves none of its pages in memory', () => {
    const release = jest.spyOn(wallet.store, 'releasePages');
    const read = jest.spyOn(wallet.store, 'read');
    wallet.sync.scannerState();
    expect(release).toHaveBeenCalledTimes(1);
    const [released] = release.mock.invocationCallOrder;
    // The first read holds the subaddresses, which are most of the pages.
    expect(released).toBeGreaterThan(read.mock.invocationCallOrder[0] ?? Infinity);
  });

  it('has the keys, the lookahead and the last address of each account', async () => {
    wallet.accounts.create('');
    await wallet.accounts.createAddresses(0, 2, '');
    const { keys, spendPublicKey, lookahead, handedOut, subaddresses } = wallet.sync.scannerState();
    expect(keys).toEqual({ viewSecret: wallet.keys.viewSecret.expose(), spendSecret: wallet.keys.spend });
    expect([spendPublicKey, lookahead]).toEqual([wallet.keys.spendPublicKey, { major: 50, minor: 200 }]);
    expect(handedOut).toEqual([
      { major: 0, minor: 2 },
      { major: 1, minor: 0 },
    ]);
    expect(subaddresses).toHaveLength(4 * 40);
  });

  it('watches outputs by key image, or by key while that is not known', () => {
    receive();
    wallet.store.write((w) =>
      w.importedKeyImages.set({ publicKey: bytes(9), keyImage: bytes(8), proven: true }),
    );
    const {
      withKeyImage,
      withoutKeyImage: byKey,
      importedKeyImages,
      blind,
      seesPool,
    } = wallet.sync.scannerState();
    expect([keysIn(withKeyImage), keysIn(byKey)]).toEqual([[101], [102, 103]]);
    expect(importedKeyImages).toEqual([{ publicKey: bytes(9), keyImage: bytes(8), proven: true }]);
    expect([blind, seesPool]).toEqual([undefined, undefined]);
  });

  it('has the burnt outputs on watched keys', () => {
    const twin = { publicKey: bytes<never>(77), keyImage: bytes<never>(77) };
    wallet.store.write((w) =>
      w.applyPage(
        page(0, 4, {
          received: [received(1, 1), received(2, 2)],
          outputs: [output(1, 1, 5n, twin), output(2, 2, 4n, twin)],
        }),
      ),
    );
    const { withKeyImage, reused } = wallet.sync.scannerState();
    expect([keysIn(withKeyImage), keysIn(reused?.withKeyImage), keysIn(reused?.withoutKeyImage)]).toEqual([
      [77],
      [77],
      [],
    ]);
  });

  it('has no spend key while it is put away, and names outputs whose spends cannot be recognised', () => {
    receive();
    wallet.keystore.dropSpendKey();
    const { keys, blind, seesPool } = wallet.sync.scannerState();
    expect([keys.spendSecret, blind, seesPool]).toEqual([undefined, BLIND, undefined]);
  });

  it('names such outputs of a multisig wallet too, which looks into the mempool all the same', () => {
    receive();
    const multisig = {} as NonNullable<WalletKeys['multisig']>;
    Object.defineProperty(wallet.keystore, 'keys', { value: { ...wallet.keys, multisig } });
    const { blind, seesPool } = wallet.sync.scannerState();
    expect([blind, seesPool]).toEqual([BLIND, true]);
  });
});

describe('the lookahead', () => {
  it('is kept, and the store holds every address up to it when this ends', async () => {
    await wallet.accounts.createAddresses(0, 2, '');
    await wallet.sync.setLookahead({ major: 3, minor: 4 });
    expect(wallet.keystore.lookahead).toEqual({ major: 3, minor: 4 });
    expect(wallet.refresher.callsOf('lookAhead')).toEqual([
      [{ major: 3, minor: 4 }, [{ major: 0, minor: 2 }]],
    ]);
  });

  it.each([
    ['no account', { major: 0, minor: 1 }],
    ['no address', { major: 1, minor: 0 }],
    ['more addresses than are watched at most', { major: 1000, minor: 500 }],
    ['more than that in one account', { major: 1, minor: 500_000 }],
  ])('is refused for %s, and stays as it was', async (_, lookahead) => {
    expect(await faultOf(() => wallet.sync.setLookahead(lookahead))).toMatchObject({ kind: 'invalid' });
    expect([wallet.keystore.lookahead, wallet.refresher.calls]).toEqual([{ major: 50, minor: 200 }, []]);
  });
});

/** Answers as a daemon whose blocks have these times. */
const chainOf = (times: readonly number[]): Partial<Daemon> => ({
  getInfo: () => Promise.resolve({ height: times.length } as Awaited<ReturnType<Daemon['getInfo']>>),
  getBlockHeader: (height) =>
    Promise.resolve({ height, timestamp: times[height] } as Awaited<ReturnType<Daemon['getBlockHeader']>>),
});

describe('the restore height', () => {
  it('is that of the store', () => {
    expect(wallet.sync.restoreHeight).toBe(0);
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
