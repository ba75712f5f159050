import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Hash, KeyImage } from '../../../src/monero/crypto/types.js';
import { BackgroundSync, type Recovery } from '../../../src/services/sync/background-sync.js';
import { amount } from '../../../src/util/amount.js';
import { RefreshCancelled } from '../../../src/refresh/messages.js';
import type { AmbiguousSpend } from '../../../src/monero/wallet/scan/findings.js';
import { bytes, output, page, received, unnamed } from '../../store/fixtures.js';
import { locatedKeyImages } from '../../../src/monero/wallet/scan/key-images.js';
import { loadKernel } from '../../../src/monero/kernel/load-kernel.js';
import { chunks, equalBytes } from '../../../src/util/bytes.js';
import { seededRng } from '../../support/fakes/seeded-rng.js';
import { forkOutput } from '../../support/wallets/fork-outputs.js';
import { paidOutput } from '../../support/wallets/paid-outputs.js';
import { owner } from '../../support/wallets/proof-wallet.js';
import { turns } from '../../support/fakes/event-loop-turns.js';
import { PASSWORD } from '../../support/wallets/keystores.js';
import { faultOf, TestWallet, type TestWalletOptions } from '../../support/wallets/test-wallet.js';

let wallet: TestWallet;
let background: BackgroundSync;
/** Restores the spend key. */
let recovery: Recovery;

const open = (options: TestWalletOptions = {}): void => {
  wallet = new TestWallet({ backgroundSync: 'reuse-wallet-password', ...options });
  background = new BackgroundSync(wallet, wallet);
  if (options.viewOnly === true) return;
  recovery = { password: PASSWORD, seed: wallet.keystore.query('mnemonic'), seedOffset: '' };
};
const reopen = (options: TestWalletOptions): void => {
  wallet.close();
  open(options);
};
const seedOf = (name: string): string => {
  const other = new TestWallet({ name });
  other.close();
  return other.keystore.query('mnemonic');
};
beforeEach(() => open());
afterEach(() => wallet.close());

const isMarked = (): boolean => wallet.store.read((r) => r.meta.get('background_sync')) === '1';
const hasSpendKey = (): boolean => wallet.keystore.keys.spendSecret !== undefined;
const calls = (): unknown[] => wallet.refresher.calls.map(([name]) => name);
const IMAGE = bytes<KeyImage>(101);

/** While the key is away: an output of 50 in block 1, and a transaction in block 2 that may spend it. */
function receiveAway(): void {
  const spend: AmbiguousSpend = {
    ...{ txHash: bytes<Hash>(9), height: 2, timestamp: 1002, unlockTime: 0n, fee: amount(1n) },
    ...{ amountOut: amount(0n), keyImages: [IMAGE] },
  };
  wallet.store.write((w) =>
    w.applyPage(
      page(0, 3, {
        received: [received(1, 1), received(9, 2)],
        outputs: [unnamed(output(1, 1, 50n)), unnamed(output(9, 2, 20n))],
        ambiguousSpends: [spend],
      }),
    ),
  );
  wallet.refresher.onKeyImages = (_, outputs) => Promise.resolve(outputs.map((__, i) => bytes(101 + i)));
}

/** Expects the outcome of {@link receiveAway} once the key images are known. */
const expectSettled = (): void => {
  expect(wallet.store.read((r) => r.outputs.someWithoutKeyImage(10))).toEqual([]);
  expect(wallet.store.read((r) => r.outputs.byKeyImage(IMAGE))).toMatchObject({ spentHeight: 2 });
  expect(wallet.store.read((r) => r.outgoing.byHash(bytes<Hash>(9)))).toMatchObject({
    ...{ state: 'confirmed', amountIn: 50n, change: 20n, fee: 1n },
  });
  expect([isMarked(), wallet.store.read((r) => r.ambiguousSpends.list())]).toEqual([false, []]);
};

describe('setting background sync up', () => {
  it.each(['off', 'reuse-wallet-password', 'custom-background-password'])(
    'takes the type %s',
    async (type) => {
      await background.setup(type, PASSWORD, 'background');
      expect(wallet.keystore.backgroundSync).toBe(type);
    },
  );

  it.each<[string, [string, string, string], object]>([
    ['an unknown type', ['on', PASSWORD, ''], { kind: 'invalid' }],
    ['a wrong password', ['off', 'wrong', ''], { kind: 'wrong_password' }],
    [
      "a background password that is the wallet's own",
      ['custom-background-password', PASSWORD, PASSWORD],
      { kind: 'invalid' },
    ],
  ])('is refused for %s', async (_, given, fault) => {
    expect(await faultOf(() => background.setup(...given))).toMatchObject(fault);
    expect(wallet.keystore.backgroundSync).toBe('reuse-wallet-password');
  });

  it('is refused while the spend key is put away', async () => {
    await background.start();
    expect(await faultOf(() => background.setup('off', PASSWORD, ''))).toMatchObject({ kind: 'invalid' });
  });
});

