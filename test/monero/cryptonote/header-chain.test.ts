import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import type { Hash } from '../../../src/monero/crypto/types.js';
import {
  blockTarget,
  DIFFICULTY_BLOCKS,
  nextDifficulty,
  type WorkPoint,
} from '../../../src/monero/cryptonote/difficulty.js';
import {
  HeaderChain,
  type ChainBlock,
  type Checkpoint,
} from '../../../src/monero/cryptonote/header-chain.js';
import { HeaderError, type ChainHeader } from '../../../src/monero/cryptonote/header-rules.js';
import { seedHeight } from '../../../src/monero/cryptonote/proof-of-work.js';
import { toHex } from '../../../src/util/bytes.js';
import { randomRuns } from '../../support/fakes/random-runs.js';

/** Hash with a number: of a block, and of a branch. */
const hashOf = (height: number, branch = 0): Hash => {
  const bytes = new Uint8Array(32);
  new DataView(bytes.buffer).setUint32(0, height);
  bytes[31] = branch;
  return bytes as Hash;
};

const START = 1_700_000_000;
const NOW = START + 365 * 86_400;

/** Checkpoint of a chain with a block every two minutes and a difficulty of 1000. */
function checkpointAt(height: number, fixedDifficulty?: bigint): Checkpoint {
  const length = Math.min(height + 1, DIFFICULTY_BLOCKS);
  return {
    ...{ height, hash: hashOf(height), majorVersion: 16 },
    window: Array.from({ length }, (_, i) => {
      const at = height + 1 - length + i;
      return { timestamp: START + 120 * at, cumulativeDifficulty: 1000n * BigInt(at + 1) };
    }),
    seeds: [...new Set([seedHeight(height + 1), seedHeight(height + 65)])].map((at) => hashOf(at)),
    ...(fixedDifficulty === undefined ? {} : { fixedDifficulty }),
  };
}

/** Header of a block of the chain, or of a branch of it. */
const header = (height: number, branch = 0, parentBranch = branch): ChainHeader => ({
  hash: hashOf(height, branch),
  prevHash: hashOf(height - 1, parentBranch),
  majorVersion: 16,
  timestamp: START + 120 * height,
});

/** Adds consecutive blocks of a branch. @param fork height of the last block that the branch shares with branch 0. */
function extend(chain: HeaderChain, from: number, to: number, branch = 0, fork = from - 1): ChainBlock[] {
  const added: ChainBlock[] = [];
  for (let height = from; height <= to; height++)
    added.push(chain.add(header(height, branch, height - 1 === fork ? 0 : branch), NOW));
  return added;
}

const refusal = (chain: HeaderChain, changed: Partial<ChainHeader>, now = NOW): string => {
  try {
    chain.add({ ...header(chain.tip.height + 1), ...changed }, now);
  } catch (error) {
    if (error instanceof HeaderError) return error.reason;
  }
  return 'accepted';
};

describe('a block', () => {
  const chain = new HeaderChain(checkpointAt(5000));

  test.each<[string, Partial<ChainHeader>, number]>([
    ['unknown_parent', { prevHash: hashOf(4999) }, NOW],
    ['unknown_parent', { prevHash: hashOf(5000, 1) }, NOW],
    ['older_version', { majorVersion: 15 }, NOW],
    ['newer_fork', { majorVersion: 17 }, NOW],
    ['too_late', { timestamp: NOW + 7201 }, NOW],
    ['too_late', {}, START + 120 * 5001 - 7201],
    // The median of the 60 blocks before it lies between the 30th and the 31st.
    ['too_early', { timestamp: START + 120 * 4970 + 59 }, NOW],
  ])('is refused: %s', (reason, changed, now) => {
    expect(refusal(chain, changed, now)).toBe(reason);
    expect(chain.tip.height).toBe(5000);
    expect(chain.size).toBe(1);
  });

  it('is accepted up to the newest version that is known', () => {
    const versions = (newestFork: number): string[] =>
      [16, 17, 18, 19].map((majorVersion) =>
        refusal(new HeaderChain(checkpointAt(5000), newestFork), { majorVersion }),
      );
    expect(versions(17)).toEqual(['accepted', 'accepted', 'newer_fork', 'newer_fork']);
    expect(versions(18)).toEqual(['accepted', 'accepted', 'accepted', 'newer_fork']);
  });

  it('is accepted at the limits of its timestamp', () => {
    expect(refusal(new HeaderChain(checkpointAt(5000)), { timestamp: NOW + 7200 })).toBe('accepted');
    const early = { timestamp: START + 120 * 4970 + 60 };
    expect(refusal(new HeaderChain(checkpointAt(5000)), early)).toBe('accepted');
  });

  it('has no earliest timestamp before there are 60 blocks', () => {
    expect(refusal(new HeaderChain(checkpointAt(58)), { timestamp: 0 })).toBe('accepted');
    expect(refusal(new HeaderChain(checkpointAt(59)), { timestamp: 0 })).toBe('too_early');
  });

  it('is refused once its difficulty exceeds 128 bits', () => {
    const { window, ...rest } = checkpointAt(5000);
    const steep = window.map(({ timestamp }, i) => ({
      ...{ timestamp, cumulativeDifficulty: (1n << 128n) * BigInt(i + 1) },
    }));
    expect(refusal(new HeaderChain({ ...rest, window: steep }), {})).toBe('difficulty_overflow');
  });

  it('is the same block when it is added again', () => {
    const [added] = extend(chain, 5001, 5001);
    expect(chain.add(header(5001), 0)).toBe(added);
    expect(chain.tip).toBe(added);
  });
});

