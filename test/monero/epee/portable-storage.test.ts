import { readFileSync } from 'node:fs';
import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import {
  readStorage,
  SectionReader,
  type Section,
  type Value,
} from '../../../src/monero/epee/portable-storage.js';
import {
  writeStorage,
  type Scalar,
  type Typed,
  type TypedSection,
} from '../../../src/monero/epee/storage-writer.js';
import { fromHex, toHex } from '../../../src/util/bytes.js';
import { CodecError } from '../../../src/util/codec.js';
import { randomRuns } from '../../support/fakes/random-runs.js';

interface Vectors {
  valid: { note: string; hex: string; value: unknown }[];
  invalid: { note: string; hex: string }[];
  recorded: { note: string; request: string; reply: string }[];
}

const vectors = JSON.parse(
  readFileSync(new URL('../../../../test/vectors/epee/portable-storage.json', import.meta.url), 'utf8'),
) as Vectors;

const isSection = (value: Value): value is Section =>
  typeof value === 'object' && !Array.isArray(value) && !(value instanceof Uint8Array);

/** The vectors' notation: integers end in n, strings are hex. */
function plain(value: Value): unknown {
  if (typeof value === 'bigint') return `${value}n`;
  if (value instanceof Uint8Array) return `0x${toHex(value)}`;
  if (Array.isArray(value)) return (value as readonly Value[]).map(plain);
  if (isSection(value))
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, plain(item)]));
  return value;
}

const recorded = (note: string): SectionReader => {
  const found = vectors.recorded.find((pair) => pair.note === note);
  if (found === undefined) throw new Error(`no pair ${note}`);
  return new SectionReader(readStorage(fromHex(found.reply)));
};

describe('portable storage', () => {
  test.each(vectors.valid)('reads $note', ({ hex, value }) => {
    expect(plain(readStorage(fromHex(hex)))).toEqual(value);
  });

  test.each(vectors.invalid)('refuses $note', ({ hex }) => {
    expect(() => readStorage(fromHex(hex))).toThrow(CodecError);
  });

  test.each(vectors.recorded)(
    'reads and rewrites the request that a daemon took at $note, byte for byte',
    ({ request }) => {
      expect(toHex(writeStorage(typed(readStorage(fromHex(request)))))).toBe(request);
    },
  );

  it("reads a daemon's chain of hashes", () => {
    const r = recorded('/get_hashes.bin');
    expect([r.text('status'), r.number('start_height'), r.number('current_height')]).toEqual(['OK', 0, 3]);
    expect(r.bytes('m_block_ids')).toHaveLength(96);
  });

  it("reads a daemon's page of blocks", () => {
    const r = recorded('/get_blocks.bin');
    expect(r.sections('blocks').map((block) => block.bytes('block').length > 0)).toEqual([true, true, true]);
    const indices = r
      .sections('output_indices')
      .map((of) => of.sections('indices').map((tx) => tx.list('indices')));
    expect(indices).toEqual([[[0n]], [[0n]], [[1n]]]);
  });

  it("reads a daemon's outputs", () => {
    const outs = recorded('/get_outs.bin').sections('outs');
    expect(outs.map((out) => [out.number('height'), out.bool('unlocked'), out.bytes('key').length])).toEqual([
      [2, false, 32],
      [1, false, 32],
    ]);
  });

  it('reads what a daemon refuses', () => {
    expect(recorded('/get_outs.bin, refused').text('status')).toBe('Failed');
  });

  it("reads a daemon's packed distribution", () => {
    const [entry] = recorded('/get_output_distribution.bin').sections('distributions');
    expect(toHex(entry?.bytes('distribution') ?? new Uint8Array())).toBe(
      '000000000000000001000000000000000200000000000000',
    );
  });
});

/**
 * Converts a recorded request to the writer's types: its integers are u64, it has no doubles, and its lists hold
 * sections or u64.
 */
