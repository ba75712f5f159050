import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { PAYOUT_STATES, type PayoutState } from '../../src/model/payout.js';
import { isLive, refundable } from '../../src/model/refund.js';
import { REFUND_KINDS, type RefundKind } from '../../src/model/payout.js';
import { amount } from '../../src/util/amount.js';
import { randomRuns } from '../support/fakes/random-runs.js';

interface Made {
  readonly kind: RefundKind;
  readonly amount: bigint;
  readonly state?: PayoutState;
}

const left = (
  kind: RefundKind,
  asked: bigint | undefined,
  [inTime, late]: readonly [bigint, bigint],
  refunds: readonly Made[] = [],
): bigint =>
  refundable(
    kind,
    asked === undefined ? undefined : amount(asked),
    { inTime: amount(inTime), late: amount(late) },
    refunds.map((refund) => ({ state: 'queued', ...refund, amount: amount(refund.amount) })),
  );

describe('the amount that a refund may have', () => {
  it.each<[string, RefundKind, bigint | undefined, readonly [bigint, bigint], readonly Made[], bigint]>([
    ['the excess', 'excess', 10n, [15n, 3n], [], 5n],
    ['no excess of an open request', 'excess', undefined, [15n, 3n], [], 0n],
    ['no excess of too little', 'excess', 10n, [9n, 3n], [], 0n],
    ['what came late', 'late', 10n, [15n, 3n], [], 3n],
    ['all', 'all', 10n, [15n, 3n], [], 18n],
    ['the excess once', 'excess', 10n, [15n, 3n], [{ kind: 'excess', amount: 5n }], 0n],
    ['late money beside the excess', 'late', 10n, [15n, 3n], [{ kind: 'excess', amount: 5n }], 3n],
    ['the rest of the excess', 'excess', 10n, [15n, 0n], [{ kind: 'excess', amount: 2n }], 3n],
    ['no excess after as much by amount', 'excess', 10n, [15n, 0n], [{ kind: 'amount', amount: 5n }], 0n],
    ['the rest after all', 'all', 10n, [15n, 3n], [{ kind: 'all', amount: 10n }], 8n],
    ['nothing below zero', 'amount', 10n, [2n, 0n], [{ kind: 'all', amount: 10n }], 0n],
    [
      'the excess after a cancelled refund',
      'excess',
      10n,
      [15n, 0n],
      [{ kind: 'excess', amount: 5n, state: 'cancelled' }],
      5n,
    ],
    [
      'no excess after a confirmed refund',
      'excess',
      10n,
      [15n, 0n],
      [{ kind: 'excess', amount: 5n, state: 'confirmed' }],
      0n,
    ],
  ])('is %s', (_, kind, asked, settled, refunds, expected) => {
    expect(left(kind, asked, settled, refunds)).toBe(expected);
  });

  it('never adds up to more than was received, in any order of refunds, payments and ends', () => {
    const step = fc.record({
      kind: fc.constantFrom(...REFUND_KINDS),
      part: fc.integer({ min: 1, max: 4 }),
      end: fc.constantFrom(...PAYOUT_STATES),
      inTime: fc.bigInt(0n, 20n),
      late: fc.bigInt(0n, 20n),
    });
    fc.assert(
      fc.property(fc.option(fc.bigInt(1n, 30n)), fc.array(step), (asked, steps) => {
        const made: { kind: RefundKind; amount: bigint; state: PayoutState }[] = [];
        const settled: [bigint, bigint] = [0n, 0n];
        for (const { kind, part, end, inTime, late } of steps) {
          settled[0] += inTime;
          settled[1] += late;
          const most = left(kind, asked ?? undefined, settled, made);
          expect(most).toBeGreaterThanOrEqual(0n);
          if (most > 0n) made.push({ kind, amount: 1n + (most - 1n) / BigInt(part), state: end });
          const live = made.filter((refund) => isLive(refund));
          const sumOf = (...kinds: readonly RefundKind[]): bigint =>
            live.filter((one) => kinds.includes(one.kind)).reduce((sum, one) => sum + one.amount, 0n);
          expect(sumOf(...REFUND_KINDS)).toBeLessThanOrEqual(settled[0] + settled[1]);
          expect(sumOf('late')).toBeLessThanOrEqual(settled[1]);
          if (asked !== null && settled[0] > asked)
            expect(sumOf('excess')).toBeLessThanOrEqual(settled[0] - asked);
        }
      }),
      { numRuns: randomRuns(500) },
    );
  });
});