describe('a checkpoint', () => {
  it('must have the window and the seeds of its height', () => {
    const { window, seeds, ...rest } = checkpointAt(4100);
    expect(seeds.map((seed) => toHex(seed))).toEqual([2048, 4096].map((at) => toHex(hashOf(at))));
    expect(() => new HeaderChain({ ...rest, seeds, window: window.slice(1) })).toThrow('the window of');
    expect(() => new HeaderChain({ ...rest, window, seeds: seeds.slice(1) })).toThrow('the seeds of');
  });

  it('gives the seeds of later blocks, of which blocks of the chain become the next ones', () => {
    const chain = new HeaderChain(checkpointAt(4090));
    extend(chain, 4091, 6300);
    for (const height of [4091, 4160, 4161, 6208, 6209, 6300])
      expect(chain.seedOf(hashOf(height))).toEqual(hashOf(seedHeight(height)));
    expect(() => chain.seedOf(hashOf(7000))).toThrow(HeaderError);
  });

  it('that a chain returns leads to the same chain', () => {
    const whole = new HeaderChain(checkpointAt(3000));
    extend(whole, 3001, 6300);
    for (const height of [3000, 3001, 3500, 4095, 4096, 4160, 4161, 6299]) {
      const later = new HeaderChain(whole.checkpointAt(height));
      extend(later, height + 1, 6300);
      expect(later.tip.cumulativeDifficulty).toBe(whole.tip.cumulativeDifficulty);
      expect(later.seedOf(hashOf(6300))).toEqual(whole.seedOf(hashOf(6300)));
    }
    expect(() => whole.checkpointAt(2999)).toThrow(RangeError);
    expect(() => whole.checkpointAt(6301)).toThrow(RangeError);
  });

  it('keeps a fixed difficulty', () => {
    const chain = new HeaderChain(checkpointAt(0, 200n));
    expect(extend(chain, 1, 20).map(({ difficulty }) => difficulty)).toEqual(Array(20).fill(200n));
    expect(chain.checkpointAt(20).fixedDifficulty).toBe(200n);
  });
});

