import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { amount, U64_MAX } from '../../../../src/util/amount.js';
import { concatBytes } from '../../../../src/util/bytes.js';
import {
  WATCHED_BYTES,
  WatchTable,
  type WatchedOutput,
} from '../../../../src/monero/wallet/scan/watch-table.js';

/** Few keys, some with equal first bytes, so that they collide in the table. */
const key = (n: number): Uint8Array => new Uint8Array(32).fill(n % 5, 0, 4).fill(n, 4);

const u32 = fc.oneof(fc.nat(3), fc.constantFrom(0xffff_fffe, 0xffff_ffff));
const watched: fc.Arbitrary<WatchedOutput> = fc.record({
  amount: fc.bigInt({ min: 0n, max: U64_MAX }).map(amount),
  subaddress: fc.record({ major: u32, minor: u32 }),
  height: fc.nat(20),
});
const step = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(fc.constant('set' as const), fc.nat(60), watched) },
  { weight: 3, arbitrary: fc.tuple(fc.constant('delete' as const), fc.nat(60), watched) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('detach' as const), fc.nat(25), watched) },
);

describe('a table of watched outputs', () => {
  it('behaves like a map', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const table = new WatchTable();
        const map = new Map<number, WatchedOutput>();
        for (const [does, n, output] of steps) {
          if (does === 'set') {
            table.set(key(n), output);
            map.set(n, output);
          } else if (does === 'delete') {
            table.delete(key(n));
            map.delete(n);
          } else {
            const to = n % 3 === 0 ? Infinity : n + 4;
            table.detach(n, to);
            for (const [name, { height }] of map) if (height >= n && height <= to) map.delete(name);
          }
        }
        expect(table.size).toBe(map.size);
        for (let n = 0; n <= 60; n++) expect(table.get(key(n))).toEqual(map.get(n));
      }),
      { numRuns: 100 },
    );
  });

  it('grows to any size', () => {
    const table = new WatchTable();
    const name = (n: number): Uint8Array => {
      const bytes = new Uint8Array(32);
      new DataView(bytes.buffer).setUint32(0, Math.imul(n, 0x9e37_79b1));
      return bytes;
    };
    const place = { subaddress: { major: 0, minor: 7 }, height: 3 };
    for (let n = 0; n < 20_000; n++) table.set(name(n), { amount: amount(BigInt(n)), ...place });
    expect(table.size).toBe(20_000);
    for (let n = 0; n < 20_000; n += 97) expect(table.get(name(n))?.amount).toBe(BigInt(n));
    expect(table.get(name(20_000))).toBeUndefined();
  });

  it('finds a key within longer bytes', () => {
    const table = new WatchTable();
    const output = { amount: amount(5n), subaddress: { major: 1, minor: 2 }, height: 9 };
    table.set(key(7), output);
    const blob = concatBytes(new Uint8Array(3).fill(7), key(7), new Uint8Array(5));
    expect(table.get(blob, 3)).toEqual(output);
    expect(table.get(blob, 2)).toBeUndefined();
    expect(table.get(blob, 35)).toBeUndefined();
  });

  test.each([1, WATCHED_BYTES - 1, WATCHED_BYTES + 1])('refuses %i bytes', (length) => {
    expect(() => new WatchTable(new Uint8Array(length))).toThrow(RangeError);
  });
});
