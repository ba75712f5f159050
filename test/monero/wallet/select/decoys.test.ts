import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { publicKeyOf } from '../../../../src/monero/crypto/derivation.js';
import { decompress, G, multiply } from '../../../../src/monero/crypto/curve/point.js';
import { scalarBytes } from '../../../../src/monero/crypto/scalar.js';
import type { Commitment, PublicKey } from '../../../../src/monero/crypto/types.js';
import { commit } from '../../../../src/monero/ringct/commitment.js';
import { loadCurve } from '../../../../src/monero/crypto/curve/load-curve.js';
import { amount } from '../../../../src/util/amount.js';
import { fromHex } from '../../../../src/util/bytes.js';
import type { Rng } from '../../../../src/util/random.js';
import {
  areRingsPlausible,
  assembleRings,
  candidateIndices,
  chooseRings,
  decoysOf,
  GammaPicker,
  sparesOf,
  unusableDecoys,
  withoutDecoys,
  type FetchedOutput,
  type Ring,
} from '../../../../src/monero/wallet/select/decoys.js';
import { seededRng } from '../../../support/fakes/seeded-rng.js';
import { ownedOutput } from '../fixtures.js';
import { toPublicKey } from '../../../support/values/plain-points.js';

/** Every block has `density` outputs. */
const evenChain = (blocks: number, density: number): number[] =>
  Array.from({ length: blocks }, (_, block) => (block + 1) * density);

/** Blocks of 1 to 32 outputs, as in upstream's tests. */
function unevenChain(blocks: number, rng: Rng): number[] {
  let total = 0;
  return Array.from({ length: blocks }, () => (total += 1 + ((rng(1)[0] ?? 0) & 0x1f)));
}

function picks(picker: GammaPicker, count: number): number[] {
  const picked: number[] = [];
  while (picked.length < count) {
    const index = picker.pick();
    if (index !== undefined) picked.push(index);
  }
  return picked;
}

function blockOf(cumulative: readonly number[], index: number): number {
  let low = 0;
  let high = cumulative.length - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((cumulative[middle] ?? 0) < index) low = middle + 1;
    else high = middle;
  }
  return low;
}

// Thresholds: the reference's tests/unit_tests/output_selection.cpp.
describe('ages of picks', () => {
  it('have a median between 1.3 and 1.4 days', () => {
    const cumulative = evenChain(300_000, 1);
    const picked = picks(new GammaPicker({ cumulative }, seededRng('ages')), 100_000);
    const ages = picked.map((index) => (300_000 - 1 - index) * 120).sort((a, b) => a - b);
    const median = (ages[50_000] ?? 0) / 86_400;
    expect(median).toBeGreaterThanOrEqual(1.3);
    expect(median).toBeLessThanOrEqual(1.4);
  });

  const rng = seededRng('density');
  const cumulative = unevenChain(300_000, rng);
  const total = cumulative.at(-1) ?? 0;
  const picked = picks(new GammaPicker({ cumulative }, rng), 300_000);

  it('fall on blocks in proportion to their outputs', () => {
    const chain = new Array<number>(33).fill(0);
    const chosen = new Array<number>(33).fill(0);
    const densityOf = (block: number): number => (cumulative[block] ?? 0) - (cumulative[block - 1] ?? 0);
    for (let block = 0; block < cumulative.length; block++) {
      const density = densityOf(block);
      chain[density] = (chain[density] ?? 0) + density;
    }
    for (const index of picked) {
      const density = densityOf(blockOf(cumulative, index));
      chosen[density] = (chosen[density] ?? 0) + 1;
    }
    for (let density = 1; density < 0x20; density++) {
      const expected = (chain[density] ?? 0) / total;
      expect(Math.abs((chosen[density] ?? 0) / picked.length - expected)).toBeLessThan(0.025);
    }
  });

  it('are spread over outputs as over blocks', () => {
    const byBlock = new Array<number>(100).fill(0);
    const byOutput = new Array<number>(100).fill(0);
    for (const index of picked) {
      const block = Math.floor((blockOf(cumulative, index) * 100) / cumulative.length);
      const output = Math.floor((index * 100) / total);
      byBlock[block] = (byBlock[block] ?? 0) + 1;
      byOutput[output] = (byOutput[output] ?? 0) + 1;
    }
    const shares = byBlock
      .map((count, i) => [count, byOutput[i] ?? 0] as const)
      .filter(([count]) => count > 500);
    for (const [blocks, outputs] of shares)
      expect(Math.abs((2 * (blocks - outputs)) / (blocks + outputs))).toBeLessThan(0.25);
    expect(shares.length).toBeGreaterThan(5);
  });

  it('never reach outputs younger than ten blocks', () => {
    const chain = evenChain(2000, 7);
    const picker = new GammaPicker({ cumulative: chain }, seededRng('young'));
    expect(picker.outputs).toBe((2000 - 9) * 7);
    expect(Math.max(...picks(picker, 20_000))).toBeLessThan(picker.outputs);
  });

  it('are determined by the seed', () => {
    const one = picks(new GammaPicker({ cumulative }, seededRng('same')), 50);
    expect(picks(new GammaPicker({ cumulative }, seededRng('same')), 50)).toEqual(one);
    expect(picks(new GammaPicker({ cumulative }, seededRng('other')), 50)).not.toEqual(one);
  });
});