function typed(section: Section): TypedSection {
  const scalar = (value: Value): Scalar => {
    if (typeof value === 'bigint') return { type: 'u64', value };
    if (typeof value === 'boolean') return { type: 'bool', value };
    if (value instanceof Uint8Array) return { type: 'string', value };
    if (typeof value === 'object' && isSection(value)) return { type: 'object', value: typed(value) };
    throw new TypeError('not in these requests');
  };
  return Object.fromEntries(
    Object.entries(section).map(([name, value]) => [
      name,
      Array.isArray(value) ? { type: 'list', items: (value as readonly Value[]).map(scalar) } : scalar(value),
    ]),
  );
}

const name = fc
  .array(fc.integer({ min: 0x21, max: 0x7e }), { minLength: 1, maxLength: 12 })
  .map((codes) => String.fromCharCode(...codes));
const { section: anySection } = fc.letrec<{ scalar: Scalar; typed: Typed; section: TypedSection }>((tie) => {
  const of = <T extends Scalar['type'], V>(
    type: T,
    value: fc.Arbitrary<V>,
  ): fc.Arbitrary<{ type: T; value: V }> => value.map((v) => ({ type, value: v }));
  const kinds = [
    of('u64', fc.bigInt({ min: 0n, max: (1n << 64n) - 1n })),
    of('u32', fc.integer({ min: 0, max: 2 ** 32 - 1 })),
    of('u16', fc.integer({ min: 0, max: 65535 })),
    of('u8', fc.integer({ min: 0, max: 255 })),
    of('bool', fc.boolean()),
    of('string', fc.uint8Array({ maxLength: 100 })),
    of('object', tie('section')),
  ] as fc.Arbitrary<Scalar>[];
  return {
    scalar: fc.oneof({ maxDepth: 3 }, ...kinds),
    typed: fc.oneof(
      { maxDepth: 3 },
      tie('scalar'),
      ...kinds.map((kind) =>
        fc.array(kind, { minLength: 1, maxLength: 5 }).map((items): Typed => ({ type: 'list', items })),
      ),
    ),
    section: fc.dictionary(name, tie('typed'), {
      maxKeys: 5,
      noNullPrototype: false,
      depthIdentifier: 'section',
    }),
  };
});

type Written = Exclude<Typed, { type: 'written' }>;
/** Expected value when a written value is read. */
function asRead(value: Written): unknown {
  switch (value.type) {
    case 'list':
      return value.items.map(asRead);
    case 'object':
      return sectionAsRead(value.value);
    case 'string':
      return `0x${toHex(value.value)}`;
    case 'bool':
      return value.value;
    default:
      return `${value.value}n`;
  }
}
const sectionAsRead = (section: TypedSection): unknown =>
  Object.fromEntries(
    Object.entries(section).flatMap(([key, value]) =>
      value === undefined || value.type === 'written' ? [] : [[key, asRead(value)]],
    ),
  );

describe('portable storage of any shape', () => {
  it('round-trips', () => {
    fc.assert(
      fc.property(anySection, (section) => {
        expect(plain(readStorage(writeStorage(section)))).toEqual(sectionAsRead(section));
      }),
      { numRuns: randomRuns(100) },
    );
  });

  it('is refused when it is cut anywhere', () => {
    fc.assert(
      fc.property(anySection, fc.nat(), (section, cut) => {
        const bytes = writeStorage(section);
        expect(() => readStorage(bytes.subarray(0, cut % bytes.length))).toThrow(CodecError);
      }),
      { numRuns: randomRuns(100) },
    );
  });

  it('is read, or refused with a CodecError, when a byte is changed anywhere', () => {
    fc.assert(
      fc.property(anySection, fc.nat(), fc.integer({ min: 1, max: 255 }), (section, at, change) => {
        const bytes = writeStorage(section);
        const i = 9 + (at % (bytes.length - 9));
        bytes[i] = (bytes[i] ?? 0) ^ change;
        readOrRefuse(bytes);
      }),
      { numRuns: randomRuns(500) },
    );
  });

  it('is read, or refused with a CodecError, when it is random bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (noise) =>
        readOrRefuse(Uint8Array.from([1, 0x11, 1, 1, 1, 1, 2, 1, 1, ...noise])),
      ),
      { numRuns: randomRuns(500) },
    );
  });
});

