import { describe, expect, it, test } from '@jest/globals';
import { SIGNATURE } from '../../../src/monero/epee/portable-storage.js';
import {
  fieldHead,
  writeStorage,
  type Typed,
  type TypedSection,
} from '../../../src/monero/epee/storage-writer.js';
import { toHex } from '../../../src/util/bytes.js';

describe('writeStorage', () => {
  it('puts names in byte order and leaves empty lists and absent fields out', () => {
    const section: TypedSection = {
      b: { type: 'bool', value: true },
      none: { type: 'list', items: [] },
      absent: undefined,
      a: { type: 'u8', value: 7 },
      B: { type: 'u16', value: 1 },
    };
    expect(toHex(writeStorage(section))).toBe('0111010101010201010c01420701000161080701620b01');
  });

  test.each([
    [63, 'fc'],
    [64, '0101'],
    [16383, 'fdff'],
    [16384, '02000100'],
  ])('writes a length of %d as %s', (length, hex) => {
    const written = toHex(writeStorage({ s: { type: 'string', value: new Uint8Array(length) } }));
    expect(written).toBe(`01110101010102010104${'0173'}0a${hex}${'00'.repeat(length)}`);
  });

  test.each<[string, TypedSection]>([
    [
      'a list of two types',
      {
        l: {
          type: 'list',
          items: [
            { type: 'u8', value: 1 },
            { type: 'bool', value: true },
          ],
        },
      },
    ],
    ['an empty name', { '': { type: 'u8', value: 1 } }],
    ['a name of 256 bytes', { ['n'.repeat(256)]: { type: 'u8', value: 1 } }],
    ['256 in a byte', { n: { type: 'u8', value: 256 } }],
    ['a negative integer', { n: { type: 'u64', value: -1n } }],
    ['2^64', { n: { type: 'u64', value: 1n << 64n } }],
  ])('refuses %s', (_, section) => {
    expect(() => writeStorage(section)).toThrow(RangeError);
  });

  it('writes a list of sections with its own writer, and leaves an empty one out', () => {
    const fields: TypedSection[] = [{ a: { type: 'u8', value: 7 } }, {}];
    const written = (sections: readonly TypedSection[]): Typed => ({
      type: 'written',
      count: sections.length,
      room: 0,
      write(w) {
        for (const section of sections) w.bytes(writeStorage(section).subarray(SIGNATURE.length));
      },
    });
    const listed = (sections: readonly TypedSection[]): Typed => ({
      type: 'list',
      items: sections.map((value) => ({ type: 'object', value })),
    });
    for (const sections of [fields, []])
      expect(writeStorage({ l: written(sections), z: { type: 'bool', value: true } })).toEqual(
        writeStorage({ l: listed(sections), z: { type: 'bool', value: true } }),
      );
  });
});

describe('fieldHead', () => {
  it('encodes the name and the type before a value', () => {
    expect(toHex(fieldHead('ab', 'string'))).toBe('0261620a');
    expect(toHex(fieldHead('ab', 'u64', 'list'))).toBe('02616285');
  });

  test.each(['', 'n'.repeat(256)])('refuses an invalid name: %s', (name) => {
    expect(() => fieldHead(name, 'bool')).toThrow(RangeError);
  });
});
