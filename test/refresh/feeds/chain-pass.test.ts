import { describe, expect, it, jest } from '@jest/globals';
import type { Hash, SecretKey } from '../../../src/monero/crypto/types.js';
import { blockHash } from '../../../src/monero/cryptonote/block.js';
import type { Block } from '../../../src/monero/cryptonote/types.js';
import { DaemonError } from '../../../src/daemon/errors.js';
import type { BlockSource } from '../../../src/refresh/feeds/chain-page.js';
import { ChainFeed } from '../../../src/refresh/feeds/chain-feed.js';
import type { BatchScanner } from '../../../src/refresh/scan/match-group.js';
import { monotonicMs } from '../../../src/util/clock.js';
import { yieldToEventLoop } from '../../../src/util/event-loop.js';
import { turns } from '../../support/fakes/event-loop-turns.js';
import {
  echoKernel,
  quietKernel,
  requestOf,
  SteeredDaemon,
  TestMember,
} from '../../support/fakes/feed-members.js';
import { chain, PAGE, shortHistory } from '../../support/chain/fake-chain.js';
import { withFakeTimeouts } from '../../support/fakes/fake-timeouts.js';
import { until } from '../../support/fakes/until.js';

const blocks = chain(8 * PAGE);
const genesis = blockHash(blocks[0] as Block);
const all = blocks.map((_, height) => height);
/** Requests of one wallet for the whole chain: each page overlaps the one before by a block. */
const WHOLE_CHAIN_REQUESTS = 9;

const feedOf = (daemon: SteeredDaemon, options = {}, kernel: BatchScanner = quietKernel): ChainFeed =>
  new ChainFeed(daemon, { genesis }, kernel, options);
