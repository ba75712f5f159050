import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { isLockOpen } from '../../../src/monero/cryptonote/unlock-time.js';
import { blocksToUnlock, isUnlocked, secondsToUnlock } from '../../../src/monero/cryptonote/unlock-time.js';

const NOW = 1_700_000_000;

describe('the age of an output', () => {
  test.each([
    [100, 100, false],
    [100, 109, false],
    [100, 110, true],
    [100, 111, true],
    [0, 10, true],
    [0, 9, false],
  ])('in block %i with a chain of %i blocks makes it spendable: %s', (height, chainHeight, expected) => {
    expect(isUnlocked({ height, unlockTime: 0n }, chainHeight, NOW)).toBe(expected);
  });

  it('keeps a mined reward for sixty blocks', () => {
    const reward = { height: 100, unlockTime: 160n };
    expect(isUnlocked(reward, 159, NOW)).toBe(false);
    expect(isUnlocked(reward, 160, NOW)).toBe(true);
  });
});

describe('a lock', () => {
  test.each([
    ['by height opens one block early', 500n, 500, true],
    ['by height stays shut before', 500n, 499, false],
    ['at the last height is still a height', 499_999_999n, 499_999_998, false],
    ['by time opens two minutes early', BigInt(NOW + 120), 0, true],
    ['by time stays shut a second before', BigInt(NOW + 121), 0, false],
    ['at the first time is a time long past', 500_000_000n, 0, true],
    ['of the largest number never opens', (1n << 64n) - 1n, 1_000_000, false],
  ])('%s', (_, unlockTime, chainHeight, expected) => {
    expect(isLockOpen(unlockTime, chainHeight, NOW)).toBe(expected);
  });

  it('by time does not shorten the age', () => {
    expect(isUnlocked({ height: 100, unlockTime: BigInt(NOW - 1) }, 105, NOW)).toBe(false);
  });
});

describe('the remaining wait', () => {
  test.each([
    [{ height: 100, unlockTime: 0n }, 100, 10],
    [{ height: 100, unlockTime: 0n }, 110, 0],
    [{ height: 100, unlockTime: 160n }, 101, 59],
    [{ height: 100, unlockTime: 105n }, 101, 9],
    [{ height: 100, unlockTime: BigInt(NOW + 9999) }, 101, 9],
  ])('%p at height %i: %i blocks', (output, chainHeight, expected) => {
    expect(blocksToUnlock(output, chainHeight)).toBe(expected);
  });

  it('is counted in seconds only for a lock by time', () => {
    expect(secondsToUnlock({ height: 1, unlockTime: BigInt(NOW + 30) }, NOW)).toBe(30);
    expect(secondsToUnlock({ height: 1, unlockTime: BigInt(NOW - 30) }, NOW)).toBe(0);
    expect(secondsToUnlock({ height: 1, unlockTime: 160n }, NOW)).toBe(0);
    expect(secondsToUnlock({ height: 1, unlockTime: (1n << 64n) - 1n }, NOW)).toBe(Number.MAX_SAFE_INTEGER);
  });

  it('is zero for an output without a lock exactly when it is spendable', () => {
    fc.assert(
      fc.property(fc.nat(1000), fc.nat(1000), (height, chainHeight) => {
        const output = { height, unlockTime: 0n };
        expect(blocksToUnlock(output, chainHeight) === 0).toBe(isUnlocked(output, chainHeight, NOW));
      }),
    );
  });
});
