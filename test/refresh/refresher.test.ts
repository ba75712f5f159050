import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { DaemonCallReport } from '../../src/daemon/call-report.js';
import type { DaemonConfig } from '../../src/daemon/http-daemon.js';
import { publicKeyOf } from '../../src/monero/crypto/derivation.js';
import { scalarBytes } from '../../src/monero/crypto/scalar.js';
import type { Hash, SecretKey } from '../../src/monero/crypto/types.js';
import { GENESIS_HASH } from '../../src/monero/cryptonote/constants.js';
import { blockHash } from '../../src/monero/cryptonote/block.js';
import type { Block } from '../../src/monero/cryptonote/types.js';
import { monotonicMs } from '../../src/util/clock.js';
import { Refresher } from '../../src/refresh/refresher.js';
import type { RefreshTarget } from '../../src/refresh/refresh-run.js';
import type { RefreshFrom } from '../../src/refresh/feeds/chain-position.js';
import { PendingRequests } from '../../src/util/pending-requests.js';
import { toHex } from '../../src/util/bytes.js';
import type { BlockRef, PageFindings } from '../../src/monero/wallet/scan/findings.js';
import { unpackSubaddresses } from '../../src/monero/wallet/scan/packed-subaddresses.js';
import { BlockServer } from '../support/network/block-server.js';
import { wholeTx } from '../support/chain/loose-tx.js';
import { freePort } from '../support/processes/process.js';
import { until } from '../support/fakes/until.js';
import { chain, PAGE, shortHistory } from '../support/chain/fake-chain.js';
import { itAtNight } from '../support/jest/lanes.js';

let refresher: Refresher;

const configOf = (address: string, more: Partial<DaemonConfig> = {}): never =>
  ({ address, ssl: { mode: 'disabled' }, ...more }) as never;
const FROM: RefreshFrom = { history: [], startHeight: 0 };
const BATCH = { mined: [], unmined: [] };

afterEach(() => refresher.close());

describe('a wallet whose state cannot be read', () => {
  const failing: RefreshTarget = {
    scannerState: () => {
      throw new Error('the store is locked');
    },
    commitPage: () => undefined,
    commitAgain: () => false,
    commitSubaddresses: () => undefined,
    commitPool: () => undefined,
    checkpoint: () => Promise.resolve(),
  };

  beforeEach(async () => {
    const config = configOf(`127.0.0.1:${await freePort()}`);
    refresher = new Refresher(1, { genesis: GENESIS_HASH.mainnet }, config, new PendingRequests());
  });

  it('has its refresh fail with the cause, every time, and none under way after it', async () => {
    const wallet = refresher.attach(failing);
    for (let i = 0; i < 2; i++) {
      await expect(refresher.refresh(wallet, FROM)).rejects.toThrow('the store is locked');
      expect(refresher.isRunning(wallet)).toBe(false);
    }
  });

  it.each([
    ['a scan of the pool', (wallet: number) => refresher.scanPool(wallet)],
    ['a scan of transactions', (wallet: number) => refresher.scanTransactions(wallet, BATCH)],
    ['a lookahead', (wallet: number) => refresher.lookAhead(wallet, { major: 1, minor: 1 }, [])],
  ])('has %s fail with the cause', async (_, ask) => {
    await expect(ask(refresher.attach(failing))).rejects.toThrow('the store is locked');
  });
});

const blocks = chain(4 * PAGE);
const spendSecret = scalarBytes(11n);

/** A store in memory. */
class MemoryTarget implements RefreshTarget {
  readonly hashes: Hash[] = [];
  present: readonly Hash[] = [];
  attached = 0;
  /** Called before each commit. */
  onCommit: () => void = () => undefined;

  scannerState(): ReturnType<RefreshTarget['scannerState']> {
    this.attached += 1;
    return {
      keys: { viewSecret: Uint8Array.from(scalarBytes(13n)) as SecretKey, spendSecret },
      spendPublicKey: publicKeyOf(spendSecret),
      lookahead: { major: 1, minor: 2 },
      subaddresses: [],
      handedOut: [],
      withKeyImage: new Uint8Array(),
      withoutKeyImage: new Uint8Array(),
      importedKeyImages: new Uint8Array(),
    };
  }