const atTip = (held: readonly Block[]): { history: ReturnType<typeof shortHistory> } => ({
  history: shortHistory(held),
});
/** A daemon that is unreachable as long as `isGone` is set. */
const goneAtFirst = (daemon: SteeredDaemon): BlockSource & { isGone: boolean } => ({
  isGone: true,
  isTrusted: true,
  proveTransactions: daemon.proveTransactions,
  getInfo: daemon.getInfo,
  getBlocks(request) {
    return this.isGone ? Promise.reject(new DaemonError('unreachable', 'gone')) : daemon.getBlocks(request);
  },
});
describe('wallets at the tip', () => {
  it('learn of a new block by one request', async () => {
    const daemon = new SteeredDaemon(chain(203, { after: blocks }));
    const feed = feedOf(daemon);
    const asOf = monotonicMs();
    const members = Array.from({ length: 300 }, () => new TestMember());
    const found = await Promise.all(members.map((member) => member.read(feed, { ...atTip(blocks), asOf })));
    for (const heights of found) expect(heights).toEqual([200, 201, 202]);
    expect(daemon.asked).toHaveLength(1);
    // Late ones of the same cycle need none.
    const late = new TestMember();
    expect(await late.read(feed, { ...atTip(blocks), asOf })).toEqual([200, 201, 202]);
    expect(await late.read(feed, { ...atTip(daemon.blocks), asOf })).toEqual([200, 201, 202]);
    expect(daemon.asked).toHaveLength(1);
    feed.close();
  });

  it('are scanned with one kernel call per batch', async () => {
    const calls: number[] = [];
    const kernel: BatchScanner = {
      threads: 1,
      scanMany: (batch, secrets) => {
        calls.push(secrets.length);
        return quietKernel.scanMany(batch, secrets);
      },
    };
    const keyed = chain(200, { after: blocks.slice(0, 199), keys: 1 });
    const daemon = new SteeredDaemon(keyed);
    daemon.hold();
    const feed = feedOf(daemon, {}, kernel);
    const asOf = monotonicMs();
    const reading = Array.from({ length: 50 }, () =>
      new TestMember().read(feed, { ...atTip(keyed.slice(0, 199)), asOf }),
    );
    await turns(3);
    daemon.release();
    expect(await Promise.all(reading)).toEqual(reading.map(() => [199]));
    expect(calls).toEqual([50]);
    feed.close();
  });

  it('share one request that finds nothing new', async () => {
    const daemon = new SteeredDaemon(blocks);
    const feed = feedOf(daemon);
    const asOf = monotonicMs();
    const found = await Promise.all(
      Array.from({ length: 20 }, () => new TestMember().read(feed, { ...atTip(blocks), asOf })),
    );
    expect(found.flat()).toEqual([]);
    expect(daemon.asked).toHaveLength(1);
    feed.close();
  });

  it('with tips a few blocks apart share pages', async () => {
    const daemon = new SteeredDaemon(chain(205, { after: blocks }));
    const feed = feedOf(daemon);
    const asOf = monotonicMs();
    const found = await Promise.all(
      [197, 199, 198, 200, 199].map((length) =>
        new TestMember().read(feed, { ...atTip(blocks.slice(0, length)), asOf }),
      ),
    );
    expect(found.map(([first]) => first)).toEqual([197, 199, 198, 200, 199]);
    expect(found.every((heights) => heights.at(-1) === 204)).toBe(true);
    expect(daemon.asked).toHaveLength(1);
    feed.close();
  });

  it('never miss a block that was mined before their request', async () => {
    const daemon = new SteeredDaemon(blocks);
    const feed = feedOf(daemon);
    let held: readonly Block[] = blocks;
    for (let round = 0; round < 5; round++) {
      daemon.blocks = chain(held.length + 1, { after: held });
      const member = new TestMember();
      expect(await member.read(feed, { ...atTip(held), asOf: monotonicMs() })).toEqual([held.length]);
      held = daemon.blocks;
    }
    feed.close();
  });

  it('ask again when the answer under way was requested too early', async () => {
    const daemon = new SteeredDaemon(blocks);
    const feed = feedOf(daemon);
    daemon.hold();
    const early = new TestMember().read(feed, atTip(blocks));
    await turns(2);
    expect(daemon.asked).toHaveLength(1);
    daemon.blocks = chain(201, { after: blocks });
    const later = new TestMember().read(feed, { ...atTip(blocks), asOf: monotonicMs() });
    await turns(2);
    daemon.release();
    expect(await early).toEqual([]);
    expect(await later).toEqual([200]);
    expect(daemon.asked).toHaveLength(2);
    feed.close();
  });

  it('do not end the refresh of a wallet that is elsewhere, though they ask whether a newer block is there', async () => {
    const daemon = new SteeredDaemon(blocks);
    const feed = feedOf(daemon);
    await new TestMember().read(feed, { ...atTip(blocks.slice(0, -1)), asOf: monotonicMs() });
    daemon.hold();
    const asking = new TestMember().read(feed, { ...atTip(blocks), asOf: monotonicMs() });
    await turns(3);
    // The height of its start is above the tip, and its asOf allows the answer that the others have.
    const elsewhere = new TestMember().read(feed, {
      ...{ history: shortHistory(blocks.slice(0, 1)), startHeight: all.length, asOf: 0 },
    });
    await turns(3);
    daemon.release();
    expect(await elsewhere).toEqual(all.slice(1));
    expect(await asking).toEqual([]);
    feed.close();
  });

  it('have no page kept for them after a while', () =>
    withFakeTimeouts(async () => {
      const daemon = new SteeredDaemon(blocks);
      const feed = feedOf(daemon, { restMs: 200 });
      const asOf = monotonicMs();
      await new TestMember().read(feed, { ...atTip(blocks), asOf });
      jest.advanceTimersByTime(199);
      await new TestMember().read(feed, { ...atTip(blocks), asOf });
      expect(daemon.asked).toHaveLength(1);
      jest.advanceTimersByTime(200);
      await new TestMember().read(feed, { ...atTip(blocks), asOf });
      expect(daemon.asked).toHaveLength(2);
      feed.close();
    }));
});

