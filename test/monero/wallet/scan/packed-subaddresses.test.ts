import { describe, expect, it } from '@jest/globals';
import type { PublicKey } from '../../../../src/monero/crypto/types.js';
import {
  type SubaddressKey,
  ENTRY_BYTES,
  eachSubaddress,
  findPacked,
  packKeys,
  packSubaddresses,
  partOf,
  partsOf,
  unpackSubaddresses,
} from '../../../../src/monero/wallet/scan/packed-subaddresses.js';
import { concatBytes } from '../../../../src/util/bytes.js';
import { seededRng } from '../../../support/fakes/seeded-rng.js';

const rng = seededRng('packed subaddresses');

/** Random keys with indices of several accounts, up to the largest one. */
const someKeys = (count: number): SubaddressKey[] =>
  Array.from({ length: count }, (_, i) => ({
    index: { major: 1000 * i, minor: 2 ** 32 - 1 - i },
    spendPublicKey: rng(32) as PublicKey,
  }));

/** A key of equal bytes. */
const keyOf = (byte: number): PublicKey => new Uint8Array(32).fill(byte) as PublicKey;

describe('packed entries', () => {
  it.each([0, 1, 2, 50])('are unpacked in their order: %i', (count) => {
    const keys = someKeys(count);
    const packed = packKeys(keys);
    expect(packed).toHaveLength(40 * count);
    expect(unpackSubaddresses(packed)).toEqual(keys);
    // The same within other bytes.
    const within = concatBytes(rng(3), packed, rng(39));
    expect(unpackSubaddresses(within.subarray(3, 3 + packed.length))).toEqual(keys);
    const offsets: number[] = [];
    eachSubaddress(packed, (_, at) => offsets.push(at));
    expect(offsets).toEqual(keys.map((_, i) => 40 * i));
  });

  it.each([0, 1, 50])('of consecutive addresses are those of their keys: %i', (count) => {
    const spendKeys = rng(32 * count);
    expect(unpackSubaddresses(packSubaddresses(spendKeys, 3, 70_000))).toEqual(
      Array.from({ length: count }, (_, i) => ({
        index: { major: 3, minor: 70_000 + i },
        spendPublicKey: spendKeys.slice(32 * i, 32 * i + 32),
      })),
    );
  });

  it('are divided by the first four bits of their keys, in their order', () => {
    const keys = someKeys(100);
    const parts = partsOf(packKeys(keys));
    expect(parts).toHaveLength(16);
    parts.forEach((part, number) =>
      expect(unpackSubaddresses(part)).toEqual(
        keys.filter(({ spendPublicKey: [first = NaN] }) => first >> 4 === number),
      ),
    );
    for (const { spendPublicKey } of keys)
      expect(findPacked(parts[partOf(spendPublicKey)] ?? new Uint8Array(), spendPublicKey)).toBeDefined();
    expect(partsOf(packKeys([]))).toEqual(Array.from({ length: 16 }, () => new Uint8Array()));
  });

  it('are found by whole keys at the beginning of an entry only', () => {
    const [first, second] = someKeys(2) as [SubaddressKey, SubaddressKey];
    const packed = packKeys([first, second]);
    expect(findPacked(packed, first.spendPublicKey)).toEqual(first.index);
    expect(findPacked(packed, second.spendPublicKey)).toEqual(second.index);
    for (const at of [1, 8, 33])
      expect(findPacked(packed, packed.slice(at, at + 32) as PublicKey)).toBeUndefined();
    // The same bytes within an entry, before the entry.
    const within = packed.slice(8, ENTRY_BYTES) as PublicKey;
    const entry = { index: { major: 1, minor: 2 }, spendPublicKey: within };
    expect(findPacked(packKeys([first, entry]), within)).toEqual(entry.index);
    // The same bytes from one byte before the entry on.
    const before = { ...first, index: { major: 0, minor: 7 } };
    const equal = { index: { major: 1, minor: 3 }, spendPublicKey: keyOf(7) };
    expect(findPacked(packKeys([before, equal]), keyOf(7))).toEqual(equal.index);
  });
});