  commitPage({ startHeight, hashes }: PageFindings): void {
    this.onCommit();
    this.hashes.splice(startHeight, Infinity, ...hashes);
  }

  commitAgain(): boolean {
    return false;
  }

  commitSubaddresses: RefreshTarget['commitSubaddresses'] = () => this.onCommit();

  commitPool(present: readonly Hash[]): void {
    this.present = present;
  }

  checkpoint(): Promise<void> {
    return Promise.resolve();
  }

  get history(): BlockRef[] {
    return this.hashes.map((hash, height) => ({ height, hash })).reverse();
  }

  holds(expected: readonly Block[]): boolean {
    return String(this.hashes.map(toHex)) === String(expected.map((block) => toHex(blockHash(block))));
  }
}

const pooled = wholeTx(1);

describe('wallets at a daemon', () => {
  let server: BlockServer;
  let address: string;

  beforeEach(async () => {
    server = new BlockServer(blocks);
    address = await server.start();
    refresher = new Refresher(
      1,
      { genesis: blockHash(blocks[0] as Block) },
      configOf(address),
      new PendingRequests(),
    );
  });
  afterEach(() => server.stop());

  it('read the chain, and the pool', async () => {
    server.pool.set(toHex(pooled.hash), pooled.blob);
    const target = new MemoryTarget();
    const result = await refresher.refresh(refresher.attach(target), FROM);
    expect(result).toEqual({ blocksFetched: blocks.length - 1, receivedMoney: false });
    expect(target.holds(blocks)).toBe(true);
    expect(target.present).toEqual([pooled.hash]);
  });

  it.each([true, false])(
    'report the node behind each answer if that is wanted: %p',
    async (reportsIdentity) => {
      const reports: [DaemonCallReport, string][] = [];
      const reporting = new Refresher(
        1,
        { genesis: blockHash(blocks[0] as Block) },
        configOf(address, { reportsIdentity }),
        new PendingRequests(),
        (...report) => reports.push(report),
      );
      try {
        await reporting.refresh(reporting.attach(new MemoryTarget()), FROM);
      } finally {
        await reporting.close();
      }
      expect(reports.map(([{ node }, daemon]) => [node, daemon])).toEqual(
        reports.map(() => [reportsIdentity ? { address } : undefined, address]),
      );
      expect(reports.map(([{ call }]) => call)).toContain('/getblocks.bin');
    },
  );

  it('learn of a new block by one request for blocks and one for the pool', async () => {
    const asOf = monotonicMs();
    const targets = Array.from({ length: 40 }, () => new MemoryTarget());
    server.blocks = chain(101, { after: blocks });
    for (const target of targets) target.hashes.push(...blocks.map(blockHash));
    const results = await Promise.all(
      targets.map((target) =>
        refresher.refresh(refresher.attach(target), { history: shortHistory(blocks), startHeight: 0, asOf }),
      ),
    );
    expect(results.every(({ blocksFetched }) => blocksFetched === 1)).toBe(true);
    for (const target of targets) expect(target.holds(server.blocks)).toBe(true);
    expect(server.countOf('/getblocks.bin')).toBe(1);
    expect(server.countOf('/get_transaction_pool_hashes')).toBe(1);
  });

  itAtNight('have their requests answered before the periodic refreshes of others end', async () => {
    const requested = refresher.attach(new MemoryTarget());
    await refresher.refresh(requested, FROM);
    server.blocks = chain(101, { after: blocks });
    const asOf = monotonicMs();
    let commits = 0;
    let answer: Promise<number> | undefined;
    const targets = Array.from({ length: 100 }, () => new MemoryTarget());
    for (const target of targets) {
      target.hashes.push(...blocks.map(blockHash));
      target.onCommit = () => {
        commits += 1;
        const asked = commits;
        if (asked >= 50) answer ??= refresher.scanPool(requested).then(() => commits - asked);
        const end = monotonicMs() + 8;
        while (monotonicMs() < end);
      };
    }
    const from = { history: shortHistory(blocks), startHeight: 0, asOf };
    await Promise.all(targets.map((target) => refresher.refresh(refresher.attach(target), from)));
    expect(await answer).toBeLessThan(25);
  });

  it('fail alone when a commit fails, and start over from the store', async () => {
    const [broken, sound] = [new MemoryTarget(), new MemoryTarget()];
    broken.onCommit = () => {
      throw new Error('the disk is full');
    };
    const wallet = refresher.attach(broken);
    const [failed, done] = await Promise.allSettled([
      refresher.refresh(wallet, FROM),
      refresher.refresh(refresher.attach(sound), FROM),
    ]);
    expect(failed).toMatchObject({ status: 'rejected', reason: { message: 'the disk is full' } });
    expect(done.status).toBe('fulfilled');
    expect(sound.holds(blocks)).toBe(true);
    broken.onCommit = () => undefined;
    await refresher.refresh(wallet, FROM);
    expect(broken.holds(blocks)).toBe(true);
    expect([broken.attached, sound.attached]).toEqual([2, 1]);
  });

  it('fail alone when the store loses a page that it had accepted, and start over from the store', async () => {
    const [losing, sound] = [new MemoryTarget(), new MemoryTarget()];
    const wallet = refresher.attach(losing);
    losing.onCommit = () => {
      if (losing.hashes.length > 0) setImmediate(() => refresher.fail(wallet, new Error('the disk is full')));
    };
    const [failed, done] = await Promise.allSettled([
      refresher.refresh(wallet, FROM),
      refresher.refresh(refresher.attach(sound), FROM),
    ]);
    expect(failed).toMatchObject({ status: 'rejected', reason: { message: 'the disk is full' } });
    expect(done.status).toBe('fulfilled');
    expect([sound.holds(blocks), losing.holds(blocks)]).toEqual([true, false]);
    losing.onCommit = () => undefined;
    losing.hashes.length = 0;
    await refresher.refresh(wallet, FROM);
    expect(losing.holds(blocks)).toBe(true);
    expect([losing.attached, sound.attached]).toEqual([2, 1]);
  });

  it('are cancelled alone when they are closed', async () => {
    const [closing, other] = [new MemoryTarget(), new MemoryTarget()];
    const wallet = refresher.attach(closing);
    closing.onCommit = () => refresher.detach(wallet);
    const [closed, done] = await Promise.allSettled([
      refresher.refresh(wallet, FROM),
      refresher.refresh(refresher.attach(other), FROM),
    ]);
    expect(closed).toMatchObject({ status: 'rejected', reason: { name: 'RefreshCancelled' } });
    expect(done.status).toBe('fulfilled');
    expect(closing.hashes.length).toBeLessThan(blocks.length);
    await expect(refresher.refresh(wallet, FROM)).rejects.toThrow('closed');
  });

  it('are cancelled by another daemon, and read the chain from that one', async () => {
    const target = new MemoryTarget();
    const wallet = refresher.attach(target);
    const other = new BlockServer(chain(110, { after: blocks.slice(0, 30), nonce: 8 }));
    const address = await other.start();
    target.onCommit = () => {
      target.onCommit = () => undefined;
      refresher.setDaemon(configOf(address));
    };
    await expect(refresher.refresh(wallet, FROM)).rejects.toMatchObject({ name: 'RefreshCancelled' });
    await refresher.refresh(wallet, { history: target.history, startHeight: 0 });
    expect(target.holds(other.blocks)).toBe(true);
    // Findings that were not committed are lost, so the scanner starts over from the store.
    expect(target.attached).toBe(2);
    refresher.setDaemon(undefined);
    await expect(refresher.refresh(wallet, FROM)).rejects.toMatchObject({ kind: 'unreachable' });
    await other.stop();
  });

  it('all report the failure of the daemon, and refresh again once it answers', async () => {
    server.isBroken = true;
    const targets = [1, 2, 3].map(() => new MemoryTarget());
    const wallets = targets.map((target) => refresher.attach(target));
    const failed = await Promise.allSettled(wallets.map((wallet) => refresher.refresh(wallet, FROM)));
    for (const end of failed)
      expect(end).toMatchObject({ status: 'rejected', reason: { name: 'DaemonError' } });
    server.isBroken = false;
    await Promise.all(wallets.map((wallet) => refresher.refresh(wallet, FROM)));
    for (const target of targets) expect(target.holds(blocks)).toBe(true);
  });

  it('have one refresh at a time', async () => {
    const target = new MemoryTarget();
    const wallet = refresher.attach(target);
    const running = refresher.refresh(wallet, FROM);
    expect(refresher.isRunning(wallet)).toBe(true);
    await expect(refresher.refresh(wallet, FROM)).rejects.toThrow('runs already');
    await running;
    expect(refresher.isRunning(wallet)).toBe(false);
  });

  it('scan the pool and single transactions besides a refresh', async () => {
    server.pool.set(toHex(pooled.hash), pooled.blob);
    const target = new MemoryTarget();
    const wallet = refresher.attach(target);
    await Promise.all([refresher.refresh(wallet, FROM), refresher.scanPool(wallet)]);
    expect(target.present).toEqual([pooled.hash]);
    const unmined = [{ ...wholeTx(2), doubleSpendSeen: false }];
    const found = await refresher.scanTransactions(wallet, { mined: [], unmined });
    expect(found).toMatchObject({ mined: { outputs: [] }, unmined: [] });
    const broken = [{ ...pooled, blob: new Uint8Array(3), doubleSpendSeen: false }];
    await expect(refresher.scanTransactions(wallet, { mined: [], unmined: broken })).rejects.toMatchObject({
      kind: 'malformed',
    });
  });

  it('have scanned the pool once a scan is committed that began after the last change of what they know', async () => {
    const target = new MemoryTarget();
    const wallet = refresher.attach(target);
    const scanned = (): boolean => refresher.hasScannedPool(wallet);
    expect(scanned()).toBe(false);
    await refresher.refresh(wallet, FROM);
    expect(scanned()).toBe(true);
    refresher.importKeyImages(wallet, []);
    expect(scanned()).toBe(false);
    const early = refresher.scanPool(wallet);
    refresher.importKeyImages(wallet, []);
    await early;
    expect(scanned()).toBe(false);
    await refresher.scanPool(wallet);
    expect(scanned()).toBe(true);
    refresher.forgetPool(wallet);
    expect(scanned()).toBe(false);
    await refresher.scanPool(wallet);
    expect(scanned()).toBe(true);
    refresher.restart(wallet);
    expect(scanned()).toBe(false);
    target.commitPool = () => {
      throw new Error('the disk is full');
    };
    await expect(refresher.scanPool(wallet)).rejects.toThrow('the disk is full');
    expect(scanned()).toBe(false);
  });

  it('commit the lookahead that they are given', async () => {
    const target = new MemoryTarget();
    let committed = 0;
    const wallet = refresher.attach(target);
    target.commitSubaddresses = (keys) => {
      committed += unpackSubaddresses(keys).length;
    };
    await refresher.lookAhead(wallet, { major: 3, minor: 400 }, [{ major: 0, minor: 0 }]);
    expect(committed).toBe(3 * 400);
  });
});

