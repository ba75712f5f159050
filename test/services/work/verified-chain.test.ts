import { beforeEach, describe, expect, it, test } from '@jest/globals';
import { DaemonError } from '../../../src/daemon/errors.js';
import type { Checkpoint } from '../../../src/monero/cryptonote/header-chain.js';
import type { BlockRef } from '../../../src/monero/wallet/scan/findings.js';
import { VerifiedChain, type VerifiedChainParts } from '../../../src/services/work/verified-chain.js';
import { WorkUnavailable } from '../../../src/services/work/work-client.js';
import type { HashedWork, WorkInput } from '../../../src/services/work/work-process.js';
import { bytes32, toHex } from '../../../src/util/bytes.js';
import { seedHeightsAbove } from '../../../src/monero/cryptonote/proof-of-work.js';
import { itAtNight } from '../../support/jest/lanes.js';
import { CHAIN_START, WorkChain } from '../../support/chain/work-chain.js';

const DEPTH = 5;
/** Nonce of blocks without work. */
const UNMET = 666;

const genesis = new WorkChain();
const FIRST: Checkpoint = {
  ...{ height: 0, hash: genesis.tip.hash, majorVersion: 1, seeds: [genesis.tip.hash] },
  window: [{ timestamp: 0, cumulativeDifficulty: 1n }],
  fixedDifficulty: 100n,
};

let serving: WorkChain;
let address: string;
let forged: string[];
let refused: string[];
let checked: number;
let problem: WorkUnavailable | undefined;

/** Checks work by the nonce, which stands in the hashed bytes behind the parent. */
const check = ({ input }: WorkInput): Promise<HashedWork> => {
  if (problem !== undefined) return Promise.reject(problem);
  checked += 1;
  const isMet = new DataView(input.buffer, input.byteOffset + 39).getUint32(0, true) !== UNMET;
  return Promise.resolve({
    ...{ hash: bytes32(new Uint8Array(32), 'Hash'), isMet },
    ms: 1,
    seedMs: 0,
    memory: 1,
  });
};

const chainFrom = (parts: Partial<VerifiedChainParts> = {}): VerifiedChain =>
  new VerifiedChain({
    ...{ checkpoint: FIRST, depth: DEPTH, worker: { check } },
    serving: () => ({ address, client: serving }),
    onRefused: (daemon) => void refused.push(daemon),
    onForged: (daemon, reason) => void forged.push(`${daemon}: ${reason}`),
    clock: { now: () => 1000 * (CHAIN_START + 120 * 100_000) },
    random: (limit) => Math.floor(limit / 2),
    ...parts,
  });

const refusal = async (chain: VerifiedChain, block: BlockRef): Promise<[string, string]> => {
  try {
    await chain.admit(block);
  } catch (error) {
    if (error instanceof DaemonError) return [error.kind, error.message];
    throw error;
  }
  return ['admitted', ''];
};

beforeEach(() => {
  serving = new WorkChain();
  address = 'node:18081';
  forged = [];
  refused = [];
  checked = 0;
  problem = undefined;
});

describe('a block is admitted', () => {
  it('once its work and that of all blocks before it is checked, each once', async () => {
    serving.grow(20);
    const chain = chainFrom();
    await chain.admit(serving.ref(10));
    expect(checked).toBeLessThan(20);
    expect(chain.admit(serving.ref(10))).toBeUndefined();
    await chain.admit(serving.tip);
    expect(checked).toBe(20);
    await chain.admit(serving.grow(1).tip);
    expect(checked).toBe(21);
    expect(chain).toMatchObject({ height: 21, knownHeight: 21, waiting: 0, problem: undefined });
  });

  it('in the order of the heights, while later ones wait', async () => {
    serving.grow(40);
    const chain = chainFrom();
    const order: number[] = [];
    await Promise.all(
      [40, 8, 24].map(async (height) => {
        await chain.admit(serving.ref(height));
        order.push(height);
      }),
    );
    expect(order).toEqual([8, 24, 40]);
  });

  it('although the daemon names more blocks than it has', async () => {
    serving.grow(3).claimed = 1e9;
    await chainFrom().admit(serving.tip);
  });

  it('after a reorganisation to more work', async () => {
    serving.grow(20);
    const chain = chainFrom();
    await chain.admit(serving.tip);
    serving = serving.upTo(15).grow(6, { nonce: 1 });
    await chain.admit(serving.tip);
    expect(checked).toBe(26);
    expect(chain).toMatchObject({ height: 21, problem: undefined });
    expect(forged).toEqual([]);
  });
});

