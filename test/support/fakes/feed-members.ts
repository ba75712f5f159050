import type { SecretKey } from '../../../src/monero/crypto/types.js';
import { blockHash } from '../../../src/monero/cryptonote/block.js';
import type { Block } from '../../../src/monero/cryptonote/types.js';
import type { BlocksRequest } from '../../../src/daemon/daemon.js';
import type { BlockSource } from '../../../src/refresh/feeds/chain-page.js';
import type { ChainFeed } from '../../../src/refresh/feeds/chain-feed.js';
import type { FeedRequest, MemberPage } from '../../../src/refresh/feeds/feed-member.js';
import type { BatchScanner } from '../../../src/refresh/scan/match-group.js';
import { monotonicMs } from '../../../src/util/clock.js';
import type { OutputMatches } from '../../../src/monero/wallet/scan/output-matches.js';
import { yieldToEventLoop } from '../../../src/util/event-loop.js';
import { daemonOf } from '../chain/fake-chain.js';

/** A kernel that finds nothing. */
export const quietKernel: BatchScanner = {
  threads: 1,
  scanMany: (_, secrets) =>
    Promise.resolve(
      secrets.map(() => ({
        outputs: new Uint32Array(),
        derivations: new Uint8Array(),
        spendKeys: new Uint8Array(),
        internal: new Uint8Array(),
      })),
    ),
};

/** A kernel that finds one output in each batch; the spend key of it is the view secret, as it is during the scan. */
export const echoKernel = (calls: (readonly number[])[] = []): BatchScanner => ({
  threads: 1,
  scanMany: async (_, wallets) => {
    calls.push(wallets.map(({ viewSecret: [first = 0] }) => first));
    const hits = wallets.map(({ viewSecret }) => ({
      outputs: Uint32Array.of(0),
      derivations: new Uint8Array(32),
      spendKeys: Uint8Array.from(viewSecret),
      internal: Uint8Array.of(0),
    }));
    await yieldToEventLoop();
    return hits;
  },
});

/** A daemon whose chain can be replaced, and whose answers can be held back. */
export class SteeredDaemon implements BlockSource {
  blocks: readonly Block[];
  readonly asked: BlocksRequest[] = [];
  /** Error of every request for blocks; undefined: they are answered. */
  failure: Error | undefined;
  #gate: Promise<void> = Promise.resolve();
  #open: () => void = () => undefined;

  constructor(blocks: readonly Block[]) {
    this.blocks = blocks;
  }

  /** Holds back the answers to later requests. They contain the chain at the time of the request. */
  hold(): void {
    this.#gate = new Promise((resolve) => {
      this.#open = resolve;
    });
  }

  release(): void {
    this.#open();
    this.#gate = Promise.resolve();
  }

  readonly isTrusted = true;

  readonly proveTransactions: BlockSource['proveTransactions'] = () => Promise.resolve();

  readonly getInfo: BlockSource['getInfo'] = (options) => daemonOf(this.blocks).getInfo(options);

  readonly getBlocks: BlockSource['getBlocks'] = async (request) => {
    const { blocks } = this;
    this.asked.push(request);
    await this.#gate;
    request.signal?.throwIfAborted();
    if (this.failure !== undefined) throw this.failure;
    return daemonOf(blocks).getBlocks(request);
  };
}

export const requestOf = (request: Partial<FeedRequest> = {}): FeedRequest => ({
  history: [],
  startHeight: 0,
  asOf: monotonicMs(),
  viewSecret: new Uint8Array(32).fill(7) as SecretKey,
  signal: new AbortController().signal,
  ...request,
});

/** One wallet at a feed, which checks that pages continue its chain. */
export class TestMember {
  readonly heights: number[] = [];
  /** Hashes by height, as a store would hold them. */
  readonly hashes = new Map<number, string>();
  /** Called with each page before its matches are read. */
  onPage: (page: MemberPage) => Promise<void> | void = () => undefined;
  /** Called with the matches of each kernel batch. */
  onMatches: (matches: OutputMatches) => void = ({ count }) => {
    if (count !== 0) throw new Error('a match of nothing');
  };

  /** Reads pages up to the tip. */
  async read(feed: ChainFeed, request: Partial<FeedRequest> = {}): Promise<number[]> {
    for await (const page of feed.join(requestOf(request))) {
      await this.onPage(page);
      for await (const matches of page.matches) this.onMatches(matches);
      for (const { height, hash } of page.page.blocks) {
        this.heights.push(height);
        for (const known of [...this.hashes.keys()]) if (known > height) this.hashes.delete(known);
        this.hashes.set(height, Buffer.from(hash).toString('hex'));
      }
    }
    return this.heights;
  }

  /** Whether the member holds exactly a chain, from a height on. */
  holds(blocks: readonly Block[], from = 0): boolean {
    const expected = blocks.slice(from).map((block) => Buffer.from(blockHash(block)).toString('hex'));
    const held = expected.map((_, i) => this.hashes.get(from + i));
    return String(held) === String(expected) && this.hashes.size === expected.length;
  }
}