describe('an impossible distribution', () => {
  test.each([
    ['decreases', [5, 4, ...evenChain(20, 10)], 'wrong_outputs'],
    ['is negative', [-1, ...evenChain(20, 10)], 'wrong_outputs'],
    ['is not a whole number', [0.5, ...evenChain(20, 10)], 'wrong_outputs'],
    ['is not a number', [Number.NaN, ...evenChain(20, 10)], 'wrong_outputs'],
    ['is empty', [], 'not_enough_ring_members'],
    ['is shorter than the spendable age', evenChain(9, 10), 'not_enough_ring_members'],
    ['has no outputs', new Array<number>(100).fill(0), 'not_enough_ring_members'],
  ])('that %s is refused', (_, cumulative, kind) => {
    expect(() => new GammaPicker({ cumulative }, seededRng(0))).toThrow(
      expect.objectContaining({ fault: expect.objectContaining({ kind }) }),
    );
  });

  it('does not hang the search for candidates', () => {
    // All but a few outputs are in the oldest block, which picked ages never reach.
    const cumulative = [
      ...new Array<number>(299_000).fill(5000),
      ...evenChain(1000, 1000).map((count) => 5000 + count / 1000),
    ];
    const { indices } = candidateIndices(7, new GammaPicker({ cumulative }, seededRng(1)));
    expect(indices).toHaveLength(75);
  });
});

describe('candidates', () => {
  const picker = (blocks: number, density: number): GammaPicker =>
    new GammaPicker({ cumulative: evenChain(blocks, density) }, seededRng(`${blocks}/${density}`));

  it('are 75, ascending, without repeats, with the real one among them', () => {
    const { indices, picked } = candidateIndices(1234, picker(5000, 3));
    expect(indices).toHaveLength(75);
    expect(indices).toContain(1234);
    expect(picked[0]).toBe(1234);
    expect(new Set(indices).size).toBe(75);
    expect([...picked].sort((a, b) => a - b)).toEqual(indices);
  });

  it('are all outputs of a small chain', () => {
    const { indices } = candidateIndices(3, picker(29, 2));
    expect(indices).toEqual(Array.from({ length: 40 }, (_, i) => i));
  });

  it('refuse a chain with fewer outputs than a ring', () => {
    expect(() => candidateIndices(3, picker(24, 1))).toThrow(
      expect.objectContaining({ fault: expect.objectContaining({ kind: 'not_enough_ring_members' }) }),
    );
  });

  it('refuse a distribution without the real output', () => {
    expect(() => candidateIndices(200, picker(200, 1))).toThrow(
      expect.objectContaining({ fault: expect.objectContaining({ kind: 'wrong_outputs' }) }),
    );
  });
});

const keys = Array.from({ length: 100 }, (_, i) => publicKeyOf(scalarBytes(BigInt(i + 1))));
const keyAt = (i: number): PublicKey => keys[i] ?? (new Uint8Array(32) as PublicKey);
const commitmentAt = (i: number): Commitment => Uint8Array.from(keyAt(i)) as Commitment;

/** A point of small order: added to a point, it leaves the main subgroup. */
const TORSION = decompress(fromHex('26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05'));