describe('wallets that read the whole chain', () => {
  it('share every page', async () => {
    const daemon = new SteeredDaemon(blocks);
    const feed = feedOf(daemon);
    const asOf = monotonicMs();
    const members = Array.from({ length: 10 }, () => new TestMember());
    const found = await Promise.all(members.map((member) => member.read(feed, { asOf })));
    for (const heights of found) expect(heights).toEqual(all);
    expect(daemon.asked.length).toBeLessThanOrEqual(WHOLE_CHAIN_REQUESTS);
    expect(feed.passCount).toBe(0);
    feed.close();
  });

  it('are joined by a wallet whose height lies in a page at hand', async () => {
    const daemon = new SteeredDaemon(blocks);
    const feed = feedOf(daemon);
    const asOf = monotonicMs();
    const first = new TestMember();
    let joined: Promise<number[]> | undefined;
    first.onPage = async ({ page }) => {
      if (page.blocks[0]?.height !== 73) return;
      joined ??= new TestMember().read(feed, { ...atTip(blocks.slice(0, 80)), asOf });
      await turns(5);
    };
    expect(await first.read(feed, { asOf })).toEqual(all);
    expect(await joined).toEqual(all.slice(80));
    expect(daemon.asked.length).toBeLessThanOrEqual(WHOLE_CHAIN_REQUESTS);
    feed.close();
  });

  it('are joined by an empty wallet at its restore height', async () => {
    const daemon = new SteeredDaemon(blocks);
    const feed = feedOf(daemon);
    const asOf = monotonicMs();
    const [first, second] = await Promise.all([
      new TestMember().read(feed, { asOf }),
      new TestMember().read(feed, { asOf, startHeight: 17 }),
    ]);
    expect(first).toEqual(all);
    expect(second).toEqual(all.slice(17));
    expect(daemon.asked.length).toBeLessThanOrEqual(WHOLE_CHAIN_REQUESTS);
    feed.close();
  });

  it('wait a moment for a wallet that starts a little later', async () => {
    for (const [catchUpMs, most] of [
      [2000, WHOLE_CHAIN_REQUESTS + 4],
      [0, 2 * WHOLE_CHAIN_REQUESTS],
    ] as const) {
      const daemon = new SteeredDaemon(blocks);
      const feed = feedOf(daemon, { catchUpMs });
      const asOf = monotonicMs();
      const first = new TestMember();
      let later: Promise<number[]> | undefined;
      first.onPage = ({ page }) => {
        if (page.blocks[0]?.height === 73) later = new TestMember().read(feed, { asOf });
      };
      expect(await first.read(feed, { asOf })).toEqual(all);
      expect(await later).toEqual(all);
      expect(daemon.asked.length).toBeLessThanOrEqual(most);
      if (catchUpMs === 0) expect(daemon.asked.length).toBeGreaterThan(WHOLE_CHAIN_REQUESTS + 4);
      feed.close();
    }
  });

  it('wait no longer than that for a wallet that never commits', async () => {
    const daemon = new SteeredDaemon(blocks);
    const feed = feedOf(daemon, { catchUpMs: 20, patienceMs: 20 });
    const asOf = monotonicMs();
    const [first, stuck] = [new TestMember(), new TestMember()];
    const abort = new AbortController();
    let waiting: Promise<unknown> = Promise.resolve();
    stuck.onPage = () =>
      new Promise((_, reject) => {
        abort.signal.addEventListener('abort', () => reject(new Error('closed')));
      });
    first.onPage = ({ page }) => {
      if (page.blocks[0]?.height === 73) waiting = stuck.read(feed, { asOf, signal: abort.signal });
    };
    expect(await first.read(feed, { asOf })).toEqual(all);
    abort.abort(new Error('closed'));
    await expect(waiting).rejects.toThrow('closed');
    feed.close();
  });

  it('are met by a wallet that starts far back once it has caught up', async () => {
    const daemon = new SteeredDaemon(blocks);
    const feed = feedOf(daemon);
    const asOf = monotonicMs();
    const ahead = new TestMember();
    let catchUp: () => void = () => undefined;
    const caughtUp = new Promise<void>((resolve) => {
      catchUp = resolve;
    });
    ahead.onPage = async ({ page }) => {
      if (page.blocks[0]?.height === 150) await caughtUp;
    };
    const first = ahead.read(feed, { ...atTip(blocks.slice(0, 150)), asOf });
    await turns(5);
    const back = new TestMember();
    back.onPage = ({ page }) => {
      if ((page.blocks.at(-1)?.height ?? 0) >= 144) catchUp();
    };
    expect(await back.read(feed, { asOf })).toEqual(all);
    expect(await first).toEqual(all.slice(150));
    const separate = WHOLE_CHAIN_REQUESTS + 3;
    expect(daemon.asked.length).toBeLessThan(separate);
    feed.close();
  });

  it('each find the chain whatever their start, and however slow they are', async () => {
    for (let seed = 1; seed < 12; seed++) {
      const daemon = new SteeredDaemon(blocks);
      const feed = feedOf(daemon, { patienceMs: seed % 3 });
      const asOf = monotonicMs();
      const starts = Array.from({ length: 12 }, (_, i) => (i * seed * 37) % 200);
      const found = await Promise.all(
        starts.map((start, i) => {
          const member = new TestMember();
          member.onPage = () => turns((i * seed) % 7);
          const from =
            start === 0 ? {} : i % 2 === 0 ? atTip(blocks.slice(0, start)) : { startHeight: start };
          return member.read(feed, { ...from, asOf });
        }),
      );
      found.forEach((heights, i) => expect(heights).toEqual(all.slice(starts[i])));
      expect(feed.passCount).toBe(0);
      feed.close();
    }
  });
});

