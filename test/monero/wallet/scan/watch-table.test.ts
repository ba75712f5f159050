import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { amount, U64_MAX } from '../../../../src/util/amount.js';
import { concatBytes } from '../../../../src/util/bytes.js';
import {
  unpackWatchedOutputs,
  WATCHED_BYTES,
  WatchTable,
  type WatchedOutput,
} from '../../../../src/monero/wallet/scan/watch-table.js';
import { measured } from '../../../support/fakes/array-memory.js';
import { randomRuns } from '../../../support/fakes/random-runs.js';
import { someRows } from '../../../support/jest/lanes.js';

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
      { numRuns: randomRuns(100) },
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

  const LIMIT = 0xffff_ffff;
  test.each([
    ['keys of the first slot', () => 0],
    ['keys of the last slot', () => LIMIT],
    ['keys of different slots', (n: number) => n],
    ['keys of some slots', (n: number) => (n % 2) - 1],
  ])('lacks a deleted key, and keeps the others: %s', (_, first) => {
    const name = (n: number): Uint8Array => {
      const bytes = new Uint8Array(32).fill(n);
      new DataView(bytes.buffer).setUint32(0, first(n), true);
      return bytes;
    };
    const output = (n: number): WatchedOutput => ({
      amount: amount(BigInt(n)),
      subaddress: { major: n, minor: n + 1 },
      height: n,
    });
    for (let size = 1; size <= 6; size++)
      for (let deleted = 0; deleted < size; deleted++) {
        const names = Array.from({ length: size }, (__, n) => n);
        const table = new WatchTable();
        for (const n of names) table.set(name(n), output(n));
        table.delete(name(deleted));
        table.delete(name(deleted));
        expect(table.size).toBe(size - 1);
        const kept = names.map((n) => (n === deleted ? undefined : output(n)));
        expect(names.map((n) => table.get(name(n)))).toEqual(kept);
        table.set(name(deleted), output(9));
        expect(table.size).toBe(size);
        expect(names.map((n) => table.get(name(n)))).toEqual(kept.map((one) => one ?? output(9)));
      }
  });

  it('may change any number of times', () => {
    const table = new WatchTable();
    const output = { amount: amount(5n), subaddress: { major: 1, minor: 2 }, height: 9 };
    const name = (n: number): Uint8Array => {
      const bytes = new Uint8Array(32);
      new DataView(bytes.buffer).setUint32(0, n, true);
      return bytes;
    };
    table.set(name(0), output);
    for (let n = 1; n <= 1000; n++) {
      table.set(name(n), output);
      table.delete(name(n));
      expect(table.get(name(n))).toBeUndefined();
    }
    expect(table.size).toBe(1);
    expect(table.get(name(0))).toEqual(output);
  });

  it('reads records of 52 bytes', () => {
    const outputs: WatchedOutput[] = [
      { amount: amount(1n), subaddress: { major: 2, minor: 3 }, height: 4 },
      { amount: amount(U64_MAX), subaddress: { major: LIMIT, minor: LIMIT - 1 }, height: LIMIT - 2 },
      { amount: amount(0n), subaddress: { major: 0, minor: 1 }, height: 0 },
    ];
    const packed = new Uint8Array(3 + 52 * outputs.length).subarray(3);
    const view = new DataView(packed.buffer, 3);
    outputs.forEach((output, n) => {
      packed.set(key(n), 52 * n);
      view.setBigUint64(52 * n + 32, output.amount);
      view.setUint32(52 * n + 40, output.subaddress.major);
      view.setUint32(52 * n + 44, output.subaddress.minor);
      view.setUint32(52 * n + 48, output.height);
    });
    expect(unpackWatchedOutputs(packed)).toEqual(outputs.map((output, n) => ({ key: key(n), output })));
    const table = new WatchTable(packed);
    expect(table.size).toBe(3);
    expect(outputs.map((_, n) => table.get(key(n)))).toEqual(outputs);
  });

  // It begins with 4096 records, has memory for 6144 and then 9216, and slots for 8192.
  test.each(
    someRows([
      [6144, 6144],
      [8192, 9216],
      [4096, 4096],
    ]),
  )('of %i records has memory for %i, and two slots for each of up to 8192', (count, room) => {
    const { value: table, bytes } = measured(() => {
      const packed = new Uint8Array(WATCHED_BYTES * 4096);
      const view = new DataView(packed.buffer);
      for (let n = 0; n < 4096; n++) view.setUint32(WATCHED_BYTES * n, Math.imul(n, 0x9e37_79b1));
      const growing = new WatchTable(packed);
      const name = new Uint8Array(32);
      for (let n = 4096; n < count; n++) {
        new DataView(name.buffer).setUint32(0, Math.imul(n, 0x9e37_79b1));
        growing.set(name, { amount: amount(5n), subaddress: { major: 1, minor: 2 }, height: 9 });
      }
      return growing;
    });
    expect(table.size).toBe(count);
    const slotBytes = 4 * 2 * 8192;
    expect(bytes).toBeLessThan(WATCHED_BYTES * room + slotBytes + 10_000);
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
