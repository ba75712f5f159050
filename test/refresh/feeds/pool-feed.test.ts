import { describe, expect, it } from '@jest/globals';
import type { Hash, KeyImage, SecretKey } from '../../../src/monero/crypto/types.js';
import type { RawTx } from '../../../src/monero/wallet/scan/block-page.js';
import { DaemonError } from '../../../src/daemon/errors.js';
import type { BatchScanner } from '../../../src/refresh/scan/match-group.js';
import { monotonicMs } from '../../../src/util/clock.js';
import { unpackHashes } from '../../../src/refresh/messages.js';
import { PoolFeed, type PoolSource, type PoolViewer } from '../../../src/refresh/feeds/pool-feed.js';
import type { PoolOutgoing, WalletScanner } from '../../../src/refresh/scan/wallet-scanner.js';
import { toHex } from '../../../src/util/bytes.js';
import { quietKernel } from '../../support/fakes/feed-members.js';
import { looseTx, wholeTx } from '../../support/chain/loose-tx.js';

const numbers = new Map<string, number>();
const txs = new Map<number, RawTx>();

/** Returns a transaction by its number. */
function txOf(n: number): RawTx {
  const tx = txs.get(n) ?? wholeTx(1, BigInt(n));
  txs.set(n, tx);
  numbers.set(toHex(tx.hash), n);
  return tx;
}

const hashOf = (n: number): Hash => txOf(n).hash;
const numberOf = (hash: Hash): number => numbers.get(toHex(hash)) ?? NaN;

/** A daemon with a pool of numbered transactions. */
class PoolDaemon implements PoolSource {
  pool: number[];
  hashRequests = 0;
  readonly fetched: number[][] = [];
  failure: Error | undefined;
  /** Transactions that it lists and does not send. */
  readonly withheld = new Set<number>();
  /** Transactions that it sends in another form. */
  readonly replaced = new Map<number, Partial<RawTx>>();

  constructor(pool: number[]) {
    this.pool = pool;
  }

  readonly getPoolHashes = (): Promise<readonly Hash[]> => {
    this.hashRequests += 1;
    return this.failure === undefined ? Promise.resolve(this.pool.map(hashOf)) : Promise.reject(this.failure);
  };

  readonly getTransactions: PoolSource['getTransactions'] = (hashes) => {
    const asked = hashes.map(numberOf);
    this.fetched.push(asked);
    const transactions = asked
      .filter((n) => !this.withheld.has(n))
      .map((n) => ({
        ...txOf(n),
        ...this.replaced.get(n),
        inPool: this.pool.includes(n),
        doubleSpendSeen: false,
      }));
    return Promise.resolve({ transactions });
  };

  /** Numbers of the transactions whose spends it was asked to prove. */
  readonly proofs: number[] = [];
  /** Result of a proof of spends. */
  isProven: () => Promise<boolean> = () => Promise.resolve(true);

  readonly proveSpends: PoolSource['proveSpends'] = (txHash) => {
    this.proofs.push(numberOf(txHash));
    return this.isProven();
  };
}

/** A wallet that notes the numbers of the transactions that it scans. */
class Viewer implements PoolViewer {
  seenInPool = new Set<string>();
  readonly scanned: number[] = [];
  readonly scanner: PoolViewer['scanner'];

  constructor({ isBlind = false } = {}) {
    const scanPool: WalletScanner['scanPool'] = async ({ sent }, matches, _, isWanted = () => true) => {
      for await (const portion of matches) expect(portion.count).toBe(0);
      sent.forEach(({ hash }, i) => {
        if (isWanted(i)) this.scanned.push(numberOf(hash));
      });
      return [];
    };
    const scanKeys = { viewSecret: new Uint8Array(32).fill(3) as SecretKey };
    this.scanner = { isBlind, scanKeys, scanPool };
  }
}

const range = (count: number): number[] => Array.from({ length: count }, (_, i) => i + 1);

