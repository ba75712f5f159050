import { describe, expect, it } from '@jest/globals';
import { hashOf, isKeyAt, KEY_BYTES } from '../../../../src/monero/wallet/scan/spend-key-index.js';
import { seededRng } from '../../../support/fakes/seeded-rng.js';

const rng = seededRng('packed keys');
const KEYS = 3;
const packed = rng(KEYS * KEY_BYTES + 9);
const OFFSETS = [0, 1, 5, KEY_BYTES, KEY_BYTES + 9, 2 * KEY_BYTES + 9];
const keyAt = (at: number): Uint8Array => packed.slice(at, at + KEY_BYTES);

/** Returns the key with one other bit, for each bit. */
const withOtherBit = (key: Uint8Array): Uint8Array[] =>
  Array.from({ length: 8 * KEY_BYTES }, (_, bit) =>
    key.map((byte, i) => (i === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte)),
  );

describe('the hash of a key', () => {
  it('is the same wherever the key lies', () => {
    for (const at of OFFSETS) expect(hashOf(packed, at)).toBe(hashOf(keyAt(at)));
  });

  it('depends on each bit of its first four bytes, and on no other', () => {
    const key = keyAt(0);
    expect(withOtherBit(key).map((other) => hashOf(other) !== hashOf(key))).toEqual(
      Array.from({ length: 8 * KEY_BYTES }, (_, bit) => bit < 32),
    );
  });
});

describe('a packed key', () => {
  it('equals the same 32 bytes, whatever lies before and after them', () => {
    for (const at of OFFSETS) {
      expect(isKeyAt(packed, at, keyAt(at))).toBe(true);
      expect(isKeyAt(packed, at, Uint8Array.of(1, 2, ...keyAt(at), 3), 2)).toBe(true);
    }
  });

  it('differs from a key with any other bit', () => {
    for (const at of OFFSETS)
      expect(withOtherBit(keyAt(at)).filter((other) => isKeyAt(packed, at, other))).toEqual([]);
  });
});
