import { describe, expect, it } from '@jest/globals';
import { PAYOUT_REASONS, PAYOUT_STATES } from '../../../src/model/payout.js';
import type { PayoutView, Waiting } from '../../../src/services/payouts/payout-views.js';
import { amount } from '../../../src/util/amount.js';
import {
  blockText,
  PAYOUT_NAMES,
  payoutReasonText,
  utcText,
  waitingText,
} from '../../../src/watch/status/payout-words.js';
import { viewOf } from './shown-payouts.js';

const TIME = 1_760_000_000;
const UTC = '2025-10-09 08:53:20 UTC';

describe('the words of payouts', () => {
  it.each<[Waiting, PayoutView['unlocking'], string]>([
    [{ kind: 'paused', reason: 'audit' }, undefined, 'payouts are paused: audit'],
    [{ kind: 'not_before', time: TIME }, undefined, `it is not to be sent before ${UTC}`],
    [{ kind: 'retry', time: TIME }, undefined, `the node refused its batch, the next attempt is at ${UTC}`],
    [{ kind: 'batch', time: TIME }, undefined, `others may join its batch until ${UTC}`],
    [
      { kind: 'fee', fee: amount(1_500_000_000n) },
      undefined,
      'its share of the fee would be 0.0015 XMR, above its limit or that of the server',
    ],
    [{ kind: 'node', reason: 'it is down' }, undefined, 'it is down'],
    [
      { kind: 'fork', height: 3_000_000, version: 17 },
      undefined,
      'this server makes no payments since the fork to version 17 at block 3,000,000',
    ],
    [{ kind: 'behind', payoutId: 'w-1' }, undefined, 'unlocked money is kept for the older payout w-1'],
    [
      { kind: 'earlier', reason: 'no input is left' },
      undefined,
      'an earlier batch cannot be excluded yet: no input is left',
    ],
    [
      { kind: 'unlocked', missing: amount(2_000_000_000_000n) },
      { height: 3000, time: TIME },
      `2 XMR more must be unlocked, at 3,000 blocks, about ${UTC}`,
    ],
    [
      { kind: 'unlocked', missing: amount(0n) },
      undefined,
      'more money must be unlocked, no locked money is enough',
    ],
  ])('say what a payout waits for: %j', (waiting, unlocking, text) => {
    expect(waitingText(waiting, unlocking)).toBe(text);
  });

  it('name each state, and each reason, differently', () => {
    expect(new Set(PAYOUT_STATES.map((state) => PAYOUT_NAMES[state])).size).toBe(PAYOUT_STATES.length);
    expect(new Set(PAYOUT_REASONS.map(payoutReasonText)).size).toBe(PAYOUT_REASONS.length);
    expect(utcText(TIME)).toBe(UTC);
  });

  it('name the block of a mined payout alone', () => {
    const payment = { payout: 1, batch: 1, amount: amount(1n), fee: amount(1n) };
    expect(blockText(viewOf('a'))).toBe('');
    expect(blockText(viewOf('a', {}, { payment }))).toBe('');
    const mined = viewOf('a', {}, { payment: { ...payment, height: 4000 }, confirmations: 1 });
    expect(blockText(mined)).toBe('block 4,000, 1 confirmation');
  });
});