describe('a reorganisation', () => {
  it('during a pass reaches every wallet', async () => {
    const daemon = new SteeredDaemon(blocks);
    const feed = feedOf(daemon);
    const asOf = monotonicMs();
    const other = chain(230, { after: blocks.slice(0, 70), nonce: 5 });
    const members = Array.from({ length: 5 }, () => new TestMember());
    for (const member of members)
      member.onPage = ({ page }) => {
        if ((page.blocks.at(-1)?.height ?? 0) > 90) daemon.blocks = other;
      };
    await Promise.all(members.map((member) => member.read(feed, { asOf })));
    for (const member of members) expect(member.holds(other)).toBe(true);
    feed.close();
  });

  it.each([1, 5, 12, 100])('of %i blocks reaches wallets at the tip', async (depth) => {
    const other = chain(210, { after: blocks.slice(0, 200 - depth), nonce: 5 });
    const daemon = new SteeredDaemon(other);
    const feed = feedOf(daemon);
    const asOf = monotonicMs();
    const found = await Promise.all(
      [200, 199, 200, 150].map((length) =>
        new TestMember().read(feed, { ...atTip(blocks.slice(0, length)), asOf }),
      ),
    );
    for (const heights of found) {
      const first = heights[0] ?? NaN;
      expect(heights).toEqual(Array.from({ length: 210 - first }, (_, i) => first + i));
    }
    for (const [i, length] of [200, 199, 200, 150].entries())
      expect(found[i]?.[0]).toBeLessThanOrEqual(Math.min(length, 200 - depth));
    feed.close();
  });
});

