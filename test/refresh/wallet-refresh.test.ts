import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Hash, SecretKey } from '../../src/monero/crypto/types.js';
import { blockHash } from '../../src/monero/cryptonote/block.js';
import type { Block } from '../../src/monero/cryptonote/types.js';
import { ChainFeed } from '../../src/refresh/feeds/chain-feed.js';
import type { RefreshFrom } from '../../src/refresh/feeds/chain-position.js';
import type { RefreshReport } from '../../src/refresh/messages.js';
import { monotonicMs } from '../../src/util/clock.js';
import { DaemonError } from '../../src/daemon/errors.js';
import { PoolFeed } from '../../src/refresh/feeds/pool-feed.js';
import { WalletRefresh, type DaemonFeeds, type RefreshedWallet } from '../../src/refresh/wallet-refresh.js';
import { UnreadableTx } from '../../src/refresh/scan/chain-block.js';
import type { WalletScanner } from '../../src/refresh/scan/wallet-scanner.js';
import type { FoundTx, PageFindings } from '../../src/monero/wallet/scan/findings.js';
import { turns } from '../support/fakes/event-loop-turns.js';
import { quietKernel, SteeredDaemon } from '../support/fakes/feed-members.js';
import { chain, PAGE } from '../support/chain/fake-chain.js';
import { until } from '../support/fakes/until.js';
import { output } from '../store/fixtures.js';

const blocks = chain(4 * PAGE);
const genesis = blockHash(blocks[0] as Block);
const FROM: RefreshFrom = { history: [], startHeight: 0 };

/** A wallet that finds so many outputs in every page, at its first block. */
class FakeWallet implements RefreshedWallet {
  readonly seenInPool = new Set<string>();
  outputs = 0;
  scans = 0;
  /** Number of blocks of each page that was scanned again. */
  readonly scannedAgain: number[] = [];
  failure: Error | undefined;
  /** Number of the first scan that fails. */
  failsFrom = 1;
  /** Number of blocks of each scanned page. */
  readonly scanned: number[] = [];
  readonly scanner: RefreshedWallet['scanner'];

  constructor({ isBlind = false } = {}) {
    const scan: WalletScanner['scan'] = async ({ blocks: found, txs }, matches): Promise<PageFindings> => {
      for await (const portion of matches) expect(portion.count).toBe(0);
      this.scans += 1;
      if (this.failure !== undefined && this.scans >= this.failsFrom) throw this.failure;
      this.scanned.push(found.length);
      const startHeight = found[0]?.height ?? 0;
      const nothing = {
        received: [],
        spends: [],
        outgoing: [],
        subaddresses: [],
        lastBlockReward: 0n as never,
      };
      const outputs = Array.from({ length: this.outputs }, (_, i) => {
        const { firstTx = 0 } = found[i % found.length] ?? {};
        return { ...output(1, startHeight + (i % found.length), 5n), txHash: txs.hash(firstTx) };
      });
      outputs.sort((a, b) => a.height - b.height);
      return { ...nothing, startHeight, hashes: found.map(({ hash }) => hash), outputs };
    };
    const scanAgain: WalletScanner['scanAgain'] = async (page, matches) => {
      this.scannedAgain.push(page.blocks.length);
      return scan(page, matches);
    };
    const scanKeys = { viewSecret: new Uint8Array(32).fill(3) as SecretKey };
    this.scanner = { isBlind, scanKeys, scan, scanAgain, scanPool: () => Promise.resolve([]) };
  }
}

/** Commits that a refresh has pending at most. */
const COMMITS_AHEAD = 4;
/** Reports of a refresh whose commits are not acknowledged. */
const PENDING = Array<string>(COMMITS_AHEAD).fill('page');

/** The main thread's side of one refresh. */
class Receiver {
  readonly reports: RefreshReport[] = [];
  pending = 0;
  mostPending = 0;
  acknowledges = true;
  readonly refresh: WalletRefresh;

