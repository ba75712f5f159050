import { describe, expect, it } from '@jest/globals';
import { GENESIS_HASH } from '../../../src/monero/cryptonote/constants.js';
import { earliestTimestamp } from '../../../src/monero/cryptonote/difficulty.js';
import { blockHash } from '../../../src/monero/cryptonote/block.js';
import { GENESIS, adjustedTime } from '../../../src/regtest/rules/block-rules.js';

describe('the rules of regtest', () => {
  it('start with the genesis block of mainnet', () => {
    expect(blockHash(GENESIS)).toEqual(GENESIS_HASH.mainnet);
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