describe('a ring', () => {
  const real = { globalIndex: 40, publicKey: keyAt(40), amount: amount(5n), mask: 9n };
  const candidates = {
    indices: Array.from({ length: 75 }, (_, i) => i),
    picked: [40, ...Array.from({ length: 75 }, (_, i) => 74 - i).filter((i) => i !== 40)],
  };
  const honest = candidates.indices.map((i): FetchedOutput => ({
    publicKey: keyAt(i),
    commitment: i === 40 ? commit(real.amount, real.mask) : commitmentAt(i),
    unlocked: true,
  }));
  const withChange = (index: number, change: Partial<FetchedOutput>): FetchedOutput[] =>
    honest.map((output, i) => (i === index ? { ...output, ...change } : output));
  const indicesOf = (ring: Ring): number[] => ring.members.map(({ globalIndex }) => globalIndex);
  const ringOf = (fetched: readonly FetchedOutput[]): Ring => {
    const [ring] = assembleRings([{ real, candidates, fetched }], loadCurve());
    if (ring === undefined) throw new Error('a ring');
    return ring;
  };

  it('holds the real output and the first fifteen picked, ascending', () => {
    const ring = ringOf(honest);
    expect(indicesOf(ring)).toEqual([40, ...Array.from({ length: 15 }, (_, i) => 60 + i)]);
    expect(ring.members[ring.realIndex]?.globalIndex).toBe(40);
  });

  test.each([
    ['locked', { unlocked: false }],
    ['that repeats a key', { publicKey: keyAt(73) }],
    ['that repeats our key', { publicKey: keyAt(40) }],
  ])('skips a candidate %s', (_, change) => {
    const ring = ringOf(withChange(70, change));
    expect(indicesOf(ring)).not.toContain(70);
    expect(indicesOf(ring)).toContain(59);
  });

  const NO_POINT = new Uint8Array(32).fill(2);
  const OUTSIDE = toPublicKey(multiply(G, 5n).add(TORSION));
  test.each([
    ['not on the curve', { publicKey: NO_POINT as PublicKey }],
    ['with a commitment not on the curve', { commitment: NO_POINT as Commitment }],
    ['with torsion', { publicKey: OUTSIDE }],
    ['with torsion in the commitment', { commitment: OUTSIDE as Uint8Array as Commitment }],
  ])('replaces a decoy %s by the next candidate', (_, change) => {
    const fetched = withChange(70, change).map((output, i) => (i === 59 ? { ...output, ...change } : output));
    const parts = [{ real, candidates, fetched }];
    const rings = assembleRings(parts);
    expect(unusableDecoys(decoysOf(rings))).toEqual([70]);
    const spares = sparesOf({ rings, candidates: parts });
    expect(spares.map(({ globalIndex }) => globalIndex)).toEqual(
      candidates.indices.filter((index) => rings.every((ring) => !indicesOf(ring).includes(index))),
    );
    expect(unusableDecoys(spares)).toEqual([59]);
    const usable = withoutDecoys({ rings, candidates: parts }, [70, 59]);
    expect(unusableDecoys(decoysOf(usable.rings))).toEqual([]);
    expect(usable.rings.map(indicesOf)).toEqual([
      [40, 58, ...Array.from({ length: 15 }, (_unused, i) => 60 + i).filter((index) => index !== 70)],
    ]);
    expect(usable.rings[0]?.members[usable.rings[0].realIndex]?.globalIndex).toBe(40);
  });

  it('has as spares the unlocked candidates that no ring holds, each once', () => {
    const fetched = withChange(59, { unlocked: false });
    const parts = { real, candidates, fetched };
    const rings = assembleRings([parts]);
    const expected = candidates.indices.filter((index) => index < 40 || (index > 40 && index < 59));
    const spares = sparesOf({ rings, candidates: [parts, parts] });
    expect(spares.map(({ globalIndex }) => globalIndex)).toEqual(expected);
  });

  it('needs fifteen decoys that are usable', () => {
    const parts = [{ real, candidates, fetched: honest }];
    const unusable = candidates.indices.filter((index) => index !== 40 && index > 13);
    expect(() => withoutDecoys({ rings: assembleRings(parts), candidates: parts }, unusable)).toThrow(
      expect.objectContaining({ fault: expect.objectContaining({ kind: 'not_enough_ring_members' }) }),
    );
  });

  test.each([
    ['another key for our output', withChange(40, { publicKey: keyAt(99) })],
    ['another commitment for our output', withChange(40, { commitment: commitmentAt(99) })],
    ['our output as locked', withChange(40, { unlocked: false })],
    ['one output too few', honest.slice(1)],
    ['one output too many', [...honest, ...honest.slice(0, 1)]],
    ['nothing', []],
  ])('is not made by a daemon that sends %s', (_, fetched) => {
    expect(() => ringOf(fetched)).toThrow(
      expect.objectContaining({ fault: expect.objectContaining({ kind: 'wrong_outputs' }) }),
    );
  });

  it('needs fifteen usable candidates', () => {
    const locked = honest.map((output, i) => ({ ...output, unlocked: i === 40 || i < 14 }));
    expect(() => ringOf(locked)).toThrow(
      expect.objectContaining({ fault: expect.objectContaining({ kind: 'not_enough_ring_members' }) }),
    );
  });

  it('is ordered, without duplicates, and has the real output for any locked candidates', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(74), { maxLength: 40 }), (locked) => {
        const fetched = honest.map((output, i) => ({ ...output, unlocked: i === 40 || !locked.includes(i) }));
        const ring = ringOf(fetched);
        const indices = indicesOf(ring);
        expect(indices).toHaveLength(16);
        expect(indices).toEqual([...new Set(indices)].sort((a, b) => a - b));
        expect(indices[ring.realIndex]).toBe(40);
      }),
      { numRuns: 20 },
    );
  });
});

