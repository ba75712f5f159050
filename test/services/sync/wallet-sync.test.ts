import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Daemon, DaemonBlockHeader } from '../../../src/daemon/daemon.js';
import { DaemonError, NewerBlock } from '../../../src/daemon/errors.js';
import type { RefreshFrom } from '../../../src/refresh/feeds/chain-position.js';
import { RefreshCancelled } from '../../../src/refresh/messages.js';
import type { Hash, KeyImage } from '../../../src/monero/crypto/types.js';
import type { PageFindings } from '../../../src/monero/wallet/scan/findings.js';
import { bytes, output, page, received } from '../../store/fixtures.js';
import { turns } from '../../support/fakes/event-loop-turns.js';
import { faultOf, infoOf, TestWallet } from '../../support/wallets/test-wallet.js';
import { paymentHash, pooledPayment, unminedPayment } from '../../support/wallets/unmined-payment.js';

const NO_WALLET = { kind: 'no_wallet' };
const DONE = { blocksFetched: 0, receivedMoney: false };
const cancelled = new RefreshCancelled('cancelled');

/** A daemon that has every block that it is asked for. */
const daemonWithBlocks: Partial<Daemon> = {
  getBlockHeader: (height) => Promise.resolve({ height } as DaemonBlockHeader),
};

let wallet: TestWallet;
beforeEach(() => {
  wallet = new TestWallet({ restoreHeight: 5 });
  wallet.answers = { ...wallet.answers, ...daemonWithBlocks };
});
afterEach(() => wallet.close());

const froms = (): RefreshFrom[] => wallet.refresher.callsOf('refresh').map(([from]) => from as RefreshFrom);
const calls = (): unknown[] => wallet.refresher.calls.map(([name]) => name);
/** A promise that the test ends. */
function gate<T>() {
  let open: (value: T) => void = () => undefined;
  let fail: (error: Error) => void = () => undefined;
  const passed = new Promise<T>((resolve, reject) => {
    open = resolve;
    fail = reject;
  });
  return { passed, open: (value: T) => open(value), fail: (error: Error) => fail(error) };
}

