import { describe, expect, it, test } from '@jest/globals';
import { bytesToInt, intToBytes, ORDER } from '../../../../src/monero/crypto/scalar.js';
import { seededRng } from '../../../support/fakes/seeded-rng.js';
import { wasmBinary } from '../../../../src/util/bytes.js';
import { wasm as relaxed } from './field-relaxed.wasm.js';
import { wasm as simd } from './field-simd.wasm.js';

/** Source: src/monero/crypto/curve/assembly/field-test.ts. */
interface Field {
  readonly memory: WebAssembly.Memory;
  prepare(): void;
  elementsAt(): number;
  /** Replaces 256 bits by their residue modulo ℓ. */
  reduce(scalar: number): void;
  multiply(o: number, a: number, b: number): void;
  multiplyTwice(o: number, a: number, b: number): void;
  multiplySmall(o: number, a: number, n: number): void;
  swapLanes(a: number, b: number, first: number, second: number): void;
  chooseLanes(o: number, a: number, b: number, first: number, second: number): void;
  square(o: number, a: number): void;
  squareTimes(o: number, a: number, n: number): void;
  carryElement(o: number, a: number): void;
  bothProducts(sum: number, difference: number, a: number, b: number, c: number, d: number): void;
  doubling(f: number, g: number, h: number, a: number, b: number, c: number): void;
}

/** How a build lays out a pair of elements. */
interface Layout {
  /** Where limbs stand, lowest first. */
  readonly bits: readonly number[];
  /** A limb of one unit is at most this, either side. */
  unit(limb: number): number;
  get(memory: DataView, limb: number, lane: number): number;
  set(memory: DataView, limb: number, lane: number, value: number): void;
}

const LAYOUTS: Readonly<Record<'relaxed' | 'simd', Layout>> = {
  relaxed: {
    bits: [0, 51, 102, 153, 204],
    unit: () => 2 ** 50 + 2 ** 15,
    get: (memory, limb, lane) => memory.getFloat64(16 * limb + 8 * lane, true),
    set: (memory, limb, lane, value) => {
      memory.setFloat64(16 * limb + 8 * lane, value, true);
    },
  },
  simd: {
    bits: [0, 26, 51, 77, 102, 128, 153, 179, 204, 230],
    unit: (limb) => (2 ** 25 + 2 ** 14) / (1 + (limb & 1)),
    get: (memory, limb, lane) => memory.getInt32(16 * limb + 4 * lane, true),
    set: (memory, limb, lane, value) => {
      memory.setInt32(16 * limb + 4 * lane, value, true);
    },
  },
};

const P = 2n ** 255n - 19n;
const residue = (n: bigint): bigint => ((n % P) + P) % P;
const ROUNDS = 300;