describe('the thread of refreshes', () => {
  let server: BlockServer;
  beforeEach(async () => {
    server = new BlockServer(blocks);
    const chainFacts = { genesis: blockHash(blocks[0] as Block) };
    const config = configOf(await server.start());
    refresher = new Refresher(1, chainFacts, config, new PendingRequests(), undefined, 0.02);
  });
  afterEach(() => server.stop());

  /** Waits until the connection that the thread keeps to the daemon is closed, as the thread ends. */
  const ended = (): Promise<boolean> =>
    until('the end of the thread', async () => (await server.connections()) === 0);

  it('ends once no wallet has been open for a while, and starts again for the next one', async () => {
    const first = refresher.attach(new MemoryTarget());
    await refresher.refresh(first, FROM);
    expect(await server.connections()).toBeGreaterThan(0);
    refresher.detach(first);
    await ended();
    const target = new MemoryTarget();
    await refresher.refresh(refresher.attach(target), FROM);
    expect(target.holds(blocks)).toBe(true);
  });

  it('lives on while a wallet is open', async () => {
    const target = new MemoryTarget();
    const [closed, open] = [refresher.attach(new MemoryTarget()), refresher.attach(target)];
    await refresher.refresh(closed, FROM);
    refresher.detach(closed);
    const end = performance.now() + 200;
    while (performance.now() < end) await refresher.refresh(open, FROM);
    expect(target.attached).toBe(1);
  });
});
