import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { amount, sum, U64_MAX } from '../../../../src/util/amount.js';
import { changeOutputsFor, splitChange } from '../../../../src/monero/wallet/select/change-split.js';
import { seededRng } from '../../../support/fakes/seeded-rng.js';
import { COIN } from '../fixtures.js';

const rng = seededRng('change split');
const LEAST = 14_000_000n;

const anyChange = fc.bigInt({ min: 1n, max: U64_MAX });
/** From a few atomic units to a few parts worth spending. */
const smallChange = fc.bigInt({ min: 1n, max: 20n * LEAST });
const anyCount = fc.integer({ min: 1, max: 14 });

describe('the parts of a change', () => {
  it('add up to it exactly, and are as many as requested', () => {
    fc.assert(
      fc.property(fc.oneof(anyChange, smallChange), anyCount, (change, count) => {
        const parts = splitChange(amount(change), count, rng);
        expect(parts).toHaveLength(count);
        expect(sum(parts)).toBe(change);
      }),
    );
  });

  it('are within 20 % of their mean, and worth spending, in the number that the change allows', () => {
    fc.assert(
      fc.property(fc.oneof(anyChange, smallChange), anyCount, (change, outputs) => {
        const count = changeOutputsFor(change, { outputs, least: LEAST });
        expect(count).toBeLessThanOrEqual(outputs);
        const parts = splitChange(amount(change), count, rng);
        const n = BigInt(count);
        for (const part of parts) {
          expect(5n * n * part).toBeGreaterThanOrEqual(4n * change);
          expect(5n * n * part).toBeLessThanOrEqual(6n * change);
          if (count > 1) expect(part).toBeGreaterThanOrEqual(LEAST);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('are the change itself, without a random draw, when it is one output', () => {
    const unused = (): never => {
      throw new Error('a draw');
    };
    expect(splitChange(amount(7n), 1, unused)).toEqual([7n]);
  });

  it('are as even as possible when the change is a few atomic units', () => {
    expect([...splitChange(amount(7n), 3, rng)].sort()).toEqual([2n, 2n, 3n]);
    expect([...splitChange(amount(1n), 2, rng)].sort()).toEqual([0n, 1n]);
  });

  it.each([2, 3, 5, 14])('have one distribution at each of %i places', (count) => {
    const SAMPLES = 4000;
    const change = amount(BigInt(count) * COIN);
    const samples = Array.from({ length: SAMPLES }, () =>
      splitChange(change, count, rng).map((part) => Number(part) / Number(COIN)),
    );
    // Deciles of all parts, and the number of parts between two of them at each place.
    const all = samples.flat().sort((a, b) => a - b);
    const deciles = Array.from({ length: 9 }, (_, i) => all[Math.floor(((i + 1) * all.length) / 10)] ?? 0);
    for (let place = 0; place < count; place++) {
      const seen = new Array<number>(10).fill(0);
      for (const parts of samples) {
        const decile = deciles.filter((limit) => limit <= (parts[place] ?? 0)).length;
        seen[decile] = (seen[decile] ?? 0) + 1;
      }
      const chiSquare = seen.reduce((total, n) => total + (n - SAMPLES / 10) ** 2 / (SAMPLES / 10), 0);
      // Nine degrees of freedom: exceeded once in 100,000.
      expect(chiSquare).toBeLessThan(39);
    }
  });

  it('of two are uniform over the whole range of 20 % around the mean', () => {
    const SAMPLES = 10_000;
    const seen = new Array<number>(10).fill(0);
    for (let i = 0; i < SAMPLES; i++) {
      const [part = 0n] = splitChange(amount(2n * COIN), 2, rng);
      const bin = Number(((part - (4n * COIN) / 5n) * 10n) / ((2n * COIN) / 5n + 1n));
      seen[bin] = (seen[bin] ?? 0) + 1;
    }
    expect(seen).toHaveLength(10);
    const chiSquare = seen.reduce((total, n) => total + (n - SAMPLES / 10) ** 2 / (SAMPLES / 10), 0);
    expect(chiSquare).toBeLessThan(39);
  });
});

describe('the number of change outputs', () => {
  it.each([
    [
      'the requested one, when the smallest possible part is worth spending',
      (25n * (LEAST - 1n)) / 4n + 1n,
      5,
    ],
    ['one less, when the smallest possible part is one atomic unit too small', (25n * (LEAST - 1n)) / 4n, 4],
    ['one, when not even two parts are worth spending', 2n * LEAST, 1],
    ['one, when there is no change', 0n, 1],
  ])('is %s', (_, change, count) => {
    expect(changeOutputsFor(change, { outputs: 5, least: LEAST })).toBe(count);
  });

  it('leaves each part five atomic units on average, even when spending costs nothing', () => {
    expect(changeOutputsFor(24n, { outputs: 5, least: 0n })).toBe(4);
    expect(changeOutputsFor(25n, { outputs: 5, least: 0n })).toBe(5);
  });

  it('never falls as the change grows', () => {
    fc.assert(
      fc.property(smallChange, fc.bigInt({ min: 0n, max: LEAST }), anyCount, (change, more, outputs) => {
        const split = { outputs, least: LEAST };
        expect(changeOutputsFor(change + more, split)).toBeGreaterThanOrEqual(
          changeOutputsFor(change, split),
        );
      }),
    );
  });
});