function attached(feed: PoolFeed, count: number): Viewer[] {
  const viewers = Array.from({ length: count }, () => new Viewer());
  for (const viewer of viewers) feed.attach(viewer);
  return viewers;
}

describe('the pool for many wallets', () => {
  it('is listed by one request, and its transactions are fetched once', async () => {
    const daemon = new PoolDaemon(range(150));
    const feed = new PoolFeed(daemon, quietKernel);
    const viewers = attached(feed, 30);
    const asOf = monotonicMs();
    const views = await Promise.all(viewers.map((viewer) => feed.view(viewer, asOf)));
    for (const { present } of views) expect(unpackHashes(present)).toEqual(daemon.pool.map(hashOf));
    for (const { scanned } of viewers) expect(scanned.sort((a, b) => a - b)).toEqual(range(150));
    expect(daemon.hashRequests).toBe(1);
    expect(daemon.fetched.map(({ length }) => length)).toEqual([100, 50]);
  });

  it('is scanned without the transactions that cannot be read, which are counted and fetched once', async () => {
    const { blob } = txOf(2);
    const daemon = new PoolDaemon(range(9));
    const unreadable: [number, Partial<RawTx>][] = [
      [2, { blob: Uint8Array.of(3, ...blob.slice(1)) }],
      [4, { blob: blob.slice(0, -1) }],
      [5, { blob: new Uint8Array() }],
      [6, { blob: txOf(7).blob }],
      [8, looseTx(hashOf(8), 1)],
    ];
    for (const [n, change] of unreadable) daemon.replaced.set(n, change);
    const feed = new PoolFeed(daemon, quietKernel);
    const [first, second] = attached(feed, 2) as [Viewer, Viewer];
    for (const viewer of [first, second, first]) {
      const view = await feed.view(viewer, monotonicMs());
      expect(view.unreadable).toBe(5);
      expect(unpackHashes(view.present)).toEqual(range(9).map(hashOf));
      expect(viewer.scanned).toEqual([1, 3, 7, 9]);
    }
    expect(daemon.fetched).toEqual([range(9)]);
    daemon.pool = [1, 2];
    expect((await feed.view(first, monotonicMs())).unreadable).toBe(1);
  });

  it('is scanned by few kernel calls', async () => {
    const calls: number[] = [];
    const kernel: BatchScanner = {
      threads: 1,
      scanMany: (batch, secrets) => {
        calls.push(secrets.length);
        return quietKernel.scanMany(batch, secrets);
      },
    };
    const feed = new PoolFeed(new PoolDaemon(range(9)), kernel);
    const asOf = monotonicMs();
    await Promise.all(attached(feed, 40).map((viewer) => feed.view(viewer, asOf)));
    expect(calls.reduce((sum, count) => sum + count, 0)).toBe(40);
    expect(calls.length).toBeLessThanOrEqual(3);
  });

  it('is listed anew for a wallet that wants a newer answer', async () => {
    const daemon = new PoolDaemon([1]);
    const feed = new PoolFeed(daemon, quietKernel);
    const [first, second] = attached(feed, 2) as [Viewer, Viewer];
    await feed.view(first, monotonicMs());
    daemon.pool = [1, 2];
    const { present } = await feed.view(second, monotonicMs());
    expect(unpackHashes(present)).toEqual([hashOf(1), hashOf(2)]);
    expect(daemon.fetched).toEqual([[1], [2]]);
    expect(second.scanned).toEqual([1, 2]);
  });

  it('keeps a transaction until every wallet has scanned it', async () => {
    const daemon = new PoolDaemon([1]);
    const feed = new PoolFeed(daemon, quietKernel);
    const viewers = attached(feed, 3);
    for (const viewer of viewers) await feed.view(viewer, monotonicMs());
    expect(daemon.fetched).toEqual([[1]]);
    const [later] = attached(feed, 1) as [Viewer];
    await feed.view(later, monotonicMs());
    expect(daemon.fetched).toEqual([[1], [1]]);
  });

  it('keeps no transaction that has left the pool', async () => {
    const daemon = new PoolDaemon([1]);
    const feed = new PoolFeed(daemon, quietKernel);
    const [first, second] = attached(feed, 2) as [Viewer, Viewer];
    await feed.view(first, monotonicMs());
    daemon.pool = [];
    await feed.view(first, monotonicMs());
    expect(first.seenInPool.size).toBe(0);
    daemon.pool = [1];
    await feed.view(second, monotonicMs());
    expect(daemon.fetched).toEqual([[1], [1]]);
    await feed.view(first, monotonicMs());
    expect(first.scanned).toEqual([1, 1]);
  });

  it('keeps a bounded number of bytes', async () => {
    const daemon = new PoolDaemon(range(300));
    const feed = new PoolFeed(daemon, quietKernel, 150 * txOf(300).blob.length);
    const [first, second] = attached(feed, 2) as [Viewer, Viewer];
    await feed.view(first, monotonicMs());
    await feed.view(second, monotonicMs());
    expect(second.scanned.sort((a, b) => a - b)).toEqual(range(300));
    // The last hundred were kept.
    expect(daemon.fetched.length).toBeGreaterThanOrEqual(5);
  });
});

