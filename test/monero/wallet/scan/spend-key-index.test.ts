import { describe, expect, it, test } from '@jest/globals';
import { SpendKeyIndex } from '../../../../src/monero/wallet/scan/spend-key-index.js';
import { measured } from '../../../support/fakes/array-memory.js';
import { seededRng } from '../../../support/fakes/seeded-rng.js';
import { itAtNight, someRows } from '../../../support/jest/lanes.js';

const rng = seededRng('spend key index');

describe('an index of spend keys', () => {
  it('finds every key that was put into it, and no other', () => {
    const index = new SpendKeyIndex();
    const keys = Array.from({ length: 5000 }, () => rng(32));
    keys.forEach((key, n) => index.set(key, { major: n % 7, minor: n }));
    expect(index.size).toBe(5000);
    expect(keys.every((key, n) => index.find(key)?.minor === n && index.find(key)?.major === n % 7)).toBe(
      true,
    );
    for (const [n, key] of keys.slice(0, 100).entries()) {
      const other = Uint8Array.from(key);
      other[n % 16] = (other[n % 16] ?? 0) ^ 0x80;
      expect(index.find(other)).toBeUndefined();
    }
  });

  itAtNight('finds every key of a packed list for which it has made room, and those that follow', () => {
    // Entry numbers of more than 16 bits included.
    for (const [reserved, more] of [
      [0, 10],
      [1, 1],
      [10_000, 300],
      [60_000, 8000],
      [65_535, 2],
      [65_536, 0],
      [66_000, 40_000],
    ] as const) {
      const index = new SpendKeyIndex();
      const count = reserved + more;
      const packed = new Uint8Array(40 * count);
      const view = new DataView(packed.buffer);
      for (let n = 0; n < count; n++) view.setUint32(40 * n + 4, Math.imul(n + 1, 0x9e3779b1));
      index.reserve(reserved);
      for (let n = 0; n < count; n++) index.set(packed, { major: count, minor: n }, 40 * n + 4);
      expect(index.size).toBe(count);
      let wrong = 0;
      for (let n = 0; n < count; n++) {
        const found = index.find(packed.subarray(40 * n + 4, 40 * n + 36));
        if (found?.minor !== n || found.major !== count) wrong += 1;
      }
      expect(wrong).toBe(0);
      expect(index.find(new Uint8Array(32))).toBeUndefined();
    }
  });

  it('keeps its memory and its keys if it is to make room for fewer than it can take', () => {
    const index = new SpendKeyIndex();
    index.reserve(5);
    index.reserve(3);
    const keys = [1, 2, 3, 4].map(() => rng(32));
    keys.forEach((key, n) => index.set(key, { major: 0, minor: n }));
    index.reserve(0);
    index.reserve(1);
    expect(keys.map((key) => index.find(key)?.minor)).toEqual([0, 1, 2, 3]);
    expect(index.size).toBe(4);
  });

  describe('in memory', () => {
    const name = new Uint8Array(32);
    const filled = (reserved: number, count: number): SpendKeyIndex => {
      const index = new SpendKeyIndex();
      index.reserve(reserved);
      for (let n = 0; n < count; n++) {
        new DataView(name.buffer).setUint32(0, Math.imul(n + 1, 0x9e3779b1));
        index.set(name, { major: 0, minor: n });
      }
      return index;
    };

    // After 14,764 keys without reserved memory, there would be memory for half as many more.
    test.each(someRows([14_764, 65_535]))(
      'takes less than 25 bytes for each of %i expected keys',
      (count) => {
        const { value: index, bytes } = measured(() => filled(count, count));
        expect(index.size).toBe(count);
        expect(bytes).toBeLessThan(25 * count);
      },
    );

    itAtNight('grows by half when it is full', () => {
      const { value: index, bytes } = measured(() => filled(14_764, 14_765));
      expect(index.size).toBe(14_765);
      expect(bytes).toBeLessThan(1.5 * 25 * 14_764);
    });
  });

  it('finds keys with equal first bytes', () => {
    const index = new SpendKeyIndex();
    const key = (last: number): Uint8Array => {
      const bytes = new Uint8Array(32).fill(0xff);
      bytes[15] = last;
      return bytes;
    };
    for (let n = 0; n < 200; n++) index.set(key(n), { major: 2 ** 32 - 1, minor: n });
    for (let n = 0; n < 200; n++) expect(index.find(key(n))).toEqual({ major: 2 ** 32 - 1, minor: n });
    expect(index.find(key(200))).toBeUndefined();
  });

  it('knows a key by its first 16 bytes', () => {
    const index = new SpendKeyIndex();
    const key = rng(32);
    index.set(key, { major: 1, minor: 2 });
    const changed = (n: number): Uint8Array => key.map((byte, i) => (i === n ? byte ^ 1 : byte));
    expect([index.find(changed(15)), index.find(changed(16))]).toEqual([undefined, { major: 1, minor: 2 }]);
  });

  it('keeps the indices of its keys when one of more than 16 bits comes', () => {
    const index = new SpendKeyIndex();
    const keys = Array.from({ length: 300 }, () => rng(32));
    const minorOf = (n: number): number => (n < 280 ? n : 65_536 + n);
    keys.forEach((key, n) => index.set(key, { major: n === 290 ? 70_000 : 65_535, minor: minorOf(n) }));
    keys.forEach((key, n) =>
      expect(index.find(key)).toEqual({ major: n === 290 ? 70_000 : 65_535, minor: minorOf(n) }),
    );
  });

  it('stores a key once', () => {
    const index = new SpendKeyIndex();
    const key = rng(32);
    index.set(key, { major: 0, minor: 1 });
    index.set(key, { major: 2, minor: 3 });
    expect(index.find(key)).toEqual({ major: 2, minor: 3 });
    expect(index.size).toBe(1);
    expect(index.find(new Uint8Array(32))).toBeUndefined();
  });
});
