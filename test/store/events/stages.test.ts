import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { openingOf } from '../../../src/monero/wallet/model/unlock-time.js';
import { lockOf, Stages, type StagedPayment } from '../../../src/store/events/stages.js';
import { isLockOpen } from '../../../src/monero/cryptonote/unlock-time.js';

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
