import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { amountsFor, DECIMAL, isPositive } from '../../src/model/request-price.js';
import { amount } from '../../src/util/amount.js';
import { randomRuns } from '../support/fakes/random-runs.js';

const price = (value: string, rate: string) => ({ currency: 'EUR', amount: value, rate, rateTime: 0 });

describe('the amounts that fit a price', () => {
  it.each([
    ['10', '200', 0n, 50_000_000_000n, 50_000_000_000n],
    ['19.90', '150.00', 0n, 132_666_666_666n, 132_666_666_667n],
    ['19.90', '150.00', 5n, 132_666_666_661n, 132_666_666_672n],
    ['0.000000000000000001', '1', 0n, 0n, 1n],
    ['999999999999999999', '0.000000000000000001', 0n, 999_999_999_999_999_999n * 10n ** 30n, undefined],
  ])('%s at %s for one XMR, with a tolerance of %s', (value, rate, tolerance, least, most) => {
    expect(amountsFor(price(value, rate), amount(tolerance))).toEqual({ least, most: most ?? least });
  });

  it('contain the exact quotient, whatever the digits', () => {
    const decimal = fc
      .tuple(fc.integer({ min: 0, max: 1e9 }), fc.integer({ min: 1, max: 99_999 }))
      .map(([whole, part]) => `${whole}.${String(part).padStart(5, '0')}`);
    fc.assert(
      fc.property(decimal, decimal, (value, rate) => {
        const { least, most } = amountsFor(price(value, rate), amount(0n));
        const scaled = (text: string): bigint => BigInt(text.replace('.', ''));
        expect(least * scaled(rate)).toBeLessThanOrEqual(scaled(value) * 10n ** 12n);
        expect(most * scaled(rate)).toBeGreaterThanOrEqual(scaled(value) * 10n ** 12n);
        expect(most - least).toBeLessThanOrEqual(1n);
      }),
      { numRuns: randomRuns(200) },
    );
  });
});

describe('a decimal number of a price', () => {
  it.each(['0', '1', '19.90', '0.5', '999999999999999999.999999999999999999'])('is accepted: %s', (text) => {
    expect(DECIMAL.test(text)).toBe(true);
  });

  it.each([
    '',
    '.5',
    '1.',
    '01',
    '-1',
    '+1',
    '1e3',
    '1,5',
    '1 000',
    'NaN',
    '1'.repeat(19),
    `0.${'1'.repeat(19)}`,
  ])('is refused: %s', (text) => {
    expect(DECIMAL.test(text)).toBe(false);
  });

  it('is greater than 0 if one of its digits is', () => {
    expect(['0', '0.000', '0.001', '1'].map(isPositive)).toEqual([false, false, true, true]);
  });
});