describe('a refresh', () => {
  it('starts from the blocks that the wallet holds, at the restore height or the one asked for if it is higher', async () => {
    await wallet.sync.refresh();
    wallet.store.write((w) => w.applyPage(page(5, 2)));
    await wallet.sync.refresh({ startHeight: 3 });
    await wallet.sync.refresh({ startHeight: 8, asOf: 17.5 });
    expect(
      froms().map(({ history, ...rest }) => ({ ...rest, heights: history.map(({ height }) => height) })),
    ).toEqual([
      { startHeight: 5, heights: [] },
      { startHeight: 5, heights: [6, 5] },
      { startHeight: 8, asOf: 17.5, heights: [6, 5] },
    ]);
  });

  it('gives its result, and has its findings and many blocks on disk before it ends', async () => {
    let flushes = 0;
    wallet.store.flushScan = () => Promise.resolve(void (flushes += 1));
    const refreshWith = async (found: PageFindings): Promise<number> => {
      const before = flushes;
      const result = { blocksFetched: found.hashes.length, receivedMoney: found.outputs.length > 0 };
      wallet.refresher.onRefresh = () => {
        wallet.sync.commitPage(found, 40);
        return Promise.resolve(result);
      };
      expect(await wallet.sync.refresh()).toEqual(result);
      return flushes - before;
    };
    expect(await refreshWith(page(0, 11))).toBe(1);
    expect(await refreshWith(page(11, 10))).toBe(0);
    expect(
      await refreshWith(page(21, 1, { received: [received(1, 21)], outputs: [output(1, 21, 5n)] })),
    ).toBe(1);
    const spend = { keyImage: bytes<KeyImage>(101), txHash: bytes<Hash>(9), height: 22 };
    expect(await refreshWith(page(22, 1, { spends: [spend] }))).toBe(1);
    expect(await refreshWith(page(23, 1))).toBe(0);
  });

  it('has its findings on disk before it ends, although the flush of the one before failed', async () => {
    let fails = true;
    let flushes = 0;
    wallet.store.flushScan = () => {
      flushes += 1;
      return fails ? Promise.reject(new Error('disk')) : Promise.resolve();
    };
    wallet.sync.commitPage(page(0, 11), 40);
    await expect(wallet.sync.refresh()).rejects.toThrow('disk');
    fails = false;
    await wallet.sync.refresh();
    await wallet.sync.refresh();
    expect(flushes).toBe(2);
  });

  it('waits for the one before', async () => {
    const first = gate<typeof DONE>();
    wallet.refresher.onRefresh = () => first.passed;
    const both = [wallet.sync.refresh(), wallet.sync.refresh()];
    await turns(3);
    expect(froms()).toHaveLength(1);
    wallet.refresher.onRefresh = () => Promise.resolve(DONE);
    first.open(DONE);
    await Promise.all(both);
    expect(froms()).toHaveLength(2);
  });

  it('that is cancelled runs again', async () => {
    const answers = [Promise.reject(cancelled), Promise.reject(cancelled)];
    wallet.refresher.onRefresh = () => answers.shift() ?? Promise.resolve(DONE);
    expect(await wallet.sync.refresh()).toEqual(DONE);
    expect(froms()).toHaveLength(3);
  });

  it('fails as the daemon does, and leaves the next one free', async () => {
    const error = new DaemonError('timeout', 'no answer');
    wallet.refresher.onRefresh = () => Promise.reject(error);
    await expect(wallet.sync.refresh()).rejects.toBe(error);
    wallet.refresher.onRefresh = () => Promise.resolve(DONE);
    expect(await wallet.sync.refresh()).toEqual(DONE);
  });

  it('that could not read the pool decides nothing about the payments that it lacks', async () => {
    const follow = jest.spyOn(wallet.lostPayments, 'follow');
    wallet.refresher.onRefresh = () => Promise.resolve({ ...DONE, poolError: new Error('HTTP status 502') });
    await wallet.sync.refresh();
    expect(follow).not.toHaveBeenCalled();
    wallet.refresher.onRefresh = () => Promise.resolve(DONE);
    await wallet.sync.refresh();
    expect(follow).toHaveBeenCalledTimes(1);
  });

  it('that ends at a block of a newer version says so until one goes beyond it', async () => {
    await wallet.sync.refresh();
    expect([wallet.sync.isSynced, wallet.sync.newerBlock]).toEqual([true, undefined]);
    const error = new NewerBlock({ height: 71, version: 17 }, 16);
    wallet.refresher.onRefresh = () => Promise.reject(error);
    await expect(wallet.sync.refresh()).rejects.toBe(error);
    expect([wallet.sync.isSynced, wallet.sync.newerBlock]).toEqual([false, { height: 71, version: 17 }]);
    wallet.refresher.onRefresh = () => Promise.resolve(DONE);
    await wallet.sync.refresh();
    expect([wallet.sync.isSynced, wallet.sync.newerBlock]).toEqual([true, undefined]);
  });

  it.each(['cancelled', 'done'])('is refused in a wallet that is closed before it is %s', async (end) => {
    const running = gate<typeof DONE>();
    wallet.refresher.onRefresh = () => running.passed;
    const refresh = wallet.sync.refresh();
    const next = wallet.sync.refresh();
    const faults = Promise.all([refresh, next].map((one) => faultOf(() => one)));
    await turns(3);
    wallet.close();
    if (end === 'done') running.open(DONE);
    else running.fail(cancelled);
    expect(await faults).toEqual([NO_WALLET, NO_WALLET]);
    expect(froms()).toHaveLength(1);
  });
});

describe('payments that the mempool lacks', () => {
  beforeEach(() => {
    wallet.store.write((w) => {
      w.applyPage(page(5, 3, { received: [received(1, 5)], outputs: [output(1, 5, 50n)] }));
      w.outgoing.insert(unminedPayment(1, { timestamp: wallet.time }));
    });
    wallet.answers.sendRawTransaction = () =>
      Promise.resolve({ accepted: true, notRelayed: false, reason: '' });
  });
  const spender = () => wallet.store.read((r) => r.outputs.spentBy(paymentHash(1)).length);

  it('take their inputs and are relayed again after a refresh', async () => {
    await wallet.sync.refresh();
    expect([spender(), wallet.lines]).toEqual([
      1,
      [expect.objectContaining({ msg: 'a payment was relayed again' })],
    ]);
  });

  it('are left alone while the spend key is put away: the mempool is not looked at', async () => {
    wallet.keystore.dropSpendKey();
    await wallet.sync.refresh();
    expect([spender(), wallet.lines]).toEqual([0, []]);
  });

  it('that are in the mempool are not relayed', async () => {
    wallet.sync.commitPool([paymentHash(1)], []);
    await wallet.sync.refresh();
    expect(wallet.lines).toEqual([]);
  });
});

