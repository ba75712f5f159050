import { readFileSync } from 'node:fs';
import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { StorageCursor } from '../../src/epee/storage-cursor.js';
import { writeStorage, type TypedSection } from '../../src/epee/storage-writer.js';
import { fromHex } from '../../src/util/bytes.js';
import { CodecError } from '../../src/util/codec.js';

const { invalid } = JSON.parse(
  readFileSync(new URL('../../../test/vectors/epee/portable-storage.json', import.meta.url), 'utf8'),
) as { invalid: { note: string; hex: string }[] };

const str = (text: string) => ({ type: 'string', value: Buffer.from(text) }) as const;
const u64 = (value: bigint) => ({ type: 'u64', value }) as const;

const message: TypedSection = {
  a: { type: 'bool', value: true },
  b: { type: 'list', items: [str('one'), str('two')] },
  c: { type: 'object', value: { inner: { type: 'list', items: [u64(7n), u64(2n ** 53n - 1n)] } } },
  d: { type: 'u8', value: 200 },
  e: { type: 'u16', value: 60_000 },
  f: { type: 'u32', value: 4_000_000_000 },
  g: u64(5n),
  h: { type: 'list', items: [{ type: 'object', value: { x: str('deep') } }] },
};

/** Walks through everything without taking anything. */
function pass(bytes: Uint8Array): string[] {
  const names: string[] = [];
  const cursor = new StorageCursor(bytes);
  cursor.section((name) => names.push(name));
  cursor.end();
  return names;
}

describe('a walk through portable storage', () => {
  const bytes = writeStorage(message);

  it('passes over what is not taken', () => {
    expect(pass(bytes)).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']);
  });

  it('takes strings, integers of every width, lists and sections', () => {
    const taken: unknown[] = [];
    const cursor = new StorageCursor(bytes);
    cursor.section((name) => {
      if (name === 'b') cursor.list(() => taken.push(cursor.text()));
      if (name === 'c')
        cursor.section(() => {
          taken.push(cursor.numbers());
        });
      if ('defg'.includes(name)) taken.push(cursor.number());
      if (name === 'h')
        cursor.list(() => {
          taken.push(cursor.isSection);
          cursor.section(() => taken.push(cursor.text()));
        });
    });
    cursor.end();
    expect(taken).toEqual([
      'one',
      'two',
      [7, Number.MAX_SAFE_INTEGER],
      200,
      60_000,
      4_000_000_000,
      5,
      true,
      'deep',
    ]);
  });

  test.each<[string, (cursor: StorageCursor) => void]>([
    ['a string where a section is', (cursor) => cursor.text()],
    ['an integer where a section is', (cursor) => cursor.number()],
    ['a list where a section is', (cursor) => cursor.list(() => undefined)],
    ['integers where strings are', (cursor) => cursor.section((name) => name === 'b' && cursor.numbers())],
    ['a section where a boolean is', (cursor) => cursor.section(() => cursor.section(() => undefined))],
  ])('refuses to take %s', (_what, take) => {
    expect(() => take(new StorageCursor(bytes))).toThrow(CodecError);
  });

  it('refuses an integer beyond what a number holds', () => {
    const cursor = new StorageCursor(writeStorage({ n: u64(2n ** 53n) }));
    expect(() => cursor.section(() => cursor.number())).toThrow('too large');
  });

  it('refuses more fields than any answer has', () => {
    const many = Object.fromEntries(Array.from({ length: 65 }, (_, i) => [`n${i}`, u64(0n)]));
    expect(() => pass(writeStorage(many))).toThrow('too many fields');
  });

  test.each(invalid.filter(({ note }) => !note.startsWith('a bool')))('refuses $note', ({ hex }) => {
    expect(() => pass(fromHex(hex))).toThrow(CodecError);
  });

  it('ends with a refusal, never otherwise, whatever is cut or changed', () => {
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.nat(255), fc.boolean(), (at, value, cut) => {
        const spoiled = cut ? bytes.slice(0, at) : Uint8Array.from(bytes);
        if (!cut) spoiled[at] = value;
        try {
          pass(spoiled);
          expect(cut).toBe(false);
        } catch (error) {
          expect(error).toBeInstanceOf(CodecError);
        }
      }),
      { numRuns: 2000 },
    );
  });
});
