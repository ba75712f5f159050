import { readFileSync } from 'node:fs';
import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import {
  decodeBase58,
  decodeBase58Check,
  encodeBase58,
  encodeBase58Check,
} from '../../../src/monero/cryptonote/base58.js';
import { fromHex, toHex } from '../../../src/util/bytes.js';
import { CodecError } from '../../../src/util/codec.js';

interface Vectors {
  plain: { text: string; hex: string }[];
  refused: string[];
  tagged: { text: string; tag: string; hex: string }[];
  taggedRefused: { note: string; text: string }[];
}

const vectors = JSON.parse(
  readFileSync(new URL('../../../../test/vectors/cryptonote/base58.json', import.meta.url), 'utf8'),
) as Vectors;

describe('base58', () => {
  test.each(vectors.plain)('writes and reads "$text"', ({ text, hex }) => {
    expect(encodeBase58(fromHex(hex))).toBe(text);
    expect(toHex(decodeBase58(text))).toBe(hex);
  });

  test.each(vectors.refused)('refuses "%s"', (text) => {
    expect(() => decodeBase58(text)).toThrow(CodecError);
  });

  test.each([
    ['a space', ' 11'],
    ['a letter outside ASCII', '1é'],
    ['a character of two code units', '\u{1f600}1'],
    ['half a surrogate pair', '\ud83d1'],
    ['a line feed at the end', '11\n'],
  ])('refuses %s', (_, text) => {
    expect(() => decodeBase58(text)).toThrow(CodecError);
  });

  it('round-trips any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        expect(decodeBase58(encodeBase58(bytes))).toEqual(bytes);
      }),
    );
  });

  it('has one text for one byte string', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 24 }), (text) => {
        let bytes: Uint8Array;
        try {
          bytes = decodeBase58(text);
        } catch (error) {
          expect(error).toBeInstanceOf(CodecError);
          return;
        }
        expect(encodeBase58(bytes)).toBe(text);
      }),
    );
  });
});

describe('base58 with tag and checksum', () => {
  test.each(vectors.tagged)('writes and reads $text', ({ text, tag, hex }) => {
    expect(encodeBase58Check(BigInt(tag), fromHex(hex))).toBe(text);
    const { tag: readTag, data } = decodeBase58Check(text);
    expect(readTag).toBe(BigInt(tag));
    expect(toHex(data)).toBe(hex);
  });

  test.each(vectors.taggedRefused)('refuses: $note', ({ text }) => {
    expect(() => decodeBase58Check(text)).toThrow(CodecError);
  });

  it('refuses the empty text', () => {
    expect(() => decodeBase58Check('')).toThrow('base58: too short for a checksum');
  });

  it('refuses a tag outside u64', () => {
    expect(() => encodeBase58Check(1n << 64n, new Uint8Array())).toThrow(RangeError);
    expect(() => encodeBase58Check(-1n, new Uint8Array())).toThrow(RangeError);
  });

  it('round-trips any tag and data', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: (1n << 64n) - 1n }), fc.uint8Array(), (tag, data) => {
        expect(decodeBase58Check(encodeBase58Check(tag, data))).toEqual({ tag, data });
      }),
    );
  });
});