describe('a block is refused', () => {
  it('if its version is above the newest one that the server knows', async () => {
    serving.grow(3);
    expect(await refusal(chainFrom({ newestFork: 15 }), serving.tip)).toEqual([
      'unverified',
      'the work of blocks of version 16 is not checked: its rules are not known',
    ]);
    expect(await refusal(chainFrom({ newestFork: 16 }), serving.tip)).toEqual(['admitted', '']);
  });

  it('without its work, with all blocks after it, until another daemon has the chain', async () => {
    serving.grow(5);
    const chain = chainFrom();
    await chain.admit(serving.tip);
    const honest = serving.upTo(5).grow(3);
    const liar = serving.grow(1, { nonce: UNMET }).grow(3);
    expect(await refusal(chain, liar.tip)).toEqual([
      'forged',
      'block 6 of the daemon has not the proof of work of its difficulty 100',
    ]);
    expect(forged).toEqual([`node:18081: ${chain.problem ?? ''}`]);
    expect(chain.height).toBe(5);
    expect(await refusal(chain, liar.ref(6))).toEqual([
      'forged',
      'block 6 of the daemon is refused: the block has not the work of its difficulty',
    ]);
    expect(chain.admit(honest.ref(5))).toBeUndefined();
    expect(chain.problem).toBeUndefined();
    serving = honest;
    address = 'honest:18081';
    await chain.admit(honest.tip);
    expect(chain).toMatchObject({ height: 8, problem: undefined });
    expect(forged).toHaveLength(2);
  });

  it('with the name of the daemon that has sent it, after another one serves', async () => {
    serving.grow(30);
    serving.grow(1, { nonce: UNMET });
    const chain = chainFrom();
    await chain.admit(serving.ref(8));
    address = 'honest:18081';
    expect((await refusal(chain, serving.tip))[0]).toBe('forged');
    expect(forged.map((line) => line.split(': ')[0])).toEqual(['node:18081']);
  });

  test.each<[string, { timestamp: number }, string, number]>([
    ['before the median', { timestamp: CHAIN_START }, 'forged', 1],
    ['ahead of the clock of this machine', { timestamp: CHAIN_START + 120 * 200_000 }, 'unverified', 0],
  ])('with a timestamp %s', async (_, changed, kind, reports) => {
    serving.grow(60).grow(1, changed);
    expect((await refusal(chainFrom(), serving.tip))[0]).toBe(kind);
    expect(forged).toHaveLength(reports);
  });

  it('of a branch with less work, without harm to the daemon', async () => {
    serving.grow(20);
    const chain = chainFrom();
    await chain.admit(serving.tip);
    serving = serving.upTo(15).grow(4, { nonce: 1 });
    expect(await refusal(chain, serving.tip)).toEqual([
      'unverified',
      'block 19 of the daemon is part of a chain with less proof of work than the chain before it',
    ]);
    expect(forged).toEqual([]);
    expect(refused).toEqual([address]);
    expect(chain.height).toBe(20);
  });

  it('of a branch below the checked blocks, which blocks nothing else', async () => {
    serving.grow(200);
    const chain = chainFrom();
    await chain.admit(serving.tip);
    const honest = serving;
    serving = serving.upTo(150).grow(60, { nonce: UNMET });
    expect((await refusal(chain, serving.tip))[0]).toBe('forged');
    serving = honest.grow(1);
    await chain.admit(serving.tip);
    serving = serving.upTo(150).grow(60, { nonce: 8 });
    await chain.admit(serving.tip);
    expect(chain).toMatchObject({ height: 210 });
  });

  it('of a longer branch of which a block has no work', async () => {
    serving.grow(20);
    const chain = chainFrom();
    await chain.admit(serving.tip);
    const honest = serving;
    serving = serving.upTo(15).grow(3, { nonce: 1 }).grow(1, { nonce: UNMET }).grow(30, { nonce: 1 });
    expect((await refusal(chain, serving.tip))[0]).toBe('forged');
    expect(chain.admit(honest.tip)).toBeUndefined();
  });

  it('by a daemon whose chain lacks the checkpoint', async () => {
    const other = genesis.upTo(0).grow(12, { nonce: 9 });
    serving.grow(10);
    const chain = chainFrom();
    await chain.admit(serving.tip);
    const { checkpoint } = chain.record();
    serving = other;
    const later = chainFrom({ checkpoint: { ...checkpoint, height: 0, hash: honestHash() } });
    expect(await refusal(later, other.tip)).toEqual([
      'unverified',
      expect.stringMatching(/^the chain of the daemon lacks block 0, 2a2a/),
    ]);
    expect(forged).toEqual([]);
  });

  const honestHash = (): BlockRef['hash'] => bytes32(new Uint8Array(32).fill(42), 'Hash');

  it('while no work can be checked, and admitted afterwards', async () => {
    serving.grow(3);
    const chain = chainFrom();
    problem = new WorkUnavailable('install the package librandomx0');
    expect(await refusal(chain, serving.tip)).toEqual([
      'unverified',
      'the proof of work of block 1 cannot be checked: install the package librandomx0',
    ]);
    expect(chain.problem).toMatch(/librandomx0$/);
    problem = undefined;
    await chain.admit(serving.tip);
    expect(chain.problem).toBeUndefined();
  });

  it('that another block has replaced meanwhile', async () => {
    serving.grow(5);
    const gone = serving.upTo(4).grow(1, { nonce: 7 }).tip;
    expect(await refusal(chainFrom(), gone)).toEqual([
      'malformed',
      'block 5 of the daemon was replaced by another one while it was verified: refresh again',
    ]);
  });
});