describe('rings together', () => {
  const ringOf = (indices: readonly number[]): Ring => ({
    members: indices.map((globalIndex) => ({
      globalIndex,
      publicKey: keyAt(0),
      commitment: commitmentAt(0),
      unlocked: true,
    })),
    realIndex: 0,
  });
  const recent = Array.from({ length: 16 }, (_, i) => 90_000 + i);

  test.each([
    ['recent and varied', [recent], 100_000, true],
    ['old', [recent.map((index) => index - 80_000)], 100_000, false],
    ['old in a young chain', [recent.map((index) => index - 90_000)], 9_999, true],
    ['the same twice', [recent, recent], 100_000, false],
    ['short', [recent.slice(0, 10).map((index) => index - 90_000)], 100_000, true],
  ])('%s: plausible is %p', (_, rings, available, expected) => {
    expect(areRingsPlausible(rings.map(ringOf), available)).toBe(expected);
  });

  it('are fetched in one call, each input with candidates of its own', async () => {
    const outputs = [1, 2].map((n) =>
      ownedOutput(5n, { globalIndex: 10 * n, publicKey: keyAt(10 * n), mask: 9n }),
    );
    const picker = new GammaPicker({ cumulative: evenChain(60, 1) }, seededRng('two'));
    const calls: number[] = [];
    const { rings } = await chooseRings(outputs, picker, (indices) => {
      calls.push(indices.length);
      return Promise.resolve(
        indices.map((index) => ({
          publicKey: keyAt(index),
          commitment: index === 10 || index === 20 ? commit(amount(5n), 9n) : commitmentAt(index),
          unlocked: true,
        })),
      );
    });
    expect(calls).toEqual([102]);
    expect(rings.map(({ members, realIndex }) => members[realIndex]?.globalIndex)).toEqual([10, 20]);
  });

  it('are given up after three attempts without plausible ones', async () => {
    // All but the last output are in the oldest block, so picks are uniform and their median is too old.
    const cumulative = [...new Array<number>(300_000).fill(12_000), ...new Array<number>(10).fill(12_001)];
    const picker = new GammaPicker({ cumulative }, seededRng('old'));
    const output = ownedOutput(5n, { globalIndex: 2, publicKey: keyAt(2), mask: 9n });
    let calls = 0;
    const answer = (index: number): FetchedOutput => ({
      publicKey: publicKeyOf(scalarBytes(BigInt(index + 1))),
      commitment: index === 2 ? commit(amount(5n), 9n) : commitmentAt(index % 100),
      unlocked: true,
    });
    await expect(
      chooseRings([output], picker, (indices) => {
        calls += 1;
        return Promise.resolve(indices.map(answer));
      }),
    ).rejects.toMatchObject({ fault: { kind: 'wrong_outputs' } });
    expect(calls).toBe(3);
  });
});