describe('the best chain', () => {
  const forked = (): HeaderChain => {
    const chain = new HeaderChain(checkpointAt(5000, 10n));
    extend(chain, 5001, 5005);
    return chain;
  };
  const accept = (chain: HeaderChain, heights: readonly number[], branch = 0): void => {
    for (const height of heights) chain.acceptWork(hashOf(height, branch));
  };

  it('does not give way to a longer branch without verified work', () => {
    const chain = forked();
    extend(chain, 5003, 5020, 1);
    expect(chain.tip.hash).toEqual(hashOf(5005));
    expect(chain.undecided()).toHaveLength(3 + 18);
  });

  it('gives way once the verified work of a branch exceeds all of its work since the fork', () => {
    const chain = forked();
    extend(chain, 5003, 5007, 1);
    accept(chain, [5003, 5004, 5005], 1);
    expect(chain.tip.hash).toEqual(hashOf(5005));
    accept(chain, [5006], 1);
    expect(chain.tip.hash).toEqual(hashOf(5007, 1));
    expect(chain.at(5003)?.hash).toEqual(hashOf(5003, 1));
    expect(chain.at(5002)?.hash).toEqual(hashOf(5002));
  });

  it('refuses a reorganisation to as much or less work, however much of it is verified', () => {
    const chain = forked();
    extend(chain, 5001, 5005, 1);
    accept(chain, [5001, 5002, 5003, 5004, 5005], 1);
    expect(chain.tip.hash).toEqual(hashOf(5005));
  });

  it('loses a block without work, with all that follow it, and these are not added again', () => {
    const chain = forked();
    extend(chain, 5003, 5004, 1);
    accept(chain, [5003], 1);
    chain.refuseWork(hashOf(5003));
    expect(chain.tip.hash).toEqual(hashOf(5004, 1));
    expect(() => chain.add(header(5003), NOW)).toThrow('the block has not the work of its difficulty');
    expect(() => chain.add(header(5004), NOW)).toThrow(HeaderError);
    expect(chain.get(hashOf(5005))).toBeUndefined();
  });

  it('ends at the parent of a refused block if no branch remains, and never below the checkpoint', () => {
    const chain = forked();
    chain.refuseWork(hashOf(5001));
    chain.refuseWork(hashOf(5000));
    expect(chain.tip.hash).toEqual(hashOf(5000));
    expect(chain.size).toBe(1);
  });

  it('counts verified blocks from a height on', () => {
    const chain = forked();
    accept(chain, [5001, 5004, 5005]);
    expect([4000, 5000, 5001, 5002, 5005, 5006].map((height) => chain.verifiedConfirmations(height))).toEqual(
      [4, 4, 3, 2, 1, 0],
    );
    expect(chain.verifiedConfirmations(5001, 2)).toBe(2);
  });

  it('forgets lower blocks, with the branches that leave below', () => {
    const chain = new HeaderChain(checkpointAt(5000));
    extend(chain, 5001, 6000);
    extend(chain, 5301, 5303, 1);
    extend(chain, 5901, 5903, 2);
    const twin = chain.add(header(6001), NOW);
    chain.forgetBelow(5800);
    expect(chain.base).toBe(5800);
    expect(chain.size).toBe(6001 - 5800 + 1 + 3);
    expect([chain.at(5799), chain.get(hashOf(5302, 1)), chain.get(hashOf(5400))]).toEqual(
      Array(3).fill(undefined),
    );
    expect(chain.get(hashOf(5902, 2))?.height).toBe(5902);
    expect(chain.seedOf(hashOf(6001))).toEqual(hashOf(seedHeight(6001)));
    const next = chain.add(header(6002), NOW).difficulty;
    expect(next).toBe(chain.difficultyAfter(twin.hash));
  });

  it('keeps a limited number of other blocks: the branch that was known longest is dropped', () => {
    const chain = forked();
    extend(chain, 5003, 5003, 1);
    for (let branch = 2; branch < 6; branch++) extend(chain, 5004, 6030, branch, 5003);
    expect(chain.size).toBeLessThanOrEqual(6 + 4096);
    expect(chain.get(hashOf(5003, 1))).toBeUndefined();
    expect(chain.tip.hash).toEqual(hashOf(5005));
  });
});

/** Block of the model, with its parent by index; the checkpoint is the first one. */
interface ModelBlock extends WorkPoint {
  readonly parent: number;
  readonly difficulty: bigint;
  isVerified: boolean;
  isGone: boolean;
}

/** Simple form of the chain: every question is answered from the whole tree. */
class Model {
  readonly blocks: ModelBlock[] = [];
  readonly #below: readonly WorkPoint[];
  tip = 0;

  constructor({ height, window }: Checkpoint) {
    const root = window.at(-1) as WorkPoint;
    // The genesis block does not count.
    this.#below = window.slice(window.length > height ? 1 : 0, -1);
    this.blocks.push({ ...root, parent: -1, difficulty: 0n, isVerified: true, isGone: false });
  }

  path(index: number): number[] {
    const { parent } = this.blocks[index] as ModelBlock;
    return parent < 0 ? [index] : [...this.path(parent), index];
  }

