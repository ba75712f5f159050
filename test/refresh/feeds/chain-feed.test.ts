import { describe, expect, it, test } from '@jest/globals';
import type { Hash } from '../../../src/monero/crypto/types.js';
import { block, blockHash } from '../../../src/monero/cryptonote/block.js';
import type { Block } from '../../../src/monero/cryptonote/types.js';
import { DaemonError, NewerBlock } from '../../../src/daemon/errors.js';
import type { RefreshFrom } from '../../../src/refresh/feeds/chain-position.js';
import type { BlockSource } from '../../../src/refresh/feeds/chain-page.js';
import { ChainFeed } from '../../../src/refresh/feeds/chain-feed.js';
import { encode } from '../../../src/util/codec.js';
import { quietKernel, requestOf, SteeredDaemon, TestMember } from '../../support/fakes/feed-members.js';
import { chain, daemonOf, PAGE, refs, shortHistory } from '../../support/chain/fake-chain.js';
import { someRows } from '../../support/jest/lanes.js';

async function collect(
  daemon: BlockSource,
  from: RefreshFrom,
  genesis: Hash,
  anyVersion = false,
): Promise<number[]> {
  return new TestMember().read(new ChainFeed(daemon, { genesis, anyVersion }, quietKernel), from);
}

const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, i) => from + i);

const ours = chain(80);
const genesis = blockHash(ours[0] as Block);
const nothing: RefreshFrom = { history: [], startHeight: 0 };

describe('pages of a chain', () => {
  it('are all of it, each block once, for a wallet that holds nothing', async () => {
    expect(await collect(daemonOf(ours), nothing, genesis)).toEqual(range(0, 80));
  });

  it('begin at the restore height', async () => {
    expect(await collect(daemonOf(ours), { history: [], startHeight: 33 }, genesis)).toEqual(range(33, 80));
  });

  it('are the last block alone where an empty wallet starts above the tip', async () => {
    for (const startHeight of [80, 500]) {
      expect(await collect(daemonOf(ours), { history: [], startHeight }, genesis)).toEqual([79]);
    }
  });

  test.each([80, 500])(
    'skip nothing where a wallet with blocks starts at %i, above the tip',
    async (startHeight) => {
      const behind = shortHistory(ours.slice(0, 42));
      expect(await collect(daemonOf(ours), { history: behind, startHeight }, genesis)).toEqual(range(42, 80));
      expect(await collect(daemonOf(ours), { history: shortHistory(ours), startHeight }, genesis)).toEqual(
        [],
      );
    },
  );

  it('skip the blocks below a start height that the daemon has reached', async () => {
    const history = shortHistory(ours.slice(0, 42));
    expect(await collect(daemonOf(ours), { history, startHeight: 70 }, genesis)).toEqual(range(70, 80));
  });

  it('continue behind the tip of the wallet', async () => {
    const history = shortHistory(ours.slice(0, 42));
    expect(await collect(daemonOf(ours), { history, startHeight: 0 }, genesis)).toEqual(range(42, 80));
  });

  it('are none for a wallet at the tip', async () => {
    expect(await collect(daemonOf(ours), { history: shortHistory(ours), startHeight: 0 }, genesis)).toEqual(
      [],
    );
  });

  test.each([1, 9, 40, 79])('start where the chain turned off %i blocks below the tip', async (depth) => {
    const other = chain(85, { after: ours.slice(0, 80 - depth), nonce: 7 });
    const history = refs(ours, [...range(0, 80)].reverse());
    expect(await collect(daemonOf(other), { history, startHeight: 0 }, genesis)).toEqual(
      range(80 - depth, 85),
    );
  });
});

