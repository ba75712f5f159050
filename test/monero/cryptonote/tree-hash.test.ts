import { readFileSync } from 'node:fs';
import { describe, expect, it, test } from '@jest/globals';
import type { Hash } from '../../../src/monero/crypto/types.js';
import { treeHash } from '../../../src/monero/cryptonote/block.js';
import { chunks, fromHex, toHex } from '../../../src/util/bytes.js';

const vectors = readFileSync(
  new URL('../../../../test/vectors/cryptonote/tree-hash.txt', import.meta.url),
  'utf8',
)
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => line.split(' '))
  .map(([root = '', hashes = '']) => ({ root, hashes, count: hashes.length / 64 }));

describe('the tree hash', () => {
  test.each(vectors)('of $count hashes is that of upstream', ({ root, hashes }) => {
    expect(toHex(treeHash(chunks(fromHex(hashes), 32) as Hash[]))).toBe(root);
  });

  it('of nothing is refused', () => {
    expect(() => treeHash([])).toThrow(RangeError);
  });
});
