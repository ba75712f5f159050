import { describe, expect, test } from '@jest/globals';
import type { OwnedOutput } from '../../../../src/monero/wallet/scan/findings.js';
import { relatedness } from '../../../../src/monero/wallet/select/spendable-outputs.js';
import { ownedOutput } from '../fixtures.js';

const at = (height: number, facts: Partial<OwnedOutput> = {}): OwnedOutput =>
  ownedOutput(1n, { height, ...facts });

describe('relatedness', () => {
  const first = at(700);
  test.each([
    ['one transaction', at(700, { txHash: first.txHash }), 1],
    ['one transaction, at any heights', at(900, { txHash: first.txHash }), 1],
    ['one block', at(700), 0.9],
    ['neighbouring blocks', at(701), 0.8],
    ['blocks nine apart', at(691), 0.2],
    ['blocks ten apart', at(710), 0],
  ])('of %s', (_, second, expected) => {
    expect(relatedness(first, second)).toBe(expected);
    expect(relatedness(second, first)).toBe(expected);
  });
});
