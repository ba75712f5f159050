import { expect, it } from '@jest/globals';
import type { Hash } from '../../../src/monero/crypto/types.js';
import { packBlocks, unpackBlocks } from '../../../src/refresh/commit/packed-hashes.js';
import { bytes } from '../../store/fixtures.js';

it('packed references are the same when they are unpacked', () => {
  const blocks = [
    { height: 900, hash: bytes<Hash>(1) },
    { height: 899, hash: bytes<Hash>(2) },
    { height: 0, hash: bytes<Hash>(3) },
  ];
  expect(unpackBlocks(packBlocks(blocks))).toEqual(blocks);
  expect(unpackBlocks(packBlocks([]))).toEqual([]);
});
