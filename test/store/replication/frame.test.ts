import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import {
  decodeBaseHead,
  decodeFrame,
  encodeBaseHead,
  encodeFrame,
  HEAD_BYTES,
  type Frame,
} from '../../../src/store/replication/frame.js';
import { CodecError } from '../../../src/util/codec.js';

const PAGE_SIZE = 512;
const page = (number: number, fill = number): Frame['pages'][number] => ({
  number,
  bytes: new Uint8Array(PAGE_SIZE).fill(fill),
});
const frame: Frame = { sequence: 7, pageSize: PAGE_SIZE, pageCount: 9, pages: [page(1), page(3), page(9)] };

const frames = fc
  .record({
    sequence: fc.maxSafeNat(),
    pageCount: fc.integer({ min: 1, max: 2 ** 32 - 1 }),
    numbers: fc.uniqueArray(fc.integer({ min: 1, max: 2 ** 32 - 1 }), { maxLength: 5 }),
    fill: fc.nat(255),
  })
  .map(({ sequence, pageCount, numbers, fill }): Frame => {
    const inFile = numbers.filter((number) => number <= pageCount).sort((a, b) => a - b);
    return { sequence, pageSize: PAGE_SIZE, pageCount, pages: inFile.map((number) => page(number, fill)) };
  });

describe('a frame', () => {
  it('is decoded as it was encoded', () => {
    fc.assert(fc.property(frames, (value) => expect(decodeFrame(encodeFrame(value))).toEqual(value)));
  });

  it('has a fixed layout', () => {
    const bytes = encodeFrame({ ...frame, pages: [page(3)] });
    expect(Buffer.from(bytes.subarray(0, HEAD_BYTES + 4)).toString('hex')).toBe(
      '57525046' + '0001' + '0000' + '0000000000000007' + '00000200' + '00000009' + '00000001' + '00000003',
    );
    expect(bytes.length).toBe(HEAD_BYTES + 4 + PAGE_SIZE);
  });

  test.each([
    ['pages out of order', { ...frame, pages: [page(3), page(1)] }],
    ['a page twice', { ...frame, pages: [page(3), page(3)] }],
    ['page zero', { ...frame, pages: [page(0)] }],
    ['a page behind the end of the file', { ...frame, pages: [page(10)] }],
    ['a short page', { ...frame, pages: [{ number: 1, bytes: new Uint8Array(5) }] }],
    ['an empty file', { ...frame, pageCount: 0, pages: [] }],
    ['a page size that SQLite lacks', { ...frame, pageSize: 1000, pages: [] }],
    ['a fraction as sequence', { ...frame, sequence: 0.5 }],
  ])('is not encoded with %s', (_, value) => {
    expect(() => encodeFrame(value)).toThrow(RangeError);
  });

  test.each([
    ['no bytes', (): Uint8Array => new Uint8Array()],
    ['one byte less', (bytes: Uint8Array): Uint8Array => bytes.subarray(0, -1)],
    ['one byte more', (bytes: Uint8Array): Uint8Array => Uint8Array.of(...bytes, 0)],
    ['another magic', (bytes: Uint8Array): Uint8Array => bytes.fill(1, 0, 1)],
    ['a newer version', (bytes: Uint8Array): Uint8Array => bytes.fill(2, 5, 6)],
    ['reserved bytes in use', (bytes: Uint8Array): Uint8Array => bytes.fill(2, 7, 8)],
    ['a sequence beyond the safe integers', (bytes: Uint8Array): Uint8Array => bytes.fill(255, 8, 16)],
    ['another page size', (bytes: Uint8Array): Uint8Array => bytes.fill(4, 18, 19)],
    ['no page in the file', (bytes: Uint8Array): Uint8Array => bytes.fill(0, 20, 24)],
    ['more pages than bytes', (bytes: Uint8Array): Uint8Array => bytes.fill(255, 24, 28)],
    ['pages out of order', (bytes: Uint8Array): Uint8Array => bytes.fill(8, 31, 32)],
    ['page zero', (bytes: Uint8Array): Uint8Array => bytes.fill(0, 28, 32)],
    ['a page behind the end of the file', (bytes: Uint8Array): Uint8Array => bytes.fill(200, 39, 40)],
    ['the head of a base', (): Uint8Array => encodeBaseHead(frame)],
  ])('is not decoded from %s', (_, change) => {
    expect(() => decodeFrame(change(encodeFrame(frame)))).toThrow(CodecError);
  });

  it('is decoded or refused with a CodecError, whatever its bytes are', () => {
    const bytes = encodeFrame(frame);
    const change = fc.record({ at: fc.nat(60), value: fc.nat(255), cut: fc.nat(bytes.length) });
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), (changes) => {
        const damaged = Uint8Array.from(bytes);
        for (const { at, value } of changes) damaged[at] = value;
        for (const input of [damaged, damaged.subarray(0, changes[0]?.cut)])
          try {
            const { pages, pageCount } = decodeFrame(input);
            expect(pages.every((entry) => entry.number >= 1 && entry.number <= pageCount)).toBe(true);
          } catch (error) {
            expect(error).toBeInstanceOf(CodecError);
          }
      }),
      { numRuns: 2000 },
    );
  });
});

describe('the head of a base', () => {
  const shape = { sequence: 2 ** 40, pageSize: 4096, pageCount: 2 ** 31 };

  it('is decoded as it was encoded', () => {
    expect(decodeBaseHead(encodeBaseHead(shape))).toEqual(shape);
  });

  test.each([
    ['a frame', encodeFrame(frame)],
    ['a short input', encodeBaseHead(shape).subarray(1)],
    ['a list of pages', encodeBaseHead(shape).fill(1, 27, 28)],
  ])('is not decoded from %s', (_, bytes) => {
    expect(() => decodeBaseHead(bytes)).toThrow(CodecError);
  });
});