describe('trouble of one wallet', () => {
  it('ends that wallet alone when it fails on a page', async () => {
    const daemon = new SteeredDaemon(blocks);
    const feed = feedOf(daemon);
    const failing = new TestMember();
    failing.onPage = ({ page }) => {
      if ((page.blocks[0]?.height ?? 0) > 40) throw new Error('the disk is full');
    };
    const asOf = monotonicMs();
    const [failed, ...others] = await Promise.allSettled([
      failing.read(feed, { asOf }),
      new TestMember().read(feed, { asOf }),
      new TestMember().read(feed, { asOf }),
    ]);
    expect(failed).toMatchObject({ status: 'rejected', reason: { message: 'the disk is full' } });
    for (const other of others) expect(other).toEqual({ status: 'fulfilled', value: all });
    feed.close();
  });

  it('holds the others up for a limited time when it never commits', async () => {
    const daemon = new SteeredDaemon(blocks);
    const feed = feedOf(daemon, { patienceMs: 20 });
    const stuck = new TestMember();
    let commit: () => void = () => undefined;
    const committed = new Promise<void>((resolve) => {
      commit = resolve;
    });
    stuck.onPage = () => committed;
    const asOf = monotonicMs();
    const waiting = stuck.read(feed, { asOf });
    const found = await Promise.all([1, 2].map(() => new TestMember().read(feed, { asOf })));
    expect(found).toEqual([all, all]);
    commit();
    expect(await waiting).toEqual(all);
    feed.close();
  });

  it('holds another one up for a limited time even when most never commit', async () => {
    const daemon = new SteeredDaemon(blocks);
    const feed = feedOf(daemon, { patienceMs: 20 });
    let commit: () => void = () => undefined;
    const committed = new Promise<void>((resolve) => {
      commit = resolve;
    });
    const asOf = monotonicMs();
    const waiting = [1, 2, 3].map(() => {
      const stuck = new TestMember();
      stuck.onPage = () => committed;
      return stuck.read(feed, { asOf });
    });
    expect(await new TestMember().read(feed, { asOf })).toEqual(all);
    commit();
    expect(await Promise.all(waiting)).toEqual([all, all, all]);
    feed.close();
  });

  it('aborts its request when it is cancelled and no other wallet waits', async () => {
    const daemon = new SteeredDaemon(blocks);
    const feed = feedOf(daemon);
    daemon.hold();
    const abort = new AbortController();
    const reading = new TestMember().read(feed, { signal: abort.signal });
    await turns(2);
    abort.abort(new Error('closed'));
    await expect(reading).rejects.toThrow('closed');
    expect(daemon.asked[0]?.signal?.aborted).toBe(true);
    expect(feed.passCount).toBe(0);
  });

  it('leaves the request to the others when it is cancelled', async () => {
    const daemon = new SteeredDaemon(blocks);
    const feed = feedOf(daemon);
    daemon.hold();
    const abort = new AbortController();
    const asOf = monotonicMs();
    const first = new TestMember().read(feed, { signal: abort.signal, asOf });
    const second = new TestMember().read(feed, { asOf });
    await turns(2);
    abort.abort(new Error('closed'));
    await expect(first).rejects.toThrow('closed');
    daemon.release();
    expect(await second).toEqual(all);
    expect(daemon.asked.length).toBeLessThanOrEqual(WHOLE_CHAIN_REQUESTS);
    feed.close();
  });

  it('is cancelled while it waits for the kernel', async () => {
    const kernel: BatchScanner = { threads: 1, scanMany: () => new Promise(() => undefined) };
    const keyed = chain(10, { keys: 1 });
    const feed = new ChainFeed(new SteeredDaemon(keyed), { genesis: blockHash(keyed[0] as Block) }, kernel);
    const abort = new AbortController();
    const iterator = feed.join(requestOf({ signal: abort.signal }));
    const { value: page } = await iterator.next();
    const reading = (async () => {
      for await (const matches of page?.matches ?? []) expect(matches.count).toBe(0);
    })();
    await turns(2);
    abort.abort(new Error('closed'));
    await expect(iterator.next()).rejects.toThrow('closed');
    void reading.catch(() => undefined);
  });

  it('does not reach the kernel once it is cancelled', async () => {
    const secrets: number[] = [];
    const keyed = chain(8 * PAGE, { keys: 300 });
    const kernel: BatchScanner = {
      threads: 1,
      scanMany: async (batch, keys) => {
        secrets.push(...keys.map(({ viewSecret: [first = 0] }) => first));
        await yieldToEventLoop();
        return quietKernel.scanMany(batch, keys);
      },
    };
    const feed = new ChainFeed(new SteeredDaemon(keyed), { genesis: blockHash(keyed[0] as Block) }, kernel);
    const abort = new AbortController();
    const closing = new TestMember();
    const viewSecret = new Uint8Array(32).fill(1) as SecretKey;
    closing.onPage = () => {
      abort.abort(new Error('closed'));
      viewSecret.fill(0);
      throw new Error('closed');
    };
    const asOf = monotonicMs();
    const other = new TestMember().read(feed, { asOf });
    await expect(closing.read(feed, { asOf, keys: { viewSecret }, signal: abort.signal })).rejects.toThrow(
      'closed',
    );
    expect(await other).toEqual(all);
    expect(secrets).toContain(7);
    expect(secrets).not.toContain(0);
    feed.close();
  });
});