describe('a refresh that finds a payment missing in the mempool', () => {
  /** A refresh that reads some blocks, then an empty pool. */
  const refresh = async (found: PageFindings): Promise<void> => {
    wallet.refresher.onRefresh = () => {
      wallet.sync.commitPage(found, found.startHeight + found.hashes.length);
      wallet.sync.commitPool([], []);
      return Promise.resolve(DONE);
    };
    await wallet.sync.refresh();
  };
  const listed = (): Hash[] => wallet.store.read((r) => r.pool.hashes());
  const sent: Hash[] = [];
  beforeEach(() => {
    sent.length = 0;
    wallet.store.write((w) => w.applyPage(page(5, 3)));
    wallet.sync.commitPool([paymentHash(1)], [{ incoming: pooledPayment(paymentHash(1)) }]);
  });

  it('removes it where no block of the daemon is unread', async () => {
    await refresh(page(8, 1));
    expect(listed()).toEqual([]);
  });

  it('leaves it, and own payments, to the next refresh where a block was found meanwhile', async () => {
    wallet.store.write((w) => w.outgoing.insert(unminedPayment(2, { timestamp: wallet.time })));
    wallet.answers.sendRawTransaction = () => {
      sent.push(paymentHash(2));
      return Promise.resolve({ accepted: true, notRelayed: false, reason: '' });
    };
    wallet.answers.getInfo = () => Promise.resolve(infoOf({ height: 9, hash: bytes<Hash>(9) }));
    await refresh(page(8, 1));
    expect([listed(), sent]).toEqual([[paymentHash(1)], []]);
    await refresh(page(9, 1));
    expect([listed(), sent]).toEqual([[], [paymentHash(2)]]);
  });

  it('leaves it where another daemon serves since', async () => {
    let name = 'a:18081';
    const { daemon } = wallet;
    const other = Object.create(daemon, { name: { get: () => name } }) as typeof daemon;
    Object.defineProperty(wallet, 'daemon', { value: other });
    const commitPool = wallet.sync.commitPool.bind(wallet.sync);
    wallet.sync.commitPool = (...given) => {
      commitPool(...given);
      name = 'b:18081';
    };
    await refresh(page(8, 1));
    expect(listed()).toEqual([paymentHash(1)]);
    await refresh(page(9, 1));
    expect(listed()).toEqual([]);
  });
});

