import { describe, expect, it } from '@jest/globals';
import type { PublicKey } from '../../../../src/monero/crypto/types.js';
import { type KernelBatch, OutputMatches } from '../../../../src/monero/wallet/scan/output-matches.js';
import type { KnownAddresses } from '../../../../src/monero/wallet/scan/subaddress-table.js';
import { concatBytes } from '../../../../src/util/bytes.js';

const bytes = (n: number): Uint8Array => new Uint8Array(32).fill(n);

/** Two transactions with a key each: the first has outputs 0 and 1, the second has output 0. */
const batch: KernelBatch = {
  scan: {
    keys: concatBytes(bytes(10), bytes(11)),
    outputKey: Uint32Array.of(0, 0, 1),
    outputIndex: Uint32Array.of(0, 1, 0),
    viewTags: Uint32Array.of(1, 2, 3),
    outputs: concatBytes(bytes(20), bytes(21), bytes(22)),
  },
  txs: Uint32Array.of(7, 8),
};

/** Matches of rows, each with the number of the row in its derivation (30 on) and spend key (40 on). */
const matchesOf = (...rows: readonly number[]): OutputMatches =>
  new OutputMatches(batch, {
    outputs: Uint32Array.from(rows),
    derivations: concatBytes(...rows.map((row) => bytes(30 + row))),
    spendKeys: concatBytes(...rows.map((row) => bytes(40 + row))),
    internal: new Uint8Array(rows.length),
  });

const spendPublicKey = bytes(1) as PublicKey;
const everyAddress: KnownAddresses = { spendPublicKey, find: () => ({ major: 0, minor: 0 }) };
const addressesOf = (...rows: readonly number[]): KnownAddresses => ({
  spendPublicKey,
  find: ([first]) => (rows.some((row) => first === 40 + row) ? { major: 0, minor: 0 } : undefined),
});

const match = (tx: number, outputIndex: number, row: number) => ({
  ...{ tx, outputIndex, key: bytes(3 + tx), derivation: bytes(30 + row), spendKey: bytes(40 + row) },
  internal: false,
});

describe('output matches', () => {
  it('are those whose output pays a known address, in order', () => {
    const all = [match(7, 0, 0), match(7, 1, 1), match(8, 0, 2)];
    const matches = matchesOf(0, 1, 2);
    expect(matches.count).toBe(3);
    expect([...matches.payingTo(everyAddress)]).toEqual(all);
    expect([...matches.payingTo(addressesOf(0, 2))]).toEqual([all[0], all[2]]);
    expect([...matches.payingTo(addressesOf())]).toEqual([]);
    expect([...matchesOf().payingTo(everyAddress)]).toEqual([]);
  });

  it('are refused outside their batch', () => {
    expect(() => [...matchesOf(0, 3).payingTo(everyAddress)]).toThrow(RangeError);
  });
});