describe.each(['relaxed', 'simd'] as const)('the field of the %s build', (build) => {
  const module = new WebAssembly.Module(wasmBinary({ relaxed, simd }[build]));
  const field = new WebAssembly.Instance(module, {}).exports as unknown as Field;
  field.prepare();
  const layout = LAYOUTS[build];
  const rng = seededRng(`field ${build}`);
  const at = (place: number): number => field.elementsAt() + 160 * place;
  const view = (place: number): DataView => new DataView(field.memory.buffer, at(place), 160);
  const byte = (): number => rng(1)[0] ?? 0;

  /** A limb at an edge of its range, or anywhere in it. */
  const someLimb = (most: number, round: number): number => {
    // The first rounds: all limbs at the top, all at the bottom, in turn.
    if (round < 2) return round === 0 ? most : -most;
    const edges = [most, -most, most - 1, 1 - most, 0, 1];
    if (round % 3 !== 0) return edges[byte() % edges.length] ?? 0;
    const part = (byte() * 2 ** 24 + byte() * 2 ** 16 + byte() * 2 ** 8 + byte()) / 2 ** 32;
    return Math.round((2 * part - 1) * most);
  };

  /** Fills a place. @returns the values of both lanes. */
  const fill = (place: number, units: number, round: number): readonly bigint[] => {
    layout.bits.forEach((_bit, limb) => {
      for (const lane of [0, 1])
        layout.set(
          view(place),
          limb,
          lane,
          someLimb(units * layout.unit(limb), round < 4 ? (round >> lane) & 1 : round),
        );
    });
    return values(place);
  };

  const values = (place: number): readonly bigint[] =>
    [0, 1].map((lane) =>
      layout.bits.reduce(
        (sum, bit, limb) => sum + (BigInt(layout.get(view(place), limb, lane)) << BigInt(bit)),
        0n,
      ),
    );

  /** Residues of a field element in memory, after a check that its limbs are within a number of units. */
  const settled = (place: number, units = 1): readonly bigint[] => {
    const memory = view(place);
    for (const lane of [0, 1])
      layout.bits.forEach((_bit, limb) => {
        const value = layout.get(memory, limb, lane);
        // An `expect` for each limb would take most of the time.
        if (!(Math.abs(value) <= units * layout.unit(limb)))
          throw new RangeError(`limb ${limb} of lane ${lane} is ${value}, beyond ${units} units`);
      });
    return values(place).map(residue);
  };

  it('reduces 256 bits modulo ℓ, at every multiple of ℓ and of 2^252 too', () => {
    const edges = Array.from({ length: 16 }, (_, q) => [BigInt(q) * ORDER, BigInt(q) << 252n]).flat();
    const values = [
      ...edges.flatMap((edge) => [edge - 1n, edge, edge + 1n]),
      2n ** 256n - 1n,
      ...Array.from({ length: 100 }, () => bytesToInt(rng(32))),
    ].filter((value) => value >= 0n && value < 2n ** 256n);
    const place = new Uint8Array(field.memory.buffer, at(0), 32);
    for (const value of values) {
      place.set(intToBytes(value));
      field.reduce(at(0));
      expect(bytesToInt(place)).toBe(value % ORDER);
    }
  });

  const both = (make: (lane: number) => bigint): readonly bigint[] =>
    [0, 1].map((lane) => residue(make(lane)));
  const of = (pair: readonly bigint[], lane: number): bigint => pair[lane] ?? 0n;

  test.each([
    [1, 1],
    [2, 1],
    [1, 2],
    [3, 1],
    [1, 3],
  ])('multiplies %i units by %i', (unitsA, unitsB) => {
    for (let round = 0; round < ROUNDS; round++) {
      const a = fill(0, unitsA, round);
      const b = fill(1, unitsB, round + (round < 4 ? round >> 1 : 0));
      const product = both((lane) => of(a, lane) * of(b, lane));
      field.multiply(at(2), at(0), at(1));
      expect(settled(2)).toEqual(product);
      field.multiplyTwice(at(3), at(0), at(1));
      expect(settled(3, 2)).toEqual(both((lane) => 2n * of(product, lane)));
    }
  });

  it('writes a product over what it multiplies', () => {
    for (let round = 0; round < ROUNDS; round++) {
      const a = fill(0, 3, round);
      const b = fill(1, 1, round);
      const product = both((lane) => of(a, lane) * of(b, lane));
      field.multiply(at(0), at(0), at(1));
      expect(settled(0)).toEqual(product);
      field.multiply(at(1), at(0), at(1));
      expect(settled(1)).toEqual(both((lane) => of(product, lane) * of(b, lane)));
      field.multiply(at(0), at(0), at(0));
      expect(settled(0)).toEqual(both((lane) => of(product, lane) ** 2n));
    }
  });

  test.each([0, 1, 19, 121_666, 2 ** 20])('multiplies up to 3 units by the small number %i', (n) => {
    for (let round = 0; round < ROUNDS; round++) {
      const a = fill(0, 1 + (round % 3), round);
      field.multiplySmall(at(0), at(0), n);
      expect(settled(0)).toEqual(both((lane) => of(a, lane) * BigInt(n)));
    }
  });

  test.each([
    [0, 0],
    [0, -1],
    [-1, 0],
    [-1, -1],
  ])('exchanges and chooses lanes by the masks %i and %i', (...masks: [number, number]) => {
    const [a, b] = [fill(0, 3, 4), fill(1, 3, 5)];
    const pick = (left: readonly bigint[], right: readonly bigint[]): readonly bigint[] =>
      masks.map((mask, lane) => of(mask === 0 ? left : right, lane));
    field.chooseLanes(at(2), at(0), at(1), ...masks);
    expect(values(2)).toEqual(pick(a, b));
    field.swapLanes(at(0), at(1), ...masks);
    expect(values(0)).toEqual(pick(a, b));
    expect(values(1)).toEqual(pick(b, a));
  });

  it('squares, once and again', () => {
    for (let round = 0; round < ROUNDS; round++) {
      const a = fill(0, 1, round);
      field.square(at(1), at(0));
      expect(settled(1)).toEqual(both((lane) => of(a, lane) ** 2n));
      field.square(at(1), at(1));
      expect(settled(1)).toEqual(both((lane) => of(a, lane) ** 4n));
      field.squareTimes(at(1), at(0), 1 + (round % 4));
      expect(settled(1)).toEqual(both((lane) => of(a, lane) ** (2n ** BigInt(1 + (round % 4)))));
      field.squareTimes(at(0), at(0), 1);
      expect(settled(0)).toEqual(both((lane) => of(a, lane) ** 2n));
    }
  });

  it('settles sums and differences of products', () => {
    for (let round = 0; round < ROUNDS; round++) {
      const [a, b, c, d] = [fill(0, 3, round), fill(1, 1, round), fill(2, 1, round), fill(3, 3, round ^ 1)];
      field.bothProducts(at(4), at(5), at(0), at(1), at(2), at(3));
      expect(settled(4)).toEqual(both((lane) => of(a, lane) * of(b, lane) + of(c, lane) * of(d, lane)));
      expect(settled(5)).toEqual(both((lane) => of(a, lane) * of(b, lane) - of(c, lane) * of(d, lane)));
    }
  });

  it('settles what doubling makes of squares', () => {
    for (let round = 0; round < ROUNDS; round++) {
      const [a, b, c] = [fill(0, 1, round), fill(1, 1, round ^ 1), fill(2, 1, round)];
      field.doubling(at(3), at(4), at(5), at(0), at(1), at(2));
      const difference = both((lane) => of(b, lane) ** 2n - of(a, lane) ** 2n);
      expect(settled(4)).toEqual(difference);
      expect(settled(5)).toEqual(both((lane) => of(b, lane) ** 2n + of(a, lane) ** 2n));
      expect(settled(3)).toEqual(both((lane) => 2n * of(c, lane) ** 2n - of(difference, lane)));
    }
  });

  it('settles elements of up to 8 units', () => {
    for (let round = 0; round < ROUNDS; round++) {
      const a = fill(0, 8, round);
      field.carryElement(at(0), at(0));
      expect(settled(0)).toEqual(a.map(residue));
    }
  });
});