  constructor(id = 1, againMs?: number) {
    const activity = { areFrequent: true };
    this.refresh = new WalletRefresh(id, 10 + id, (report) => this.#receive(report), activity, againMs);
  }

  get types(): string[] {
    return this.reports.map(({ type }) => type);
  }

  get hashes(): number {
    return this.reports.reduce(
      (sum, one) => sum + (one.type === 'page' ? one.findings.hashes.length / 32 : 0),
      0,
    );
  }

  #receive(report: RefreshReport): void {
    this.reports.push(report);
    if (report.type !== 'page' && report.type !== 'checkpoint') return;
    this.mostPending = Math.max(this.mostPending, ++this.pending);
    if (this.acknowledges)
      setImmediate(() => {
        this.pending -= 1;
        this.refresh.acknowledge();
      });
  }
}

/** Lets everything run that waits for no acknowledgement. */
async function settle(): Promise<void> {
  await turns(100);
}

let daemon: SteeredDaemon;
let feeds: DaemonFeeds;
let wallet: FakeWallet;
let receiver: Receiver;

beforeEach(() => {
  daemon = new SteeredDaemon(blocks);
  const pool = {
    getPoolHashes: () => Promise.resolve([new Uint8Array(32) as Hash]),
    getTransactions: () => Promise.resolve({ transactions: [] }),
    proveSpends: () => Promise.resolve(true),
  };
  feeds = {
    chain: new ChainFeed(daemon, { genesis }, quietKernel, { patienceMs: 20, restMs: 1 }),
    pool: new PoolFeed(pool, quietKernel),
  };
  wallet = new FakeWallet();
  receiver = new Receiver();
});