describe('one wallet at the pool', () => {
  it('scans each transaction once, and all again when asked to', async () => {
    const daemon = new PoolDaemon([1, 2]);
    const feed = new PoolFeed(daemon, quietKernel);
    const [viewer] = attached(feed, 1) as [Viewer];
    await feed.view(viewer, monotonicMs());
    daemon.pool = [2, 3];
    await feed.view(viewer, monotonicMs());
    expect(viewer.scanned).toEqual([1, 2, 3]);
    expect([...viewer.seenInPool].sort()).toEqual([2, 3].map((n) => toHex(hashOf(n))));
    viewer.seenInPool = new Set();
    await feed.view(viewer, monotonicMs());
    expect(viewer.scanned).toEqual([1, 2, 3, 2, 3]);
  });

  it('does not mark what was to be scanned again meanwhile', async () => {
    const daemon = new PoolDaemon([1]);
    const feed = new PoolFeed(daemon, quietKernel);
    const [viewer] = attached(feed, 1) as [Viewer];
    const view = feed.view(viewer, monotonicMs());
    await Promise.resolve();
    await Promise.resolve();
    await Promise.resolve();
    viewer.seenInPool = new Set();
    await view;
    await feed.view(viewer, monotonicMs());
    expect(viewer.scanned).toEqual([1, 1]);
  });

  it('is not shown an older list by a scan that ends after another one', async () => {
    const daemon = new PoolDaemon([1, 2]);
    const feed = new PoolFeed(daemon, quietKernel);
    const [viewer] = attached(feed, 1) as [Viewer];
    const send = daemon.getTransactions;
    const slow: PoolSource = {
      getPoolHashes: daemon.getPoolHashes,
      proveSpends: daemon.proveSpends,
      getTransactions: async (...given) => {
        daemon.pool = [2, 3];
        await feed.view(viewer, monotonicMs());
        return send(...given);
      },
    };
    const { present } = await new PoolFeed(slow, quietKernel).view(viewer, monotonicMs());
    expect(unpackHashes(present)).toEqual([2, 3].map(hashOf));
  });

  describe('in which transactions spend outputs of a wallet', () => {
    const keyImages = [new Uint8Array(32).fill(9) as KeyImage];

    /** Makes a wallet whose outputs every transaction spends. */
    function payer(): Viewer {
      const viewer = new Viewer();
      const scanPool: WalletScanner['scanPool'] = ({ sent }, _, __, isWanted = () => true) =>
        Promise.resolve(
          sent.flatMap(({ hash: txHash }, i) => {
            if (!isWanted(i)) return [];
            viewer.scanned.push(numberOf(txHash));
            return [{ outgoing: { txHash, keyImages } as unknown as PoolOutgoing }];
          }),
        );
      return Object.assign(viewer, { scanner: { ...viewer.scanner, scanPool } });
    }

    const spent = async (daemon: PoolDaemon, viewer: Viewer, made?: readonly Hash[]): Promise<number[]> => {
      const { findings } = await new PoolFeed(daemon, quietKernel).view(viewer, 0, undefined, made);
      return findings.flatMap(({ outgoing }) => (outgoing === undefined ? [] : [numberOf(outgoing.txHash)]));
    };

    it('has each proven that the wallet has not made itself', async () => {
      const daemon = new PoolDaemon([1, 2, 3]);
      expect(await spent(daemon, payer(), [hashOf(2)])).toEqual([1, 2, 3]);
      expect(daemon.proofs).toEqual([1, 3]);
    });

    it('shows none if a proof fails, and all are scanned again', async () => {
      const daemon = new PoolDaemon([1, 2]);
      const viewer = payer();
      daemon.isProven = () => Promise.reject(new DaemonError('forged', 'no signature'));
      await expect(spent(daemon, viewer)).rejects.toMatchObject({ kind: 'forged' });
      daemon.isProven = () => Promise.resolve(true);
      expect(await spent(daemon, viewer)).toEqual([1, 2]);
    });

    it('leaves out what has left the pool, and scans it when it is back', async () => {
      const daemon = new PoolDaemon([1, 2]);
      const viewer = payer();
      daemon.isProven = () => Promise.resolve(daemon.proofs.length > 1);
      expect(await spent(daemon, viewer)).toEqual([2]);
      expect(await spent(daemon, viewer)).toEqual([1]);
      expect(viewer.scanned).toEqual([1, 2, 1]);
    });
  });

  it('scans later a transaction that the daemon listed but did not send', async () => {
    const daemon = new PoolDaemon([1, 2]);
    daemon.withheld.add(2);
    const feed = new PoolFeed(daemon, quietKernel);
    const [viewer] = attached(feed, 1) as [Viewer];
    await feed.view(viewer, monotonicMs());
    expect(viewer.scanned).toEqual([1]);
    daemon.withheld.clear();
    await feed.view(viewer, monotonicMs());
    expect(viewer.scanned).toEqual([1, 2]);
  });

  it('lists the pool and scans nothing while its spend key is away', async () => {
    const daemon = new PoolDaemon([1, 2]);
    const feed = new PoolFeed(daemon, quietKernel);
    const viewer = new Viewer({ isBlind: true });
    feed.attach(viewer);
    expect(unpackHashes((await feed.view(viewer, monotonicMs())).present)).toHaveLength(2);
    expect(daemon.fetched).toEqual([]);
  });

  it('ends with its signal, and leaves the answer to the others', async () => {
    const daemon = new PoolDaemon([1]);
    const feed = new PoolFeed(daemon, quietKernel);
    const [first, second] = attached(feed, 2) as [Viewer, Viewer];
    const abort = new AbortController();
    const asOf = monotonicMs();
    const cancelled = feed.view(first, asOf, abort.signal);
    const other = feed.view(second, asOf);
    abort.abort(new Error('closed'));
    await expect(cancelled).rejects.toThrow('closed');
    await other;
    expect(second.scanned).toEqual([1]);
    expect(daemon.hashRequests).toBe(1);
  });

  it('fails with the daemon, and asks again the next time', async () => {
    const daemon = new PoolDaemon([1]);
    const feed = new PoolFeed(daemon, quietKernel);
    const [viewer] = attached(feed, 1) as [Viewer];
    daemon.failure = new DaemonError('unreachable', 'gone');
    const asOf = monotonicMs();
    await expect(feed.view(viewer, asOf)).rejects.toThrow('gone');
    daemon.failure = undefined;
    await feed.view(viewer, asOf);
    expect(viewer.scanned).toEqual([1]);
  });
});
