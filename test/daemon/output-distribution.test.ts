import { describe, expect, it } from '@jest/globals';
import type { Hash } from '../../src/monero/crypto/types.js';
import type { OutputDistribution } from '../../src/daemon/daemon.js';
import { DaemonError } from '../../src/daemon/errors.js';
import { OutputDistributionCache, type DistributionSource } from '../../src/daemon/output-distribution.js';

/** A block: the number of its outputs, and a number that makes its hash. */
interface FakeBlock {
  readonly outputs: number;
  readonly id: number;
}

/** Daemon with a chain that a test replaces. Its first RingCT outputs are in the block at `first`. */
class FakeDaemon implements DistributionSource {
  blocks: FakeBlock[];
  /** Heights from which the distribution was requested. */
  readonly requested: number[] = [];
  readonly #first: number;
  #ids = 0;

  constructor(height: number, first = 0) {
    this.#first = first;
    this.blocks = this.mine(height, (i) => 1 + (i % 7));
  }

  mine(count: number, outputs: (i: number) => number): FakeBlock[] {
    return Array.from({ length: count }, (_, i) => ({ outputs: outputs(i), id: this.#ids++ }));
  }

  /** Replaces the blocks from a height on. */
  replaceFrom(height: number, count: number, outputs: (i: number) => number): void {
    this.blocks = [...this.blocks.slice(0, height), ...this.mine(count, outputs)];
  }

  whole(from = 0): OutputDistribution {
    const startHeight = Math.max(from, this.#first);
    let sum = 0;
    const counts = this.blocks.map(({ outputs }, i) => (sum += i < this.#first ? 0 : outputs));
    return { startHeight, base: counts[startHeight - 1] ?? 0, cumulative: counts.slice(startHeight) };
  }

  distribution(from: number): Promise<OutputDistribution> {
    this.requested.push(from);
    return from >= this.blocks.length
      ? Promise.reject(new DaemonError('rejected', 'too high'))
      : Promise.resolve(this.whole(from));
  }

  blockHash(height: number): Promise<Hash> {
    const block = this.blocks[height];
    if (block === undefined) return Promise.reject(new DaemonError('rejected', 'too high'));
    return Promise.resolve(Buffer.alloc(32, `block ${block.id}`) as Uint8Array as Hash);
  }
}

/** Reads the distribution and compares it with that of the whole chain. @returns the requested heights. */
async function readTwin(cache: OutputDistributionCache, daemon: FakeDaemon): Promise<number[]> {
  daemon.requested.length = 0;
  expect(await cache.read(daemon)).toEqual(daemon.whole());
  return [...daemon.requested];
}

describe('the output distribution cache', () => {
  it('requests only the blocks above the last multiple of 1,000 that is 100 blocks deep', async () => {
    const [cache, daemon] = [new OutputDistributionCache(), new FakeDaemon(3200)];
    expect(await readTwin(cache, daemon)).toEqual([0]);
    expect(await readTwin(cache, daemon)).toEqual([3000]);
    daemon.blocks.push(...daemon.mine(899, () => 3));
    expect(await readTwin(cache, daemon)).toEqual([3000]);
    daemon.blocks.push(...daemon.mine(1, () => 3));
    expect(daemon.blocks).toHaveLength(4100);
    // The cache learns here that the blocks below 4,000 are deep enough.
    expect(await readTwin(cache, daemon)).toEqual([3000]);
    expect(await readTwin(cache, daemon)).toEqual([4000]);
  });

  it('keeps nothing of a chain below 1,100 blocks', async () => {
    const [cache, daemon] = [new OutputDistributionCache(), new FakeDaemon(1099)];
    expect(await readTwin(cache, daemon)).toEqual([0]);
    expect(await readTwin(cache, daemon)).toEqual([0]);
  });

  it.each([
    ['the tip alone', 3199],
    ['blocks down to the kept ones', 3000],
  ])('reads the replaced blocks after a reorganisation of %s', async (_, from) => {
    const [cache, daemon] = [new OutputDistributionCache(), new FakeDaemon(3200)];
    await cache.read(daemon);
    daemon.replaceFrom(from, 3201 - from, () => 5);
    expect(await readTwin(cache, daemon)).toEqual([3000]);
  });

  it('requests all blocks after a reorganisation of kept ones', async () => {
    const [cache, daemon] = [new OutputDistributionCache(), new FakeDaemon(3200)];
    await cache.read(daemon);
    daemon.replaceFrom(2999, 300, () => 5);
    expect(await readTwin(cache, daemon)).toEqual([3000, 0]);
    expect(await readTwin(cache, daemon)).toEqual([3000]);
  });

  it('requests all blocks if the replaced ones have as many outputs as the kept ones', async () => {
    const [cache, daemon] = [new OutputDistributionCache(), new FakeDaemon(3200)];
    await cache.read(daemon);
    const [one, other] = [daemon.blocks[2500] as FakeBlock, daemon.blocks[2501] as FakeBlock];
    expect(one.outputs).not.toBe(other.outputs);
    const replaced = daemon.blocks.slice(2500);
    daemon.replaceFrom(2500, 700, (i) => [other, one, ...replaced.slice(2)][i]?.outputs ?? 0);
    expect(daemon.whole(3000).base).toBe(new FakeDaemon(3200).whole(3000).base);
    expect(await readTwin(cache, daemon)).toEqual([3000, 0]);
  });

  it('requests all blocks of a chain that became shorter than the kept part', async () => {
    const [cache, daemon] = [new OutputDistributionCache(), new FakeDaemon(3200)];
    await cache.read(daemon);
    daemon.replaceFrom(1500, 10, () => 5);
    expect(await readTwin(cache, daemon)).toEqual([3000, 0]);
    expect(await readTwin(cache, daemon)).toEqual([1000]);
  });

  it('requests all blocks if an answer does not continue the kept part', async () => {
    const [cache, daemon] = [new OutputDistributionCache(), new FakeDaemon(3200)];
    await cache.read(daemon);
    const answers: OutputDistribution[] = [
      { ...daemon.whole(3000), base: daemon.whole(3000).base - 1 },
      { ...daemon.whole(3000), startHeight: 3001 },
    ];
    for (const answer of answers) {
      const asked: number[] = [];
      const source: DistributionSource = {
        blockHash: (height) => daemon.blockHash(height),
        distribution: (from) => {
          asked.push(from);
          return Promise.resolve(from === 0 ? daemon.whole() : answer);
        },
      };
      expect(await cache.read(source)).toEqual(daemon.whole());
      expect(asked).toEqual([3000, 0]);
    }
  });

  it('starts at the first block with RingCT outputs', async () => {
    const [cache, daemon] = [new OutputDistributionCache(), new FakeDaemon(3200, 1220)];
    expect(await readTwin(cache, daemon)).toEqual([0]);
    expect(await readTwin(cache, daemon)).toEqual([3000]);
    const [later, young] = [new OutputDistributionCache(), new FakeDaemon(3200, 3050)];
    await later.read(young);
    expect(await readTwin(later, young)).toEqual([0]);
  });

  it('reports a failed call, and keeps what it has', async () => {
    const [cache, daemon] = [new OutputDistributionCache(), new FakeDaemon(3200)];
    await cache.read(daemon);
    const failure = new DaemonError('unreachable', 'gone');
    const source: DistributionSource = {
      blockHash: (height) => daemon.blockHash(height),
      distribution: () => Promise.reject(failure),
    };
    await expect(cache.read(source)).rejects.toBe(failure);
    expect(await readTwin(cache, daemon)).toEqual([3000]);
  });

  it('gives each caller a list of its own', async () => {
    const [cache, daemon] = [new OutputDistributionCache(), new FakeDaemon(3200)];
    const before = await cache.read(daemon);
    const copy = structuredClone(before);
    daemon.replaceFrom(3000, 201, () => 9);
    await cache.read(daemon);
    expect(before).toEqual(copy);
  });
});
