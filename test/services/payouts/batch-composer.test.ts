import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Payout } from '../../../src/model/payout.js';
import { feeShares, type Prices } from '../../../src/monero/wallet/select/fees.js';
import {
  composeBatch,
  type Candidate,
  type ComposeTerms,
} from '../../../src/services/payouts/batch-composer.js';
import { amount } from '../../../src/util/amount.js';
import { COIN, holder } from '../../monero/wallet/fixtures.js';
import { randomRuns } from '../../support/fakes/random-runs.js';
import { seededRng } from '../../support/fakes/seeded-rng.js';

const payee = holder(seededRng('payee'));
const RATES = { perByte: [20_000n, 80_000n, 320_000n, 4_000_000n], quantizationMask: 10_000n };
const NOW = 1_700_000_000;

const pricesFor = (priority: number): Prices => ({ rates: RATES, priority: priority === 0 ? 1 : priority });

const terms = (coins: number, more: Partial<ComposeTerms> = {}): ComposeTerms => ({
  ...{ available: BigInt(Math.round(coins * 100)) * (COIN / 100n), locked: 0n, pricesFor },
  ...{ maxFeeRate: undefined, most: 15, lackingOutputs: 0, now: NOW, patience: 1800 },
  ...more,
});

let sequence = 0;

/** Returns a queued payout of an amount in coins. */
function payout(coins: number, more: Partial<Payout> = {}): Candidate {
  sequence += 1;
  const address = payee.address();
  const facts: Payout = {
    ...{ sequence, payoutId: `p${sequence}`, account: 0, address: 'an address', allowOwn: false },
    ...{ amount: amount(BigInt(Math.round(coins * 100)) * (COIN / 100n)), feePayer: 'wallet' },
    ...{ priority: 0, created: NOW, changed: NOW, state: 'queued' },
    ...more,
  };
  return { payout: facts, address, earlier: '', since: facts.created };
}

const idsIn = (batch: readonly Candidate[]): string[] => batch.map((one) => one.payout.payoutId);

describe('a batch', () => {
  it('has at most fifteen payouts, and less if its outputs are needed for change', () => {
    const queue = Array.from({ length: 40 }, () => payout(1));
    expect(composeBatch(queue, terms(100)).batch).toEqual(queue.slice(0, 15));
    const split = composeBatch(queue, terms(100, { lackingOutputs: 4 }));
    expect(split.batch).toHaveLength(11);
    expect(split.changeOutputs).toBe(5);
    expect(composeBatch(queue, terms(100, { lackingOutputs: 60 })).batch).toHaveLength(8);
  });

  it('divides its change into no more outputs than can pay a batch like it', () => {
    const queue = [payout(10)];
    expect(composeBatch(queue, terms(35, { lackingOutputs: 9 })).changeOutputs).toBe(2);
    expect(composeBatch(queue, terms(12, { lackingOutputs: 9 })).changeOutputs).toBe(1);
  });

  it('leaves out what the unlocked money does not cover, and takes what is smaller', () => {
    const [large, small, least] = [payout(50), payout(3), payout(2)];
    const { batch, shortfalls } = composeBatch([large, small, least], terms(5.01));
    expect(batch).toEqual([small, least]);
    expect(shortfalls.get(large.payout.sequence)).toMatchObject({ kind: 'unlocked' });
  });

  it('waits for the oldest payout after its patience, if locked money is enough for it', () => {
    const large = payout(50, { created: NOW - 1801 });
    const small = payout(3);
    expect(composeBatch([large, small], terms(5, { locked: 100n * COIN })).batch).toEqual([]);
    const { shortfalls } = composeBatch([large, small], terms(5, { locked: 100n * COIN }));
    expect(shortfalls.get(small.payout.sequence)).toEqual({
      kind: 'behind',
      payoutId: large.payout.payoutId,
    });
    expect(composeBatch([large, small], terms(5, { locked: 40n * COIN })).batch).toEqual([small]);
    const recent = payout(50, { created: NOW - 1800 });
    expect(composeBatch([recent, small], terms(5, { locked: 100n * COIN })).batch).toEqual([small]);
    // A younger payout that has waited as long is overtaken.
    const older = payout(1, { created: NOW - 4000 });
    const younger = payout(50, { created: NOW - 1801 });
    expect(composeBatch([older, younger], terms(5, { locked: 100n * COIN })).batch).toEqual([older]);
  });

  it('has one priority, and an integrated address alone', () => {
    const [urgent, usual] = [payout(1, { priority: 3 }), payout(1)];
    expect(composeBatch([urgent, usual], terms(10)).batch).toEqual([urgent]);
    const integrated: Candidate = {
      ...payout(1),
      address: { ...payee.address(), kind: 'integrated', paymentId: new Uint8Array(8) as never },
    };
    expect(composeBatch([integrated, usual], terms(10)).batch).toEqual([integrated]);
    expect(composeBatch([usual, integrated], terms(10)).batch).toEqual([usual]);
  });

  it('has only payouts whose earlier batches are the same', () => {
    const [first, other, same] = [payout(1), payout(1), payout(1)];
    const queue = [{ ...first, earlier: '4' }, other, { ...same, earlier: '4' }];
    expect(idsIn(composeBatch(queue, terms(10)).batch)).toEqual(
      [first, same].map((one) => one.payout.payoutId),
    );
  });

  it('leaves out payouts above their highest fee, or above the highest rate', () => {
    const [cheap, any] = [payout(1, { maxFee: amount(1n) }), payout(1)];
    const { batch, shortfalls, maxFee } = composeBatch([cheap, any], terms(10));
    expect(batch).toEqual([any]);
    expect(maxFee).toBeUndefined();
    expect(shortfalls.get(cheap.payout.sequence)).toMatchObject({ kind: 'fee' });
    const [dear] = [payout(1, { priority: 2 })];
    expect(composeBatch([dear, any], terms(10, { maxFeeRate: 79_999n })).batch).toEqual([any]);
    expect(composeBatch([dear, any], terms(10, { maxFeeRate: 80_000n })).batch).toEqual([dear]);
  });

  it('is paid by the available money whatever the queue is, and no share exceeds its limit', () => {
    const candidate = fc
      .tuple(fc.integer({ min: 1, max: 400 }), fc.boolean(), fc.option(fc.integer({ min: 1, max: 200 })))
      .map(([cents, pays, limit]) =>
        payout(cents / 100, {
          feePayer: pays ? 'payee' : 'wallet',
          ...(limit === null ? {} : { maxFee: amount(BigInt(limit) * 1_000_000n) }),
        }),
      );
    fc.assert(
      fc.property(
        fc.array(candidate, { maxLength: 40 }),
        fc.integer({ min: 0, max: 2000 }),
        (queue, cents) => {
          const { batch, maxFee, shortfalls } = composeBatch(queue, terms(cents / 100));
          const owed = batch.reduce((total, one) => total + one.payout.amount, 0n);
          expect(owed).toBeLessThanOrEqual((BigInt(cents) * COIN) / 100n);
          for (const { payout: one } of batch) expect(shortfalls.has(one.sequence)).toBe(false);
          if (maxFee === undefined) return;
          const shares = feeShares(maxFee, batch.length);
          batch.forEach(({ payout: { maxFee: limit } }, i) => {
            if (limit !== undefined) expect(shares[i]).toBeLessThanOrEqual(limit);
          });
        },
      ),
      { numRuns: randomRuns(200) },
    );
  });
});
