import { readFileSync } from 'node:fs';
import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import {
  blockTarget,
  DIFFICULTY_BLOCKS,
  meetsDifficulty,
  nextDifficulty,
  type WorkPoint,
} from '../../../src/monero/cryptonote/difficulty.js';
import { bytes32 } from '../../../src/util/bytes.js';

const vectorsOf = (name: string): (readonly [number, bigint])[] =>
  readFileSync(new URL(`../../../../test/vectors/cryptonote/${name}`, import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split(' '))
    .map(([timestamp = '', difficulty = '']) => [Number(timestamp), BigInt(difficulty)]);

describe('the difficulty of the next block', () => {
  test.each(['difficulty.txt', 'difficulty-wide.txt'])('is that of the reference: %s', (name) => {
    const vectors = vectorsOf(name);
    expect(vectors).toHaveLength(1000);
    const chain: WorkPoint[] = [];
    let cumulativeDifficulty = 0n;
    const computed = vectors.map(([timestamp, given]) => {
      const difficulty = nextDifficulty(chain.slice(-DIFFICULTY_BLOCKS), 120);
      chain.push({ timestamp, cumulativeDifficulty: (cumulativeDifficulty += given) });
      return difficulty;
    });
    expect(computed).toEqual(vectors.map(([, difficulty]) => difficulty));
  });

  it('aims at a minute before version 2, and at two since', () => {
    expect([1, 2, 16].map(blockTarget)).toEqual([60, 120, 120]);
    const two = [1n, 2n].map((cumulativeDifficulty, i) => ({ timestamp: 120 * i, cumulativeDifficulty }));
    expect([60, 120].map((target) => nextDifficulty(two, target))).toEqual([1n, 1n]);
    const fast = two.map(({ cumulativeDifficulty }) => ({ timestamp: 5, cumulativeDifficulty }));
    expect([60, 120].map((target) => nextDifficulty(fast, target))).toEqual([60n, 120n]);
  });

  it('is none above 128 bits', () => {
    const most = (1n << 128n) / 120n;
    const points = [most, 2n * most, 2n * most + 1n].map((cumulativeDifficulty) => ({
      ...{ timestamp: 7, cumulativeDifficulty },
    }));
    expect(nextDifficulty(points.slice(0, 2), 120)).toBe(most * 120n);
    expect(nextDifficulty(points, 120)).toBe(0n);
  });
});

describe('a hash', () => {
  const of = (value: bigint) =>
    bytes32<'Hash'>(
      Uint8Array.from({ length: 32 }, (_, i) => Number((value >> BigInt(8 * i)) & 255n)),
      'Hash',
    );

  it('has the work of a difficulty if it is at most 2^256 - 1 divided by it', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: (1n << 128n) - 1n }), (difficulty) => {
        const most = ((1n << 256n) - 1n) / difficulty;
        expect(meetsDifficulty(of(most), difficulty)).toBe(true);
        if (difficulty > 1n) expect(meetsDifficulty(of(most + 1n), difficulty)).toBe(false);
      }),
    );
  });
});