  add(parent: number, timestamp: number): number {
    const before = [...this.#below, ...this.path(parent).map((i) => this.blocks[i] as ModelBlock)];
    const difficulty = nextDifficulty(before.slice(-DIFFICULTY_BLOCKS), blockTarget(16));
    const { cumulativeDifficulty } = this.blocks[parent] as ModelBlock;
    const added = { timestamp, parent, difficulty, isVerified: false, isGone: false };
    this.blocks.push({ ...added, cumulativeDifficulty: cumulativeDifficulty + difficulty });
    if (parent === this.tip) this.tip = this.blocks.length - 1;
    return this.blocks.length - 1;
  }

  accept(index: number): void {
    (this.blocks[index] as ModelBlock).isVerified = true;
    if (!this.path(this.tip).includes(index)) this.#choose();
  }

  refuse(index: number): void {
    const wasBest = this.path(this.tip).includes(index);
    this.blocks.forEach((block, i) => {
      if (this.path(i).includes(index)) block.isGone = true;
    });
    if (!wasBest) return;
    this.tip = (this.blocks[index] as ModelBlock).parent;
    this.#choose();
  }

  work(indices: readonly number[], verified: boolean): bigint {
    return indices
      .map((i) => this.blocks[i] as ModelBlock)
      .reduce((total, block) => total + (verified && !block.isVerified ? 0n : block.difficulty), 0n);
  }

  #choose(): void {
    const best = this.path(this.tip);
    const leaves = this.blocks.flatMap(({ isGone }, i) =>
      isGone || this.blocks.some((child) => !child.isGone && child.parent === i) ? [] : [i],
    );
    let next = -1;
    for (const leaf of leaves) {
      const path = this.path(leaf);
      const own = path.filter((i) => !best.includes(i));
      const other = best.filter((i) => !path.includes(i));
      if (own.length === 0) continue;
      if (other.length > 0 && this.work(own, true) <= this.work(other, false)) continue;
      if (next < 0 || this.work(path, true) > this.work(this.path(next), true)) next = leaf;
    }
    if (next < 0) return;
    this.tip = next;
    this.#choose();
  }
}

it('a chain agrees with a simple model of it, whatever is added, accepted and refused', () => {
  const step = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constant('add'),
        at: fc.nat(),
        seconds: fc.integer({ min: -90, max: 900 }),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({ kind: fc.constant('accept'), at: fc.nat(), seconds: fc.constant(0) }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant('refuse'), at: fc.nat(), seconds: fc.constant(0) }),
    },
  );
  fc.assert(
    fc.property(fc.integer({ min: 100, max: 900 }), fc.array(step, { maxLength: 40 }), (height, steps) => {
      const checkpoint = checkpointAt(height);
      const chain = new HeaderChain(checkpoint);
      const model = new Model(checkpoint);
      const hashes = [checkpoint.hash];
      for (const { kind, at, seconds } of steps) {
        const index = at % hashes.length;
        const block = model.blocks[index] as ModelBlock;
        if (block.isGone) continue;
        if (kind === 'add') {
          const hash = hashOf(hashes.length, 7);
          const timestamp = block.timestamp + seconds;
          model.add(index, timestamp);
          chain.add({ hash, prevHash: hashes[index] as Hash, majorVersion: 16, timestamp }, NOW);
          hashes.push(hash);
        } else if (index > 0) {
          if (kind === 'accept') chain.acceptWork(hashes[index] as Hash);
          else chain.refuseWork(hashes[index] as Hash);
          if (kind === 'accept') model.accept(index);
          else model.refuse(index);
        }
        expect(toHex(chain.tip.hash)).toBe(toHex(hashes[model.tip] as Hash));
        const path = model.path(model.tip);
        expect(chain.tip.height).toBe(height + path.length - 1);
        expect(chain.verifiedConfirmations(0)).toBe(path.filter((i) => model.blocks[i]?.isVerified).length);
      }
      for (const [i, { cumulativeDifficulty, isGone }] of model.blocks.entries())
        expect(chain.get(hashes[i] as Hash)?.cumulativeDifficulty).toBe(
          isGone ? undefined : cumulativeDifficulty,
        );
    }),
    { numRuns: randomRuns(400) },
  );
});