describe('trouble of the daemon', () => {
  it('ends every wallet of the pass, after the pages that came before', async () => {
    const daemon = new SteeredDaemon(blocks);
    const getBlocks = daemon.getBlocks;
    const failing = {
      ...{ isTrusted: true, proveTransactions: daemon.proveTransactions, getInfo: daemon.getInfo },
      getBlocks: ((request) =>
        daemon.asked.length < 3
          ? getBlocks(request)
          : Promise.reject(new DaemonError('unreachable', 'gone'))) as typeof getBlocks,
    };
    const feed = new ChainFeed(failing, { genesis }, quietKernel);
    const asOf = monotonicMs();
    const members = Array.from({ length: 4 }, () => new TestMember());
    const ends = await Promise.allSettled(members.map((member) => member.read(feed, { asOf })));
    for (const end of ends) expect(end).toMatchObject({ status: 'rejected', reason: { message: 'gone' } });
    for (const { heights } of members) expect(heights).toEqual(all.slice(0, 73));
    expect(feed.passCount).toBe(0);
  });

  it('is forgotten by the next refresh', async () => {
    const daemon = new SteeredDaemon(blocks);
    const source = goneAtFirst(daemon);
    const feed = new ChainFeed(source, { genesis }, quietKernel);
    await expect(new TestMember().read(feed)).rejects.toThrow('gone');
    source.isGone = false;
    expect(await new TestMember().read(feed)).toEqual(all);
    feed.close();
  });

  it('with one wallet of another chain leaves the others at peace', async () => {
    const daemon = new SteeredDaemon(blocks);
    const feed = feedOf(daemon);
    const asOf = monotonicMs();
    const foreign = [20_000, 9000].map((height) => ({ height, hash: new Uint8Array(32).fill(9) as Hash }));
    const [stranger, ...others] = await Promise.allSettled([
      new TestMember().read(feed, { asOf, history: foreign }),
      new TestMember().read(feed, { asOf }),
      new TestMember().read(feed, { asOf, ...atTip(blocks) }),
    ]);
    expect(stranger).toMatchObject({ status: 'rejected' });
    expect(others.map((end) => (end.status === 'fulfilled' ? end.value.length : end.reason))).toEqual([
      200, 0,
    ]);
    feed.close();
  });
});