describe('a refresh on its thread', () => {
  it('reports pages, then the pool, then its end', async () => {
    await receiver.refresh.run(wallet, feeds, FROM);
    expect(receiver.types).toEqual(['page', 'page', 'page', 'page', 'page', 'pool', 'done']);
    expect(receiver.hashes).toBe(blocks.length);
    expect(
      receiver.reports.every((report) => 'wallet' in report && report.wallet === 1 && report.run === 11),
    ).toBe(true);
    expect(receiver.reports.at(-1)).not.toHaveProperty('failure');
  });

  describe('with blocks that are to be read again', () => {
    const again = { startHeight: 3, searched: [20] };
    const reread = (): number =>
      receiver.reports.reduce(
        (sum, one) => sum + (one.type === 'page' && one.isAgain ? one.findings.hashes.length / 32 : 0),
        0,
      );

    it('reads them after the pool, up to its tip', async () => {
      await receiver.refresh.run(wallet, feeds, { ...FROM, again });
      expect(receiver.types.slice(receiver.types.indexOf('pool'))).toEqual([
        'pool',
        ...Array<string>(4).fill('page'),
        'done',
      ]);
      expect([receiver.hashes, reread()]).toEqual([2 * blocks.length - 3, blocks.length - 3]);
      expect(wallet.scannedAgain.reduce((sum, count) => sum + count, 0)).toBe(blocks.length - 3);
    });

    it('reads no block above the tip that it had before the pool was read', async () => {
      const held = blocks.slice(0, 2 * PAGE).map((block, height) => ({ height, hash: blockHash(block) }));
      daemon = new SteeredDaemon(blocks.slice(0, 2 * PAGE));
      const grown = new ChainFeed(new SteeredDaemon(blocks), { genesis }, quietKernel, { restMs: 1 });
      const atTip = new ChainFeed(daemon, { genesis }, quietKernel, { restMs: 1 });
      const chain = {
        join: (request: Parameters<ChainFeed['join']>[0]) =>
          request.history.length > 0 ? atTip.join(request) : grown.join(request),
      } as ChainFeed;
      await receiver.refresh.run(
        wallet,
        { ...feeds, chain },
        {
          ...{ history: [...held].reverse(), startHeight: 0 },
          again,
        },
      );
      expect(receiver.reports.at(-1)).not.toHaveProperty('failure');
      expect(reread()).toBe(2 * PAGE - 3);
    });

    it('ends after a page when its time is over', async () => {
      receiver = new Receiver(1, 0);
      await receiver.refresh.run(wallet, feeds, { ...FROM, again });
      expect(wallet.scannedAgain).toHaveLength(1);
      expect(receiver.types.at(-1)).toBe('done');
    });
  });

  it('fails where the daemon is not reached any more when the pool is read', async () => {
    const getPoolHashes = (): Promise<never> =>
      Promise.reject(new DaemonError('unreachable', 'no connection'));
    const pool = new PoolFeed(
      { getPoolHashes, getTransactions: getPoolHashes, proveSpends: getPoolHashes },
      quietKernel,
    );
    await receiver.refresh.run(wallet, { ...feeds, pool }, FROM);
    expect(receiver.reports.at(-1)).toMatchObject({ type: 'done', failure: { kind: 'unreachable' } });
  });

  it('ends well after its blocks where the daemon does not list its pool, with the reason', async () => {
    const getPoolHashes = (): Promise<never> =>
      Promise.reject(new DaemonError('rejected', 'HTTP status 502', { status: 502 }));
    const pool = new PoolFeed(
      { getPoolHashes, getTransactions: getPoolHashes, proveSpends: getPoolHashes },
      quietKernel,
    );
    await receiver.refresh.run(wallet, { ...feeds, pool }, FROM);
    expect(receiver.types).toEqual(['page', 'page', 'page', 'page', 'page', 'done']);
    expect(receiver.reports.at(-1)).toMatchObject({ poolFailure: { kind: 'rejected', isForeign: true } });
    expect(receiver.reports.at(-1)).not.toHaveProperty('failure');
  });

  it('has at most four commits pending, and none when it scans the pool', async () => {
    wallet.outputs = 300;
    await receiver.refresh.run(wallet, feeds, FROM);
    expect(receiver.types.length).toBeGreaterThan(30);
    expect(receiver.mostPending).toBe(COMMITS_AHEAD);
    expect(receiver.pending).toBe(0);
  });

  it('scans the next two pages while the commits of a page are pending, and none after them', async () => {
    wallet.outputs = 300;
    receiver.acknowledges = false;
    const running = receiver.refresh.run(wallet, feeds, FROM);
    await settle();
    expect(receiver.types).toEqual(PENDING);
    expect(wallet.scans).toBe(3);
    receiver.refresh.cancel();
    await running;
    expect(receiver.types).toEqual([...PENDING, 'done']);
  });

  it('hands over the findings of a page before it reports that the next one failed', async () => {
    wallet.outputs = 300;
    wallet.failsFrom = 2;
    wallet.failure = new Error('no such key');
    await receiver.refresh.run(wallet, feeds, FROM);
    expect(receiver.hashes).toBe(wallet.scanned[0]);
    expect(receiver.reports.at(-1)).toMatchObject({ type: 'done', failure: { message: 'no such key' } });
  });

  /** Feeds whose pages are proven by a function. */
  const provenBy = (prove: (found: readonly FoundTx[]) => Promise<void>): DaemonFeeds => {
    const { chain: read, pool } = feeds;
    const join: ChainFeed['join'] = async function* (request) {
      for await (const { page, matches } of read.join(request))
        yield {
          page: { ...page, proofs: { prove: (found) => prove([...found]), isForged: false } },
          matches,
        };
    };
    return { chain: { join } as ChainFeed, pool };
  };

  it('commits no page before its transactions are proven', async () => {
    wallet.outputs = 1;
    const asked: (readonly FoundTx[])[] = [];
    let end: () => void = () => undefined;
    const proof = new Promise<void>((resolve) => (end = resolve));
    const proving = provenBy((found) => (asked.push(found), proof));
    const run = receiver.refresh.run(wallet, proving, FROM);
    await settle();
    expect([receiver.types, wallet.scans]).toEqual([[], 3]);
    end();
    await run;
    expect(receiver.hashes).toBe(blocks.length);
    expect(receiver.reports.at(-1)).not.toHaveProperty('failure');
    expect(asked.flat().map(({ height }) => height)).toEqual([0, 25, 49, 73, 97]);
  });

  it('commits neither a page that is not proven nor a later one, and says that the scanner is ahead', async () => {
    wallet.outputs = 1;
    const failing = provenBy(() => Promise.reject(new DaemonError('forged', 'other bytes')));
    await receiver.refresh.run(wallet, failing, FROM);
    expect(receiver.reports).toMatchObject([
      { type: 'done', isAhead: true, failure: { kind: 'forged', message: 'other bytes' } },
    ]);
  });

  it('asks for the proof of a transaction that it cannot read, and fails with that error if the bytes are right', async () => {
    wallet.failure = new UnreadableTx(3, new Error('no inputs'));
    const asked: (readonly FoundTx[])[] = [];
    await receiver.refresh.run(
      wallet,
      provenBy((found) => (asked.push(found), Promise.resolve())),
      FROM,
    );
    expect(asked.flat().map(({ height }) => height)).toEqual([3]);
    expect(receiver.reports.at(-1)).toMatchObject({ failure: { kind: 'malformed' }, isAhead: true });
  });

  it('takes a transaction that it cannot read for forged if the daemon has altered its bytes', async () => {
    wallet.failure = new UnreadableTx(3, new Error('no inputs'));
    const forged = new DaemonError('forged', 'other bytes');
    await receiver.refresh.run(
      wallet,
      provenBy(() => Promise.reject(forged)),
      FROM,
    );
    expect(receiver.reports).toMatchObject([{ type: 'done', isAhead: true, failure: { kind: 'forged' } }]);
  });

  it('says that the scanner is not ahead if a page cannot be fetched', async () => {
    daemon.failure = new DaemonError('unreachable', 'gone');
    await receiver.refresh.run(wallet, feeds, FROM);
    expect(receiver.reports.at(-1)).toMatchObject({ type: 'done', isAhead: false });
  });

  it('asks for a checkpoint after many commits, and for nothing else until it is made', async () => {
    wallet.outputs = 2000;
    await receiver.refresh.run(wallet, feeds, FROM);
    const checkpoints = receiver.types.filter((type) => type === 'checkpoint');
    expect(checkpoints).toHaveLength(2);
  });

  it('leaves the pool alone for a wallet whose spend key is away', async () => {
    await receiver.refresh.run(new FakeWallet({ isBlind: true }), feeds, FROM);
    expect(receiver.types.slice(-2)).toEqual(['page', 'done']);
  });

  it('reports a failed scan, and asks for no more', async () => {
    wallet.failure = new Error('no such key');
    await receiver.refresh.run(wallet, feeds, FROM);
    expect(receiver.reports).toMatchObject([{ type: 'done', failure: { message: 'no such key' } }]);
  });

  it('reports that it is offline', async () => {
    await receiver.refresh.run(wallet, undefined, FROM);
    expect(receiver.reports).toMatchObject([{ type: 'done', failure: { kind: 'unreachable' } }]);
  });

  it('reports its cancellation while it waits for a commit', async () => {
    wallet.outputs = 300;
    receiver.acknowledges = false;
    const run = receiver.refresh.run(wallet, feeds, FROM);
    await until('the reports', () => receiver.reports.length >= COMMITS_AHEAD);
    receiver.refresh.cancel();
    await run;
    expect(receiver.reports.at(-1)).toMatchObject({ type: 'done', failure: { kind: 'cancelled' } });
    expect(receiver.types).toEqual([...PENDING, 'done']);
  });

  it('takes a moment in the future for the present', async () => {
    await receiver.refresh.run(wallet, feeds, { ...FROM, asOf: monotonicMs() + 1e9 });
    expect(receiver.types.at(-1)).toBe('done');
    expect(receiver.hashes).toBe(blocks.length);
  });
});

describe('refreshes of several wallets', () => {
  it('end although one of them is never acknowledged', async () => {
    const stuck = new Receiver(2);
    stuck.acknowledges = false;
    const asOf = monotonicMs();
    const paid = new FakeWallet();
    paid.outputs = 300;
    const waiting = stuck.refresh.run(paid, feeds, { ...FROM, asOf });
    await receiver.refresh.run(wallet, feeds, { ...FROM, asOf });
    expect(receiver.hashes).toBe(blocks.length);
    expect(stuck.types).toEqual(PENDING);
    stuck.refresh.cancel();
    await waiting;
  });

  it('end although one of them fails', async () => {
    const failing = new Receiver(2);
    const broken = new FakeWallet();
    broken.failure = new Error('no such key');
    const asOf = monotonicMs();
    await Promise.all([
      failing.refresh.run(broken, feeds, { ...FROM, asOf }),
      receiver.refresh.run(wallet, feeds, { ...FROM, asOf }),
    ]);
    expect(failing.types).toEqual(['done']);
    expect(receiver.hashes).toBe(blocks.length);
    expect(daemon.asked.length).toBeLessThanOrEqual(6);
  });
});