describe('a look into the mempool', () => {
  const [one, two] = [paymentHash(1), paymentHash(2)];
  beforeEach(() => {
    wallet.pool = [one];
  });

  /** Commits a scan of the pool. */
  const scanned = (...present: Hash[]): void => {
    wallet.sync.commitPool(present, []);
    wallet.refresher.poolScanned = true;
  };
  /** True if the refresh thread is asked to scan. */
  const scans = async (): Promise<boolean> => {
    const before = calls().length;
    await wallet.sync.refreshPool();
    return calls().length > before;
  };

  it('scans no transaction a second time', async () => {
    expect(await scans()).toBe(true);
    scanned(one, two);
    expect(await scans()).toBe(false);
    wallet.pool = [];
    expect(await scans()).toBe(false);
    wallet.pool = [two, one];
    expect(await scans()).toBe(false);
  });

  it('scans a new transaction, and after a restart of the scanner all of them', async () => {
    scanned(one);
    wallet.pool = [one, two];
    expect(await scans()).toBe(true);
    scanned(one, two);
    wallet.refresher.poolScanned = false;
    expect(await scans()).toBe(true);
    wallet.pool = [];
    expect(await scans()).toBe(false);
  });

  it('keeps a listed payment that it lacks, and asks once for the blocks that may contain it', async () => {
    const listed = (): unknown => wallet.store.read((r) => r.pool.listed());
    const asked: number[] = [];
    wallet.answers.getInfo = () => {
      asked.push(asked.length);
      return Promise.resolve(infoOf({ height: 8, hash: bytes<Hash>(8) }));
    };
    wallet.sync.commitPool([one, two], [{ incoming: pooledPayment(two) }]);
    wallet.refresher.poolScanned = true;
    wallet.pool = [two];
    expect(await scans()).toBe(false);
    expect([asked.length, listed()]).toEqual([0, [{ txHash: two }]]);
    for (const present of [[one], [], [one]]) {
      wallet.pool = present;
      expect(await scans()).toBe(false);
    }
    expect([asked.length, listed()]).toEqual([1, [{ txHash: two, neededHeight: 9 }]]);
  });

  it('keeps a listed payment that it lacks although the daemon does not name its newest block', async () => {
    wallet.sync.commitPool([one], [{ incoming: pooledPayment(one) }]);
    wallet.refresher.poolScanned = true;
    wallet.pool = [];
    wallet.answers.getInfo = () => Promise.reject(new DaemonError('timeout', 'no answer'));
    expect(await scans()).toBe(false);
    expect(wallet.store.read((r) => r.pool.listed())).toEqual([{ txHash: one }]);
  });

  it('asks the daemon nothing during background sync', async () => {
    wallet.hide();
    Object.defineProperty(wallet, 'daemon', { value: {} });
    await wallet.sync.refreshPool();
    expect(calls()).toEqual([]);
  });

  it('fails as the daemon does that cannot list it', async () => {
    const error = new DaemonError('unreachable', 'no answer');
    Object.defineProperty(wallet, 'daemon', { value: { poolHashes: () => Promise.reject(error) } });
    await expect(wallet.sync.refreshPool()).rejects.toBe(error);
    expect(calls()).toEqual([]);
  });

  it('is shared by the pendingRequests that wait for it, and not by later ones', async () => {
    const first = gate<undefined>();
    wallet.refresher.onLookIntoPool = () => first.passed;
    const running = wallet.sync.refreshPool();
    await turns(3);
    const waiting = [wallet.sync.refreshPool(), wallet.sync.refreshPool()];
    await turns(3);
    expect(calls()).toEqual(['scanPool']);
    wallet.refresher.onLookIntoPool = () => Promise.resolve();
    first.open(undefined);
    await Promise.all([running, ...waiting]);
    expect(calls()).toEqual(['scanPool', 'scanPool']);
    await wallet.sync.refreshPool();
    expect(calls()).toHaveLength(3);
  });

  it('does not wait for a refresh', async () => {
    const refresh = gate<typeof DONE>();
    wallet.refresher.onRefresh = () => refresh.passed;
    const refreshing = wallet.sync.refresh();
    await wallet.sync.refreshPool();
    refresh.open(DONE);
    await refreshing;
  });

  it('is scanned once more when the scanner is started again meanwhile', async () => {
    wallet.pool = [paymentHash(1)];
    const answers = [Promise.reject(cancelled), Promise.resolve()];
    wallet.refresher.onLookIntoPool = () => answers.shift() ?? Promise.reject(cancelled);
    await wallet.sync.refreshPool();
    expect(calls()).toEqual(['scanPool', 'scanPool']);
    expect(await faultOf(() => wallet.sync.refreshPool())).toEqual(NO_WALLET);
  });

  it('fails as the daemon does, for every caller that shares it, and the next one runs', async () => {
    const error = new DaemonError('timeout', 'no answer');
    wallet.refresher.onLookIntoPool = () => Promise.reject(error);
    const both = [wallet.sync.refreshPool(), wallet.sync.refreshPool()];
    for (const one of both) await expect(one).rejects.toBe(error);
    wallet.refresher.onLookIntoPool = () => Promise.resolve();
    await wallet.sync.refreshPool();
  });

  it('is refused in a wallet that is closed, before and while it runs', async () => {
    wallet.refresher.onLookIntoPool = () => {
      wallet.close();
      return Promise.reject(cancelled);
    };
    expect(await faultOf(() => wallet.sync.refreshPool())).toEqual(NO_WALLET);
    expect(await faultOf(() => wallet.sync.refreshPool())).toEqual(NO_WALLET);
    expect(calls()).toEqual(['scanPool']);
  });
});