function readOrRefuse(bytes: Uint8Array): void {
  try {
    readStorage(bytes);
  } catch (error) {
    expect(error).toBeInstanceOf(CodecError);
  }
}

describe('a message that would take more memory than it has bytes', () => {
  const listOf = (type: number, count: number): Uint8Array => {
    const bytes = new Uint8Array(17 + count);
    bytes.set([1, 0x11, 1, 1, 1, 1, 2, 1, 1, 4, 1, 0x6c, 0x80 | type]);
    new DataView(bytes.buffer).setUint32(13, count * 4 + 2, true);
    return bytes;
  };

  test.each([
    ['sections', 12, 300_000],
    ['strings', 10, 300_000],
    ['bytes', 8, 5_000_000],
  ])('in %s is refused', (_, type, count) => {
    expect(() => readStorage(listOf(type, count))).toThrow(/too many/);
  });

  it('is read within the limits', () => {
    expect(readStorage(listOf(12, 10), { objects: 11 })['l']).toHaveLength(10);
    expect(() => readStorage(listOf(12, 10), { objects: 10 })).toThrow(/too many objects/);
    expect(() => readStorage(fromHex(`${'011101010101020101'}0801610b0001620b00`), { fields: 1 })).toThrow(
      /too many fields/,
    );
  });
});

describe('typed access', () => {
  const section = (): SectionReader =>
    new SectionReader(
      readStorage(
        writeStorage({
          wide: { type: 'u64', value: 1n << 60n },
          small: { type: 'u8', value: 5 },
          flag: { type: 'bool', value: true },
          text: { type: 'string', value: Buffer.from('näme') },
          inner: { type: 'object', value: { x: { type: 'u8', value: 1 } } },
          numbers: { type: 'list', items: [{ type: 'u64', value: 1n }] },
          inners: { type: 'list', items: [{ type: 'object', value: { x: { type: 'u8', value: 2 } } }] },
        }),
      ),
    );

  it('returns the fields of their types', () => {
    const r = section();
    expect([r.uint('wide'), r.number('small'), r.bool('flag'), r.text('text')]).toEqual([
      1n << 60n,
      5,
      true,
      'näme',
    ]);
    expect([r.section('inner').number('x'), r.sections('inners').map((inner) => inner.number('x'))]).toEqual([
      1,
      [2],
    ]);
    expect([r.has('flag'), r.has('absent'), r.has('toString')]).toEqual([true, false, false]);
  });

  it('returns the fallback for an absent field', () => {
    const r = section();
    expect([r.uint('absent', 3n), r.number('absent', 4), r.bool('absent'), r.list('absent')]).toEqual([
      3n,
      4,
      false,
      [],
    ]);
    expect([r.text('absent', 'no'), r.bytes('absent', new Uint8Array())]).toEqual(['no', new Uint8Array()]);
  });

  test.each<[string, (r: SectionReader) => unknown]>([
    ['a missing integer', (r) => r.uint('absent')],
    ['a missing string', (r) => r.bytes('absent')],
    ['a missing section', (r) => r.section('absent')],
    ['a string for an integer', (r) => r.uint('text')],
    ['an integer for a string', (r) => r.bytes('small')],
    ['an integer for a boolean', (r) => r.bool('small')],
    ['a string for a section', (r) => r.section('text')],
    ['a list for a section', (r) => r.section('inners')],
    ['a section for a list', (r) => r.list('inner')],
    ['integers for sections', (r) => r.sections('numbers')],
    ['an integer beyond 2^53 for a number', (r) => r.number('wide')],
  ])('refuses %s', (_, read) => {
    expect(() => read(section())).toThrow(CodecError);
  });

  it('refuses a negative integer', () => {
    const r = new SectionReader(readStorage(fromHex('01110101010102010104016e04ff')));
    expect(() => r.uint('n')).toThrow(CodecError);
  });
});