describe('after a long gap', () => {
  it('the newest blocks and a sample are checked', async () => {
    serving.grow(500);
    const chain = chainFrom();
    await chain.admit(serving.tip);
    expect(checked).toBe(DEPTH + 1);
    expect(chain.confirmations(490, 500)).toBe(DEPTH);
    expect(chain.confirmations(500, 500)).toBe(1);
    expect(chain.confirmations(501, 500)).toBe(0);
    await chain.admit(serving.grow(1).tip);
    expect(chain.confirmations(490, 501)).toBe(DEPTH + 1);
    expect(chain.confirmations(490, 495)).toBe(0);
  });

  it('no block is admitted before all of these are checked', async () => {
    serving.grow(499).grow(1, { nonce: UNMET });
    const chain = chainFrom();
    expect((await refusal(chain, serving.ref(3)))[0]).toBe('forged');
    expect(chain.height).toBe(0);
  });

  it.each([
    [12 * DEPTH, 12 * DEPTH],
    [12 * DEPTH + 1, DEPTH + 1],
  ])('of %d blocks, up to twelve times the depth each block is checked: %d', async (blocks, hashed) => {
    serving.grow(blocks);
    const chain = chainFrom();
    await chain.admit(serving.tip);
    expect(checked).toBe(hashed);
    expect(chain.confirmations(1, blocks)).toBe(hashed === blocks ? blocks : DEPTH);
  });
});