describe('a reorganisation that undid every block of a wallet', () => {
  const long = chain(1100);
  const [top, oldest] = [1099, 1060];
  const history = refs(long, [...range(oldest, top + 1)].reverse());

  test.each(someRows([40, 999, 1, 500], 2))(
    'is followed from below them, %i blocks below the oldest too',
    async (below) => {
      const other = chain(1105, { after: long.slice(0, oldest - below), nonce: 7 });
      expect(await collect(daemonOf(other), { history, startHeight: 0 }, genesis)).toEqual(range(60, 1105));
    },
  );

  it('is followed from the first block of a short chain', async () => {
    const held = refs(ours, [...range(70, 80)].reverse());
    const other = chain(85, { after: ours.slice(0, 65), nonce: 7 });
    expect(await collect(daemonOf(other), { history: held, startHeight: 0 }, genesis)).toEqual(range(0, 85));
  });

  test.each([1, 1060])(
    'is not assumed of a daemon that has %i blocks, and lacks theirs so far',
    async (blocks) => {
      const behind = daemonOf(chain(Math.max(blocks, 2), { after: long.slice(0, blocks) }));
      expect(await collect(behind, { history, startHeight: 0 }, genesis)).toEqual([]);
    },
  );
});

describe('pages that are too large', () => {
  /** Refuses pages of more blocks. */
  const limited = (blocks: readonly Block[], most: number): BlockSource => {
    const daemon = daemonOf(blocks);
    return {
      ...daemon,
      getBlocks: (request) =>
        (request.maxBlocks ?? PAGE) > most
          ? Promise.reject(new DaemonError('too_large', 'too large'))
          : daemon.getBlocks(request),
    };
  };

  test.each([2, 3, 7, 24])(
    'of more than %i blocks are asked for in smaller ones, of every block once',
    async (most) => {
      expect(await collect(limited(ours, most), nothing, genesis)).toEqual(range(0, 80));
      const history = shortHistory(ours.slice(0, 42));
      expect(await collect(limited(ours, most), { history, startHeight: 0 }, genesis)).toEqual(range(42, 80));
    },
  );

  test.each([1, 9, 40, 79])('lead through a reorganisation %i blocks deep all the same', async (depth) => {
    const other = chain(85, { after: ours.slice(0, 80 - depth), nonce: 7 });
    for (const history of [refs(ours, [...range(0, 80)].reverse()), shortHistory(ours)]) {
      const heights = await collect(limited(other, 2), { history, startHeight: 0 }, genesis);
      expect(heights.slice(heights.indexOf(80 - depth))).toEqual(range(80 - depth, 85));
      expect(heights).toEqual(range(heights[0] ?? NaN, 85));
    }
  });

  it('end the refresh where none is small enough', async () => {
    await expect(collect(limited(ours, 1), nothing, genesis)).rejects.toThrow('too large');
  });
});

describe('a daemon that lies about its chain', () => {
  it('is refused when its chain begins with another block', async () => {
    await expect(collect(daemonOf(chain(20, { nonce: 3 })), nothing, genesis)).rejects.toThrow(
      'another network',
    );
  });

  it('is refused when it starts the page at a block that the wallet never named', async () => {
    const other = chain(85, { after: ours.slice(0, 30), nonce: 9 });
    const history = shortHistory(ours);
    const lying = daemonOf(other, (page) => ({
      ...page,
      startHeight: 75,
      blocks: other.slice(75, 80).map((value) => ({
        block: encode(block, value),
        txs: [],
        outputIndices: [[0]],
      })),
    }));
    await expect(collect(lying, { history, startHeight: 0 }, genesis)).rejects.toThrow(
      'does not start at a block that the wallet holds',
    );
  });
});

describe('a fork nobody here knows', () => {
  const newer = chain(80, { after: ours.slice(0, 60), version: 17 });

  it('ends the refresh at its first block, with the version of that', async () => {
    await expect(collect(daemonOf(newer), nothing, genesis)).rejects.toMatchObject({
      kind: 'newer_fork',
      block: { height: 60, version: 17 },
    });
  });

  it('is every one above the newest fork that the server knows', async () => {
    const ends: unknown[] = [];
    for (const newestFork of [14, 15, 16, 17])
      ends.push(
        await new TestMember()
          .read(new ChainFeed(daemonOf(newer), { genesis, newestFork }, quietKernel), nothing)
          .catch((error: unknown) => error),
      );
    expect(ends.slice(2)).toEqual([expect.objectContaining({ newestFork: 16 }), range(0, 80)]);
    expect(ends.slice(0, 2)).toMatchObject(
      [14, 15].map((newestFork) => ({ newestFork, block: { height: 0 } })),
    );
  });

  it('names the option that reads it, if there is one', () => {
    const advice = (version: number): string => new NewerBlock({ height: 7, version }, 16).message;
    expect(advice(18)).toMatch(
      /version 18, and 16 is the newest known here: set --fork-rules carrot-2026-07, or update/,
    );
    expect(advice(19)).toMatch(/version 19, and 16 is the newest known here: update this server$/);
  });

  it('is read where that was allowed', async () => {
    expect(await collect(daemonOf(newer), nothing, genesis, true)).toEqual(range(0, 80));
  });
});

