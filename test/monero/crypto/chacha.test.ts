import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { chacha20, chacha8 } from '../../../src/monero/crypto/chacha.js';
import { fromHex, toHex } from '../../../src/util/bytes.js';
import { readJson } from './vectors.js';

interface Vector {
  note: string;
  key: string;
  iv: string;
  plain: string;
  cipher: string;
}

const vectors = readJson<{ chacha8: Vector[] }>('chacha.json').chacha8;

describe('chacha8', () => {
  test.each(vectors)('enciphers $note', ({ key, iv, plain, cipher }) => {
    expect(toHex(chacha8(fromHex(key), fromHex(iv), fromHex(plain)))).toBe(cipher.toLowerCase());
  });
});

describe('chacha20', () => {
  it('gives the key stream of the original publication for a key and nonce of zeros', () => {
    const stream = chacha20(new Uint8Array(32), new Uint8Array(8), new Uint8Array(32));
    expect(toHex(stream)).toBe('76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7');
  });
});

describe.each([
  ['chacha8', chacha8],
  ['chacha20', chacha20],
] as const)('%s', (_, cipher) => {
  it('is its own inverse at any length and does not change its input', () => {
    const bytes = (length: number): fc.Arbitrary<Uint8Array> =>
      fc.uint8Array({ minLength: length, maxLength: length });
    fc.assert(
      fc.property(bytes(32), bytes(8), fc.uint8Array({ maxLength: 300 }), (key, iv, data) => {
        const kept = Uint8Array.from(data);
        expect(cipher(key, iv, cipher(key, iv, data))).toEqual(kept);
        expect(data).toEqual(kept);
      }),
    );
  });
  it.each([0, 16, 31, 33])('refuses a key of %i bytes', (length) => {
    expect(() => cipher(new Uint8Array(length), new Uint8Array(8), new Uint8Array(1))).toThrow(RangeError);
  });
  it.each([0, 7, 12, 16, 24])('refuses a nonce of %i bytes', (length) => {
    expect(() => cipher(new Uint8Array(32), new Uint8Array(length), new Uint8Array(1))).toThrow(RangeError);
  });
});
