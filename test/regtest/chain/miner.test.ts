import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { parseAddress } from '../../../src/monero/cryptonote/address.js';
import type { PublicKey } from '../../../src/monero/crypto/types.js';
import { Miner, type MiningJob } from '../../../src/regtest/chain/miner.js';
import { turns } from '../../support/fakes/event-loop-turns.js';
import { withFakeTimeouts } from '../../support/fakes/fake-timeouts.js';
import { until } from '../../support/fakes/until.js';
import { testNode, type TestNode } from '../../support/processes/regtest-node.js';

const JOB: MiningJob = {
  address: parseAddress(
    '42ey1afDFnn4886T7196doS9GPMzexD9gXpsZJDwVjeRVdFCSoHnv7KPbBeGpzJBzHRCAs9UxqeoyFQMYbqSWYTfJJQAWDm',
    'mainnet',
  ),
  threads: 1,
};

describe('the miner', () => {
  let test: TestNode;
  let miner: Miner;
  let errors: unknown[];

  beforeEach(() => {
    test = testNode({ fixedDifficulty: 7n });
    errors = [];
    miner = new Miner(test.node, 5, (error) => errors.push(error));
  });

  afterEach(async () => {
    miner.stop();
    await test.node.close();
  });

  it('mines block after block until it is stopped', () =>
    withFakeTimeouts(async () => {
      expect(miner.job).toBeUndefined();
      expect(miner.start(JOB)).toBe(true);
      expect(miner.job).toBe(JOB);
      for (let height = 2; height <= 4; height++) {
        jest.advanceTimersByTime(5);
        await until('the next block', () => test.node.chain.height === height && jest.getTimerCount() === 1);
      }
      // Between two blocks, then while one is mined.
      expect(miner.stop()).toBe(true);
      expect(jest.getTimerCount()).toBe(0);
      expect(miner.start(JOB)).toBe(true);
      jest.advanceTimersByTime(5);
      expect(miner.stop()).toBe(true);
      const { height } = test.node.chain;
      await turns(100);
      jest.advanceTimersByTime(1000);
      await turns(100);
      expect(test.node.chain.height).toBeLessThanOrEqual(height + 1);
      expect(jest.getTimerCount()).toBe(0);
      expect(errors).toEqual([]);
    }));

  it('has one job at a time', () => {
    expect(miner.start(JOB)).toBe(true);
    expect(miner.start({ ...JOB })).toBe(false);
    expect(miner.stop()).toBe(true);
    expect(miner.stop()).toBe(false);
    expect(miner.job).toBeUndefined();
  });

  it('reports its speed in hashes per second', () => {
    expect(miner.speed).toBe(1400);
  });

  it('reports when mining a block fails, and goes on', async () => {
    const noPoint = new Uint8Array(32).fill(0xff) as PublicKey;
    const job = { ...JOB, address: { ...JOB.address, viewPublicKey: noPoint } };
    miner.start(job);
    await until('two errors', () => Promise.resolve(errors.length > 1 || undefined));
    expect(miner.job).toBe(job);
    expect(test.node.chain.height).toBe(1);
  });
});