describe('blocks below the oldest known header', () => {
  it('are still compared with the chain once their headers are forgotten', async () => {
    const chain = chainFrom();
    await chain.admit(serving.grow(2 * 2160).tip);
    expect(chain.record().checkpoint.height).toBe(2 * 2160 - 720);
    await chain.admit(serving.grow(1).tip);
    // Their headers are forgotten now: a branch below is refused without a look at its work.
    const { requests } = serving;
    expect(chain.admit(serving.ref(2160))).toBeUndefined();
    expect(chain.admit(serving.ref(1))).toBeUndefined();
    expect(serving.requests).toBe(requests);
    const liar = serving.upTo(2100).grow(2300, { nonce: 5 });
    expect((await refusal(chain, liar.ref(2150)))[0]).toBe('malformed');
    serving = liar;
    expect((await refusal(chain, liar.tip))[1]).toMatch(/^the chain of the daemon lacks block 2161/);
    expect(forged).toEqual([]);
  });

  it.each([
    [100_000, 'must lead to it', false],
    [100_001, 'are not checked', true],
  ])('at a distance of %d blocks %s', (distance, _, isAdmitted) => {
    const window = Array.from({ length: 735 }, (__, i) => ({
      timestamp: i,
      cumulativeDifficulty: BigInt(i + 1),
    }));
    const { hash } = genesis.tip;
    const seeds = seedHeightsAbove(200_000).map(() => hash);
    const chain = chainFrom({ checkpoint: { height: 200_000, hash, majorVersion: 16, window, seeds } });
    const admitted = chain.admit({ height: 200_000 - distance, hash });
    admitted?.catch(() => undefined);
    expect(admitted === undefined).toBe(isAdmitted);
  });
});

itAtNight(
  'a daemon that sends blocks without end is followed for twice the usual rate and 10,000 more',
  async () => {
    serving.grow(10_060);
    serving.claimed = 1e9;
    const { fixedDifficulty, ...unfixed } = FIRST;
    expect(fixedDifficulty).toBe(100n);
    const chain = chainFrom({ checkpoint: unfixed, clock: { now: () => 0 } });
    // The first block says when it was made; all others lie ahead of this clock.
    expect((await refusal(chain, serving.ref(1)))[0]).toBe('unverified');
    const later = chainFrom({
      checkpoint: {
        ...unfixed,
        window: [{ timestamp: CHAIN_START + 120 * 10_060, cumulativeDifficulty: 1n }],
      },
      clock: { now: () => 1000 * (CHAIN_START + 120 * 10_060) },
    });
    await refusal(later, serving.ref(1));
    expect(later.knownHeight).toBe(10_000);
  },
);

describe('a record', () => {
  const restarted = (chain: VerifiedChain): VerifiedChain => chainFrom(chain.record());

  it('lets the next process check new blocks only', async () => {
    serving.grow(40);
    const first = chainFrom();
    await first.admit(serving.tip);
    const second = restarted(first);
    await second.admit(serving.grow(2).tip);
    expect(checked).toBe(42);
    expect(second.confirmations(30, 42)).toBe(13);
  });

  it('of blocks that the daemon has no more is not used', async () => {
    serving.grow(40);
    const first = chainFrom();
    await first.admit(serving.tip);
    const second = restarted(first);
    serving = serving.upTo(30).grow(20, { nonce: 3 });
    await second.admit(serving.tip);
    expect(checked).toBe(40 + 50);
  });

  it('begins with a later block on a long chain; blocks below it must lead to it', async () => {
    serving.grow(800);
    const first = chainFrom();
    await first.admit(serving.tip);
    const record = first.record();
    expect(record.checkpoint.height).toBe(80);
    const behind = chainFrom(record);
    await behind.admit(serving.tip);
    const liar = serving.upTo(20).grow(30, { nonce: 4 });
    expect(await refusal(behind, liar.ref(30))).toEqual([
      'malformed',
      expect.stringMatching(/^block 30 of the daemon was replaced/),
    ]);
    await behind.admit(serving.ref(30));
    const requests = serving.requests;
    expect(behind.admit(serving.ref(31))).toBeUndefined();
    expect(serving.requests).toBe(requests);
    const honest = serving;
    serving = liar;
    expect((await refusal(chainFrom(record), liar.tip))[0]).toBe('rejected');
    serving = new WorkChain(liar.blocks).grow(100);
    expect((await refusal(chainFrom(record), liar.tip))[0]).toBe('unverified');
    expect(toHex(honest.tip.hash)).toBe(toHex(first.record().verified.to.hash));
  });
});
