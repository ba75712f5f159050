import { describe, expect, test } from '@jest/globals';
import { blake256 } from '@noble/hashes/blake1.js';
import { groestl256 } from '../../src/crypto/groestl.js';
import { jh256 } from '../../src/crypto/jh.js';
import { keccak } from '../../src/crypto/keccak.js';
import { skein512For256 } from '../../src/crypto/skein.js';
import { toHex } from '../../src/util/bytes.js';
import { digests } from './vectors.js';

describe.each([
  ['keccak', 'fast', (data: Uint8Array): Uint8Array => keccak(data)],
  ['blake256', 'blake', blake256],
  ['groestl256', 'groestl', groestl256],
  ['jh256', 'jh', jh256],
  ['skein512For256', 'skein', skein512For256],
] as const)('%s', (_, file, digestOf) => {
  test.each(digests(file))('digests $title', ({ digest, data }) => {
    expect(toHex(digestOf(data))).toBe(digest);
  });
});