describe('starting', () => {
  it('puts the spend key away, marks the store, and has the scanner start over without it', async () => {
    await background.start();
    expect([hasSpendKey(), isMarked(), wallet.keystore.background]).toEqual([false, true, 'syncing']);
    expect(calls()).toEqual(['cancel', 'restart']);
    await background.start();
    expect(calls()).toHaveLength(2);
  });

  it('is refused where it is not set up', async () => {
    reopen({ backgroundSync: 'off' });
    expect(await faultOf(() => background.start())).toMatchObject({ kind: 'invalid' });
    expect([hasSpendKey(), isMarked()]).toEqual([true, false]);
  });

  it('keeps the spend key where the store cannot be marked', async () => {
    wallet.store.write = () => {
      throw new Error('the disk is full');
    };
    await expect(background.start()).rejects.toThrow('the disk is full');
    expect([hasSpendKey(), wallet.keystore.background]).toEqual([true, undefined]);
  });

  it('waits for a payment, and for a call before it', async () => {
    let end: () => void = () => undefined;
    const paying = wallet.locks.payment.run(() => new Promise<void>((resolve) => (end = resolve)));
    const both = Promise.all([background.start(), background.stop(recovery)]);
    await turns(3);
    expect(hasSpendKey()).toBe(true);
    end();
    await Promise.all([paying, both]);
    expect([hasSpendKey(), isMarked()]).toEqual([true, false]);
  });

  it('is refused in a wallet that is closed', async () => {
    wallet.close();
    expect(await faultOf(() => background.start())).toEqual({ kind: 'no_wallet' });
    expect(hasSpendKey()).toBe(true);
  });
});