describe('pages that are fetched ahead', () => {
  it('are taken by a wallet that is restored, which asks for none of them again', async () => {
    const daemon = new SteeredDaemon(blocks);
    const feed = feedOf(daemon);
    feed.prefetch(0);
    await turns(100);
    expect(feed.passCount).toBe(0);
    const ahead = daemon.asked.length;
    const member = new TestMember();
    // The wallet asks once more: for blocks that are newer than these answers.
    expect(await member.read(feed)).toEqual(all);
    expect(ahead).toBeGreaterThanOrEqual(WHOLE_CHAIN_REQUESTS - 1);
    expect(daemon.asked).toHaveLength(ahead + 1);
    feed.close();
  });

  it('are scanned by none before', async () => {
    let calls = 0;
    const kernel: BatchScanner = {
      threads: 1,
      scanMany: (batch, secrets) => {
        calls += 1;
        return quietKernel.scanMany(batch, secrets);
      },
    };
    const keyed = chain(40, { keys: 1 });
    const feed = new ChainFeed(new SteeredDaemon(keyed), { genesis: blockHash(keyed[0] as Block) }, kernel);
    feed.prefetch(0);
    await turns(100);
    expect(calls).toBe(0);
    expect(await new TestMember().read(feed)).toHaveLength(40);
    expect(calls).toBeGreaterThan(0);
    feed.close();
  });

  it('are scanned one ahead of the page that the first wallet takes', async () => {
    const scanned: number[] = [];
    const kernel: BatchScanner = {
      threads: 1,
      scanMany: (batch, secrets) => {
        scanned.push(batch.keys.length / 32);
        return quietKernel.scanMany(batch, secrets);
      },
    };
    const keyed = chain(3 * PAGE, { keys: 1 });
    const feed = new ChainFeed(new SteeredDaemon(keyed), { genesis: blockHash(keyed[0] as Block) }, kernel);
    feed.prefetch(0);
    await turns(100);
    const member = new TestMember();
    const ahead: number[] = [];
    member.onPage = () => void ahead.push(scanned.length);
    expect(await member.read(feed)).toHaveLength(3 * PAGE);
    const [first, second] = ahead;
    expect(first).toBe(1);
    // The first page itself, whose scan began when it was taken, and two others.
    expect(second).toBe(3);
    expect(scanned.reduce((sum, keys) => sum + keys)).toBe(3 * PAGE);
    feed.close();
  });

  describe('for a wallet that is expected', () => {
    const secretOf = (first: number): SecretKey => new Uint8Array(32).fill(first) as SecretKey;
    /** Three pages: each overlaps the one before by a block. */
    const keyed = chain(3 * PAGE - 2, { keys: 1 });
    const everyHeight = keyed.map((_, height) => height);
    const open = (calls: (readonly number[])[], options = {}): ChainFeed =>
      new ChainFeed(
        new SteeredDaemon(keyed),
        { genesis: blockHash(keyed[0] as Block) },
        echoKernel(calls),
        options,
      );
    /** Reads the chain. @returns the view secrets with which its matches were found, by their first bytes. */
    const readWith = async (feed: ChainFeed, viewSecret: SecretKey): Promise<Set<number>> => {
      const found = new Set<number>();
      const member = new TestMember();
      member.onMatches = (matches) => found.add(matches.spendKey(0)[0] ?? 0);
      expect(await member.read(feed, { keys: { viewSecret }, asOf: 0 })).toEqual(everyHeight);
      return found;
    };

    it('are scanned once, before it comes, and its key is wiped', async () => {
      const calls: (readonly number[])[] = [];
      const feed = open(calls);
      const given = secretOf(7);
      feed.prefetch(0, given);
      await turns(100);
      expect(calls).toEqual([[7], [7], [7]]);
      expect(await readWith(feed, secretOf(7))).toEqual(new Set([7]));
      expect(calls).toHaveLength(3);
      expect(given).toEqual(new Uint8Array(32));
      feed.close();
    });

    it('are scanned while it has come already', async () => {
      const calls: (readonly number[])[] = [];
      const feed = open(calls);
      feed.prefetch(0, secretOf(7));
      expect(await readWith(feed, secretOf(7))).toEqual(new Set([7]));
      expect(calls).toEqual([[7], [7], [7]]);
      feed.close();
    });

    it('are scanned again for another wallet, and for the expected one after it', async () => {
      const calls: (readonly number[])[] = [];
      const feed = open(calls);
      const given = secretOf(7);
      feed.prefetch(0, given);
      await turns(100);
      const both = await Promise.all([readWith(feed, secretOf(8)), readWith(feed, secretOf(7))]);
      expect(both).toEqual([new Set([8]), new Set([7])]);
      expect(calls.flat().filter((first) => first === 8)).toHaveLength(3);
      feed.close();
      expect(given).toEqual(new Uint8Array(32));
    });

    it('are scanned for those alone that it finds there: no page is scanned twice with two keys expected', async () => {
      const calls: (readonly number[])[] = [];
      const feed = open(calls);
      const second = secretOf(9);
      feed.prefetch(0, secretOf(7));
      feed.prefetch(0, second);
      await turns(100);
      expect(calls).toEqual([[7], [7], [7]]);
      expect(second).toEqual(new Uint8Array(32));
      expect(await readWith(feed, secretOf(9))).toEqual(new Set([9]));
      feed.close();
    });

    it('are scanned again with a balance secret, with which the view key alone was not tried', async () => {
      const balanceSecret = new Uint8Array(32).fill(5);
      const calls: (readonly (number | undefined)[])[] = [];
      const kernel: BatchScanner = {
        ...echoKernel(),
        scanMany: (batch, wallets) => {
          calls.push(wallets.map((wallet) => wallet.balanceSecret?.[0]));
          return echoKernel().scanMany(batch, wallets);
        },
      };
      const feed = new ChainFeed(new SteeredDaemon(keyed), { genesis: blockHash(keyed[0] as Block) }, kernel);
      feed.prefetch(0, secretOf(7));
      await turns(100);
      const keys = { viewSecret: secretOf(7), balanceSecret };
      const member = new TestMember();
      member.onMatches = () => undefined;
      expect(await member.read(feed, { keys, asOf: 0 })).toEqual(everyHeight);
      expect(calls.flat().filter((first) => first === 5)).toHaveLength(3);
      feed.close();
    });

    it('are dropped with its key if it does not come', async () => {
      const feed = open([], { restMs: 10 });
      const given = secretOf(7);
      feed.prefetch(0, given);
      await until('the key to be wiped', () => given.every((byte) => byte === 0) || undefined);
      expect(await readWith(feed, secretOf(7))).toEqual(new Set([7]));
      feed.close();
    });
  });

  it('are shared by a wallet that joins while they are under way', async () => {
    const daemon = new SteeredDaemon(blocks);
    const feed = feedOf(daemon);
    daemon.hold();
    feed.prefetch(0);
    await turns(3);
    const asOf = 0;
    const reading = [new TestMember().read(feed, { asOf }), new TestMember().read(feed, { asOf })];
    await turns(3);
    expect(daemon.asked).toHaveLength(1);
    daemon.release();
    expect(await Promise.all(reading)).toEqual([all, all]);
    expect(daemon.asked.length).toBeLessThanOrEqual(WHOLE_CHAIN_REQUESTS);
    feed.close();
  });

  it('are requested once for several wallets of one height, and kept from the last of them', async () => {
    const daemon = new SteeredDaemon(blocks);
    const feed = feedOf(daemon, { restMs: 200 });
    await withFakeTimeouts(async () => {
      feed.prefetch(20);
      await turns(100);
      const before = daemon.asked.length;
      for (let i = 0; i < 5; i++) {
        jest.advanceTimersByTime(199);
        feed.prefetch(20);
      }
      await turns(100);
      expect(daemon.asked).toHaveLength(before);
    });
    const ahead = daemon.asked.length;
    expect(await new TestMember().read(feed, { startHeight: 20, asOf: 0 })).toEqual(all.slice(20));
    expect(daemon.asked).toHaveLength(ahead);
    feed.close();
  });

  it('are dropped after a while, and a request under way is aborted', () =>
    withFakeTimeouts(async () => {
      const daemon = new SteeredDaemon(blocks);
      const feed = feedOf(daemon, { restMs: 200 });
      daemon.hold();
      feed.prefetch(0);
      await turns(3);
      const [request] = daemon.asked;
      jest.advanceTimersByTime(199);
      expect(request?.signal?.aborted).toBe(false);
      jest.advanceTimersByTime(1);
      expect(request?.signal?.aborted).toBe(true);
      daemon.release();
      expect(await new TestMember().read(feed)).toEqual(all);
      feed.close();
    }));

  it('fail for nobody: the wallet asks itself', async () => {
    const daemon = new SteeredDaemon(blocks);
    const source = goneAtFirst(daemon);
    const feed = new ChainFeed(source, { genesis }, quietKernel);
    feed.prefetch(0);
    await turns(10);
    source.isGone = false;
    expect(await new TestMember().read(feed)).toEqual(all);
    feed.close();
  });

  it('of a chain that was reorganised since are replaced', async () => {
    const daemon = new SteeredDaemon(blocks);
    const feed = feedOf(daemon);
    feed.prefetch(0);
    await turns(100);
    daemon.blocks = chain(blocks.length + 5, { after: blocks.slice(0, -8), nonce: 3 });
    const member = new TestMember();
    await member.read(feed);
    expect(member.holds(daemon.blocks)).toBe(true);
    feed.close();
  });

  it('end at a limit in bytes, beyond which the wallet continues', async () => {
    const daemon = new SteeredDaemon(blocks);
    const large = {
      ...{ isTrusted: true, proveTransactions: daemon.proveTransactions, getInfo: daemon.getInfo },
      getBlocks: (async (request) => ({
        ...(await daemon.getBlocks(request)),
        bytes: 3 << 20,
      })) as typeof daemon.getBlocks,
    };
    const feed = new ChainFeed(large, { genesis }, quietKernel);
    feed.prefetch(0);
    await turns(100);
    expect(daemon.asked).toHaveLength(2);
    expect(await new TestMember().read(feed)).toEqual(all);
    feed.close();
  });
});
