import { readFileSync } from 'node:fs';
import { describe, expect, it, test } from '@jest/globals';
import { slowHash } from '../../../src/monero/crypto/slow-hash.js';
import type { Hash } from '../../../src/monero/crypto/types.js';
import { blockHash, blockHashingBlob, parseBlock } from '../../../src/monero/cryptonote/block.js';
import { meetsDifficulty } from '../../../src/monero/cryptonote/difficulty.js';
import {
  nextSeedHeight,
  seedHeight,
  seedHeightsAbove,
  workAlgorithm,
  WorkError,
  workInput,
} from '../../../src/monero/cryptonote/proof-of-work.js';
import { fromHex, toHex } from '../../../src/util/bytes.js';
import { GENESIS } from '../../../src/regtest/rules/block-rules.js';

const { blocks, template } = JSON.parse(
  readFileSync(new URL('../../../../test/vectors/cryptonote/mainnet-blocks.json', import.meta.url), 'utf8'),
) as {
  readonly blocks: readonly {
    readonly height: number;
    readonly majorVersion: number;
    readonly hash: string;
    readonly blob: string;
    readonly difficulty?: string;
    readonly powHash?: string;
  }[];
  readonly template: Readonly<Record<'blob' | 'hashingBlob', string>> & {
    readonly height: number;
    readonly seedHeight: number;
  };
};

test.each(blocks)('block $height of the main network, version $majorVersion, has its hash', (vector) => {
  const block = parseBlock(fromHex(vector.blob));
  expect(toHex(blockHash(block))).toBe(vector.hash);
  expect(block.header.majorVersion).toBe(vector.majorVersion);
  expect(block.minerTx.prefix.inputs).toEqual([{ type: 'gen', height: vector.height }]);
});

describe('the work of blocks of the main network', () => {
  test.each(blocks.filter(({ majorVersion }) => majorVersion === 1))(
    'of version 1, at height $height, is the CryptoNight hash of the hashing blob',
    ({ blob, powHash, difficulty }) => {
      const hash = slowHash(blockHashingBlob(parseBlock(fromHex(blob))));
      if (powHash !== undefined) expect(toHex(hash)).toBe(powHash);
      if (difficulty !== undefined) expect(meetsDifficulty(hash, BigInt(difficulty))).toBe(true);
      // The network was never below this difficulty in these years.
      expect(meetsDifficulty(hash, 500_000_000n)).toBe(true);
    },
    60_000,
  );

  it('of version 16 meets the difficulty of its height', () => {
    const { powHash, difficulty } = blocks.find(({ height }) => height === 2_751_506) ?? {};
    const hash = fromHex(powHash ?? '') as Hash;
    expect(meetsDifficulty(hash, BigInt(difficulty ?? 0))).toBe(true);
    expect(meetsDifficulty(hash, 1n << 40n)).toBe(false);
  });
});

describe('the input of the proof of work', () => {
  it('is the hashing blob that the reference computes', () => {
    expect(toHex(workInput(parseBlock(fromHex(template.blob))))).toBe(template.hashingBlob);
  });

  it('is refused for algorithms before RandomX, and for rules that are not known', () => {
    const { header } = GENESIS;
    for (const [majorVersion, reason] of [
      [1, 'its algorithm is cryptonight/0'],
      [7, 'its algorithm is cryptonight/1'],
      [9, 'its algorithm is cryptonight/2'],
      [11, 'its algorithm is cryptonight/r'],
      [17, 'its rules are not known'],
    ] as const) {
      const work = (): Uint8Array => workInput({ ...GENESIS, header: { ...header, majorVersion } });
      expect(work).toThrow(WorkError);
      expect(work).toThrow(`the work of blocks of version ${majorVersion} is not checked: ${reason}`);
    }
    expect([12, 13, 14, 15, 16, 17, 18].map(workAlgorithm)).toEqual(Array(7).fill('randomx'));
    const older = { ...GENESIS, header: { ...header, majorVersion: 16 } };
    expect(workInput(older, 16)).toEqual(workInput(older));
    expect(() => workInput(older, 15)).toThrow(WorkError);
  });
});

describe('the seed of the proof of work', () => {
  // Heights around the changes of seeds. Source: rx-slow-hash.c `rx_seedheight`.
  test.each([
    [0, 0],
    [2112, 0],
    [2113, 2048],
    [4160, 2048],
    [4161, 4096],
    [template.height, template.seedHeight],
  ])('at height %i is the block at height %i', (height, seed) => {
    expect(seedHeight(height)).toBe(seed);
    expect(nextSeedHeight(height - 64)).toBe(seed);
  });

  it('above any height is one of the seeds that stand for it, or a later block', () => {
    for (let height = 0; height < 10_000; height += 31) {
      const later = Array.from({ length: 2200 }, (_, i) => seedHeight(height + 1 + i));
      const needed = [...new Set(later.filter((at) => at <= height))];
      expect(seedHeightsAbove(height)).toEqual(needed);
    }
  });
});
