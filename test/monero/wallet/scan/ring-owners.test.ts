import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { narrowOwners, ringPlaceOf } from '../../../../src/monero/wallet/scan/ambiguous-spends.js';

const narrowed = (...candidates: readonly (readonly number[])[]): number[][] =>
  narrowOwners(candidates.map((owners) => new Set(owners))).map((owners) => [...owners]);

describe('the owner of an input', () => {
  it('is the output that the other inputs leave', () => {
    expect(narrowed([1, 2, 3], [1, 2], [1])).toEqual([[3], [2], [1]]);
    expect(narrowed([1, 2], [1, 2], [2, 3], [])).toEqual([[1, 2], [1, 2], [2, 3], []]);
  });

  it('is not decided where rings leave one output for several inputs', () => {
    expect(narrowed([1], [1], [1, 2])).toEqual([[], [], [2]]);
  });

  it('remains among the candidates, and is alone only where it is certain', () => {
    const inputs = fc
      .integer({ min: 1, max: 6 })
      .chain((count) =>
        fc.tuple(
          fc.shuffledSubarray([...Array(count).keys()], { minLength: count }),
          fc.array(fc.subarray([...Array(count).keys()]), { minLength: count, maxLength: count }),
        ),
      );
    fc.assert(
      fc.property(inputs, ([owners, decoys]) => {
        const rings = owners.map((owner, i) => new Set([owner, ...(decoys[i] ?? [])]));
        const left = narrowOwners(rings);
        left.forEach((candidates, i) => {
          expect(candidates).toContain(owners[i]);
          for (const candidate of candidates) expect(rings[i]).toContain(candidate);
        });
      }),
    );
  });
});

it('outputs have one place for each denomination and index', () => {
  expect([ringPlaceOf(0n, 5), ringPlaceOf(0n, 5n), ringPlaceOf(5n, 0)]).toEqual(['0/5', '0/5', '5/0']);
});
