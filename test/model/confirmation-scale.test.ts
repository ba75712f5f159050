import { describe, expect, it, test } from '@jest/globals';
import { confirmationsFor, type ConfirmationScale } from '../../src/model/payment-request.js';
import { amount, U64_MAX, ZERO } from '../../src/util/amount.js';

const scale: ConfirmationScale = [
  { from: ZERO, confirmations: 0 },
  { from: amount(500n), confirmations: 1 },
  { from: amount(10_000n), confirmations: 10 },
];

describe('the confirmations that an amount needs', () => {
  test.each([
    [0n, 0],
    [1n, 0],
    [499n, 0],
    [500n, 1],
    [9_999n, 1],
    [10_000n, 10],
    [U64_MAX, 10],
  ])('are those of the last step that begins at or below it: %p needs %p', (value, expected) => {
    expect(confirmationsFor(scale, amount(value))).toBe(expected);
  });

  it('are none without a step', () => {
    expect(confirmationsFor([], amount(5n))).toBe(0);
  });
});