describe('pages with a forged transaction', () => {
  /** Reads with one wallet after another. @returns number of requests of each wallet. */
  async function requests(isForged: boolean): Promise<number[]> {
    const daemon = new SteeredDaemon(ours);
    const feed = new ChainFeed(daemon, { genesis }, quietKernel);
    const counts: number[] = [];
    for (let wallet = 0; wallet < 2; wallet++) {
      const before = daemon.asked.length;
      const member = new TestMember();
      if (wallet === 0 && isForged)
        member.onPage = ({ page: { proofs } }) => {
          Object.defineProperty(proofs, 'isForged', { value: true });
        };
      await member.read(feed, { asOf: 0 });
      counts.push(daemon.asked.length - before);
    }
    feed.close();
    return counts;
  }

  it('are not kept for other wallets', async () => {
    const [first = 0, kept] = await requests(false);
    expect(first).toBeGreaterThan(0);
    expect(kept).toBeLessThan(first);
    const [, again] = await requests(true);
    expect(again).toBe(first);
  });
});

describe('a block that cannot be read', () => {
  /** A block of the newest fork, in a format of its own. */
  const foreign = Uint8Array.of(17, ...new Uint8Array(90).fill(0xff));
  /** A daemon whose block at a height is sent as other bytes, whatever page has it. */
  const with71 = (bytes: (block: Uint8Array) => Uint8Array): BlockSource =>
    daemonOf(ours, (page) => ({
      ...page,
      blocks: page.blocks.map((sent, i) =>
        page.startHeight + i === 71 ? { ...sent, block: bytes(sent.block) } : sent,
      ),
    }));
  const spoiled: [string, (block: Uint8Array) => Uint8Array, object][] = [
    ['of a newer version', () => foreign, { kind: 'newer_fork', block: { height: 71, version: 17 } }],
    ['of a version of nobody', (block) => Uint8Array.of(200, 1, ...block.slice(1)), { kind: 'newer_fork' }],
    ['that is cut', (block) => block.slice(0, -1), { kind: 'malformed' }],
    ['of no bytes', () => new Uint8Array(), { kind: 'malformed' }],
  ];

  /** Reads with one wallet. @returns the heights that it got, and the error that ended its refresh. */
  async function heightsAndError(feed: ChainFeed, from: RefreshFrom): Promise<[number[], unknown]> {
    const heights: number[] = [];
    try {
      for await (const { page } of feed.join(requestOf(from)))
        heights.push(...page.blocks.map(({ height }) => height));
    } catch (error) {
      return [heights, error];
    }
    return [heights, undefined];
  }

  test.each(spoiled)('%s stops no block before it, for any wallet', async (_, bytes, error) => {
    const feed = new ChainFeed(with71(bytes), { genesis }, quietKernel);
    const behind = [10, 42, 60, 70].map((height) => ({
      history: shortHistory(ours.slice(0, height + 1)),
      startHeight: 0,
    }));
    const all = [nothing, ...behind];
    const read = await Promise.all(all.map((from) => heightsAndError(feed, from)));
    expect(read.map(([heights]) => heights)).toEqual([0, 11, 43, 61, 71].map((from) => range(from, 71)));
    for (const [, end] of read) expect(end).toMatchObject(error);
    // At its end, a wallet still learns of it.
    const [heights, end] = await heightsAndError(feed, {
      history: shortHistory(ours.slice(0, 71)),
      startHeight: 0,
    });
    expect(heights).toEqual([]);
    expect(end).toMatchObject(error);
  });

  test.each(spoiled)('%s is the error of a wallet that begins there', async (_, bytes, error) => {
    const feed = new ChainFeed(with71(bytes), { genesis }, quietKernel);
    const [heights, end] = await heightsAndError(feed, { history: [], startHeight: 71 });
    expect(heights).toEqual([]);
    expect(end).toMatchObject(error);
  });
});
