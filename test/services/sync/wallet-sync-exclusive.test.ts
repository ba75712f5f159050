import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Hash, SecretKey } from '../../../src/monero/crypto/types.js';
import { RefreshCancelled } from '../../../src/refresh/messages.js';
import { bytes, output, page, received } from '../../store/fixtures.js';
import { turns } from '../../support/fakes/event-loop-turns.js';
import { faultOf, TestWallet } from '../../support/wallets/test-wallet.js';
import { paymentHash, unminedPayment } from '../../support/wallets/unmined-payment.js';

const NO_WALLET = { kind: 'no_wallet' };

let wallet: TestWallet;
beforeEach(() => {
  wallet = new TestWallet();
});
afterEach(() => wallet.close());

const calls = (): unknown[] => wallet.refresher.calls.map(([name]) => name);
/** Holds a lock until it is opened. */
function hold(lock: 'refresh' | 'payment'): () => Promise<void> {
  let open: () => void = () => undefined;
  const held = wallet.locks[lock].run(() => new Promise<void>((resolve) => (open = resolve)));
  return () => {
    open();
    return held;
  };
}

describe('a task that must not be disturbed', () => {
  it.each(['refresh', 'payment'] as const)('waits for a %s, and gives its result', async (lock) => {
    const release = hold(lock);
    let isRun = false;
    const task = wallet.sync.runExclusive(() => {
      isRun = true;
      return Promise.resolve('result');
    });
    await turns(3);
    expect(isRun).toBe(false);
    await release();
    expect([await task, calls()]).toEqual(['result', []]);
  });

  it('does not run in a wallet that is closed while it waits', async () => {
    const release = hold('refresh');
    let isRun = false;
    const task = wallet.sync.runExclusive(() => Promise.resolve((isRun = true)));
    await turns(3);
    wallet.close();
    await release();
    expect([await faultOf(() => task), isRun]).toEqual([NO_WALLET, false]);
  });
});

describe('a task that interrupts', () => {
  it('cancels the refresh at once, and has the scanner start over once it is done', async () => {
    const release = hold('refresh');
    const task = wallet.sync.cancelAndRun(() => {
      wallet.refresher.calls.push(['task']);
      return Promise.resolve();
    });
    await turns(3);
    expect(calls()).toEqual(['cancel']);
    await release();
    await task;
    expect(calls()).toEqual(['cancel', 'task', 'restart']);
  });

  it('goes before a refresh that still reads the watched addresses, and which begins again', async () => {
    wallet.refresher.onRefresh = () => {
      wallet.refresher.calls.push(['refreshed']);
      return Promise.resolve({ blocksFetched: 0, receivedMoney: false });
    };
    const interrupted = new Promise<void>((resolve) => {
      wallet.refresher.isAttached = () => {
        wallet.refresher.isAttached = () => true;
        resolve(
          wallet.sync.cancelAndRun(() => {
            wallet.refresher.calls.push(['task']);
            return Promise.resolve();
          }),
        );
        return false;
      };
    });
    await wallet.sync.refresh();
    await interrupted;
    const order = calls().filter((name) => ['cancel', 'task', 'refreshed'].includes(name as string));
    expect(order).toEqual(['cancel', 'task', 'refreshed']);
  });

  it('that fails leaves the scanner as it is', async () => {
    await expect(wallet.sync.cancelAndRun(() => Promise.reject(new Error('it failed')))).rejects.toThrow(
      'it failed',
    );
    expect(calls()).toEqual(['cancel']);
  });
});

describe('reading the chain again', () => {
  beforeEach(() => {
    wallet.store.write((w) => {
      w.applyPage(page(0, 3, { received: [received(1, 1)], outputs: [output(1, 1, 50n)] }));
      const destinations = [{ address: 'a', amount: unminedPayment(1).fee }];
      w.prepare(unminedPayment(1, { destinations }), [output(1, 1, 50n)], [bytes<SecretKey>(3)]);
      w.notes.set(bytes<Hash>(1), 'rent');
    });
    wallet.answers.sendRawTransaction = () =>
      Promise.resolve({ accepted: true, notRelayed: false, reason: '' });
  });

  it.each([
    ['keeps the keys and destinations of payments where it is soft', false, ['pending', 1]],
    ['deletes them too where it is hard', true, [undefined, undefined]],
  ])('deletes every row derived from the chain, and %s', async (_, hard, kept) => {
    await wallet.sync.rescan(hard);
    expect(wallet.store.read((r) => [r.chain.tip(), r.payments.has(bytes<Hash>(1))])).toEqual([
      undefined,
      false,
    ]);
    const { payment, keys, note } = wallet.store.read((r) => ({
      payment: r.outgoing.byHash(paymentHash(1)),
      keys: r.txKeys.get(paymentHash(1)),
      note: r.notes.get(bytes<Hash>(1)),
    }));
    expect([payment?.state, keys?.length]).toEqual(kept);
    expect([payment?.destinations.length ?? 0, note]).toEqual([hard ? 0 : 1, 'rent']);
    expect(calls()).toEqual(['cancel', 'restart', 'refresh']);
  });

  it('waits for a refresh that is being given up', async () => {
    const release = hold('refresh');
    const rescan = wallet.sync.rescan(false);
    await turns(3);
    expect([calls(), wallet.store.height()]).toEqual([['cancel'], 3]);
    await release();
    await rescan;
    expect(wallet.store.height()).toBe(1);
  });

  it('is refused in a wallet that is closed meanwhile', async () => {
    const release = hold('refresh');
    const rescan = wallet.sync.rescan(true);
    await turns(3);
    wallet.close();
    await release();
    expect(await faultOf(() => rescan)).toEqual(NO_WALLET);
    expect(calls()).toEqual(['cancel']);
  });
});

describe('calls to the scanner', () => {
  it('are passed on for this wallet', () => {
    const imported = [{ publicKey: bytes<never>(1), keyImage: bytes<never>(2), proven: true }];
    wallet.sync.expandTo({ major: 1, minor: 2 });
    wallet.sync.watchKeyImages(imported);
    wallet.sync.restartScan();
    wallet.sync.stop();
    expect(wallet.refresher.calls).toEqual([
      ['expand', { major: 1, minor: 2 }],
      ['importKeyImages', imported],
      ['restart'],
      ['detach'],
    ]);
  });

  it('that are cancelled say that the wallet is closed; other errors stay as they are', async () => {
    const { refresher, sync } = wallet;
    const keys = { viewSecret: wallet.keys.viewSecret.expose(), spendSecret: wallet.keys.spend };
    const fail = (error: Error): Promise<never> => Promise.reject(error);
    const attempts = [
      () => sync.scanTxs({ mined: [], unmined: [] }),
      () => sync.keyImages(keys, []),
      () => sync.watched.derive(),
    ];
    for (const error of [new RefreshCancelled('the wallet is closed'), new TypeError('a bug')]) {
      refresher.onLook = () => fail(error);
      refresher.onKeyImages = () => fail(error);
      refresher.onLookAhead = () => fail(error);
      for (const attempt of attempts)
        if (error instanceof TypeError) await expect(attempt()).rejects.toBe(error);
        else expect(await faultOf(attempt)).toEqual(NO_WALLET);
    }
  });
});
