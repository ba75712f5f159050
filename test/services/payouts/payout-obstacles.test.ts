import { describe, expect, it } from '@jest/globals';
import { DaemonError } from '../../../src/daemon/errors.js';
import type { Candidate } from '../../../src/services/payouts/batch-composer.js';
import { PayoutTaken } from '../../../src/services/payouts/payout-batches.js';
import { blockOf, setbackOf } from '../../../src/services/payouts/payout-obstacles.js';
import { WalletError, type Fault } from '../../../src/model/wallet-error.js';
import { amount } from '../../../src/util/amount.js';

const one = (maxFee?: bigint): Candidate =>
  ({ payout: maxFee === undefined ? {} : { maxFee: amount(maxFee) } }) as Candidate;
const error = (fault: Fault): WalletError => new WalletError(fault);
const SHORT = { available: amount(3n), needed: amount(8n) };

describe('after a batch that could not be paid', () => {
  const [willing, unwilling] = [one(10n), one(4n)];
  const pair = [willing, unwilling];

  it('the queue composes the next one again if a payout was taken out of it', () => {
    expect(setbackOf(new PayoutTaken(), pair)).toEqual({ skipped: [] });
  });

  it('leaves out the payouts whose share of the fee is above their limit, or all', () => {
    const tooHigh = error({ kind: 'max_fee_exceeded', fee: amount(9n), maxFee: amount(8n) });
    const obstacle = { kind: 'fee', fee: 5n };
    expect(setbackOf(tooHigh, pair)).toEqual({ skipped: [unwilling], obstacle });
    expect(setbackOf(tooHigh, [one(), one()])).toEqual({ skipped: [one(), one()], obstacle });
  });

  it('tries half of it if money or room is lacking, and a single payout waits', () => {
    const shortage = error({ kind: 'not_enough_unlocked_money', ...SHORT } as Fault);
    expect(setbackOf(shortage, [one(), one(), one()])).toEqual({ skipped: [], most: 2 });
    expect(setbackOf(error({ kind: 'needs_split', transactions: 2 }), pair)).toEqual({
      skipped: [],
      most: 1,
    });
    expect(setbackOf(shortage, [willing])).toEqual({
      skipped: [willing],
      obstacle: { kind: 'unlocked', missing: 5n },
    });
    const tooHigh = error({ kind: 'fee_too_high', fee: amount(7n) } as Fault);
    expect(setbackOf(tooHigh, [willing])).toEqual({ skipped: [willing], obstacle: { kind: 'fee', fee: 7n } });
    expect(setbackOf(tooHigh, pair)).toEqual({ skipped: [], most: 1 });
  });

  it('leaves it out while an earlier one may be mined, and after a refusal, which its states tell', () => {
    const failed = error({ kind: 'order_failed', reason: 'not free' });
    expect(setbackOf(failed, pair)).toEqual({
      skipped: pair,
      obstacle: { kind: 'earlier', reason: 'not free' },
    });
    expect(setbackOf(error({ kind: 'tx_rejected', reason: 'no' }), pair)).toEqual({ skipped: pair });
  });

  it('ends the round if the daemon cannot be asked or the wallet cannot pay, and throws any other error', () => {
    const lost = new DaemonError('timeout', 'no answer');
    expect(setbackOf(lost, pair)).toBeUndefined();
    expect(blockOf(lost)).toEqual({ kind: 'node', reason: 'no answer' });
    expect(setbackOf(error({ kind: 'no_wallet' }), pair)).toBeUndefined();
    expect(() => setbackOf(new TypeError('a bug'), pair)).toThrow('a bug');
    expect(() => blockOf(new TypeError('a bug'))).toThrow('a bug');
  });

  it('ends the round after a fork, which the payouts then wait for', () => {
    const ended = error({ kind: 'payments_ended', height: 71, version: 17 });
    expect(setbackOf(ended, pair)).toBeUndefined();
    expect(blockOf(ended)).toEqual({ kind: 'fork', height: 71, version: 17 });
    expect(blockOf(error({ kind: 'fork_unsupported', height: 71, version: 19 }))).toMatchObject({
      kind: 'node',
    });
  });
});
