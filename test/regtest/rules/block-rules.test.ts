import { describe, expect, it, test } from '@jest/globals';
import { GENESIS_HASH } from '../../../src/monero/cryptonote/constants.js';
import { earliestTimestamp } from '../../../src/monero/cryptonote/difficulty.js';
import { blockHash } from '../../../src/monero/cryptonote/block.js';
import {
  GENESIS,
  forkStatus,
  isVersionAllowed,
  versionAt,
  adjustedTime,
} from '../../../src/regtest/rules/block-rules.js';

describe('the rules of regtest', () => {
  it('start with the genesis block of mainnet', () => {
    expect(blockHash(GENESIS)).toEqual(GENESIS_HASH.mainnet);
  });

  it('have version 1 for that block and the latest version for all others', () => {
    expect([0, 1, 1_000_000].map(versionAt)).toEqual([1, 16, 16]);
  });

  test.each([
    [16, 16, true],
    [16, 17, true],
    [16, 255, true],
    [16, 256, false],
    [16, 15, false],
    [15, 16, false],
    [17, 17, false],
  ])('let a block of version %i that votes for %i in: %s', (major, minor, allowed) => {
    expect(isVersionAllowed(major, minor, 5)).toBe(allowed);
  });

  // As monerod --regtest answers hard_fork_info at a height of 5.
  test.each([
    [16, { enabled: true, votes: 4, earliestHeight: 1 }],
    [1, { enabled: true, votes: 5, earliestHeight: 0 }],
    [17, { enabled: false, votes: 0, earliestHeight: undefined }],
  ])('give the status of version %i that the reference reports', (version, expected) => {
    expect(forkStatus(5, version)).toEqual({ window: 5, threshold: 0, voting: 16, ...expected });
  });
});

const sixty = Array.from({ length: 60 }, (_, i) => 1_000 + 120 * i);

describe('the timestamp of a block', () => {
  it('has no lower limit before there are 60 blocks', () => {
    expect(earliestTimestamp(sixty.slice(1))).toBe(0);
    expect(adjustedTime(sixty.slice(1), 77)).toBe(77);
  });

  it('is not below the median of 60 blocks', () => {
    expect(earliestTimestamp(sixty)).toBe((sixty[29] as number) + 60);
  });

  it('is, for unlock times, one block time after the last one, or less by the median', () => {
    expect(adjustedTime(sixty, 0)).toBe((sixty[59] as number) + 120);
    const ahead = [...sixty.slice(0, 59), 9_999_999];
    expect(adjustedTime(ahead, 0)).toBe(earliestTimestamp(sixty) + 61 * 60);
  });
});
