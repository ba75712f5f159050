import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { blake256 } from '@noble/hashes/blake1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { groestl256 } from '../../../src/monero/crypto/groestl.js';
import { jh256 } from '../../../src/monero/crypto/jh.js';
import { keccak } from '../../../src/monero/crypto/keccak.js';
import { skein512For256 } from '../../../src/monero/crypto/skein.js';
import { toHex } from '../../../src/util/bytes.js';
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

describe('keccak of parts', () => {
  it('equals that of the concatenated parts, for any lengths', () => {
    const part = fc.oneof(
      fc.constantFrom(0, 1, 135, 136, 137, 65_279, 65_280, 65_415, 65_416, 65_417, 200_000),
      fc.nat(300),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 4 }), (lengths) => {
        const parts = lengths.map((length, n) => Buffer.alloc(length, String(n)));
        expect(toHex(keccak(...parts))).toBe(toHex(keccak_256(Buffer.concat(parts))));
      }),
    );
  });
});
