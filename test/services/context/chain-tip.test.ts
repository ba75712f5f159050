import { describe, expect, it, test } from '@jest/globals';
import { heightOfTime, lowestTip, readTip, type TipSource } from '../../../src/services/context/chain-tip.js';

const NOW = 1_800_000_000;
const DAY = 86_400;

const sourceOf = (height: number, newest: number): TipSource =>
  ({
    getInfo: () => Promise.resolve({ height }),
    getLastBlockHeader: () => Promise.resolve({ height: newest, timestamp: NOW }),
  }) as unknown as TipSource;

describe('the tip of a daemon', () => {
  test.each([
    [300, 299, 300],
    [340, 299, 300],
    [1_000_300, 299, 300],
    [300, 339, 300],
    [300, 300, 300],
  ])('is the lower one of two answers: %i blocks, newest block %i', async (height, newest, blocks) => {
    expect(await readTip(sourceOf(height, newest))).toMatchObject({ blocks, timestamp: NOW });
  });

  it('is refused where the daemon has no blocks', async () => {
    await expect(readTip(sourceOf(0, 0))).rejects.toMatchObject({ kind: 'malformed' });
  });
});

describe('the lowest tip of several daemons', () => {
  const serving = { blocks: 3000, timestamp: NOW - 60 };

  test.each([
    ['another one with fewer blocks', [{ blocks: 2990, timestamp: NOW - 600 }], 2990],
    ['another one with more blocks', [{ blocks: 3_000_000, timestamp: NOW }], 3000],
    ['one that stopped following the chain', [{ blocks: 20, timestamp: NOW - 2 * DAY }], 3000],
    ['one whose blocks claim to be of the future', [{ blocks: 4000, timestamp: NOW + 9 * DAY }], 3000],
  ])('with %s', (_, others, blocks) => {
    expect(lowestTip(serving, others, NOW)).toBe(blocks);
  });

  it('is that of an honest one where the serving one lies, whatever future a third claims', () => {
    const others = [
      { blocks: 3000, timestamp: NOW - 60 },
      { blocks: 9000, timestamp: NOW + 9 * DAY },
    ];
    expect(lowestTip({ blocks: 1_003_000, timestamp: NOW }, others, NOW)).toBe(3000);
  });
});

it('finds the first block of a time with a header per halving of the chain', async () => {
  let asked = 0;
  const daemon = {
    getBlockHeader: (height: number) => {
      asked += 1;
      return Promise.resolve({ timestamp: 120 * height });
    },
  } as unknown as Parameters<typeof heightOfTime>[0];
  expect(await heightOfTime(daemon, 100_000, 120 * 4711 - 1)).toBe(4711);
  expect(asked).toBeLessThanOrEqual(17);
});
