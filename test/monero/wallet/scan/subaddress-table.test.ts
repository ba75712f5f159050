import { describe, expect, it } from '@jest/globals';
import type { PublicKey, SecretKey } from '../../../../src/monero/crypto/types.js';
import type { SubaddressIndex } from '../../../../src/monero/cryptonote/types.js';
import {
  packSubaddresses,
  unpackSubaddresses,
  type PackedSubaddresses,
} from '../../../../src/monero/wallet/scan/packed-subaddresses.js';
import {
  SubaddressTable,
  watchedCounts,
  type Lookahead,
} from '../../../../src/monero/wallet/scan/subaddress-table.js';
import { measured } from '../../../support/fakes/array-memory.js';
import { seededRng } from '../../../support/fakes/seeded-rng.js';

const rng = seededRng('subaddress table');
const SPEND_PUBLIC_KEY = rng(32) as PublicKey;
const VIEW_SECRET = rng(32) as SecretKey;

/** Invented spend keys of the addresses `from` ≤ minor < `to` of an account. */
function keysOf(major: number, from: number, to: number): Uint8Array {
  const keys = new Uint8Array(32 * (to - from));
  const view = new DataView(keys.buffer);
  for (let minor = from; minor < to; minor++) {
    view.setUint32(32 * (minor - from), Math.imul(7919 * major + minor + 1, 0x9e3779b1));
    view.setUint32(32 * (minor - from) + 4, major);
    view.setUint32(32 * (minor - from) + 8, minor);
  }
  return keys;
}

const entriesOf = (major: number, from: number, to: number): PackedSubaddresses =>
  packSubaddresses(keysOf(major, from, to), major, from);

/** Returns a table, and the ranges whose keys it has computed: account, `from`, and `to`. */
function tableWith(lookahead: Lookahead) {
  const computed: [number, number, number][] = [];
  const table = new SubaddressTable(SPEND_PUBLIC_KEY, VIEW_SECRET, lookahead, (_, __, ...range) => {
    computed.push(range);
    return keysOf(...range);
  });
  return { table, computed };
}

/** Minor indices of the entries that a table adds after a used address, by account. */
function addedBy(table: SubaddressTable, major: number, minor: number): Record<number, number[]> {
  const added: Record<number, number[]> = {};
  for (const { index, spendPublicKey } of unpackSubaddresses(table.expandTo({ major, minor }))) {
    (added[index.major] ??= []).push(index.minor);
    expect(spendPublicKey).toEqual(keysOf(index.major, index.minor, index.minor + 1));
  }
  return added;
}

const foundIn = (table: SubaddressTable, { major, minor }: SubaddressIndex): SubaddressIndex | undefined =>
  table.find(keysOf(major, minor, minor + 1));

describe('a subaddress table', () => {
  it('adds the lookahead after a used address, without the addresses that it knows', () => {
    const { table, computed } = tableWith({ major: 2, minor: 3 });
    expect(addedBy(table, 0, 0)).toEqual({ 0: [0, 1, 2], 1: [0, 1, 2] });
    expect(addedBy(table, 0, 0)).toEqual({});
    expect(addedBy(table, 0, 2)).toEqual({ 0: [3, 4] });
    expect(addedBy(table, 0, 1)).toEqual({});
    expect(addedBy(table, 1, 0)).toEqual({ 2: [0, 1, 2] });
    expect(addedBy(table, 3, 1)).toEqual({ 3: [0, 1, 2, 3], 4: [0, 1, 2] });
    expect(addedBy(table, 2, 0)).toEqual({});
    expect(table.size).toBe(5 + 3 + 3 + 4 + 3);
    expect(computed).toEqual([
      [0, 0, 3],
      [1, 0, 3],
      [0, 3, 5],
      [2, 0, 3],
      [3, 0, 4],
      [4, 0, 3],
    ]);
    for (const index of [
      { major: 0, minor: 4 },
      { major: 4, minor: 2 },
    ])
      expect(foundIn(table, index)).toEqual(index);
    expect(foundIn(table, { major: 0, minor: 5 })).toBeUndefined();
  });

  it('adds a larger lookahead in all accounts, and keeps the entries beyond a smaller one', () => {
    const { table } = tableWith({ major: 2, minor: 3 });
    table.expandTo({ major: 0, minor: 5 });
    table.lookahead = { major: 2, minor: 5 };
    expect(addedBy(table, 0, 0)).toEqual({ 1: [3, 4] });
    table.lookahead = { major: 1, minor: 1 };
    expect(addedBy(table, 0, 0)).toEqual({});
    expect(table.size).toBe(8 + 5);
    expect(foundIn(table, { major: 0, minor: 7 })).toEqual({ major: 0, minor: 7 });
    table.lookahead = { major: 3, minor: 2 };
    expect(addedBy(table, 0, 0)).toEqual({ 2: [0, 1] });
  });

  it('completes the lookahead of accounts of which it has loaded fewer addresses', () => {
    const lookahead = { major: 2, minor: 3 };
    const { table: empty } = tableWith(lookahead);
    empty.load([entriesOf(0, 0, 3), entriesOf(1, 0, 1)]);
    expect(empty.size).toBe(4);
    expect(addedBy(empty, 0, 0)).toEqual({ 1: [1, 2] });

    const { table: filled } = tableWith(lookahead);
    filled.expandTo({ major: 0, minor: 0 });
    filled.load([entriesOf(2, 0, 1)]);
    expect(addedBy(filled, 0, 0)).toEqual({ 2: [1, 2] });
  });

  it('loads the addresses of an account in any order', () => {
    const { table } = tableWith({ major: 1, minor: 2 });
    table.load([entriesOf(0, 3, 5), entriesOf(0, 0, 3)]);
    expect(addedBy(table, 0, 2)).toEqual({});
    expect(addedBy(table, 0, 4)).toEqual({ 0: [5] });
    for (let minor = 0; minor < 6; minor++)
      expect(foundIn(table, { major: 0, minor })).toEqual({ major: 0, minor });
  });

  it('takes less than 45 bytes for each address that it loads', () => {
    const counts = [10_000, 4764];
    const parts = counts.map((count, major) => entriesOf(major, 0, count));
    const { value: table, bytes } = measured(() => {
      const { table: empty } = tableWith({ major: 1, minor: 1 });
      empty.load(parts);
      return empty;
    });
    expect(table.size).toBe(14_764);
    expect(bytes).toBeLessThan(45 * table.size);
  });
});

describe('the numbers of watched addresses', () => {
  it.each([
    { used: [] },
    { used: [{ major: 0, minor: 7 }] },
    {
      used: [
        { major: 0, minor: 1 },
        { major: 3, minor: 0 },
        { major: 1, minor: 9 },
      ],
    },
  ])('are those of a table that was expanded to used addresses', ({ used }) => {
    const lookahead = { major: 2, minor: 3 };
    const { table } = tableWith(lookahead);
    for (const index of [{ major: 0, minor: 0 }, ...used]) table.expandTo(index);
    const counts = watchedCounts(used, lookahead);
    for (const [major, count] of [...counts, 0].entries()) {
      expect(foundIn(table, { major, minor: count })).toBeUndefined();
      if (count > 0) expect(foundIn(table, { major, minor: count - 1 })).toEqual({ major, minor: count - 1 });
    }
    expect(table.size).toBe(counts.reduce((sum, count) => sum + count, 0));
  });
});
