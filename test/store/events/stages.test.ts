import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { openingOf, isLockOpen } from '../../../src/monero/cryptonote/unlock-time.js';
import { lockOf, Stages, type StagedPayment } from '../../../src/store/events/stages.js';

const COINBASE: StagedPayment = { height: 100, unlockTime: 160n };

const thresholds = fc.uniqueArray(fc.integer({ min: 1, max: 80 }), { minLength: 1, maxLength: 4 });
const height = fc.integer({ min: 0, max: 200 });
const relative = fc.record({ height, isCoinbase: fc.boolean() }).map(({ height: at, isCoinbase }) => ({
  height: at,
  unlockTime: isCoinbase ? BigInt(at + 60) : 0n,
}));

describe('the stages of a payment', () => {
  test('a miner transaction is unlocked at the tip from which it can be spent', () => {
    const { height: tip } = openingOf(COINBASE);
    expect([isLockOpen(160n, tip, 0), isLockOpen(160n, tip + 1, 0)]).toEqual([false, true]);
    expect(new Stages([1]).reachedAt('coinbase', 100, tip - 1)).toBe('1');
    expect(new Stages([1]).reachedAt('coinbase', 100, tip)).toBe('1,u');
  });

  test('the lock of a miner transaction is relative to its height', () => {
    expect(lockOf(COINBASE)).toBe('coinbase');
    expect(lockOf({ height: 100, unlockTime: 0n })).toBe('none');
    expect(lockOf({ height: 100, unlockTime: 161n })).toBe('other');
    expect(lockOf({ height: 100, unlockTime: 1_700_000_000n })).toBe('other');
  });

  it('of a payment that is locked by time lack its unlocking, which no block decides', () => {
    const stages = new Stages([3, 1, 3]);
    expect(stages.between({ height: 100, unlockTime: 1_700_000_000n }, -1, 5000)).toEqual(['1', '3']);
    expect(stages.between({ height: 100, unlockTime: 300n }, -1, 5000)).toEqual(['1', '3', 'u']);
  });

  it('that are computed for ranges are those of each height, next to every stage and none outside of the chain', () => {
    const stages = new Stages([3, 1, 2, 10, 11, 62]);
    const locks = (at: number): StagedPayment[] =>
      [0n, BigInt(at + 60), 1_700_000_000n].map((unlockTime) => ({ height: at, unlockTime }));
    // Twice, since results are kept.
    for (const from of [-1, 0, 1, 12, 61, 62, 63, 70, 12, 70])
      for (const growth of [0, 1, 2, 5, 1001]) {
        const ranges = stages.heights(from, from + growth);
        for (const { min, max, stages: reached } of ranges) {
          expect([min >= 0, min <= max, max <= from]).toEqual([true, true, true]);
          expect(reached.none + reached.coinbase).not.toBe('');
        }
        const found = Array.from({ length: from + 1 }, (_, at) =>
          locks(at).map((payment) =>
            ranges.flatMap(({ min, max, stages: reached }) =>
              at >= min && at <= max && reached[lockOf(payment)] !== '' ? [reached[lockOf(payment)]] : [],
            ),
          ),
        );
        const expected = found.map((_, at) =>
          locks(at).map((payment) => {
            const text = stages.between(payment, from, from + growth).join(',');
            return text === '' ? [] : [text];
          }),
        );
        expect(found).toEqual(expected);
      }
  });

  it('that are computed by depth are those of the payment', () => {
    fc.assert(
      fc.property(thresholds, relative, height, (confirmations, payment, tip) => {
        const stages = new Stages(confirmations);
        expect(stages.reachedAt(lockOf(payment), payment.height, tip)).toBe(
          stages.between(payment, -1, tip).join(','),
        );
      }),
    );
  });

  it('that are computed for ranges of heights are those of each payment', () => {
    fc.assert(
      fc.property(thresholds, relative, height, fc.nat(100), (confirmations, payment, from, growth) => {
        fc.pre(payment.height <= from);
        const stages = new Stages(confirmations);
        const texts = stages
          .heights(from, from + growth)
          .filter(({ min, max }) => payment.height >= min && payment.height <= max)
          .map(({ stages: reached }) => reached[lockOf(payment)])
          .filter((text) => text !== '');
        const expected = stages.between(payment, from, from + growth).join(',');
        expect(texts).toEqual(expected === '' ? [] : [expected]);
      }),
    );
  });
});