describe('stopping', () => {
  beforeEach(async () => {
    await background.start();
    receiveAway();
  });

  it('takes the spend key back, and finds the spends of outputs that were received meanwhile', async () => {
    await background.stop(recovery);
    expect(wallet.keystore.keys.spendSecret?.expose()).toEqual(wallet.keys.spend);
    expectSettled();
    expect(calls().slice(2)).toEqual(['cancel', 'keyImages', 'restart']);
  });

  it('computes key images with the keys of the wallet', async () => {
    let given: string[] = [];
    wallet.refresher.onKeyImages = ({ viewSecret, spendSecret }, outputs) => {
      given = [viewSecret, spendSecret].map((key) => Buffer.from(key).toString('hex'));
      return Promise.resolve(outputs.map((_, i) => bytes(101 + i)));
    };
    await background.stop(recovery);
    const { keys } = wallet;
    expect(given).toEqual(
      [keys.viewSecret.expose(), keys.spend].map((key) => Buffer.from(key).toString('hex')),
    );
  });

  it('computes key images of both forms, and finds the spends of outputs in the form of the fork', async () => {
    const rng = seededRng('background sync of the fork');
    const both = [
      paidOutput(owner, 5n, 3, rng),
      forkOutput(owner, 7n, 4, rng, { subaddress: { major: 1, minor: 1 } }),
    ];
    const [legacy, fork] = both.map(({ keyImage }) => keyImage ?? bytes<KeyImage>(0));
    wallet.store.write((w) =>
      w.applyPage(
        page(3, 3, {
          received: both.map(({ txHash, height }) => ({ ...received(1, height), txHash })),
          outputs: both.map(unnamed),
          ambiguousSpends: [
            {
              ...{ txHash: bytes<Hash>(77), height: 5, timestamp: 1005, unlockTime: 0n, fee: amount(1n) },
              ...{ amountOut: amount(0n), keyImages: [fork ?? bytes<KeyImage>(0)] },
            },
          ],
        }),
      ),
    );
    wallet.refresher.onKeyImages = (keys, outputs) => {
      const own = outputs.filter(({ publicKey }) => both.some((one) => equalBytes(one.publicKey, publicKey)));
      const images = chunks(locatedKeyImages(own, keys, loadKernel()), 32).values();
      return Promise.resolve(
        outputs.map((output, i) => (own.includes(output) ? images.next().value : bytes(101 + i)) as KeyImage),
      );
    };
    await background.stop(recovery);
    expect(wallet.store.read((r) => r.outputs.byKeyImage(legacy ?? bytes(0)))).not.toHaveProperty('spentBy');
    expect(wallet.store.read((r) => r.outputs.byKeyImage(fork ?? bytes(0)))).toMatchObject({
      spentHeight: 5,
      amount: 7n,
    });
    expect(wallet.store.read((r) => r.outgoing.byHash(bytes<Hash>(77)))).toMatchObject({ amountIn: 7n });
  });

  it.each<[string, Partial<Recovery>, string]>([
    ['a wrong password', { password: 'wrong' }, 'wrong_password'],
    ['words that are no seed', { seed: 'abbey' }, 'bad_seed'],
    ['the seed of another wallet', { seed: seedOf('other') }, 'invalid'],
    ['an offset passphrase that the seed does not have', { seedOffset: 'passphrase' }, 'invalid'],
    ['no seed, in a wallet without a keys file', { seed: '' }, 'invalid'],
  ])('is refused for %s, and the key stays away', async (_, change, kind) => {
    expect(await faultOf(() => background.stop({ ...recovery, ...change }))).toMatchObject({ kind });
    expect([hasSpendKey(), isMarked()]).toEqual([false, true]);
  });

  it('can be tried again where the key images could not be computed', async () => {
    const { onKeyImages } = wallet.refresher;
    wallet.refresher.onKeyImages = () => Promise.reject(new Error('the thread died'));
    await expect(background.stop(recovery)).rejects.toThrow('the thread died');
    expect([hasSpendKey(), isMarked()]).toEqual([false, true]);
    wallet.refresher.onKeyImages = onKeyImages;
    await background.stop(recovery);
    expectSettled();
  });

  it('computes and stores the key images of many outputs a few at a time, and continues after a failure', async () => {
    wallet.store.write((w) =>
      w.applyPage(
        page(3, 2, {
          received: [received(8, 4)],
          outputs: Array.from({ length: 1200 }, (_, i) =>
            unnamed(output(1000 + i, 4, 1n, { txHash: bytes(8), outputIndex: i })),
          ),
        }),
      ),
    );
    const counts: number[] = [];
    let made = 0;
    wallet.refresher.onKeyImages = (_, outputs) => {
      counts.push(outputs.length);
      if (counts.length === 2) return Promise.reject(new Error('the thread died'));
      return Promise.resolve(outputs.map(() => bytes(101 + made++)));
    };
    await expect(background.stop(recovery)).rejects.toThrow('the thread died');
    expect([hasSpendKey(), isMarked()]).toEqual([false, true]);
    await background.stop(recovery);
    expectSettled();
    expect(counts).toEqual([500, 500, 500, 202]);
  });

  it('is refused in a wallet that is closed meanwhile', async () => {
    wallet.refresher.onKeyImages = () => Promise.reject(new RefreshCancelled('the wallet is closed'));
    expect(await faultOf(() => background.stop(recovery))).toEqual({ kind: 'no_wallet' });
    expect(hasSpendKey()).toBe(false);
  });

  it('changes nothing once it is done, and is refused where it was never set up', async () => {
    await background.stop(recovery);
    const { version } = wallet.store;
    await background.stop(recovery);
    expect([hasSpendKey(), wallet.store.version]).toEqual([true, version]);
    reopen({ backgroundSync: 'off' });
    expect(await faultOf(() => background.stop(recovery))).toMatchObject({ kind: 'invalid' });
  });
});

describe('a wallet that is opened', () => {
  it('finds the spends of outputs that were received while its key was away', async () => {
    receiveAway();
    wallet.store.write((w) => w.meta.set('background_sync', '1'));
    await background.resume();
    expectSettled();
  });

  it('changes nothing where its key was not away, or is not there', async () => {
    receiveAway();
    await background.resume();
    reopen({ viewOnly: true });
    wallet.store.write((w) => w.meta.set('background_sync', '1'));
    await background.resume();
    expect([calls(), isMarked()]).toEqual([[], true]);
  });

  it('marks the store where it is a background wallet, which is neither started nor stopped', async () => {
    Object.defineProperty(wallet.keystore, 'background', { value: 'wallet' });
    await background.resume();
    expect([isMarked(), calls()]).toEqual([true, []]);
    expect(await faultOf(() => background.start())).toMatchObject({ kind: 'invalid' });
    expect(await faultOf(() => background.stop(recovery))).toMatchObject({ kind: 'invalid' });
  });
});
